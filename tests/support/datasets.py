"""Datasets for classifiers: random ones of any size, and small ones that the exact reference can work on as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import note
from hypothesis import strategies as st

from probfs.classifiers.naive_bayes.classifier import FittedNaiveBayes
from probfs.classifiers.naive_bayes.model import ShrinkName
from probfs.classifiers.options import EstimateName
from probfs.classifiers.protocol import FitRequest
from probfs.classifiers.row_odds import RowOdds
from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset, Feature
from probfs.columns.folds import order_by_content
from probfs.columns.together import put_together
from probfs.ranking.elimination import Round, eliminate
from probfs.rows.blocks import Block, add_answers
from probfs.screening.counting import RankedNumbers
from probfs.tables.arrays import Codes, Integers, text_array
from tests.support.exact_naive_bayes import Problem, ReferenceRound


def fit_naive_bayes(
    dataset: Dataset,
    estimate: EstimateName,
    folds: int,
    smoothing: float,
    seed: int,
    rounds: Sequence[int] | None = None,
    *,
    shrink: ShrinkName = "off",
    compiled: bool | None = None,
    **of_request: Any,
) -> FittedNaiveBayes:
    """Naive Bayes for one round of all features, or for several."""
    rounds = [len(dataset.features)] if rounds is None else rounds
    request = FitRequest(dataset, estimate, folds, seed, rounds, **of_request)
    return FittedNaiveBayes(request, smoothing, shrink, compiled=compiled)


def eliminate_all(
    dataset: Dataset,
    estimate: EstimateName,
    step: float = 1,
    score: str = "signed",
    smoothing: float = 1.0,
    compiled: bool | None = None,
    shrink: ShrinkName = "off",
) -> list[Round]:
    classifier = fit_naive_bayes(dataset, estimate, 3, smoothing, 0, shrink=shrink, compiled=compiled)
    names = [feature.name for feature in dataset.features]
    return list(eliminate(classifier, names, SCORES[score], step))


def leaving_features(rounds: list[Round]) -> list[list[int]]:
    """The features that leave in each round, in order of leaving."""
    return [one.active[list(one.leaving)].tolist() for one in rounds]


def assert_same_rounds(first: list[Round], second: list[Round], exactly: bool = False) -> None:
    """The same features leave; scores, errors and losses agree, to within rounding or ``exactly``."""
    assert leaving_features(first) == leaving_features(second)
    close = partial(pytest.approx, rel=0, abs=0) if exactly else partial(pytest.approx, rel=1e-11, abs=1e-15)
    for one, other in zip(first, second, strict=True):
        for name in ("s_s", "s_a", "s_su"):
            scores, others = getattr(one.scores, name), getattr(other.scores, name)
            assert (scores is None) == (others is None)
            if scores is not None:
                assert scores == close(others)
        assert one.scores.exponent == other.scores.exponent
        assert one.scores.errors == other.scores.errors
        assert one.scores.absolute_loss == close(other.scores.absolute_loss)
        assert one.scores.log_loss == close(other.scores.log_loss)


def assert_as_refits(
    classifier: FittedNaiveBayes, problem: Problem, score: str, expected: Sequence[ReferenceRound], step: float = 1
) -> None:
    """The features leave as in the reference, and scores, errors, losses and exponents of all rounds are its own."""
    for ours, theirs in zip(eliminate(classifier, problem.names, SCORES[score], step), expected, strict=True):
        names = [problem.names[feature] for feature in ours.active]
        note(f"round {ours.number}: {theirs}")
        assert tuple(names[position] for position in ours.leaving) == theirs.removed
        assert ours.scores.exponent == pytest.approx(theirs.exponent, rel=1e-14)
        for key, which in (("s_s", 0), ("s_a", 1), ("s_su", 2)):
            scores, wanted = getattr(ours.scores, key), [theirs.scores[name][which] for name in names]
            assert (scores is None) == (wanted[0] is None)
            if scores is not None:
                assert scores == pytest.approx(np.array(wanted, dtype=np.float64), rel=1e-9, abs=1e-13)
        assert (ours.scores.errors, ours.scores.rows) == (theirs.errors, theirs.rows)
        assert ours.scores.absolute_loss == pytest.approx(float(theirs.absolute_loss), rel=1e-9, abs=1e-13)
        assert ours.scores.log_loss == pytest.approx(theirs.log_loss, rel=1e-9, abs=1e-13)


def feature_of(name: str, values: int, labelled: Integers, unlabelled: Integers | None = None) -> Feature:
    """A feature in the dtype that the encoder would give its codes, that of a missing cell (``values``) included."""
    dtype = np.min_scalar_type(values)
    names = pa.array([str(value) for value in range(values)], pa.string())
    others: Codes = np.empty(0, dtype) if unlabelled is None else unlabelled.astype(dtype)
    return Feature(name, names, labelled.astype(dtype), others)


def random_dataset(rows: int, features: int, values: int, classes: int, seed: int, signal: float = 0.5) -> Dataset:
    """Features that tell the class of up to ``signal`` of the rows; every class has at least two rows."""
    random = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(classes).repeat(2), random.integers(0, classes, rows - 2 * classes)])
    columns = []
    for number in range(features):
        cells = random.integers(0, values, rows)
        told = random.random(rows) < signal * random.random()
        cells[told] = (labels[told] + number) % values
        columns.append(feature_of(f"f{number:04}", values, cells))
    ones = np.ones(rows, dtype=np.int64)
    return Dataset(tuple(columns), tuple(f"c{c}" for c in range(classes)), labels, ones, np.empty(0, np.int64))


def with_unlabelled(dataset: Dataset, others: Dataset) -> Dataset:
    """A dataset with the labelled rows of another one as its unlabelled rows."""
    pairs = zip(dataset.features, others.features, strict=True)
    features = tuple(replace(one, unlabelled=other.labelled) for one, other in pairs)
    return replace(dataset, features=features, unlabelled_counts=others.counts)


def two_valued_dataset(codes: Integers, labels: Integers) -> Dataset:
    """Features of two values, a column of ``codes`` each, where 2 is a missing cell; and the classes a and b."""
    features = tuple(feature_of(f"f{number:04}", 2, column) for number, column in enumerate(codes.T))
    return Dataset(features, ("a", "b"), labels, np.ones(len(labels), np.int64), np.empty(0, np.int64))


def frame_of(dataset: Dataset) -> pd.DataFrame:
    """A dataset's labelled rows as a table of texts, with the class in ``y``."""
    columns = {f.name: [f.labels[int(code)].as_py() for code in f.labelled] for f in dataset.features}
    return pd.DataFrame({**columns, "y": [dataset.classes[label] for label in dataset.labels]})


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Small tables. With so few rows, values that are never seen, seen once, tied and missing all come up."""
    classes = draw(st.integers(2, 4))
    features = draw(st.integers(1, 5))
    values = tuple(draw(st.integers(1, 4)) for _ in range(features))
    labels = [label for label in range(classes) for _ in range(2)]
    labels += draw(st.lists(st.integers(0, classes - 1), max_size=6))
    cells = [
        st.one_of(st.none(), st.integers(0, v - 1)) if draw(st.booleans()) else st.integers(0, v - 1) for v in values
    ]
    rows = tuple(draw(st.tuples(*cells)) for _ in labels)
    unlabelled = tuple(draw(st.lists(st.tuples(*cells), max_size=4)))
    # Half of the tables have columns that are one feature together.
    group = [draw(st.sampled_from([None, 0, 1])) for _ in values] if draw(st.booleans()) else []
    together = [tuple(j for j, own in enumerate(group) if own == number) for number in (0, 1)]
    return Problem(rows, tuple(labels), values, classes, unlabelled, tuple(filter(None, together)))


def dataset_of(problem: Problem) -> Dataset:
    """A problem of the reference as the encoder would leave it."""
    features = []
    for j, (name, values) in enumerate(zip(problem.columns, problem.values, strict=True)):
        labelled = [values if row[j] is None else row[j] for row in problem.rows]
        seen = set(labelled)
        unlabelled = [row[j] if row[j] in seen else values for row in problem.unlabelled]
        features.append(feature_of(name, values, np.array(labelled), np.array(unlabelled, np.int64)))
    dataset = Dataset(
        tuple(features),
        tuple(f"c{label}" for label in range(problem.classes)),
        np.array(problem.labels),
        np.ones(len(problem.rows), dtype=np.int64),
        np.ones(len(problem.unlabelled), dtype=np.int64),
    )
    return put_together(dataset, problem.groups)


def random_odds(seed: int, rows: int, classes: int, size: float, lead: float, zeros: bool) -> RowOdds:
    """Odds of about this size, in favour of the rows' own classes by ``lead`` of it; some infinite with ``zeros``."""
    random = np.random.default_rng(seed)
    against_own = size * (random.normal(size=(classes - 1, rows)) - lead)
    if zeros:
        against_own[random.random(against_own.shape) < 0.3] = -np.inf
        against_own[:, random.random(rows) < 0.2] = np.inf
    counts = random.integers(1, 4, rows) if random.random() < 0.5 else np.ones(rows)
    return RowOdds(against_own, counts.astype(np.float64), 0)


