"""Screen, eliminate, cut and estimate: against plain steps and refits, and on tables whose truth is known."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from probfs.classifiers.naive_bayes.classifier import judge_held_out
from probfs.classifiers.protocol import HoldOutRequest
from probfs.classifiers.row_odds import RowOdds, least_probability
from probfs.columns.dataset import Dataset, Feature, ValueCounts
from probfs.ranking.candidates import Candidates, Encoded
from probfs.ranking.sharpness import fit_sharpness
from probfs.rows.blocks import EVERYTHING, Block, LocalBlocks, WithoutFold, deal_blocks
from probfs.screening.counting import RankedNumbers, count_part, count_values
from probfs.screening.redundancy import find_twins
from probfs.screening.screen import screen
from probfs.selection.choice import choose_columns
from probfs.selection.nested import nested_cross_validation
from probfs.selection.result import Size, find_best
from probfs.selection.stages import deal_and_count
from probfs.selection.verdicts import judge_columns, with_intervals
from probfs.tables.arrays import text_array
from tests.support import plain_selection
from tests.support.datasets import feature_of, fit_naive_bayes, random_dataset, random_odds
from tests.support.results import make_settings


def candidates(dataset: Dataset, always: tuple[int, ...] = (), smoothing: float = 1.0, **changes: Any) -> Candidates:
    options = {"smoothing": smoothing, "shrink": "auto", "bins": 5, "missing": "auto"}
    encoded = Encoded(dataset, LocalBlocks(Block(dataset)), ())
    return Candidates(encoded, count_values(dataset), make_settings(options=options, **changes), always, copies=())


def dealt(candidates: Candidates, folds: int) -> tuple[Candidates, tuple[ValueCounts, ...]]:
    """The candidates with their rows dealt out to folds, and the counts of these."""
    encoded, counts, fold_counts = deal_and_count(candidates.encoded, folds, candidates.settings.seed)
    return replace(candidates, encoded=encoded, counts=counts), fold_counts


def table(seed: int, rows: int = 40, features: int = 5, classes: int = 2) -> Dataset:
    """Half of the features are told from noise; some cells are missing, and some rows count for several or none."""
    random = np.random.default_rng(seed)
    dataset = random_dataset(rows, features, 3, classes, seed, signal=1.2)
    columns = []
    for feature in dataset.features:
        codes = feature.labelled.astype(np.int64)
        codes[random.random(rows) < 0.1] = 3
        columns.append(feature_of(feature.name, 3, codes))
    counts = np.concatenate([np.ones(2 * classes, np.int64), random.integers(0, 3, rows - 2 * classes)])
    return replace(dataset, features=tuple(columns), counts=counts)


@given(
    seed=st.integers(0, 10**6),
    classes=st.integers(2, 3),
    smoothing=st.sampled_from([1.0, 0.0]),
    keep=st.sampled_from(["best", "fewest", "most", 1]),
    always=st.sampled_from([(), (0,), (3, 1)]),
)
@settings(max_examples=25, deadline=None)
def test_a_choice_is_what_plain_steps_choose(
    seed: int, classes: int, smoothing: float, keep: str | int, always: tuple[int, ...]
) -> None:
    dataset = table(seed, classes=classes)
    if isinstance(keep, int):
        always = always[:keep]
    choice = choose_columns(candidates(dataset, always, smoothing), keep)
    plain = plain_selection.choose(dataset, smoothing, keep, always=always)
    assert choice.curve.order == plain.order
    assert [own.errors for own in choice.curve.sizes] == [own.errors for own in plain.sizes]
    losses = [own.log_loss for own in plain.sizes]
    np.testing.assert_allclose([own.log_loss for own in choice.curve.sizes], losses, atol=1e-6)
    assert tuple(choice.kept) == plain.kept


def test_numbers_are_tested_by_the_rows_of_the_sample() -> None:
    dataset = table(1)
    random = np.random.default_rng(0)
    codes = random.integers(0, 30, len(dataset.labels)).astype(np.uint8)
    numbers = RankedNumbers.of_codes(2, codes, random.normal(size=30))
    blocks = LocalBlocks(Block(dataset, [numbers]))
    every = replace(candidates(dataset), encoded=Encoded(dataset, blocks, ()))
    sample, dealt_blocks = WithoutFold(0), deal_blocks(blocks, EVERYTHING, 3, 0)
    without = replace(EVERYTHING, sample=sample)
    counts = dealt_blocks.ask(count_part, without)
    fewer = replace(every, encoded=Encoded(dataset, dealt_blocks, ()), counts=counts, sample=sample)
    block = dealt_blocks.here
    assert block is not None
    expected = screen(block.rows_of(without), [numbers])
    np.testing.assert_array_equal(fewer.screen().p, expected)
    assert every.screen().p[2] != expected[2]


# Verdicts: noise by its test, kept columns by the cut, and the others by their twins


@given(seed=st.integers(0, 10**6), classes=st.integers(2, 3), keep=st.sampled_from(["best", "fewest", 0, 2]))
@settings(max_examples=25, deadline=None)
def test_verdicts_follow_from_their_definitions(seed: int, classes: int, keep: str | int) -> None:
    dataset = table(seed, rows=80, classes=classes)
    random, copies = np.random.default_rng(seed), []
    for feature in dataset.features:
        codes = feature.labelled.astype(np.int64)
        some = np.flatnonzero(random.random(len(codes)) < 0.2)
        codes[some] = codes[random.permutation(some)]
        copies.append(feature_of(f"{feature.name}_copy", feature.values, codes))
    dataset = replace(dataset, features=(*dataset.features, *copies))
    own_candidates = candidates(dataset)
    choice = choose_columns(own_candidates, keep, collect=True)
    judged = judge_columns(own_candidates, choice, np.arange(len(dataset.features)))
    assert [own.rank for own in judged] == list(range(1, len(dataset.features) + 1))
    positions = {own.name: place for place, own in enumerate(dataset.features)}
    twins = find_twins(own_candidates.encoded.blocks, range(len(positions)), choice.kept)
    for own in judged:
        place = positions[own.feature]
        assert own.folds == place
        assert (own.p, own.q) == (choice.screened.p[place], choice.screened.q[place])
        said = (own.verdict, own.keep, own.instead, own.explained)
        if choice.screened.q[place] > 0.1:
            assert (*said, own.log_loss) == ("noise", False, None, None, None)
            continue
        assert own.log_loss == choice.curve.sizes[own.rank].log_loss
        twin, share = twins.get(place, (0, 0.0))
        if place in choice.kept:
            assert said == ("keep", True, None, None)
        elif share >= 0.5:
            assert said == ("redundant", False, dataset.features[twin].name, share)
        else:
            assert said == ("weak", False, None, None)
    noise = [(own.p, own.feature) for own in judged if own.verdict == "noise"]
    assert noise == sorted(noise)
    verdicts = [own.verdict == "noise" for own in judged]
    assert verdicts == sorted(verdicts)


@pytest.mark.parametrize("missing_is_value", [False, True])
def test_many_numbers_become_five_intervals(missing_is_value: bool) -> None:
    """Of different numbers, one a row, the last of which is missing."""
    codes = np.arange(51, dtype=np.uint8)
    numbers = Feature("m", text_array([]), codes, codes[:0], np.arange(50.0), missing_is_value=missing_is_value)
    dataset = random_dataset(51, 1, 3, 2, seed=0)
    own = replace(dataset, features=(numbers, dataset.features[0]))
    feature, other = with_intervals(Block(own)).dataset.features
    assert feature.numbers is None
    assert feature.values == 5 + missing_is_value
    assert np.bincount(feature.labelled).tolist() == [10] * 5 + [1]
    assert other is dataset.features[0]


# Nested cross-validation against a plain loop over folds and rows


@pytest.mark.parametrize(
    ("seed", "classes", "smoothing", "folds", "always"),
    [(0, 2, 1.0, 3, ()), (1, 3, 1.0, 3, ()), (2, 2, 0.0, 4, ()), (3, 2, 1.0, 3, (1,)), (4, 3, 0.0, 3, ())],
)
def test_the_estimate_is_that_of_a_plain_loop(
    seed: int, classes: int, smoothing: float, folds: int, always: tuple[int, ...]
) -> None:
    dataset = table(seed, classes=classes)
    # Enough rows of each class for every fold.
    dataset = replace(dataset, counts=np.maximum(dataset.counts, 1))
    found, kept = nested_cross_validation(*dealt(candidates(dataset, always, smoothing), folds), "best")
    plain = plain_selection.estimate(dataset, folds, smoothing, always)
    assert found.folds == folds
    for judged, losses, errors in zip((found.kept, found.all, found.none), plain.losses, plain.errors, strict=True):
        assert judged.rows == len(losses) == dataset.rows
        assert judged.errors == errors
        assert judged.log_loss == pytest.approx(np.mean(losses), abs=1e-6)
        assert judged.se == pytest.approx(plain_selection.standard_error(losses), abs=1e-6)
    differences = np.subtract(plain.losses[0], plain.losses[1])
    assert found.difference == pytest.approx(differences.mean(), abs=1e-6)
    assert found.se == pytest.approx(plain_selection.standard_error(differences.tolist()), abs=1e-6)
    assert tuple(kept.tolist()) == plain.folds


def test_noise_alone_is_judged_as_no_column_at_all() -> None:
    dataset = random_dataset(60, 5, 3, 2, seed=1, signal=0.0)
    estimate, kept = nested_cross_validation(*dealt(candidates(dataset, false_discoveries=1e-6), 5), "best")
    assert estimate.kept == estimate.none
    assert kept.sum() == 0


# What each number of columns achieves, and its sharpness


def test_a_curve_of_many_columns_takes_few_bytes_for_each_size() -> None:
    columns = 2_000
    classifier = fit_naive_bayes(random_dataset(4, columns, 2, 2, seed=0), "loo", 0, 1.0, 0, shrink="auto")
    tracemalloc.start()
    kept = []
    for feature in range(200):
        kept.append(classifier.odds())
        classifier.drop(np.array([feature]))
    bytes_of_a_size = tracemalloc.get_traced_memory()[0] / len(kept)
    tracemalloc.stop()
    assert bytes_of_a_size < columns / 2


@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(1, 60),
    classes=st.integers(2, 5),
    size=st.sampled_from([0.1, 1.0, 5.0, 300.0]),
    lead=st.floats(-1, 1),
    zeros=st.booleans(),
    start=st.floats(0, 1),
)
@settings(max_examples=60, deadline=None)
def test_no_sharpness_has_a_larger_likelihood(
    seed: int, rows: int, classes: int, size: float, lead: float, zeros: bool, start: float
) -> None:
    odds = random_odds(seed, rows, classes, size, lead, zeros)
    sharpness, loss = fit_sharpness(odds, start)
    assert loss == pytest.approx(odds.loss_and_derivatives(sharpness)[0], rel=1e-12)
    assert 0 <= sharpness <= 1

    def likelihood(sharpness: float) -> float:
        # With no floor to the probabilities, but that of doubles; rows that no sharpness changes are left out.
        possible = odds.against_own[0] != np.inf
        return float(odds.counts[possible] @ odds.losses(sharpness, 5e-324)[possible])

    found = minimize_scalar(likelihood, bounds=(0, 1), method="bounded", options={"xatol": 1e-12})
    best = min(found.fun, likelihood(0.0), likelihood(1.0))
    assert likelihood(sharpness) <= best + 1e-11 * odds.rows


@given(seed=st.integers(0, 10**6), sharpness=st.floats(0.01, 0.99), classes=st.integers(2, 5))
@settings(max_examples=30, deadline=None)
def test_slope_and_curvature_are_derivatives(seed: int, sharpness: float, classes: int) -> None:
    odds = random_odds(seed, 20, classes, 3.0, 0.2, zeros=False)
    step = 1e-5
    below, above = sharpness - step, sharpness + step
    _, slope, curvature = odds.sums(sharpness, 1e-300)
    rise = (odds.sums(above, 1e-300) - odds.sums(below, 1e-300))[:2] / (2 * step)
    assert rise == pytest.approx([slope, curvature], rel=1e-6, abs=1e-6)


def test_a_model_that_is_too_sure_is_cooled_and_one_that_is_too_modest_stays() -> None:
    """Of odds 4 : 1 that come true in 3 of 4 cases, the right ones are 3 : 1."""
    against_own = np.log(4.0) * np.array([[-1.0, -1.0, -1.0, 1.0]])
    too_sure, _ = fit_sharpness(RowOdds(against_own, np.ones(4), 1))
    assert too_sure == pytest.approx(np.log(3) / np.log(4), abs=1e-7)
    assert fit_sharpness(RowOdds(against_own / 2, np.ones(4), 1))[0] == 1.0
    assert pytest.approx((0.0, np.log(2))) == fit_sharpness(RowOdds(-against_own, np.ones(4), 3))


def test_rows_that_no_sharpness_changes_have_the_largest_loss_and_no_say() -> None:
    impossible = RowOdds(np.array([[np.inf, -1.0, -2.0]]), np.array([5.0, 1.0, 1.0]), 5)
    possible = RowOdds(np.array([[-1.0, -2.0]]), np.ones(2), 0)
    best, loss = fit_sharpness(possible)
    assert best == 1.0
    assert pytest.approx((1.0, (2 * loss + 5 * np.log(14)) / 7)) == fit_sharpness(impossible)
    for unchanged in (RowOdds(np.zeros((2, 3)), np.ones(3), 2), RowOdds(np.full((1, 3), np.inf), np.ones(3), 3)):
        assert fit_sharpness(unchanged, 0.3)[0] == 1.0


def test_losses_that_differ_by_rounding_are_equal() -> None:
    for losses, features in (((0.7, 0.4 + 1e-16, 0.4), 1), ((0.7, 0.4 + 1e-9, 0.4), 2), ((0.0, 0.0), 0)):
        assert find_best([Size(number, loss, 1.0, 0) for number, loss in enumerate(losses)]).features == features


# Tables whose truth is known: ten columns tell the class, perhaps with two noisy copies of each, and the rest is noise


FRESH_ROWS = 20_000


@dataclass(frozen=True)
class Regime:
    """What tables are drawn, how many, and how much of their noise may be kept, on average."""

    rows: int
    columns: int
    copies: int
    positive: float
    effect: float
    tables: int
    most_noise: float
    classes: int = 2

    def draw(self, seed: int) -> Dataset:
        """A table, followed by fresh rows; the informative columns come first, then their copies, then noise."""
        random = np.random.default_rng(seed)
        rows = self.rows + FRESH_ROWS
        shares = [1 - self.positive * (self.classes - 1), *[self.positive] * (self.classes - 1)]
        labels = random.choice(self.classes, rows, p=shares)
        columns = []
        for number in range(10):
            values = 2 + number % 4
            # All columns tell about equally much: a slope that differs from class to class.
            slopes = self.effect * random.permutation(np.linspace(-1, 1, self.classes))
            weights = np.exp(np.outer(slopes, np.linspace(-1, 1, values)))
            cumulative = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
            codes = (random.random(rows)[:, None] > cumulative[labels, :-1]).sum(axis=1)
            columns.append(feature_of(f"true{number}", values, codes))
        for number in range(10 * self.copies):
            codes = columns[number % 10].labelled.astype(np.int64)
            changed = np.flatnonzero(random.random(rows) < 0.15)
            codes[changed] = codes[random.permutation(changed)]
            columns.append(feature_of(f"copy{number}", columns[number % 10].values, codes))
        for number in range(self.columns - len(columns)):
            values = 2 + number % 4
            columns.append(feature_of(f"noise{number}", values, random.integers(0, values, rows)))
        classes = tuple(f"c{label}" for label in range(self.classes))
        return Dataset(tuple(columns), classes, labels, np.ones(rows, np.int64), np.empty(0, np.int64))


REGIMES = {
    "indep 500x50": Regime(500, 50, 0, 0.5, 0.3, 12, 1.5),
    "copies 500x50": Regime(500, 50, 2, 0.5, 0.4, 12, 2.0),
    "copies 3000x40": Regime(3000, 40, 2, 0.5, 0.4, 6, 2.0),
    "indep 100x200": Regime(100, 200, 0, 0.5, 0.6, 60, 2.0),
    "10 % positive 500x50": Regime(500, 50, 0, 0.1, 0.4, 12, 1.5),
    "indep 200x2000": Regime(200, 2000, 0, 0.5, 0.6, 40, 2.0),
    "3 classes 500x50": Regime(500, 50, 0, 1 / 3, 0.4, 12, 1.5, classes=3),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", REGIMES)
def test_the_honest_estimate_comes_true_and_little_noise_is_kept(name: str) -> None:
    regime, found = REGIMES[name], []
    for seed in range(regime.tables):
        dataset = regime.draw(seed)
        fresh = (np.arange(len(dataset.labels)) >= regime.rows).astype(np.int64)
        features = tuple(replace(one, labelled=one.labelled[: regime.rows]) for one in dataset.features)
        labels, counts = dataset.labels[: regime.rows], dataset.counts[: regime.rows]
        chosen = candidates(replace(dataset, features=features, labels=labels, counts=counts))
        choice = choose_columns(chosen, "best")
        estimate, _ = nested_cross_validation(*dealt(chosen, 10), "best")
        size = choice.curve.sizes[choice.size]
        assert size.temperature is not None
        odds = judge_held_out(HoldOutRequest(dataset, choice.kept, chosen.counts, fresh, 0), 1.0)
        delivered = float(odds.losses(size.temperature, least_probability(regime.rows)).mean())
        noise = sum(dataset.features[place].name.startswith("noise") for place in choice.kept)
        found.append((len(choice.kept), noise, size.log_loss, estimate.kept.log_loss, delivered, estimate.all.log_loss))
    kept, noise, promised, honest, delivered, of_all = np.mean(found, axis=0)
    print(f"{name}: kept {kept:.1f} ({noise:.1f} noise); log-loss leave-one-out {promised:.3f}, ", end="")
    print(f"honest {honest:.3f}, fresh rows {delivered:.3f}; all columns, honest {of_all:.3f}")
    assert noise <= regime.most_noise
    assert honest == pytest.approx(delivered, rel=0.1)
    assert honest <= of_all * 1.05
