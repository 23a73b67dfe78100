"""Settings: completed from what was chosen, refused where they make no sense, and recorded in one order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.api.options import FALSE_DISCOVERIES
from probfs.ranking.settings import KEEP, NESTED_FOLDS, choose_settings
from probfs.text import command_line_language
from tests.support.results import make_settings


def test_the_keys_of_the_settings_and_their_order_are_a_contract() -> None:
    assert list(choose_settings().to_dict()) == [
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
        "weight",
        "time",
        "na",
        "dates",
        "ignore_case",
        "include",
        "exclude",
        "keep_identifiers",
        "join",
        "together",
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
        ({"folds": 1}, "folds=: 1 is not a whole number from 2 on", "--folds: 1 is not a whole number from 2 on"),
        ({"seed": -1}, "seed=: -1 is not a whole number from 0 on", "--seed: -1 is not a whole number from 0 on"),
        ({"seed": "0"}, "seed=: '0' is not a whole number from 0 on", "--seed: '0' is not a whole number from 0 on"),
        ({"kernel": "rbf"}, 'kernel= goes with classifier="svm" only', "--kernel goes with --classifier svm only"),
        (
            {"classifier": "svm", "gamma": 0.5},
            'gamma= goes with kernel="rbf" only',
            "--gamma goes with --kernel rbf only",
        ),
        (
            {"cut_target": 101},
            "cut_target=: 101 is not a whole number from 2 to 100",
            "--cut-target: 101 is not a whole number from 2 to 100",
        ),
        (
            {"min_class": 0},
            "min_class=: 0 is not a whole number from 1 on",
            "--min-class: 0 is not a whole number from 1 on",
        ),
        (
            {"screen": False, "false_discoveries": 0.2},
            "false_discoveries= goes with screen=True only",
            "--false-discoveries goes with --screen only",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_the_caller_s_language(
    frame: pd.DataFrame, chosen: dict[str, Any], python: str, command_line: str
) -> None:
    with pytest.raises(probfs.UsageError) as caught:
        probfs.rank(frame, target="y", **chosen)
    assert str(caught.value) == python
    with command_line_language(), pytest.raises(probfs.UsageError) as caught:
        probfs.rank(frame, target="y", **chosen)
    assert str(caught.value) == command_line


@pytest.mark.parametrize(
    ("step", "checked"), [(1, 1), (0.25, 0.25), (np.int32(4), 4), (np.float64(0.5), 0.5), ("auto", "auto"), (None, 1)]
)
def test_a_step_is_a_number_or_a_fraction_or_auto(frame: pd.DataFrame, step: Any, checked: Any) -> None:
    found = probfs.rank(frame, target="y", step=step).settings.step
    assert found == checked
    assert type(found) is type(checked)


@pytest.mark.parametrize("step", [0, -1, 1.0, 1.5, 0.0, True, "1", float("nan"), [1]])
def test_anything_else_is_no_step(frame: pd.DataFrame, step: Any) -> None:
    ways = "neither auto nor a whole number from 1 on nor a fraction like 0.1"
    with pytest.raises(probfs.UsageError, match=f"^step=: .* is {ways}$"):
        probfs.rank(frame, target="y", step=step)


# Selections


def test_the_settings_are_those_of_a_ranking_and_its_own() -> None:
    settings = make_settings(false_discoveries=0.2, keep=3, always=("a",), options={"smoothing": 2.0})
    assert settings.smoothing == 2.0
    flat = settings.to_dict()
    assert flat["smoothing"] == 2.0
    assert [flat[key] for key in ("classifier", "folds", "false_discoveries", "keep", "always")] == [
        "nb",
        10,
        0.2,
        3,
        ("a",),
    ]


@pytest.mark.parametrize("wrong", ["0", "-0.1", "1.1", "nan", "best"])
def test_a_share_of_false_discoveries_is_more_than_nothing_and_at_most_all(wrong: str) -> None:
    assert FALSE_DISCOVERIES.parse("1") == 1.0
    with pytest.raises(ValueError, match="is not a number from 1e-06 to 1"):
        FALSE_DISCOVERIES.parse(wrong)


def test_where_to_cut_is_a_word_or_a_number() -> None:
    assert [KEEP.parse(text) for text in ("best", "fewest", "most", "0")] == ["best", "fewest", "most", 0]
    for wrong in ("-1", "least"):
        with pytest.raises(ValueError, match="is neither best nor fewest nor most nor a whole number from 0 on"):
            KEEP.parse(wrong)


def test_there_are_no_folds_or_at_least_two() -> None:
    assert [NESTED_FOLDS.check(number) for number in (0, 2)] == [0, 2]
    with pytest.raises(ValueError, match=r"^1 is neither 0 \(none\) nor a whole number from 2 on$"):
        NESTED_FOLDS.check(1)