def mixed_dataset(
    seed: int,
    rows: int,
    kinds: str,
    classes: int = 2,
    unlabelled: int = 0,
    counted: bool = False,
    gaps: float = 0.1,
    missing_is_value: bool = False,
) -> Dataset:
    """A table with a column for each letter of ``kinds``: continuous, few numbers (d), text, or always the same (s)."""
    generator = np.random.default_rng(seed)
    labels = np.sort(np.arange(rows) % classes)
    features = []
    for position, kind in enumerate(kinds):
        pull = generator.normal(size=classes)
        centre = np.concatenate([pull[labels], generator.normal(size=unlabelled)])
        values = centre + generator.normal(size=rows + unlabelled)
        if kind == "s":
            values = np.zeros_like(values)
        elif kind != "c":
            values = np.rint(values)
        numbers, codes = np.unique(values, return_inverse=True)
        codes[generator.random(len(codes)) < gaps] = len(numbers)
        labelled, others = codes[:rows].astype(np.uint16), codes[rows:].astype(np.uint16)
        texts = text_array([repr(number) for number in numbers.tolist()])
        if kind == "t":
            if missing_is_value:
                texts = text_array([*texts.to_pylist(), "(missing)"])
            others[~np.isin(others, labelled)] = len(texts)
            features.append(Feature(f"f{position}", texts, labelled, others, None, missing_is_value))
        else:
            features.append(Feature(f"f{position}", texts, labelled, others, numbers, missing_is_value))
    counts = generator.integers(1, 4, rows) if counted else np.ones(rows, dtype=np.int64)
    more = generator.integers(1, 4, unlabelled) if counted else np.ones(unlabelled, dtype=np.int64)
    dataset = Dataset(tuple(features), tuple("abcdef"[:classes]), labels, counts, more)
    return order_by_content(dataset, 0)


