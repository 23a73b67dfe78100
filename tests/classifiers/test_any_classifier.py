"""What users rely on whatever the classifier that is refitted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.text import command_line_language

QUICK: dict[str, dict[str, Any]] = {"svm": {}, "logistic": {}, "forest": {"trees": 3}, "boosting": {"iterations": 2}}


@pytest.mark.parametrize(
    ("name", "options", "jobs"),
    [
        ("svm", {}, 1),
        ("svm", {"kernel": "rbf"}, 2),
        ("svm", {"estimate": "cv"}, 2),
        ("logistic", {"removal": "retrain", "folds": 3}, 1),
        ("forest", {"folds": 3, "permutations": 4}, 2),
        ("forest", {"estimate": "oob", "permutations": 4}, 2),
        ("boosting", {"folds": 3, "permutations": 4}, 1),
    ],
)
def test_neither_order_nor_repetition_nor_another_run_nor_jobs_change_a_byte(
    mixed: pd.DataFrame, name: str, options: dict[str, Any], jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ranked(frame: pd.DataFrame, **more: Any) -> str:
        options_of_all = {"target": "sick", "classifier": name, **QUICK[name], **options}
        return probfs.rank(frame, **options_of_all, **more).to_csv()

    twice = pd.concat([mixed, mixed.iloc[:20]])
    counted = mixed.assign(n=np.where(np.arange(len(mixed)) < 20, 2, 1))
    shuffled = twice.sample(frac=1, random_state=1)[["sick", "noise", "visits", "site", "dose"]]
    expected = ranked(twice)
    assert ranked(twice) == ranked(shuffled) == ranked(counted, count="n") == expected
    monkeypatch.setattr("probfs.runtime.parallel.SECONDS_WORTH_WORKERS", 0.0)
    assert ranked(twice, jobs=jobs) == expected


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("svm", {"kernel": "linear", "removal": "retrain"}),
        ("svm", {"kernel": "rbf"}),
        *((name, {"folds": 3}) for name in ("logistic", "forest", "boosting")),
    ],
)
def test_far_numbers_are_no_trouble_and_columns_without_numbers_or_always_the_same_score_nothing(
    name: str, options: dict[str, Any]
) -> None:
    generator = np.random.default_rng(0)
    sick = np.arange(40) % 2
    frame = pd.DataFrame({"far": 1e300 * (generator.random(40) + sick), "same": "x", "empty": [np.nan] * 40})
    frame["near"] = np.where(np.arange(40) % 7, 1e-320 * generator.integers(1, 6, 40), np.nan)
    frame["sick"] = np.where(sick, "yes", "no")
    more = pd.DataFrame({"far": [-1.7e308, 1.0], "near": [1.7e308, None], "same": "x", "empty": [3.0, None]})
    ranking = probfs.rank(frame, target="sick", classifier=name, unlabeled=more, **QUICK[name], **options)
    by_name = {own.feature: own for own in ranking.features}
    assert by_name["same"].s_s == by_name["empty"].s_s == by_name["empty"].s_su == 0
    assert by_name["far"].s_s > 0.05
    assert all(own.s_su is not None and math.isfinite(own.s_su) for own in ranking.features)
    assert not any("warned" in note for note in ranking.warnings)


@pytest.mark.parametrize(
    ("name", "called", "models"), [("svm", "the SVM", 13), ("logistic", "the logistic regression", 12)]
)
def test_leave_one_out_says_once_how_many_models_there_will_be(
    filled: pd.DataFrame, name: str, called: str, models: int
) -> None:
    notes: list[str] = []
    chosen: dict[str, Any] = {"target": "sick", "classifier": name, "estimate": "loo", "eliminate": False, "jobs": 1}
    probfs.rank(filled[:12], on_note=notes.append, **chosen)
    with command_line_language():
        probfs.rank(filled[:12], on_note=notes.append, **chosen)
    cost = f"leave-one-out with {called}: {models} models will be fitted"
    told = [note for note in notes if note.startswith("leave-one-out")]
    assert told == [f'{cost}; estimate="cv" takes less', f"{cost}; --estimate cv takes less"]


@pytest.mark.parametrize(("name", "called"), [("svm", "the SVM"), ("forest", "the forest")])
def test_what_would_not_fit_in_memory_is_refused(name: str, called: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.classifiers.refitting.tables.MOST_CELLS", 39)
    frame = pd.DataFrame({"name": [f"n{row}" for row in range(20)], "a": np.arange(20) / 3, "y": ["n", "p"] * 10})
    values = "column 'name' has 20 values, each a column; leave columns out with exclude=,"
    with pytest.raises(probfs.DataError, match=f"20 rows of 21 columns .* of {called}: {values}"):
        probfs.rank(frame, target="y", classifier=name)
    frame["name"] = np.arange(20) / 7
    with pytest.raises(probfs.DataError, match=r"20 rows of 2 columns are too many for the memory of [^:]*; leave"):
        probfs.rank(frame, target="y", classifier=name)
    monkeypatch.setattr("probfs.classifiers.refitting.tables.MOST_CELLS", 40)
    assert len(probfs.rank(frame, target="y", classifier=name, jobs=1, **QUICK[name]).features) == 2


def test_progress_and_rows_drawn_for_every_tree_are_told(mixed: pd.DataFrame) -> None:
    heard: list[probfs.Progress] = []
    notes: list[str] = []
    chosen: dict[str, Any] = {"target": "sick", "classifier": "forest", "trees": 1, "on_progress": heard.append}
    ranking = probfs.rank(mixed, estimate="oob", on_note=notes.append, **chosen)
    # In rounds of four columns and of one, with two folds: a model of all columns, and one without each.
    probfs.rank(mixed, removal="retrain", folds=2, step=3, jobs=1, **chosen)
    models = [(own.done, own.total) for own in heard if own.unit == "models"]
    assert models == [*((done, 4) for done in range(1, 5)), *((done, 14) for done in range(1, 15))]
    (drawn,) = [note for note in ranking.warnings if note.code == "unjudged"]
    assert "rows were drawn for every tree, so that none could judge them" in drawn
    assert 'estimate="cv"' in drawn
    assert drawn in notes
