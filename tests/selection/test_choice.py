"""Screen, eliminate and cut, against the same done step by step and by refits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.columns.dataset import Dataset, ValueCounts
from probfs.ranking.candidates import Candidates, Encoded
from probfs.ranking.settings import SelectionSettings
from probfs.rows.blocks import EVERYTHING, Block, LocalBlocks, WithoutFold, deal_blocks
from probfs.screening.counting import CodedNumbers, count_part, count_values
from probfs.screening.screen import screen
from probfs.selection.choice import Choice, choose_columns
from probfs.selection.stages import deal_and_count
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


@pytest.mark.parametrize("kind", ["constant", "identifier", "all missing"])
def test_columns_that_cannot_tell_are_noise(kind: str) -> None:
    dataset = random_dataset(60, 3, 3, 2, seed=3, signal=1.5)
    codes = {"constant": np.zeros(60, np.int64), "identifier": np.arange(60), "all missing": np.full(60, 2)}[kind]
    values = {"constant": 1, "identifier": 60, "all missing": 2}[kind]
    choice = choose(replace(dataset, features=(*dataset.features, feature_of("z", values, codes))))
    assert choice.screened.p[3] == choice.screened.q[3] == 1.0
    assert 3 not in choice.curve.order


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
