"""Rows that are ordered in time: each is judged by models of earlier rows only."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import probfs
from probfs.classifiers.refitting.rows import make_splits
from probfs.columns.dataset import Dataset, merge_equal_rows, normalise_weights
from probfs.columns.folds import consecutive_folds, order_by_content
from probfs.rows.blocks import EVERYTHING, Block, LocalBlocks, Part, WithoutFold, deal_blocks
from probfs.screening.counting import count_folds
from tests.support import exact_naive_bayes as reference
from tests.support.datasets import assert_as_refits, dataset_of, fit_naive_bayes, problems, random_dataset
from tests.support.exact_naive_bayes import Problem


@st.composite
def problems_in_time(draw: st.DrawFn) -> tuple[Problem, Dataset, int]:
    """Small tables, with weights or without, whose rows have times; and a number of folds."""
    problem, folds = draw(problems()), draw(st.integers(2, 5))
    early = 2 * problem.classes
    times = draw(st.lists(st.integers(0, 3), min_size=early, max_size=early))
    times += draw(st.lists(st.integers(0, 9), min_size=len(problem.rows) - early, max_size=len(problem.rows) - early))
    dataset = replace(dataset_of(problem), times=np.array(times) * 7)
    importance = draw(st.lists(st.sampled_from([1, 3, 50]), min_size=len(times), max_size=len(times)))
    exact = tuple(Fraction(own * len(importance), sum(importance)) for own in importance)
    weights = normalise_weights(np.array(importance) / 7, dataset.counts)
    return replace(problem, weights=exact), replace(dataset, weights=weights), folds


def folds_or_refusal(dataset: Dataset, folds: int) -> Any:
    try:
        return consecutive_folds(dataset, folds)
    except probfs.ProbfsError as error:
        if "so that no later row can be judged" not in str(error):
            raise
        return None


@settings(max_examples=150, deadline=None)
@given(
    problems_in_time(),
    st.sampled_from(["absolute", "signed", "unlabeled"]),
    st.sampled_from([0.5, 1.0]),
    st.sampled_from(["off", "on"]),
    st.booleans(),
)
def test_earlier_rows_judge_as_in_exact_refits(
    drawn: tuple[Problem, Dataset, int], score: str, smoothing: float, shrink: Any, compiled: bool
) -> None:
    problem, dataset, folds = drawn
    of_row = folds_or_refusal(dataset, folds)
    if of_row is None:
        return
    score = score if problem.unlabelled else "absolute"
    expected = reference.eliminate(problem, score, "time", Fraction(smoothing), 1, of_row.tolist(), shrink)
    with patch("probfs.columns.dataset._ROWS_PER_COMBINATION", 0):
        dataset = merge_equal_rows(dataset)
    classifier = fit_naive_bayes(dataset, "cv", folds, smoothing, 7, shrink=shrink, compiled=compiled)
    assert_as_refits(classifier, problem, score, expected)


# Folds


@given(problems_in_time(), st.integers(1, 3))
def test_folds_are_consecutive(drawn: tuple[Problem, Dataset, int], copies: int) -> None:
    problem, dataset, folds = drawn
    dataset = replace(dataset, counts=dataset.counts * copies)
    of_row = folds_or_refusal(dataset, folds)
    if of_row is None:
        return
    assert dataset.times is not None
    order = np.argsort(dataset.times, kind="stable")
    assert (np.diff(of_row[order]) >= 0).all()
    assert of_row.max() < folds
    for time in np.unique(dataset.times):
        assert len(np.unique(of_row[dataset.times == time])) == 1
    teaching = np.bincount(dataset.labels[of_row == 0], minlength=problem.classes) * copies
    assert teaching.min() >= 2
    ordered = order_by_content(dataset, 0)
    assert ordered.times is not None
    block = deal_blocks(LocalBlocks(Block(ordered)), EVERYTHING, folds, 0).here
    assert block is not None
    fold_of_time = dict(zip(dataset.times.tolist(), of_row.tolist(), strict=True))
    expected = np.array([fold_of_time[time] for time in ordered.times.tolist()])
    splits = make_splits(ordered, "cv", folds, 0)
    splits = splits[: len(splits) - bool(len(ordered.unlabelled_counts))]
    assert sum(len(split.scored) for split in splits) == np.count_nonzero(expected)
    for split in splits:
        (fold,) = set(expected[split.scored].tolist())
        np.testing.assert_array_equal(
            split.training_counts(ordered.counts), np.where(expected < fold, ordered.counts, 0)
        )
    counts = count_folds(block)
    for fold in range(folds):
        np.testing.assert_array_equal(block.copies(fold), np.where(expected == fold, ordered.counts, 0))
        part = block.rows_of(Part(sample=WithoutFold(fold, by_time=True)))
        assert part.rows == ordered.counts[expected < fold].sum()
        assert counts[fold].class_rows.sum() == pytest.approx(ordered.row_weights[expected == fold].sum())


def test_equal_shares_of_rows_are_judged() -> None:
    dataset = replace(random_dataset(100, 1, 2, 2, seed=0), times=np.arange(100))
    assert np.bincount(consecutive_folds(dataset, 10)).tolist() == [10] * 10
    # A class that comes late is waited for, and the rest is divided.
    late = replace(dataset, labels=(np.arange(100) >= 53).astype(np.int64))
    assert np.bincount(consecutive_folds(late, 5)).tolist() == [56, 11, 11, 11, 11]


# What users meet


def table(rows: int = 240, seed: int = 0) -> pd.DataFrame:
    """``then`` tells the class in the first half only, ``now`` in the second."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 2, rows)
    first = np.arange(rows) < rows / 2
    then = np.where(first & (random.random(rows) < 0.95), labels, random.integers(0, 2, rows))
    now = np.where(~first & (random.random(rows) < 0.95), labels, random.integers(0, 2, rows))
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(rows) // 2, unit="D")
    frame = pd.DataFrame({"then": then, "now": now, "n": random.integers(0, 3, rows), "when": when})
    return frame.assign(y=np.array(["p", "q"])[labels])


