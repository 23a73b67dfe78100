"""Scores far below the smallest double: their sizes, digits and order."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

import probfs
from probfs.classifiers.naive_bayes.classifier import NaiveBayes
from probfs.columns.dataset import Dataset, Feature
from probfs.tables.table import Floats, Integers
from tests.support.datasets import dataset_of, feature_of, frame_of, random_dataset, two_valued_dataset
from tests.support.exact_naive_bayes import Problem, factor, posterior


def exact_log_scores(codes: Integers, labels: Integers, values: int, smoothing: float) -> Floats:
    """log2 of each feature's Σ|P - Q| under leave-one-out, all in logarithms, row by row and feature by feature."""
    rows, features = codes.shape
    logs = np.full(features, -np.inf)
    log_odds = np.empty((rows, features))
    prior = np.empty(rows)
    for i in range(rows):
        keep = np.arange(rows) != i
        sizes = [np.sum(labels[keep] == c) for c in (0, 1)]
        prior[i] = math.log(sizes[0]) - math.log(sizes[1])
        for c, sign in ((0, 1), (1, -1)):
            same = (codes[keep] == codes[i]) & (labels[keep] == c)[:, None]
            part = np.log(same.sum(axis=0) + smoothing) - math.log(sizes[c] + smoothing * values)
            log_odds[i] = part if sign == 1 else log_odds[i] - part
    for i in range(rows):
        total = prior[i] + math.fsum(log_odds[i])
        for j in range(features):
            without = total - log_odds[i, j]
            # σ(a) - σ(b) = σ(a)·σ(-b)·(1 - e^(b-a)).
            a, b = max(total, without), min(total, without)
            if a == b:
                continue
            log_change = -np.logaddexp(0, -a) - np.logaddexp(0, b) + math.log(-math.expm1(b - a))
            logs[j] = np.logaddexp(logs[j], log_change)
    return logs / math.log(2)


def test_scores_beyond_the_smallest_double_keep_their_sizes() -> None:
    random = np.random.default_rng(11)
    rows, features = 24, 900
    labels = np.arange(rows) % 2
    codes = np.where(
        random.random((rows, features)) < random.uniform(0.8, 0.99, features), labels[:, None], 1 - labels[:, None]
    )
    dataset = two_valued_dataset(codes, labels)
    found = NaiveBayes(dataset, "loo", 0, 1.0, 0).score()
    expected = exact_log_scores(codes, labels, 2, 1.0)
    assert not found.s_s.to_floats().any(), "the test needs scores that underflow"
    logs = found.s_s.logs() / math.log(2) + math.log2(rows)
    assert logs == pytest.approx(expected, abs=1e-6)


def test_five_thousand_informative_columns_are_ranked_by_size_not_by_name() -> None:
    dataset = random_dataset(60, 5000, 2, 2, seed=3, signal=1.6)
    scored = NaiveBayes(dataset, "loo", 0, 1.0, 0).score()
    floats = scored.s_s.to_floats()
    assert np.isfinite(floats).all()
    assert not floats.any(), "every score underflows"
    assert len(np.unique(scored.s_s.parts[1])) > 5
    ranking = probfs.rank(frame_of(dataset), target="y", step=0.5, shrink="off")
    first_out = ranking.rounds[0].removed
    logs = scored.s_s.logs()
    size = dict(zip([f.name for f in dataset.features], logs.tolist(), strict=True))
    sizes = [size[name] for name in first_out]
    assert all(later > earlier - 1e-9 for earlier, later in pairwise(sizes))
    assert list(first_out) != sorted(first_out, reverse=True)
    assert all(math.isfinite(f.s_s) and math.isfinite(f.s_a) for f in ranking.features)


