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
    ("name", "options"),
    [
        ("svm", {}),
        ("svm", {"kernel": "rbf"}),
        ("svm", {"estimate": "cv"}),
        ("logistic", {"removal": "retrain", "folds": 3}),
        ("forest", {"folds": 3, "permutations": 4}),
        ("forest", {"estimate": "oob", "permutations": 4}),
        ("boosting", {"folds": 3, "permutations": 4}),
    ],
)
def test_neither_order_nor_repetition_nor_another_run_changes_a_byte(
    mixed: pd.DataFrame, name: str, options: dict[str, Any]
) -> None:
    def ranked(frame: pd.DataFrame, **more: Any) -> str:
        return probfs.rank(frame, target="sick", classifier=name, **QUICK[name], **options, **more).to_csv()

    mixed.loc[::9, "noise"] = np.nan
    twice = pd.concat([mixed, mixed.iloc[:20]])
    counted = mixed.assign(n=np.where(np.arange(len(mixed)) < 20, 2, 1))
    shuffled = twice.sample(frac=1, random_state=1)[["sick", "noise", "visits", "site", "dose"]]
    assert ranked(twice) == ranked(twice) == ranked(shuffled) == ranked(counted, count="n")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("svm", {"kernel": "rbf"}),
        ("svm", {"estimate": "cv"}),
        ("forest", {"folds": 2}),
        ("forest", {"estimate": "oob"}),
    ],
)
def test_jobs_do_not_change_the_result(
    mixed: pd.DataFrame, name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("probfs.runtime.parallel.SECONDS_WORTH_WORKERS", 0.0)
    chosen = {"target": "sick", "classifier": name, "step": 2, **QUICK[name], **options}
    alone, together = (probfs.rank(mixed, jobs=jobs, **chosen).to_csv() for jobs in (1, 2))
    assert together == alone


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


@pytest.mark.parametrize(("name", "called"), [("svm", "the SVM"), ("logistic", "the logistic regression")])
def test_leave_one_out_says_how_many_models_there_will_be(mixed: pd.DataFrame, name: str, called: str) -> None:
    notes: list[str] = []
    chosen: dict[str, Any] = {"classifier": name, "estimate": "loo", "eliminate": False, "jobs": 1}
    probfs.rank(mixed[:12], target="sick", on_note=notes.append, **chosen)
    with command_line_language():
        probfs.rank(mixed[:12], target="sick", on_note=notes.append, **chosen)
    models = 13 if name == "svm" else 12
    cost = f"leave-one-out with {called}: {models} models will be fitted"
    assert [note for note in notes if note.startswith("leave-one-out")] == [
        f'{cost}; estimate="cv" takes less',
        f"{cost}; --estimate cv takes less",
    ]


@pytest.mark.parametrize(("name", "called"), [("svm", "the SVM"), ("forest", "the forest")])
def test_what_would_not_fit_in_memory_is_refused(name: str, called: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.classifiers.refitting.tables.MOST_CELLS", 39)
    frame = pd.DataFrame({"name": [f"n{row}" for row in range(20)], "a": np.arange(20) / 3, "y": ["n", "p"] * 10})
    problem = (
        f"20 rows of 21 columns .* of {called}: column 'name' has 20 values, each a column; leave .* with exclude=,"
    )
    with pytest.raises(probfs.DataError, match=problem):
        probfs.rank(frame, target="y", classifier=name)
    with command_line_language(), pytest.raises(probfs.DataError, match=r"leave columns out with --exclude, or"):
        probfs.rank(frame, target="y", classifier=name)
    frame["name"] = np.arange(20) / 7
    with pytest.raises(probfs.DataError, match=r"20 rows of 2 columns are too many for the memory of [^:]*; leave"):
        probfs.rank(frame, target="y", classifier=name)


def xor(rows: int = 240) -> pd.DataFrame:
    generator = np.random.default_rng(3)
    first, second = generator.integers(0, 2, (2, rows))
    frame = pd.DataFrame({f"noise{number}": generator.integers(0, 3, rows).astype(str) for number in range(4)})
    frame["one"], frame["other"] = np.array(["a", "b"])[first], np.array(["u", "v"])[second]
    return frame.assign(y=np.where(first ^ second, "yes", "no"))


@pytest.mark.parametrize(
    ("name", "options"), [("forest", {"trees": 40, "estimate": "oob"}), ("boosting", {"folds": 2, "iterations": 30})]
)
def test_forest_and_boosting_find_columns_that_tell_only_together(name: str, options: dict[str, Any]) -> None:
    ranking = probfs.rank(xor(), target="y", classifier=name, permutations=5, score="signed", step=2, **options)
    assert {own.feature for own in ranking.features[:2]} == {"one", "other"}
    assert ranking.rounds[0].errors < 0.3 * ranking.input.labelled_rows


def test_progress_and_rows_drawn_for_every_tree_are_told(mixed: pd.DataFrame) -> None:
    heard: list[probfs.Progress] = []
    notes: list[str] = []
    chosen: dict[str, Any] = {"target": "sick", "classifier": "forest", "trees": 1, "estimate": "oob"}
    ranking = probfs.rank(mixed, on_progress=heard.append, on_note=notes.append, **chosen)
    assert [(own.done, own.total) for own in heard if own.unit == "models"] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    (drawn,) = [note for note in ranking.warnings if note.code == "unjudged"]
    assert "rows were drawn for every tree, so that none could judge them" in drawn
    assert 'estimate="cv"' in drawn
    assert drawn in notes
