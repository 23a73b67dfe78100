"""Settings: completed from what was chosen, refused where they make no sense, and recorded in one order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from probfs.errors import UsageError
from probfs.ranking.settings import Settings, check_step, choose_settings
from probfs.text import command_line_language

NOTHING_CHOSEN: dict[str, Any] = {
    "classifier": "nb",
    "score": "absolute",
    "estimate": None,
    "folds": None,
    "step": 1,
    "eliminate": True,
    "seed": 0,
    "options": {},
    "columns": {},
}


def choose(**chosen: Any) -> Settings:
    return choose_settings(**{**NOTHING_CHOSEN, **chosen})


def test_the_keys_of_the_settings_and_their_order_are_a_contract() -> None:
    assert list(choose().to_dict()) == [
        "classifier",
        "score",
        "estimate",
        "folds",
        "smoothing",
        "shrink",
        "bins",
        "missing",
        "kernel",
        "C",
        "gamma",
        "removal",
        "permutations",
        "trees",
        "leaf",
        "depth",
        "iterations",
        "learning_rate",
        "step",
        "eliminate",
        "seed",
        "mapping",
        "count",
        "group",
        "na",
        "dates",
        "ignore_case",
        "include",
        "exclude",
        "keep_identifiers",
        "join",
        "cut_target",
        "min_class",
        "uncertainty",
        "screen",
        "false_discoveries",
        "always",
    ]


@pytest.mark.parametrize(
    ("chosen", "python", "command_line"),
    [
        (
            {"classifier": "tree"},
            "classifier=: 'tree' is not one of nb, svm, logistic, forest, boosting",
            "--classifier: 'tree' is not one of nb, svm, logistic, forest, boosting",
        ),
        (
            {"score": "loud"},
            "score=: 'loud' is not one of absolute, signed, unlabeled",
            "--score: 'loud' is not one of absolute, signed, unlabeled",
        ),
        (
            {"estimate": "guess"},
            "estimate=: 'guess' is not one of loo, resubstitution, cv, oob",
            "--estimate: 'guess' is not one of loo, resubstitution, cv, oob",
        ),
        ({"folds": 3}, 'folds= goes with estimate="cv" only', "--folds goes with --estimate cv only"),
        (
            {"estimate": "cv", "folds": 1},
            "folds=: 1 is out of range; 2 or more",
            "--folds: 1 is out of range; 2 or more",
        ),
        ({"seed": -1}, "seed=: -1 is out of range; 0 or more", "--seed: -1 is out of range; 0 or more"),
        ({"seed": "0"}, "seed=: '0' is not a whole number", "--seed: '0' is not a whole number"),
        (
            {"step": 0},
            "step=: 0 is neither auto nor a whole number from 1 nor a fraction between 0 and 1",
            "--step: 0 is neither auto nor a whole number from 1 nor a fraction between 0 and 1",
        ),
        (
            {"options": {"kernel": "rbf"}},
            'kernel= goes with classifier="svm" only',
            "--kernel goes with --classifier svm only",
        ),
        (
            {"classifier": "svm", "options": {"bins": 3}},
            'bins= goes with classifier="nb" only',
            "--bins goes with --classifier nb only",
        ),
        (
            {"classifier": "svm", "options": {"gamma": 0.5}},
            'gamma= goes with kernel="rbf" only',
            "--gamma goes with --kernel rbf only",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_the_caller_s_language(
    chosen: dict[str, Any], python: str, command_line: str
) -> None:
    with pytest.raises(UsageError) as caught:
        choose(**chosen)
    assert str(caught.value) == python
    with command_line_language(), pytest.raises(UsageError) as caught:
        choose(**chosen)
    assert str(caught.value) == command_line


@pytest.mark.parametrize(
    ("step", "checked"), [(1, 1), (0.25, 0.25), (np.int32(4), 4), (np.float64(0.5), 0.5), ("auto", "auto")]
)
def test_a_step_is_a_number_or_a_fraction_or_auto(step: Any, checked: Any) -> None:
    found = check_step(step)
    assert found == checked
    assert type(found) is type(checked)


@pytest.mark.parametrize("step", [0, -1, 1.0, 1.5, 0.0, True, "1", None, float("nan"), [1]])
def test_anything_else_is_no_step(step: Any) -> None:
    with pytest.raises(UsageError, match="step="):
        check_step(step)


def test_how_the_target_is_cut_and_which_classes_are_rare_is_checked() -> None:
    assert (choose().cut_target, choose().min_class) == (None, 2)
    chosen = choose(columns={"cut_target": 3, "min_class": 1})
    assert (chosen.cut_target, chosen.min_class) == (3, 1)
    with pytest.raises(UsageError, match=r"^cut_target=: 101 is out of range; 2 to 100$"):
        choose(columns={"cut_target": 101})
    with command_line_language(), pytest.raises(UsageError, match=r"^--min-class: 0 is out of range; 1 or more$"):
        choose(columns={"min_class": 0})
