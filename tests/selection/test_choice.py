"""Screen, eliminate, cut and judge, against the same done step by step, by refits and by plain definitions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier

import probfs
from probfs.columns.dataset import Dataset, Feature, ValueCounts
from probfs.ranking.candidates import Candidates, Encoded
from probfs.ranking.settings import SelectionSettings
from probfs.rows.blocks import EVERYTHING, Block, LocalBlocks, WithoutFold, deal_blocks
from probfs.screening.counting import CodedNumbers, count_part, count_values
from probfs.screening.screen import screen
from probfs.selection.choice import Choice, choose_columns
from probfs.selection.nested import nested_cross_validation
from probfs.selection.stages import deal_and_count
from probfs.selection.verdicts import judge_columns, with_intervals
from probfs.tables.arrays import text_array
from tests.support import plain_selection
from tests.support.datasets import feature_of, random_dataset
from tests.support.results import make_settings


def encoded(dataset: Dataset, *numbers: CodedNumbers) -> Encoded:
    return Encoded(dataset, LocalBlocks(Block(dataset, numbers)), ())


def candidates_of(dataset: Dataset, settings: SelectionSettings, always: tuple[int, ...] = ()) -> Candidates:
    return Candidates(encoded(dataset), count_values(dataset), settings, always, copies=())


def without_fold(candidates: Candidates, folds: int, fold: int) -> Candidates:
    """The candidates judged by the rows of all folds but one."""
    blocks = deal_blocks(candidates.encoded.blocks, EVERYTHING, folds, 0)
    sample = WithoutFold(fold)
    counts = blocks.ask(count_part, replace(EVERYTHING, sample=sample))
    return replace(candidates, encoded=replace(candidates.encoded, blocks=blocks), counts=counts, sample=sample)


def candidates(dataset: Dataset, always: tuple[int, ...] = (), smoothing: float = 1.0, **changes: Any) -> Candidates:
    options = {"smoothing": smoothing, "shrink": "auto", "bins": 5, "missing": "auto"}
    return candidates_of(dataset, make_settings(options=options, **changes), always)


def dealt(candidates: Candidates, folds: int) -> tuple[Candidates, tuple[ValueCounts, ...]]:
    """The candidates with their rows dealt out to folds, and the counts of these."""
    encoded, counts, fold_counts = deal_and_count(candidates.encoded, folds, candidates.settings.seed)
    return replace(candidates, encoded=encoded, counts=counts), fold_counts


def choose(dataset: Dataset, always: tuple[int, ...] = (), smoothing: float = 1.0, **changes: Any) -> Choice:
    return choose_columns(candidates(dataset, always, smoothing), **{"keep": "best", **changes})


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
    choice = choose(dataset, always, smoothing, keep=keep)
    plain = plain_selection.choose(dataset, smoothing, keep, always=always)
    assert choice.curve.order == plain.order
    np.testing.assert_allclose(
        [own.log_loss for own in choice.curve.sizes], [own.log_loss for own in plain.sizes], atol=1e-6
    )
    assert tuple(choice.kept) == plain.kept


def test_nothing_told_from_noise_keeps_nothing() -> None:
    dataset = random_dataset(60, 6, 3, 2, seed=4, signal=0.0)
    choice = choose(dataset)
    assert (choice.screened.q > 0.1).all()
    assert choice.kept == []
    assert len(choice.curve.sizes) == 1


def test_columns_that_are_always_kept_are_not_tested_and_not_eliminated() -> None:
    dataset = random_dataset(200, 6, 3, 2, seed=2, signal=0.0)
    strong = feature_of("strong", 2, dataset.labels)
    dataset = replace(dataset, features=(*dataset.features, strong))
    choice = choose(dataset, always=(4,))
    assert choice.kept[0] == 4
    assert 6 in choice.kept
    assert np.isnan(choice.screened.p[4])
    assert np.isnan(choice.screened.q[4])
    # The others are tested as if they were alone.
    others = replace(dataset, features=tuple(own for place, own in enumerate(dataset.features) if place != 4))
    np.testing.assert_array_equal(np.delete(choice.screened.q, 4), choose(others).screened.q)


def test_numbers_are_tested_by_the_rows_of_the_sample() -> None:
    dataset = table(1)
    random = np.random.default_rng(0)
    numbers = CodedNumbers(2, random.integers(0, 30, len(dataset.labels)).astype(np.uint8), random.normal(size=30))
    every = replace(candidates(dataset), encoded=encoded(dataset, numbers))
    fewer = without_fold(every, 3, 0)
    block = fewer.encoded.blocks.here
    assert block is not None
    expected = screen(block.rows_of(replace(EVERYTHING, sample=fewer.sample)), [numbers])
    np.testing.assert_array_equal(fewer.screen().p, expected)
    assert every.screen().p[2] != expected[2]


@pytest.mark.parametrize(("always", "first"), [((), 1), ((3,), 3)])
def test_one_of_several_copies_is_eliminated_for_all(always: tuple[int, ...], first: int) -> None:
    """The first by name, or the one that is always kept."""
    dataset = random_dataset(200, 2, 3, 2, seed=2, signal=1.0)
    source = feature_of("m", 2, dataset.labels)
    named = [replace(source, name=name) for name in ("z", "a", "m", "k")]
    own = replace(dataset, features=tuple(named))
    choice = choose_columns(replace(candidates(own, always), copies=(dict.fromkeys(range(4), 1.0),)), "best")
    assert choice.curve.order == (first,)
    assert choice.screened.repeats == {place: first for place in range(4) if place != first}


# Verdicts against a plain implementation of their definitions


def with_copies(dataset: Dataset, seed: int, changed: float) -> Dataset:
    """The dataset with a copy of each feature in which some cells are shuffled."""
    random = np.random.default_rng(seed)
    copies = []
    for feature in dataset.features:
        codes = feature.labelled.astype(np.int64)
        some = np.flatnonzero(random.random(len(codes)) < changed)
        codes[some] = codes[random.permutation(some)]
        copies.append(feature_of(f"{feature.name}_copy", feature.values, codes))
    return replace(dataset, features=(*dataset.features, *copies))


def entropy(dataset: Dataset, *columns: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
    """Σ c log c over the counts c of all combinations."""
    combinations = np.stack(columns, axis=1)
    _, which = np.unique(combinations, axis=0, return_inverse=True)
    counts = np.bincount(which.ravel())
    return float((counts * np.log(counts)).sum())


def plain_twin(dataset: Dataset, dropped: int, kept: list[int]) -> tuple[int | None, float]:
    """The kept feature that shares most with a dropped one within the classes, and the share that it explains."""
    best: tuple[float, int | None, float] = (-1.0, None, 0.0)
    for other in kept:
        pair = [dataset.features[dropped], dataset.features[other]]
        copies = np.repeat(np.arange(len(dataset.counts)), dataset.counts)
        present = copies[np.all([own.labelled[copies] < own.values for own in pair], axis=0)]
        x, z = (own.labelled[present].astype(np.int64) for own in pair)
        y = dataset.labels[present].astype(np.int64)
        rows, v, w, k = len(y), len(set(x)), len(set(z)), len(set(y))
        within = entropy(dataset, x, z, y) + entropy(dataset, y) - entropy(dataset, x, y) - entropy(dataset, z, y)
        within -= (v - 1) * (w - 1) * k / 2
        given_other = entropy(dataset, x, z, y) + entropy(dataset, z) - entropy(dataset, x, z) - entropy(dataset, z, y)
        given_other -= (v - 1) * (k - 1) * w / 2
        alone = entropy(dataset, x, y) + rows * np.log(rows) - entropy(dataset, x) - entropy(dataset, y)
        alone -= (v - 1) * (k - 1) / 2
        smaller = min(entropy(dataset, y) - entropy(dataset, x, y), entropy(dataset, y) - entropy(dataset, z, y))
        shared = min(max(within / smaller, 0.0), 1.0) if smaller > 1e-9 * rows else 0.0
        unexplained = min(max(given_other / alone, 0.0), 1.0) if alone > 1e-9 * rows else 1.0
        if shared > best[0] + 1e-9:
            best = (shared, other, 1 - unexplained)
    return best[1], best[2]


@given(seed=st.integers(0, 10**6), classes=st.integers(2, 3), keep=st.sampled_from(["best", "fewest", 2]))
@settings(max_examples=25, deadline=None)
def test_verdicts_follow_from_their_definitions(seed: int, classes: int, keep: str | int) -> None:
    dataset = with_copies(table(seed, rows=80, classes=classes), seed, changed=0.2)
    own_candidates = candidates(dataset)
    choice = choose_columns(own_candidates, keep, collect=True)
    judged = judge_columns(own_candidates, choice, np.arange(len(dataset.features)))
    assert [own.rank for own in judged] == list(range(1, len(dataset.features) + 1))
    positions = {own.name: place for place, own in enumerate(dataset.features)}
    for own in judged:
        place = positions[own.feature]
        assert own.folds == place
        assert (own.p, own.q) == (choice.screened.p[place], choice.screened.q[place])
        if choice.screened.q[place] > 0.1:
            assert (own.verdict, own.keep, own.instead, own.explained, own.log_loss) == ("noise", False, *[None] * 3)
        elif place in choice.kept:
            assert (own.verdict, own.keep, own.instead, own.explained) == ("keep", True, None, None)
            assert own.log_loss == choice.curve.sizes[own.rank].log_loss
        else:
            twin, share = plain_twin(dataset, place, choice.kept)
            if abs(share - 0.5) > 1e-9:
                assert (own.verdict, own.keep) == ("redundant" if share > 0.5 else "weak", False)
            if own.verdict == "redundant":
                assert twin is not None
                assert own.instead == dataset.features[twin].name
                assert own.explained == pytest.approx(share, abs=1e-9)
    noise = [(own.p, own.feature) for own in judged if own.verdict == "noise"]
    assert noise == sorted(noise)
    verdicts = [own.verdict == "noise" for own in judged]
    assert verdicts == sorted(verdicts)


def test_a_copy_is_redundant_and_its_source_is_named() -> None:
    dataset = with_copies(random_dataset(600, 4, 3, 2, seed=2, signal=1.0), seed=0, changed=0.05)
    fewest = candidates(dataset)
    judged = {own.feature: own for own in judge_columns(fewest, choose_columns(fewest, "fewest", collect=True), None)}
    siblings = {f"f{number:04}": f"f{number:04}_copy" for number in range(4)}
    pairs = [pair for pair in siblings.items() if judged[pair[0]].keep != judged[pair[1]].keep]
    assert pairs
    for pair in pairs:
        dropped, kept = sorted(pair, key=lambda name: judged[name].keep)
        assert (judged[dropped].verdict, judged[dropped].instead) == ("redundant", kept)
        assert judged[dropped].folds is None


def test_without_a_kept_column_nothing_is_redundant() -> None:
    dataset = with_copies(random_dataset(300, 3, 3, 2, seed=2, signal=1.0), seed=0, changed=0.0)
    nothing = candidates(dataset)
    verdicts = {own.verdict for own in judge_columns(nothing, choose_columns(nothing, 0, collect=True), None)}
    assert verdicts <= {"weak", "noise"}
    assert "weak" in verdicts


# Measured numbers as intervals


def measured(numbers: int, missing_is_value: bool = False) -> Feature:
    """A feature of different numbers, one a row, the last of which is missing."""
    codes = np.arange(numbers + 1, dtype=np.uint8)
    values = np.arange(numbers, dtype=np.float64)
    return Feature("m", text_array([]), codes, codes[:0], values, missing_is_value=missing_is_value)


@pytest.mark.parametrize("missing_is_value", [False, True])
def test_many_numbers_become_five_intervals(missing_is_value: bool) -> None:
    dataset = random_dataset(51, 1, 3, 2, seed=0)
    own = replace(dataset, features=(measured(50, missing_is_value), dataset.features[0]))
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


def test_the_number_of_jobs_reaches_the_models_of_the_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(0)
    signal = generator.normal(size=60)
    frame = pd.DataFrame({"a": signal, "b": generator.normal(size=60), "y": np.where(signal > 0, "p", "n")})
    fit, jobs = RandomForestClassifier.fit, []

    def recording_fit(self: Any, *cells: Any, **more: Any) -> Any:
        jobs.append(self.n_jobs)
        return fit(self, *cells, **more)

    monkeypatch.setattr(RandomForestClassifier, "fit", recording_fit)
    probfs.select(frame, target="y", classifier="forest", trees=3, folds=2, permutations=2, jobs=3)
    assert set(jobs) == {3}