def test_a_feature_missing_in_all_but_the_surest_rows_is_still_measured() -> None:
    random = np.random.default_rng(2)
    rows, features = 40, 3000
    labels = np.arange(rows) % 2
    sure = np.arange(rows) >= 4
    agree = random.random((rows, features)) < np.where(sure, 0.97, 0.5)[:, None]
    codes = np.where(agree, labels[:, None], 1 - labels[:, None])
    codes[~sure, :2] = 2
    dataset = two_valued_dataset(codes, labels)
    scored = NaiveBayes(dataset, "loo", 0, 1.0, 0).score()
    mantissa, exponent = scored.s_s.parts
    assert mantissa[:2].all()
    assert (exponent[:2] < -1100).all()
    assert np.median(exponent) > -1000


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("smoothing", [0, 1])
def test_underflowing_scores_equal_exact_fractions(classes: int, smoothing: int) -> None:
    """Wide and sure of itself: Σ½|P-Q| and Σ(P_y-Q_y) of some 1e-400, digit by digit."""
    random = np.random.default_rng(classes)
    rows, features = 4 * classes + 1, 700
    labels = np.arange(rows) % classes
    agree = random.random((rows, features)) < random.uniform(0.7, 0.99, features)
    codes = np.where(agree, labels[:, None], random.integers(0, classes, (rows, features)))
    table = Problem(tuple(map(tuple, codes.tolist())), tuple(labels.tolist()), (classes,) * features, classes)
    found = NaiveBayes(dataset_of(table), "loo", 0, float(smoothing), 0).score()
    some = [0, 1, 350, 698, 699]
    absolute, signed = [Fraction(0)] * len(some), [Fraction(0)] * len(some)
    for row in range(rows):
        others = [i for i in range(rows) if i != row]
        factors = [
            [factor(table, others, j, int(codes[row, j]), c, Fraction(smoothing)) for j in range(features)]
            for c in range(classes)
        ]
        zeros = [sum(z for z, _ in own) for own in factors]
        weights = [math.prod((f for _, f in own), start=prior(table, others, c)) for c, own in enumerate(factors)]
        full = normalised(zeros, weights)
        for k, j in enumerate(some):
            without = normalised(
                [z - factors[c][j][0] for c, z in enumerate(zeros)],
                [w / factors[c][j][1] for c, w in enumerate(weights)],
            )
            absolute[k] += sum((abs(p - q) for p, q in zip(full, without, strict=True)), Fraction(0)) / 2
            signed[k] += full[labels[row]] - without[labels[row]]
    for scaled, exact in ((found.s_s, absolute), (found.s_a, signed)):
        chosen = scaled.take(np.array(some))
        for mantissa, exponent, value in zip(*chosen.parts, exact, strict=True):
            expected = value / rows
            assert float(Fraction(float(mantissa)) * Fraction(2) ** int(exponent) / expected if expected else 1) == (
                pytest.approx(1, rel=1e-9)
            )
            assert expected or mantissa == 0
    if smoothing:
        assert not found.s_s.to_floats().any()


def prior(table: Problem, training: list[int], label: int) -> Fraction:
    return Fraction(sum(table.labels[i] == label for i in training), len(training))


def normalised(zeros: list[int], weights: list[Fraction]) -> list[Fraction]:
    kept = [w if z == min(zeros) else Fraction(0) for z, w in zip(zeros, weights, strict=True)]
    return [weight / sum(kept) for weight in kept]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("classes", "perfect", "smoothing"), [(2, 3, 1e-100), (2, 4, 4e-79), (2, 5, 1e-62), (3, 4, 4e-79)]
)
def test_a_tiny_smoothing_loses_no_row(classes: int, perfect: int, smoothing: float, compiled: bool) -> None:
    """Columns that decide alone, but are missing in some rows: weights of 0 that a column multiplies by 1e100."""
    random = np.random.default_rng(0)
    labels = np.arange(30 * classes) % classes
    weak = np.where(
        random.random((len(labels), 2)) < 0.7, labels[:, None], random.integers(0, classes, (len(labels), 2))
    )
    rows = tuple(
        tuple([None if number < 4 else label] * perfect + more)
        for number, (label, more) in enumerate(zip(labels.tolist(), weak.tolist(), strict=True))
    )
    features = range(perfect + 2)
    table = Problem(rows, tuple(labels.tolist()), (classes,) * len(features), classes)
    everything = range(len(rows))

    @cache
    def probabilities(row: tuple[int | None, ...], used: tuple[int, ...]) -> list[Fraction]:
        return posterior(table, everything, row, used, Fraction(smoothing))

    found = NaiveBayes(dataset_of(table), "resubstitution", 0, smoothing, 0, compiled=compiled).score().s_s
    for feature in features:
        others = tuple(other for other in features if other != feature)
        changes = [
            sum(
                abs(p - q) for p, q in zip(probabilities(row, tuple(features)), probabilities(row, others), strict=True)
            )
            for row in rows
        ]
        exact = sum(changes, Fraction(0)) / 2 / len(rows)
        mantissa, exponent = (part[feature] for part in found.parts)
        assert float(Fraction(float(mantissa)) * Fraction(2) ** int(exponent) / exact) == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize("compiled", [False, True])
def test_tiny_scores_of_rows_that_count_for_many(compiled: bool) -> None:
    """Rows in which no column has a value are at even odds; a million of each must not drown out the others."""
    labels = np.array([0, 0, 1, 1, 0, 0, 1, 1])

    def feature(name: str, *missing: int) -> Feature:
        codes = labels.copy()
        codes[[0, 1, 2, 3, *missing]] = 2
        return feature_of(name, 2, codes)

    features = (*(feature(f"f{number:03}") for number in range(600)), feature("z", 7))
    counts = np.full(8, 10**6)
    dataset = Dataset(features, ("a", "b"), labels, counts, np.empty(0, np.int64))
    logs = NaiveBayes(dataset, "resubstitution", 0, 0.1, 0, compiled=compiled).score().s_s.logs()
    # One row in eight is least certain: 599 columns that stay say (2·10^6 + 0.1) / 0.1 to 1.
    assert logs[0] == pytest.approx(-599 * math.log(2e7 + 1) - math.log(8), rel=1e-6)
    assert logs[-1] < logs[0]
