"""Sparing scores that cannot be lowest: the ranking is the same as with every score computed."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from probfs.choices import Estimate, Score

from probfs.classifiers.naive_bayes.classifier import NaiveBayes
from probfs.classifiers.naive_bayes.sieve import Sieve
from probfs.classifiers.protocol import Features
from probfs.classifiers.scores import ABSOLUTE, SCORES, UNLABELED
from probfs.columns.dataset import Dataset
from probfs.ranking.elimination import Round, eliminate
from tests.test_naive_bayes import random_dataset


@st.composite
def near_ties(draw: st.DrawFn) -> Dataset:
    """Tables in which columns are copies of others, or differ from them in a row or two."""
    seed = draw(st.integers(0, 10**6))
    values = draw(st.integers(2, 4))
    rows, classes = draw(st.integers(12, 200)), draw(st.sampled_from([2, 2, 3, 4]))
    dataset = random_dataset(rows, 24, values, classes, seed, signal=draw(st.floats(0, 1)))
    random = np.random.default_rng(seed + 1)
    features = list(dataset.features)
    for number in range(12, 24):
        codes = features[number - 12].labelled.copy()
        for _ in range(draw(st.integers(0, 2))):
            # A missing cell now and then: the code after the last value.
            codes[random.integers(len(codes))] = random.integers(values + 1)
        features[number] = replace(features[number], labelled=codes)
    unlabelled = random.integers(0, values, (24, 30)).astype(np.uint8)
    features = [replace(feature, unlabelled=cells) for feature, cells in zip(features, unlabelled, strict=True)]
    counts = random.integers(1, draw(st.integers(2, 9)), rows)
    return replace(dataset, features=tuple(features), counts=counts, unlabelled_counts=np.ones(30, dtype=np.int64))


Settings = tuple[Score, Estimate, float, float, bool]
SETTINGS = st.tuples(
    st.sampled_from(["absolute", "unlabeled", "signed"]),
    st.sampled_from(["loo", "resubstitution", "cv"]),
    st.sampled_from([1, 3, 0.2]),
    st.sampled_from([1.0, 1e-3, 1e-60]),
    st.booleans(),
)


def rounds(
    dataset: Dataset, score: Score, estimate: Estimate, step: float, spare: bool, smoothing: float = 1.0
) -> list[Round]:
    backend = NaiveBayes(dataset, estimate, 3, smoothing, 0)
    if not spare:
        backend._driven_by, backend._floors = SCORES[score], {}
    names = [feature.name for feature in dataset.features]
    return list(eliminate(backend, names, SCORES[score], step))


def check(dataset: Dataset, how: Settings) -> None:
    score, estimate, step, smoothing, compiled = how
    with (
        patch("probfs.classifiers.naive_bayes.classifier.WORTH_SPARING", 0),
        patch("probfs.classifiers.naive_bayes.classifier.WORTH_COMPILING", 0 if compiled else 10**18),
    ):
        sparing = rounds(dataset, score, estimate, step, True, smoothing)
        everything = rounds(dataset, score, estimate, step, False, smoothing)
    for one, other in zip(sparing, everything, strict=True):
        assert one.scored[list(one.leaving)].tolist() == other.scored[list(other.leaving)].tolist()
        assert one.scores.log_loss == other.scores.log_loss
        assert one.scores.errors == other.scores.errors
        places = np.searchsorted(other.scored, one.scored)
        assert one.scores.s_s.to_floats() == pytest.approx(other.scores.s_s.to_floats()[places], rel=1e-11, abs=1e-15)


@settings(max_examples=60, deadline=None)
@given(near_ties(), SETTINGS)
def test_near_ties_leave_in_the_same_order(dataset: Dataset, how: Settings) -> None:
    check(dataset, how)


@pytest.mark.slow
@settings(max_examples=3000, deadline=None)
@given(near_ties(), SETTINGS)
def test_the_same_on_thousands_of_tables(dataset: Dataset, how: Settings) -> None:
    check(dataset, how)


@settings(max_examples=60, deadline=None)
@given(near_ties(), st.sampled_from(["loo", "resubstitution", "cv"]), st.data())
def test_no_score_falls_below_its_floor(dataset: Dataset, estimate: Estimate, data: st.DataObject) -> None:
    """Whichever features leave, what is said of the others beforehand holds."""
    backend = NaiveBayes(dataset, estimate, 3, 1.0, 0)
    backend.score()
    for _ in range(4):
        leaving = data.draw(st.lists(st.sampled_from(backend.active.tolist()), min_size=1, max_size=3, unique=True))
        backend.drop(np.array(leaving))
        floors = {score: own._floor[backend.active].copy() for score, own in backend._floors.items()}
        assert set(floors) == {ABSOLUTE, UNLABELED}
        scores = backend.score()
        for score, floor in floors.items():
            with np.errstate(divide="ignore"):
                logs = np.log(scores.driving(score).to_floats())
            assert (logs >= floor - 1e-9).all()


def test_most_scores_of_a_long_table_are_spared() -> None:
    dataset = random_dataset(20_000, 40, 4, 2, seed=0, signal=0.1)
    scored = sum(len(one.scored) for one in rounds(dataset, "absolute", "loo", 1, spare=True))
    assert scored < 40 * 41 / 2 / 2


@pytest.mark.parametrize(("score", "most"), [("absolute", 0.25), ("unlabeled", 0.25), ("signed", 0.6)])
@pytest.mark.parametrize("estimate", ["loo", "cv"])
def test_most_rows_of_a_wide_table_are_spared(
    score: Score, estimate: Estimate, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nearly all sums over all rows; the ranking is what it is without."""
    monkeypatch.setattr("probfs.classifiers.naive_bayes.classifier.WORTH_COMPILING", 0)
    gone_through = 0

    def counting(own: Sieve, active: Features, wanted: int) -> Features:
        nonlocal gone_through
        found = plainly(own, active, wanted)
        gone_through += int(own._found[1])
        return found

    plainly = Sieve.may_be_lowest
    monkeypatch.setattr(Sieve, "may_be_lowest", counting)
    dataset = random_dataset(600, 300, 4, 2, seed=0, signal=0.3)
    unlabelled = random_dataset(500, 300, 4, 2, seed=1, signal=0.3)
    features = tuple(
        replace(one, unlabelled=other.labelled)
        for one, other in zip(dataset.features, unlabelled.features, strict=True)
    )
    dataset = replace(dataset, features=features, unlabelled_counts=unlabelled.counts)
    sparing = rounds(dataset, score, estimate, 1, spare=True)
    everything = rounds(dataset, score, estimate, 1, spare=False)
    assert [one.scored[list(one.leaving)].tolist() for one in sparing] == [
        one.scored[list(one.leaving)].tolist() for one in everything
    ]
    rows = 1_100 if score == "unlabeled" else 600
    assert gone_through < most * rows * 300 * 301 / 2
    assert sum(len(one.scored) for one in sparing[1:]) < 2 * 300