def scores_of(ranking: Any) -> list[Any]:
    return [(own.feature, own.s_s, own.s_a, own.p) for own in ranking.features]


@pytest.mark.parametrize("classifier", ["nb", "logistic", "svm", LogisticRegression()])
def test_rows_are_judged_by_earlier_ones(classifier: Any) -> None:
    frame = table()
    how: dict[str, Any] = (
        {"target": "y"} if classifier == "nb" else {"target": "y", "classifier": classifier, "jobs": 1}
    )
    by_time = probfs.rank(frame, time="when", folds=4, **how)
    assert (by_time.settings.estimate, by_time.settings.folds, by_time.settings.time) == ("cv", 4, "when")
    assert {own.feature for own in by_time.features} == {"then", "now", "n"}
    shuffled = probfs.rank(frame.drop(columns="when"), estimate="cv", **how)
    # What was true then is believed too long.
    assert by_time.rounds[0].errors / 180 > shuffled.rounds[0].errors / 240 + 0.05


@pytest.mark.parametrize("classifier", ["nb", "logistic", "svm", LogisticRegression()])
def test_weights_of_earlier_rows_are_those_of_each_other_alone(classifier: Any) -> None:
    # However little they weigh beside later rows, a model that knows no others learns as much from them.
    how: dict[str, Any] = {"target": "y", "time": "when", "weight": "w", "classifier": classifier}
    how |= {"shrink": "off"} if classifier == "nb" else {"jobs": 1}
    frames = [table(80).assign(w=np.where(np.arange(80) < 40, early, 1) * ([1, 3] * 40)) for early in (0.1, 1e-5)]
    flat, steep = (probfs.rank(frame, folds=2, screen=False, **how) for frame in frames)
    assert flat.rounds[0].rows == 40
    assert [own.errors for own in flat.rounds] == [own.errors for own in steep.rounds]
    for own, other in zip(flat.features, steep.features, strict=True):
        assert own.feature == other.feature
        assert own.s_s == pytest.approx(other.s_s, rel=1e-6)
    one, two = (probfs.select(frame, folds=2, false_discoveries=1, keep=2, **how).honest for frame in frames)
    assert one is not None
    assert two is not None
    assert one.kept.log_loss == pytest.approx(two.kept.log_loss, rel=1e-6)
    assert one.all.log_loss == pytest.approx(two.all.log_loss, rel=1e-6)


@pytest.mark.parametrize("options", [{}, {"classifier": "logistic", "jobs": 1}])
def test_the_order_of_rows_and_how_times_are_written_change_nothing(options: dict[str, Any]) -> None:
    frame, how = table(80), {"target": "y", "time": "when", **options}
    first = probfs.rank(frame, **how)
    days = (frame["when"] - frame["when"][0]).dt.days
    for other in (
        frame.sample(frac=1, random_state=1),
        frame.assign(when=days),
        frame.assign(when=frame["when"].dt.strftime("%d.%m.%Y")),
        frame.assign(when=days**3 / 7),
    ):
        assert scores_of(probfs.rank(other, **how)) == scores_of(first)
    counted = frame.groupby(list(frame.columns), as_index=False).size()
    repeated = scores_of(probfs.rank(counted, count="size", **how))
    for own, expected in zip(repeated, scores_of(first), strict=True):
        assert own[0] == expected[0]
        assert own[1:] == pytest.approx(expected[1:], rel=1e-9, abs=1e-12)


