"""Naive Bayes against scikit-learn, the paper, its own general arithmetic, repeated rows, and far below 1e-308."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from probfs.choices import Estimate, Score
from sklearn.naive_bayes import CategoricalNB

import probfs
from probfs.classifiers import score_formulas
from probfs.classifiers.naive_bayes import rows as rows_module
from probfs.classifiers.naive_bayes.classifier import NaiveBayes
from probfs.classifiers.naive_bayes.counts import ClassCounts, Layout, Model
from probfs.classifiers.naive_bayes.many_class_rows import FactorTables, ManyClassRows
from probfs.classifiers.naive_bayes.two_class_rows import OddsTables, TwoClassRows
from probfs.columns.dataset import Dataset, Feature
from probfs.tables.table import Floats, Integers
from tests.conftest import SAMPLES
from tests.support.exact_naive_bayes import Problem, factor, posterior
from tests.test_naive_bayes_reference import dataset_of, problems


def random_dataset(rows: int, features: int, values: int, classes: int, seed: int, signal: float = 0.5) -> Dataset:
    random = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(classes).repeat(2), random.integers(0, classes, rows - 2 * classes)])
    columns = []
    for number in range(features):
        cells = random.integers(0, values, rows)
        told = random.random(rows) < signal * random.random()
        cells[told] = (labels[told] + number) % values
        names = pa.array([str(value) for value in range(values)], pa.string())
        columns.append(Feature(f"f{number:04}", names, cells.astype(np.uint8), np.empty(0, np.uint8)))
    ones = np.ones(rows, dtype=np.int64)
    return Dataset(tuple(columns), tuple(f"c{c}" for c in range(classes)), labels, ones, np.empty(0, np.int64))


@pytest.mark.parametrize(("mapping", "errors"), [(None, 23), ("breast_cancer.toml", 24)])
def test_breast_cancer_gives_the_errors_of_the_paper(mapping: str | None, errors: int) -> None:
    ranking = probfs.rank(
        SAMPLES / "breast_cancer.csv",
        mapping=None if mapping is None else SAMPLES / mapping,
        exclude=["sample_id"] if mapping is None else [],
        smoothing=0,
    )
    assert (ranking.rounds[0].errors, ranking.rounds[0].rows) == (errors, 699)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("smoothing", [0.5, 1.0])
def test_scores_equal_scikit_learns_probabilities_put_through_the_papers_formulas(
    classes: int, smoothing: float
) -> None:
    dataset = random_dataset(60, 5, 4, classes, seed=classes)
    matrix = np.stack([feature.labelled for feature in dataset.features], axis=1).astype(int)
    labels = dataset.labels
    found = NaiveBayes(dataset, "resubstitution", 0, smoothing, 0).score()

    def probabilities(columns: list[int]) -> Floats:
        peer = CategoricalNB(alpha=smoothing, force_alpha=True, min_categories=4)
        return np.asarray(peer.fit(matrix[:, columns], labels).predict_proba(matrix[:, columns]))

    every = list(range(5))
    full = probabilities(every)
    for feature in every:
        without = probabilities([other for other in every if other != feature])
        assert found.s_s.to_floats()[feature] == pytest.approx(score_formulas.absolute_score(full, without), abs=1e-12)
        assert found.s_a.to_floats()[feature] == pytest.approx(
            score_formulas.signed_score(full, without, labels), abs=1e-12
        )
    own = full[np.arange(len(labels)), labels]
    assert found.absolute_loss == pytest.approx(float(np.mean(1 - own)), abs=1e-12)
    assert found.log_loss == pytest.approx(float(np.mean(-np.log(own))), abs=1e-12)


@given(problems().filter(lambda problem: problem.classes == 2), st.sampled_from([0.0, 1.0]), st.integers(0, 1))
def test_the_two_class_arithmetic_equals_the_general_one(problem: Problem, smoothing: float, label: int) -> None:
    dataset = dataset_of(problem)
    layout = Layout.of(problem.values)
    codes = np.stack([feature.labelled for feature in dataset.features])
    members = [np.flatnonzero(dataset.labels == c) for c in (0, 1)]
    counts = ClassCounts(
        np.array([float(len(m)) for m in members]),
        np.stack([layout.count(codes[:, m], np.ones(len(m))) for m in members], axis=1),
    )
    model = Model.of(counts, layout, smoothing, left_out=label)
    own = codes[:, members[label]]
    weights = np.arange(1.0, own.shape[1] + 1)
    two = TwoClassRows(own, weights, label, layout, OddsTables.of(model))
    many = ManyClassRows(own, weights, label, layout, FactorTables.of(model))
    features = np.arange(len(problem.values))
    for group in (two, many):
        group.add(features)
    for shift in (0, 3):
        ours, theirs = two.sums(features, shift), many.sums(features, shift)
        assert ours.absolute == pytest.approx(theirs.absolute, rel=1e-9, abs=1e-14)
        assert ours.signed == pytest.approx(theirs.signed, rel=1e-9, abs=1e-14)
    assert two.fit().errors == many.fit().errors
    assert two.fit().log_loss == pytest.approx(many.fit().log_loss)
    if smoothing:
        assert two.nearest_changes(features) == pytest.approx(many.nearest_changes(features), abs=1e-9)


@pytest.mark.parametrize("classes", [2, 3])
def test_blocks_add_up_to_the_whole(classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = random_dataset(500, 7, 3, classes, seed=1)
    whole = NaiveBayes(dataset, "loo", 0, 1.0, 0).score()
    monkeypatch.setattr(rows_module, "BLOCK", 17)
    monkeypatch.setattr(rows_module, "CELLS_IN_A_BLOCK", 40)
    pieces = NaiveBayes(dataset, "loo", 0, 1.0, 0).score()
    assert pieces.s_s.to_floats() == pytest.approx(whole.s_s.to_floats(), rel=1e-12)
    assert pieces.s_a.to_floats() == pytest.approx(whole.s_a.to_floats(), rel=1e-12)
    assert pieces.log_loss == pytest.approx(whole.log_loss, rel=1e-12)


def frame_of(dataset: Dataset) -> pd.DataFrame:
    columns = {f.name: [f.labels[int(code)].as_py() for code in f.labelled] for f in dataset.features}
    return pd.DataFrame({**columns, "y": [dataset.classes[label] for label in dataset.labels]})


def ranked(frame: pd.DataFrame, **options: object) -> list[tuple[str, float, float]]:
    ranking = probfs.rank(frame, target="y", **options)  # type: ignore[arg-type]  # options of many types
    return [(f.feature, f.s_s, f.s_a) for f in ranking.features]


def approximately(expected: list[tuple[str, float, float]]) -> list[tuple[object, ...]]:
    return [(name, pytest.approx(s_s, rel=1e-9), pytest.approx(s_a, rel=1e-9)) for name, s_s, s_a in expected]


@pytest.mark.parametrize("score", ["absolute", "signed"])
@pytest.mark.parametrize("estimate", ["loo", "resubstitution", "cv"])
@pytest.mark.parametrize("classes", [2, 3])
def test_order_of_rows_and_columns_and_merging_of_equal_rows_change_nothing(
    score: Score, estimate: Estimate, classes: int
) -> None:
    frame = frame_of(random_dataset(80, 4, 2, classes, seed=5))
    expected = approximately(ranked(frame, score=score, estimate=estimate))
    shuffled = frame.sample(frac=1, random_state=3)
    assert ranked(shuffled, score=score, estimate=estimate) == expected
    assert ranked(frame[["y", *reversed(frame.columns[:-1])]], score=score, estimate=estimate) == expected
    tally = Counter(frame.itertuples(index=False, name=None))
    merged = pd.DataFrame([(*row, count) for row, count in tally.items()], columns=[*frame.columns, "rows"])
    assert len(merged) < len(frame)
    assert ranked(merged, score=score, estimate=estimate, count="rows") == expected


@pytest.mark.parametrize("classes", [2, 3])
def test_names_of_values_and_classes_change_nothing(classes: int) -> None:
    frame = frame_of(random_dataset(80, 4, 3, classes, seed=6))
    expected = approximately(ranked(frame))
    renamed = frame.copy()
    for name in frame.columns[:-1]:
        renamed[name] = frame[name].map({"0": "007", "1": "NA", "2": "v 1"})
    renamed["y"] = frame["y"].map({"c0": "zebra", "c1": "null", "c2": "1"})
    assert ranked(renamed) == expected


# --- saturation -----------------------------------------------------------------------------------------------------


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
    columns = tuple(
        Feature(f"f{j:04}", pa.array(["0", "1"]), codes[:, j].astype(np.uint8), np.empty(0, np.uint8))
        for j in range(features)
    )
    dataset = Dataset(columns, ("a", "b"), labels, np.ones(rows, np.int64), np.empty(0, np.int64))
    found = NaiveBayes(dataset, "loo", 0, 1.0, 0).score()
    expected = exact_log_scores(codes, labels, 2, 1.0)
    assert not found.s_s.to_floats().any(), "the test needs scores that underflow"
    logs = found.s_s.logs() / math.log(2) + math.log2(rows)
    assert logs == pytest.approx(expected, abs=1e-6)


def test_five_thousand_informative_columns_are_ranked_by_size_not_by_name() -> None:
    dataset = random_dataset(60, 5000, 2, 2, seed=3, signal=1.6)
    backend = NaiveBayes(dataset, "loo", 0, 1.0, 0)
    scored = backend.score()
    floats = scored.s_s.to_floats()
    assert np.isfinite(floats).all()
    assert not floats.any(), "every score underflows"
    assert len(np.unique(scored.s_s.parts[1])) > 5
    ranking = probfs.rank(frame_of(dataset), target="y", step=0.5)
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
    columns = tuple(
        Feature(f"f{j:04}", pa.array(["0", "1"]), codes[:, j].astype(np.uint8), np.empty(0, np.uint8))
        for j in range(features)
    )
    dataset = Dataset(columns, ("a", "b"), labels, np.ones(rows, np.int64), np.empty(0, np.int64))
    scored = NaiveBayes(dataset, "loo", 0, 1.0, 0).score()
    mantissa, exponent = scored.s_s.parts
    assert mantissa[:2].all()
    assert (exponent[:2] < -1100).all()
    assert np.median(exponent) > -1000


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("smoothing", [0.1, 0.3, 0.7, 1.0])
def test_factors_that_are_equal_but_for_rounding_give_exactly_zero(classes: int, smoothing: float) -> None:
    rows = [(value, label) for label in range(classes) for value in "uv" for _ in range(3 + 2 * label)]
    frame = pd.DataFrame({"z_even": [v for v, _ in rows], "a_same": "x", "y": [str(label) for _, label in rows]})
    ranking = probfs.rank(frame, smoothing=smoothing, estimate="resubstitution")
    assert [(f.feature, f.s_s, f.s_a) for f in ranking.features] == [("a_same", 0.0, 0.0), ("z_even", 0.0, 0.0)]


def test_a_class_of_one_row_cannot_be_left_out() -> None:
    frame = pd.DataFrame({"a": list("xyxyx"), "y": list("00112")})
    with pytest.raises(probfs.DataError, match="class '2' has one row only"):
        probfs.rank(frame, target="y")
    assert probfs.rank(frame, target="y", estimate="resubstitution").features[0].feature == "a"


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
def test_a_tiny_smoothing_loses_no_row(
    classes: int, perfect: int, smoothing: float, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
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

    monkeypatch.setattr("probfs.classifiers.naive_bayes.classifier.WORTH_COMPILING", 0 if compiled else 10**18)
    found = NaiveBayes(dataset_of(table), "resubstitution", 0, smoothing, 0).score().s_s
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
def test_tiny_scores_of_rows_that_count_for_many(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows in which no column has a value are at even odds; a million of each must not drown out the others."""
    labels = np.array([0, 0, 1, 1, 0, 0, 1, 1])

    def feature(name: str, *missing: int) -> Feature:
        codes = labels.astype(np.uint8)
        codes[[0, 1, 2, 3, *missing]] = 2
        return Feature(name, pa.array(["0", "1"]), codes, np.empty(0, np.uint8))

    features = (*(feature(f"f{number:03}") for number in range(600)), feature("z", 7))
    monkeypatch.setattr("probfs.classifiers.naive_bayes.classifier.WORTH_COMPILING", 0 if compiled else 10**18)
    counts = np.full(8, 10**6)
    dataset = Dataset(features, ("a", "b"), labels, counts, np.empty(0, np.int64))
    logs = NaiveBayes(dataset, "resubstitution", 0, 0.1, 0).score().s_s.logs()
    # One row in eight is least certain: 599 columns that stay say (2·10^6 + 0.1) / 0.1 to 1.
    assert logs[0] == pytest.approx(-599 * math.log(2e7 + 1) - math.log(8), rel=1e-6)
    assert logs[-1] < logs[0]