@pytest.mark.parametrize("values", [40, 300])
def test_columns_of_many_values_are_spared_too(values: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their places in the tables of many folds take two bytes, whatever their codes take."""
    monkeypatch.setattr("probfs.classifiers.naive_bayes.classifier.WORTH_COMPILING", 0)
    dataset = random_dataset(500, 30, values, 2, seed=0)
    sparing = rounds(dataset, "signed", "cv", 1, spare=True)
    everything = rounds(dataset, "signed", "cv", 1, spare=False)
    assert sum(len(one.scored) for one in sparing) < sum(len(one.scored) for one in everything)
    for one, other in zip(sparing, everything, strict=True):
        assert one.scored[list(one.leaving)].tolist() == other.scored[list(other.leaving)].tolist()


@pytest.mark.parametrize("score", ["absolute", "signed"])
def test_scores_of_certain_rows_are_spared_too(score: Score, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where even the least certain row is surer than e^-1000, and no weight is a double."""
    monkeypatch.setattr("probfs.classifiers.naive_bayes.classifier.WORTH_COMPILING", 0)
    dataset = random_dataset(60, 1_200, 4, 2, seed=0, signal=1.0)
    backend = NaiveBayes(dataset, "loo", 0, 1.0, 0)
    assert backend._labelled[0].least_gap() > 1_000
    names = [feature.name for feature in dataset.features]
    sparing = list(islice(eliminate(backend, names, SCORES[score], 1), 40))
    backend = NaiveBayes(dataset, "loo", 0, 1.0, 0)
    backend._driven_by, backend._floors = SCORES[score], {}
    everything = islice(eliminate(backend, names, SCORES[score], 1), 40)
    assert sum(len(one.scored) for one in sparing[1:]) < 40 * 1_200 / 4
    for one, other in zip(sparing, everything, strict=True):
        assert one.scored[list(one.leaving)].tolist() == other.scored[list(other.leaving)].tolist()


def test_rows_that_count_for_nothing_are_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.classifiers.naive_bayes.classifier.WORTH_COMPILING", 0)
    dataset = random_dataset(300, 30, 3, 2, seed=0)
    features = tuple(replace(feature, unlabelled=feature.labelled[:50]) for feature in dataset.features)
    counts = np.arange(50) % 3
    dataset = replace(dataset, features=features, unlabelled_counts=counts)
    sparing = rounds(dataset, "unlabeled", "loo", 1, spare=True)
    everything = rounds(dataset, "unlabeled", "loo", 1, spare=False)
    for one, other in zip(sparing, everything, strict=True):
        assert one.scored[list(one.leaving)].tolist() == other.scored[list(other.leaving)].tolist()


def test_without_smoothing_nothing_is_spared() -> None:
    """A zero factor may bring a row back from certainty: there is no bound."""
    assert NaiveBayes(random_dataset(40, 5, 3, 2, seed=0), "loo", 0, 0.0, 0)._floors == {}