def test_a_choice_is_made_from_earlier_rows_and_judged_on_later_ones() -> None:
    frame = table()
    selection = probfs.select(frame, target="y", time="when", folds=4)
    assert selection.honest is not None
    assert (selection.honest.folds, selection.honest.kept.rows) == (3, 180)
    assert selection.reduced_columns == (*selection.kept, "y", "when")
    without = probfs.select(frame.drop(columns="when"), target="y", folds=4)
    assert without.honest is not None
    assert selection.honest.kept.log_loss > without.honest.kept.log_loss + 0.05
    assert max(own.folds or 0 for own in selection.features) <= 3
    assert json.loads(selection.to_json())["settings"]["time"] == "when"
    assert probfs.Selection.from_json(selection.to_json()).settings.time == "when"
    # The last rows decide nothing before they are judged.
    other = frame.assign(then=np.where(np.arange(240) < 230, frame["then"], 1 - frame["then"]))
    two = probfs.select(other, target="y", time="when", folds=4)
    assert two.honest is not None
    assert two.honest.none == selection.honest.none


def test_a_note_says_that_rows_are_ordered() -> None:
    for estimate in (None, "loo", "cv"):
        ranking = probfs.rank(table(), target="y", time="when", estimate=estimate)
        (note,) = (note for note in ranking.warnings if note.code == "time-order")
        assert note.startswith("rows are ordered by time=, and each is judged by models of earlier rows only")
        assert not note.is_warning


def test_a_model_that_hardly_beats_guessing_is_told_by_the_rows_that_are_judged() -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"a": random.integers(0, 3, 200), "when": np.arange(200), "y": random.integers(0, 2, 200)})
    ranking = probfs.rank(frame, target="y", time="when", screen=False)
    (note,) = (note for note in ranking.warnings if note.code == "weak-model")
    assert "of 180 rows wrong" in note
    assert not [note for note in probfs.rank(table(), target="y", time="when").warnings if note.code == "weak-model"]


def test_uncertainty_is_measured_in_time_as_well() -> None:
    ranking = probfs.rank(table(), target="y", time="when", uncertainty=True)
    assert all(own.se_initial_s_a is not None for own in ranking.features)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"time": "whenn"}, "time=: no column 'whenn' in <frame>; did you mean 'when'?"),
        ({"time": "y"}, "column 'y' is the target and named by time="),
        ({"time": "n", "count": "n"}, "column 'n' is named by count= and named by time="),
        ({"time": "when", "group": "n"}, "time= does not go with group="),
        ({"time": "when", "estimate": "resubstitution"}, 'estimate="resubstitution" judges rows by models that know'),
        ({"time": "when", "classifier": "forest", "estimate": "oob"}, 'estimate="oob" judges rows by models that know'),
        ({"time": "text"}, "column 'text', row 1: 'early' is not a time; use numbers or dates"),
        ({"time": "gap"}, "column 'gap', row 3: the time is missing; fill it in, or leave the row out"),
        ({"time": "same"}, "time= has too few different times: the 240 rows to learn from have only one, so that"),
        (
            {"time": "late"},
            "class 'q' begins too late in time=: of the 240 rows to learn from, fewer than 2 of that class come before",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(options: dict[str, Any], problem: str) -> None:
    frame = table()
    frame["y"] = np.where(frame.index % 2, "q", "p")
    frame["gap"] = np.where(frame.index.isin([2, 5]), np.nan, frame.index)
    frame["late"] = np.where(frame["y"] == "p", frame.index, 1000)
    frame = frame.assign(text=["early", "late"] * 120, same=1)
    with pytest.raises(probfs.ProbfsError) as refusal:
        probfs.rank(frame, target="y", **options)
    assert problem in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_choice_from_rows_of_one_time_is_refused_for_that_and_ranking_them_is_not() -> None:
    two = table().assign(when=lambda frame: frame.index >= 120)
    two["when"] = two["when"].astype(int)
    assert probfs.rank(two, target="y", time="when").features
    with pytest.raises(
        probfs.DataError, match="time= has too few different times: the 120 rows to learn from have only "
    ):
        probfs.select(two, target="y", time="when")


def test_rows_without_a_class_need_no_time() -> None:
    frame = table()
    frame.loc[:9, "y"] = None
    first = probfs.rank(frame, target="y", time="when", score="unlabeled")
    second = probfs.rank(
        frame.assign(when=frame["when"].where(frame["y"].notna())), target="y", time="when", score="unlabeled"
    )
    assert [own.s_su for own in first.features] == [own.s_su for own in second.features]