# Few rows, for tests of screening, in one block or several


@st.composite
def datasets(draw: st.DrawFn, rows: int = 14) -> Dataset:
    """Few rows, so that values never seen, seen once and missing all come up; some rows count for several, or none."""
    size = draw(st.integers(0, rows))
    classes = draw(st.integers(2, 4))
    features = []
    for number in range(draw(st.integers(1, 4))):
        values = draw(st.integers(1, 5))
        codes = draw(st.lists(st.integers(0, values), min_size=size, max_size=size))
        features.append(feature_of(f"f{number}", values, np.array(codes, dtype=np.int64)))
    labels = np.array(draw(st.lists(st.integers(0, classes - 1), min_size=size, max_size=size)), dtype=np.int8)
    counts = draw(st.one_of(st.just([1] * size), st.lists(st.integers(0, 4), min_size=size, max_size=size)))
    names = tuple(f"c{label}" for label in range(classes))
    return Dataset(tuple(features), names, labels, np.array(counts, dtype=np.int64), np.empty(0, np.int64))


def dataset_of_codes(columns: Sequence[Integers], labels: Integers, counts: Integers | None = None) -> Dataset:
    """Columns of codes, -1 where a cell is missing, as a dataset."""
    features = []
    for number, codes in enumerate(columns):
        values = int(codes.max(initial=0)) + 1
        features.append(feature_of(f"f{number}", values, np.where(codes < 0, values, codes)))
    names = tuple(f"c{label}" for label in range(int(labels.max()) + 1))
    weights = np.ones(len(labels), np.int64) if counts is None else counts
    return Dataset(tuple(features), names, labels, weights, np.empty(0, np.int64))


class SplitBlocks:
    """The rows of a dataset in several blocks, as workers of a cluster have them."""

    here = None

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = blocks

    @classmethod
    def of(cls, dataset: Dataset, cuts: Sequence[int], numbers: Sequence[RankedNumbers] = ()) -> SplitBlocks:
        """Blocks that begin at these rows, labelled and unlabelled ones."""
        blocks = []
        last = max(len(dataset.labels), len(dataset.unlabelled_counts))
        for number, (start, end) in enumerate(pairwise([0, *sorted(cuts), last])):
            own = slice(start, end)
            features = tuple(
                replace(one, labelled=one.labelled[own], unlabelled=one.unlabelled[own]) for one in dataset.features
            )
            rows = replace(dataset, features=features, labels=dataset.labels[own], counts=dataset.counts[own])
            rows = replace(rows, unlabelled_counts=dataset.unlabelled_counts[own])
            blocks.append(Block(rows, [replace(one, ranks=one.ranks[:, own]) for one in numbers], number))
        return cls(blocks)

    def ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return add_answers(self.each(function, *arguments))

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        return [function(block, *arguments) for block in self.blocks]

    def map(self, function: Callable[..., Block], *arguments: Any) -> SplitBlocks:
        return SplitBlocks(self.each(function, *arguments))

    def share(self, value: Any) -> Any:
        return value


def repeat_rows(dataset: Dataset) -> Dataset:
    """The dataset with as many rows as it counts, each of which counts once."""
    rows = np.repeat(np.arange(len(dataset.labels)), dataset.counts)
    features = tuple(replace(one, labelled=one.labelled[rows]) for one in dataset.features)
    return replace(dataset, features=features, labels=dataset.labels[rows], counts=np.ones(len(rows), np.int64))
