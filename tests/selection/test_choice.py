"""Screen, eliminate and cut, against the same done step by step and by refits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from probfs.selection.rows import LocalRows

from probfs.columns.dataset import Dataset
from probfs.selection.choice import Candidates, Choice, choose_columns
from tests.support import plain_selection
from tests.support.datasets import feature_of, random_dataset
from tests.support.selections import make_settings


def candidates(dataset: Dataset, always: tuple[int, ...] = (), smoothing: float = 1.0, **changes: Any) -> Candidates:
    options = {"smoothing": smoothing, "shrink": "auto", "bins": 5, "missing": "auto"}
    return Candidates(LocalRows(dataset), always, make_settings(options=options, **changes))


def choose(dataset: Dataset, always: tuple[int, ...] = (), smoothing: float = 1.0, **changes: Any) -> Choice:
    return choose_columns(candidates(dataset, always, smoothing, **changes))


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
    assert tuple(own.feature for own in choice.curve.order) == plain.order
    np.testing.assert_allclose(
        [own.log_loss for own in choice.curve.points], [own.log_loss for own in plain.sizes], atol=1e-6
    )
    assert tuple(choice.kept) == plain.kept


def test_nothing_told_from_noise_keeps_nothing() -> None:
    dataset = random_dataset(60, 6, 3, 2, seed=4, signal=0.0)
    choice = choose(dataset)
    assert (choice.q > 0.1).all()
    assert choice.kept == []
    assert len(choice.curve.points) == 1


def test_a_tolerance_of_1_screens_nothing() -> None:
    dataset = random_dataset(60, 6, 3, 2, seed=1, signal=0.0)
    assert len(choose(dataset, false_discoveries=1.0).curve.order) == 6


def test_columns_that_are_always_kept_are_not_tested_and_not_eliminated() -> None:
    dataset = random_dataset(200, 6, 3, 2, seed=2, signal=0.0)
    strong = feature_of("strong", 2, dataset.labels)
    dataset = replace(dataset, features=(*dataset.features, strong))
    choice = choose(dataset, always=(4,))
    assert choice.kept[0] == 4
    assert 6 in choice.kept
    assert np.isnan(choice.p[4])
    assert np.isnan(choice.q[4])
    # The others are tested as if they were alone.
    others = replace(dataset, features=tuple(own for place, own in enumerate(dataset.features) if place != 4))
    np.testing.assert_array_equal(np.delete(choice.q, 4), choose(others).q)


@pytest.mark.parametrize("kind", ["constant", "identifier", "all missing"])
def test_columns_that_cannot_tell_are_noise(kind: str) -> None:
    dataset = random_dataset(60, 3, 3, 2, seed=3, signal=1.5)
    codes = {"constant": np.zeros(60, np.int64), "identifier": np.arange(60), "all missing": np.full(60, 2)}[kind]
    values = {"constant": 1, "identifier": 60, "all missing": 2}[kind]
    choice = choose(replace(dataset, features=(*dataset.features, feature_of("z", values, codes))))
    assert choice.p[3] == choice.q[3] == 1.0
    assert 3 not in [own.feature for own in choice.curve.order]


def test_rows_that_count_for_nothing_are_as_if_they_were_not_there() -> None:
    dataset = table(5)
    held_out = np.where(np.arange(len(dataset.counts)) % 4 == 3, dataset.counts, 0)
    held_out[:4] = 0
    every = candidates(dataset)
    fewer = replace(every, rows=LocalRows(dataset).without(held_out))
    gone = fewer.dataset.counts == 0
    features = tuple(replace(own, labelled=own.labelled[~gone]) for own in dataset.features)
    shorter = replace(dataset, features=features, labels=dataset.labels[~gone], counts=fewer.dataset.counts[~gone])
    one, other = choose_columns(fewer), choose(shorter)
    np.testing.assert_array_equal(one.p, other.p)
    assert one.curve == other.curve
    assert one.size == other.size
