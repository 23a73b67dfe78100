"""Verdicts against a plain implementation of their definitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.columns.dataset import Dataset, Feature
from probfs.rows.blocks import Block
from probfs.selection.choice import choose_columns
from probfs.selection.verdicts import judge_columns, with_intervals
from probfs.tables.arrays import text_array
from tests.selection.test_choice import candidates, table
from tests.support.datasets import feature_of, random_dataset


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
