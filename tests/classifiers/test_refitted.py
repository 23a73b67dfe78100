"""What users rely on whatever the classifier that is refitted; and what the SVM refuses, tells and solves."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probfs
from probfs.classifiers.refitting import svm as model
from probfs.classifiers.refitting.rows import Split, odds_of
from probfs.classifiers.refitting.svm import Sigmoid, fit_sigmoid, note_on_guessing, to_probabilities
from probfs.tables.arrays import Integers
from probfs.text import command_line_language
from workloads import weston

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


# The SVM


@pytest.mark.parametrize("options", [{}, {"removal": "retrain", "step": 0.5}])
def test_large_tables_are_ranked_as_small_ones(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """By LIBLINEAR. The usual tolerance leaves the order of noise columns to chance, so a hundredth of it is used."""
    monkeypatch.setattr(model, "TOLERANCE", 1e-5)
    frame = weston(400, 12)
    chosen: dict[str, Any] = {"target": "y", "classifier": "svm", "jobs": 1, **options}
    small = probfs.rank(frame, **chosen)
    monkeypatch.setattr(model, "MOST_ROWS_OF_SVC", 0)
    large = probfs.rank(frame, **chosen)
    assert small != large
    assert [own.feature for own in small.features] == [own.feature for own in large.features]
    for own, other in zip(small.features, large.features, strict=True):
        assert (own.s_s, own.s_a) == pytest.approx((other.s_s, other.s_a), abs=2e-3)
    assert probfs.rank(frame.sample(frac=1, random_state=1), **chosen).to_csv() == large.to_csv()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "class 'p' has 1 row; the SVM needs two: use {nb}"),
        (
            {"target": "z", "estimate": "loo"},
            "class 'u' has 2 rows, of which {loo} leaves 1 to train on; the SVM needs two: use {resubstitution} or "
            "{nb}",
        ),
        (
            {"target": "w", "estimate": "cv", "folds": 2},
            "class 'u' has 2 rows, of which {cv} leaves 1 to train on; the SVM needs two: use {resubstitution} or "
            "{nb}, or drop the class with {min_class}",
        ),
    ],
)
def test_too_few_rows_of_a_class_are_an_error(options: dict[str, Any], message: str) -> None:
    frame = pd.DataFrame({"a": [1, 2, 3, 5, 8] * 2, "z": list("uuvvvvvvvv"), "y": list("nnnnpnnnnn")})
    frame["w"] = list("uuvvvvwwww")
    for language, shown, least in (
        (contextlib.nullcontext(), '{}="{}"', "min_class=3"),
        (command_line_language(), "--{} {}", "--min-class 3"),
    ):
        named = {name: shown.format("estimate", name) for name in ("loo", "cv", "resubstitution")}
        with language, pytest.raises(probfs.DataError) as caught:
            probfs.rank(frame, **{"target": "y", "classifier": "svm", **options})
        expected = message.format(nb=shown.format("classifier", "nb"), min_class=least, **named)
        assert caught.value.message == expected


NOTED = "the SVM predicts held-out rows no better than the class shares do"


def draw_noise(generator: np.random.Generator, labels: Integers, columns: int) -> pd.DataFrame:
    cells = generator.normal(size=(len(labels), columns))
    return pd.DataFrame(cells, columns=[f"f{number}" for number in range(columns)]).assign(y=labels.astype(str))


def test_equal_decision_values_tell_only_how_frequent_the_class_is() -> None:
    sigmoid = fit_sigmoid(np.full(9, 2.5), np.arange(9) < 3, np.ones(9))
    assert 1 / (1 + math.exp(-(2.5 * sigmoid.slope + sigmoid.offset))) == pytest.approx((3 * 4 / 5 + 6 / 8) / 9)


def test_classes_of_which_no_svm_knows_anything_are_equally_probable() -> None:
    sigmoids = [Sigmoid(2.0, 0.0), Sigmoid(1.0, math.log(2)), Sigmoid(1.0, 0.0)]
    found = to_probabilities(sigmoids, np.array([[0.0, -1e5], [0.0, -1e5], [0.0, -1e5]]))
    assert found == pytest.approx(np.array([[3 / 10, 1 / 3], [4 / 10, 1 / 3], [3 / 10, 1 / 3]]))


@given(st.integers(0, 10**6), st.integers(2, 4), st.floats(0, 3), st.sampled_from(["copies", "subjects"]))
def test_the_note_on_guessing_compares_the_losses_of_every_row_or_subject(
    seed: int, classes: int, told: float, units: str
) -> None:
    generator = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(classes), generator.integers(classes, size=20)])
    counts = generator.integers(1, 4, len(labels))
    subjects = generator.integers(5, size=len(labels)) if units == "subjects" else None
    of_all = (generator.dirichlet(np.ones(classes), len(labels)) + told * np.eye(classes)[labels]).T / (1 + told)
    rows, frequencies = np.repeat(np.arange(len(labels)), counts), np.bincount(labels, counts) / counts.sum()
    prior_losses = -np.log(frequencies[labels])[rows]
    gains: Any = pd.Series(prior_losses + np.log(of_all[labels, np.arange(len(labels))])[rows])
    error = gains.sem()
    if subjects is not None:
        units_of = gains.groupby(subjects[rows])
        weights = units_of.count()
        spread = np.average((units_of.mean() - gains.mean()) ** 2, weights=weights)
        error = math.sqrt(spread / (weights.sum() ** 2 / (weights**2).sum() - 1))
    sigmoids = 1 if classes == 2 else classes
    chance, prior_loss = (sigmoids - 1) / 2 / len(rows), prior_losses.mean()
    found = f"log-loss {prior_loss - gains.mean() + chance:.3f} against {prior_loss:.3f}, ± {error:.3f}"
    text = f"with all features {NOTED} ({found}): do not rely on its scores"
    split = Split(np.arange(len(labels)), labels, counts, counts.astype(np.float64), subjects)
    note = note_on_guessing(odds_of(of_all, split), frequencies[labels], sigmoids)
    assert note == (None if gains.mean() - chance > error else text)


def test_classes_that_are_not_told_do_not_hide_one_that_is() -> None:
    """Sigmoids on training rows, which replace decreasing ones, would spoil the losses of held-out rows."""
    labels = np.repeat(np.arange(5), 60)
    notes: list[str] = []
    for seed in range(3):
        table = draw_noise(np.random.default_rng([seed, 300, 10]), labels, 10)
        table["f0"] += 1.0 * (labels == 1)
        notes += probfs.rank(table, target="y", classifier="svm", eliminate=False, jobs=1).warnings
    assert any("came out decreasing" in note for note in notes), "nothing was tested"
    assert not any(NOTED in note for note in notes)
