"""Columns of many different numbers are ranked on a cluster as on one machine, though nobody sees all their values."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.cluster import connection, counting, engine
from probfs.cluster.counting import TESTED_BINS, BinnedColumn, Sample, round_to
from probfs.screening.column_tests import rank_test, rank_test_of_counts
from probfs.tables.arrays import Floats
from tests.support.clusters import connect_here
from tests.support.random_tables import (
    MEASURED_KINDS,
    assert_same_ranking,
    measured,
    measurements,
    outcome,
    write_parts,
)

# Samples and bins

EXTREME = [0.0, -0.0, 5e-324, -5e-324, 1e308, -1.7976931348623157e308, 10.0, -2.5, 1e15, 0.1, 0.2, 3.0]
NUMBERS = st.lists(st.one_of(st.sampled_from(EXTREME), st.floats(-9, 9)), min_size=1, max_size=60).map(np.array)


def sample_blocks(blocks: list[Floats], step: int) -> Sample:
    return Sample.join([Sample.of(numbers, frozenset(), step) for numbers in blocks])


@given(NUMBERS, st.lists(st.integers(0, 60), max_size=3), st.integers(4, 12), st.integers(1, 3))
def test_numbers_are_known_or_rounded_to_just_below_the_end_of_their_bin(
    numbers: Floats, cuts: list[int], most: int, step: int
) -> None:
    sample = sample_blocks(np.split(numbers, sorted(cuts)), step)
    assert sample.different == len(np.unique(numbers + 0.0)) or step > 1
    ends = sample.thin(most)
    assert {numbers.min() + 0.0, numbers.max() + 0.0} <= set(ends)
    rounded = round_to(ends, numbers)
    assert (rounded == numbers)[np.isin(numbers, ends)].all()
    order = np.argsort(numbers, kind="stable")
    assert (rounded[order][1:] >= rounded[order][:-1]).all(), "the order of numbers stays"
    assert (rounded >= numbers).all()
    assert np.isnan(round_to(ends, np.array([np.nan]))).all()


def test_a_number_of_many_rows_is_alone_in_its_bin() -> None:
    random = np.random.default_rng(0)
    blocks = [np.where(random.random(90_000) < 0.1, 0.25, random.normal(size=90_000)) for _ in range(3)]
    sample = sample_blocks(blocks, 20)
    ends = sample.thin(1000)
    numbers = np.concatenate(blocks)
    by_bin = np.bincount(np.searchsorted(ends, numbers))
    heavy = np.searchsorted(ends, 0.25)
    assert by_bin[heavy] == np.count_nonzero(numbers == 0.25)
    assert np.delete(by_bin, heavy).max() < 10 * len(numbers) / 1000


@pytest.mark.parametrize(("different", "step"), [(500, 10), (20_000, 3), (10**9, 10)])
def test_how_many_different_numbers_there_are_is_estimated(different: int, step: int) -> None:
    numbers = np.random.default_rng(0).integers(0, different, 60_000) / 7
    sample = Sample.of(numbers, frozenset(), step)
    assert min(sample.different, 60_000) == pytest.approx(len(np.unique(numbers)), rel=0.1)


@pytest.mark.parametrize("seed", range(3))
def test_p_is_right_to_three_digits(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows, classes = 200_000, 2 + seed % 2
    labels = random.integers(0, classes, rows)
    numbers = random.normal(size=rows) + 0.03 * random.random() * labels
    if seed % 3 == 0:
        numbers = np.where(random.random(rows) < 0.4, 0.0, np.exp(5 * numbers))
    # Blocks of unequal size, and of sorted rows: what each knows of is not what all hold.
    order = np.argsort(numbers + random.normal(size=rows) * (seed % 2))
    sample = sample_blocks([numbers[part] for part in np.split(order, [100, 65_000])], 4)
    ends = sample.thin(TESTED_BINS)
    by_class = np.zeros((len(ends), classes))
    np.add.at(by_class, (np.searchsorted(ends, numbers), labels), 1)
    exact = rank_test(numbers[None], labels, classes, np.ones(rows, dtype=np.int64), 0).p[0]
    assert rank_test_of_counts(by_class[None], 0).p[0] == pytest.approx(exact, rel=1e-3)


# Rankings

OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "count": st.just("n"),
        "bins": st.sampled_from([2, 7]),
        "missing": st.sampled_from(["auto", "value"]),
        "na": st.sampled_from(["0.1", "2.0"]),
        "min_class": st.sampled_from([1, 20]),
        "exclude": st.just(["x0"]),
        "score": st.just("unlabeled"),
    },
)


@pytest.fixture(autouse=True)
def _in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "connect", connect_here)


@pytest.fixture
def few_are_many() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "MANY_NUMBERS", 4)
        patch.setattr(engine, "COUNTED_BINS", 24)
        yield


def assert_same(data: Any, p_within: float = 1e-9, **options: Any) -> None:
    """Both engines do the same; how many numbers are different, and which is most frequent, is known roughly."""
    found, wanted = outcome(data, target="y", engine="dask", **options), outcome(data, target="y", **options)
    if isinstance(wanted, str) or isinstance(found, str):
        assert found == wanted
        return
    assert_same_ranking(found[0], wanted[0], p_within=p_within)
    assert found[1] == wanted[1]
    backgrounds = found[0].background, wanted[0].background
    assert backgrounds[0] is not None
    assert backgrounds[1] is not None
    assert backgrounds[0].intervals == backgrounds[1].intervals
    for own, other in zip(backgrounds[0].inspection.columns, backgrounds[1].inspection.columns, strict=True):
        assert (own.kind, own.missing, own.flags) == (other.kind, other.missing, other.flags)
        assert own.distinct == pytest.approx(other.distinct, rel=0.1)
        assert own.frequency <= other.frequency


@pytest.mark.usefixtures("few_are_many")
@given(measurements(), st.lists(st.integers(0, 80), max_size=4), OPTIONS)
def test_a_cluster_ranks_as_one_machine(frame: pd.DataFrame, cuts: list[int], options: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert_same(write_parts(frame, cuts, Path(folder)), **options)


@pytest.mark.usefixtures("few_are_many")
def test_a_number_that_gives_the_class_away_though_another_is_in_more_rows(tmp_path: Path) -> None:
    rows = np.arange(200)
    # Neither the first number, nor the most frequent one, nor one where the column is cut.
    numbers = np.where(rows % 5 == 3, 50.5, np.where(rows % 2, 0.0, rows / 7))
    frame = pd.DataFrame({"a": numbers, "b": rows % 3, "y": np.where(rows % 5 == 3, "p", "q")})
    paths = write_parts(frame, [90], tmp_path)
    assert_same(paths, bins=2)
    found = outcome(paths, target="y", engine="dask", bins=2)
    assert not isinstance(found, str)
    assert any("a = 50.5 gives y away: 200 of 200 rows" in note for note in found[1])
    background = found[0].background
    assert background is not None
    assert (background.inspection.columns[0].most_frequent, background.inspection.columns[0].frequency) == ("0", 81)


@pytest.mark.usefixtures("few_are_many")
def test_further_rows_and_rules(tmp_path: Path, binned: set[str]) -> None:
    random = np.random.default_rng(6)
    labels = random.integers(0, 2, 200)
    frame = pd.DataFrame({kind: measured(random, labels, kind) for kind in MEASURED_KINDS})
    paths = write_parts(frame.assign(y=labels.astype(str)), [50, 120], tmp_path)
    (tmp_path / "more").mkdir()
    more = write_parts(frame.sample(90, random_state=1), [30], tmp_path / "more")
    rules = ["{quantiles = 9}", "{cut = [0.0, 1.0]}", '"numeric"', "{widths = 4}", '"> 1.7e9"', "{min_count = 2}"]
    names = ["different", "tied", "wide", "zeros tell", "close", "nearly whole"]
    mapping = tmp_path / "mapping.toml"
    lines = [f'"{name}" = {rule}' for name, rule in zip(names, rules, strict=True)]
    mapping.write_text("\n".join(["[columns]", *lines]))
    assert_same(paths, unlabeled=[more], mapping=mapping, score="unlabeled")
    assert binned == {"different", "rare", "tied", "wide", "zeros tell"}


@pytest.fixture
def binned(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of columns that were counted in bins."""
    names: set[str] = set()
    original = BinnedColumn.bins_to_open

    def bins_to_open(column: BinnedColumn, *arguments: Any) -> Any:
        names.add(column.name)
        return original(column, *arguments)

    monkeypatch.setattr(BinnedColumn, "bins_to_open", bins_to_open)
    return names


@pytest.mark.parametrize(
    "labelled", [0.05, *(pytest.param(labelled, marks=pytest.mark.slow) for labelled in (1.0, 0.0001))]
)
def test_many_rows(tmp_path: Path, binned: set[str], labelled: float) -> None:
    random = np.random.default_rng(4)
    rows = 100_000
    labels = random.integers(0, 3, rows)
    frame = pd.DataFrame({kind: measured(random, labels, kind) for kind in MEASURED_KINDS}).assign(id=np.arange(rows))
    frame.loc[random.random(rows) < 0.1, "different"] = np.nan
    names = np.array(["a", "b", "c"], dtype=object)[labels]
    names[random.random(rows) > labelled] = None
    parts = write_parts(frame.assign(n=random.integers(0, 3, rows), y=names), [60_000], tmp_path)
    assert_same(parts, p_within=1e-3, count="n")
    # The others are too few different numbers in one block.
    assert binned == {"different", "wide", "zeros tell", "nearly whole"}
