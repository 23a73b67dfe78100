"""What is ranked and selected on a cluster is what this process finds; here without Dask."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import probfs
from probfs.cluster import connection, counting, engine
from probfs.cluster.counting import BinnedColumn, Sample, round_to
from probfs.cluster.engine import plan_blocks, read_block
from probfs.errors import DataError, UsageError
from probfs.tables.arrays import Floats
from probfs.tables.column import number_column
from probfs.tables.files import Part
from probfs.tables.reading import ReadOptions
from tests.support.clusters import connect_here
from tests.support.random_tables import (
    MEASURED_KINDS,
    Case,
    Cells,
    as_frame,
    assert_same_ranking,
    assert_same_selection,
    cases,
    measured,
    measurements,
    outcome,
    write_parts,
    write_split_table,
)


@pytest.fixture(autouse=True)
def cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "connect", connect_here)


def _without_leaks(ranking: probfs.Ranking, notes: list[probfs.Note]) -> tuple[probfs.Ranking, list[probfs.Note]]:
    kept, others = (
        [note for note in some if note.code not in ("leakage", "subjects")] for some in (ranking.warnings, notes)
    )
    return replace(ranking, warnings=tuple(kept)), others


def assert_same(data: Any, *, exactly: bool = True, p_within: float = 1e-9, **options: Any) -> Any:
    """Both engines say the same: a ranking, its notes and what a report tells, or an error. Unless ``exactly``, how
    many numbers of a column are different, and which is most frequent, is known roughly.
    """
    options = {"target": "y", **options}
    found, wanted = outcome(data, engine="dask", **options), outcome(data, **options)
    if isinstance(wanted, str) or isinstance(found, str):
        assert found == wanted
        return found
    found_here = found
    if not exactly:
        # What each number tells of the class is not known of numbers in bins: such leaks have tests of their own.
        found_here, wanted = _without_leaks(*found), _without_leaks(*wanted)
    assert_same_ranking(found_here[0], wanted[0], p_within=p_within)
    assert found_here[1] == wanted[1]
    own, other = found[0].background, wanted[0].background
    assert own is not None
    assert other is not None
    assert own.intervals == other.intervals
    if exactly:
        assert own.inspection == other.inspection
    for one, same in zip(own.inspection.columns, other.inspection.columns, strict=True):
        flags = [[flag for flag in two.flags if exactly or "leakage?" not in flag] for two in (one, same)]
        assert (one.kind, one.missing, flags[0]) == (same.kind, same.missing, flags[1])
        assert one.distinct == pytest.approx(same.distinct, rel=0.1)
        assert one.frequency <= same.frequency
    return found[0]


@pytest.mark.parametrize("seed", range(6))
def test_random_tables(tmp_path: Path, seed: int) -> None:
    table = write_split_table(tmp_path / "table", seed)
    assert_same(table.folder, **table.options)
    expected = probfs.select(table.folder, **table.selecting)
    assert_same_selection(probfs.select(table.folder, engine="dask", **table.selecting), expected)


def test_uncertainty(tmp_path: Path) -> None:
    """Samples are drawn block by block; of one block, they are those of this process."""
    folder = write_split_table(tmp_path / "table", 5).folder
    parts = [pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path) for path in sorted(folder.iterdir())]
    pd.concat(parts).to_csv(tmp_path / "one.csv", index=False)
    options: dict[str, Any] = {"target": "y", "uncertainty": True}
    local = probfs.rank(tmp_path / "one.csv", **options).features
    alone = probfs.rank(tmp_path / "one.csv", engine="dask", **options).features
    split = probfs.rank(folder, engine="dask", **options).features
    ranks = [(own.feature, own.rank_low, own.rank_high) for own in local]
    assert [(own.feature, own.rank_low, own.rank_high) for own in alone] == ranks
    assert [own.feature for own in split] == [own.feature for own in local]
    assert all(own.rank_low is not None for own in split)


# Several files


def write_texts(folder: Path, *texts: str) -> Path:
    folder.mkdir(exist_ok=True)
    for number, text in enumerate(texts):
        (folder / f"{number}.csv").write_text(text)
    return folder


TABLE = "a,b,y\n" + "u,1,p\nv,2,q\n" * 4


@pytest.mark.parametrize(
    ("texts", "options", "error"),
    [
        (["a,y\n" + "x,0\ny,1\n" * 4, "b,a,y\nu,x,0\nv,y,1\nv,x,1\n"], {"union": True}, None),
        (["a,y\n" + "x,0\ny,1\n" * 4, "b,a,y\nu,x,0\n"], {}, "1.csv: has 1 column that "),
        (["a,y\n" + "x,0\ny,1\n" * 4, "b,a,y\nu,x,0\n"], {"target": "b"}, "1.csv: has 1 column that "),
        (["a,y\n", "a,y\nu,0\nv,1\nu,0\nv,1\n", "y,a\n"], {}, None),
        (["a,y\n", "y,a\n"], {}, "none of these files has data rows"),
        (["y,b,a\n", TABLE, "b,a,y\n" + "1,u,p\n2,v,q\n" * 4], {"target": None}, None),
        (["y,b,a\n", TABLE, "b,a,y\n" + "1,u,p\n2,v,q\n" * 4], {"target": None, "union": True}, None),
        (["a;b;y\n" + "u;1;p\nv;2;q\n" * 2] * 20, {}, None),
    ],
    ids=[
        *("other columns", "other columns refused", "a target of one file", "files without rows", "no row at all"),
        *("the last column of the first with rows", "the last column of all", "notes of many files are told once"),
    ],
)
def test_files_of_several_kinds(tmp_path: Path, texts: list[str], options: dict[str, Any], error: str | None) -> None:
    found = assert_same(write_texts(tmp_path / "t", *texts), **options)
    assert (error in found) if error else found.input.target == "y"


def test_unlabelled_files_are_checked_as_labelled_ones(tmp_path: Path) -> None:
    table, more = write_texts(tmp_path / "t", TABLE), write_texts(tmp_path / "more", "a,b\nu,1\n", "a\nv\n")
    assert "1.csv: lacks 1 column of " in assert_same(table, unlabeled=more)
    assert assert_same(table, unlabeled=more, union=True).input.unlabelled_rows == 2
    write_texts(more, "a,b\n", "a,b\n")
    assert "none of these files has data rows" in assert_same(table, unlabeled=more)
    with pytest.raises(UsageError, match=r'^y and feature_names= go with arrays and frames, and engine="dask" reads f'):
        probfs.rank(table, ["p"] * 8, engine="dask")
    with pytest.raises(UsageError, match="no worker can read a DataFrame; write it to files"):
        probfs.rank(table, target="y", engine="dask", unlabeled=pd.DataFrame({"a": ["u"], "b": ["1"]}))


# Files that agree with each other, or do not

MEASURED = np.arange(30) / 7
WORDS = np.array(["a", "b", "c"] * 10)


def write(folder: Path, **columns: Any) -> None:
    """A table in two files; every column is given as its cells in each of them."""
    for number in range(2):
        frame = pd.DataFrame({name: parts[number] for name, parts in columns.items()})
        frame["y"] = np.where(np.arange(len(frame)) % 2, "yes", "no")
        frame.to_parquet(folder / f"{number}.parquet", index=False)


@pytest.mark.parametrize(
    "other",
    [
        np.array(["x", "y", "z"] * 10),
        np.full(30, np.inf),
        np.array([np.inf, *MEASURED[1:]]),
        pd.Categorical(["1", "2"] * 15),
        [[1.0, 2.0]] * 30,
        np.full(30, np.nan),
        np.full(30, None, dtype=object),
        np.arange(30) + 2**60,
        MEASURED.astype(np.float32),
        np.arange(30) * 1e300,
    ],
    ids=["texts", "infinite", "one infinite", "categories", "lists", "NaN", "nothing", "long", "single", "huge"],
)
@pytest.mark.parametrize("turn", [1, -1])
def test_what_another_file_holds(tmp_path: Path, other: Any, turn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MANY_NUMBERS", 10)
    monkeypatch.setattr(engine, "COUNTED_BINS", 12)
    write(tmp_path, a=[MEASURED, other][::turn], b=[WORDS, WORDS[::-1]])
    assert_same(tmp_path, exactly=False)
    assert_same(tmp_path, exactly=False, exclude="a")
    assert_same(tmp_path, exactly=False, na="inf")


def test_a_target_that_is_a_quantity(tmp_path: Path) -> None:
    write(tmp_path, a=[MEASURED, MEASURED + 0.1], b=[WORDS, WORDS])
    assert "the target 'a' is a quantity" in assert_same(tmp_path, target="a")
    assert_same(tmp_path, target="a", cut_target=3)
    assert "one class only, 'yes'; two or more are needed; 30 rows without" in assert_same(tmp_path, na="no")


def test_values_that_do_not_fit_into_memory_are_refused_before_they_are_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, key=[np.arange(30), np.arange(30) + 30], b=[WORDS, WORDS])
    monkeypatch.setattr("probfs.runtime.memory.free_memory", lambda: 4000)
    with pytest.raises(DataError, match=r"counting the values of all columns, most of them in 'key', needs about"):
        probfs.rank(tmp_path, target="y", engine="dask")


# Odd cells, which a worker reads without knowing what other files hold


def write_cells(folder: Path, files: Sequence[dict[str, Cells]], ending: str) -> Path:
    folder.mkdir()
    for number, cells in enumerate(files):
        path = folder / f"{number}.{ending}"
        if ending == "csv":
            pd.DataFrame(cells).to_csv(path, index=False)
        else:
            pq.write_table(as_frame(cells).arrow, path)
    return folder


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=cases())
def test_both_engines_do_the_same(ending: str, case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data, mapping = write_cells(Path(folder, "table"), case.blocks(), ending), Path(folder, "mapping.toml")
        mapping.write_text(case.mapping)
        options = {**case.choice, "mapping": mapping, "decimal": case.decimal, "na": list(case.choice["na"])}
        if case.unlabelled is not None:
            # An infinite number makes texts of a further file's column; only a cluster knows that they are numbers.
            further = {name: [cell.replace("inf", "") for cell in own] for name, own in case.unlabelled.items()}
            options["unlabeled"] = write_cells(Path(folder, "further"), [further], ending)
            if isinstance(alone := outcome(data, **{**options, "unlabeled": None}), str):
                # Of several errors, a cluster may find those of the table itself first.
                assert outcome(data, engine="dask", **options) in (alone, outcome(data, **options))
                return
        assert_same(data, **options)


# Columns of many different numbers: samples, bins, and rankings though nobody sees all values

EXTREME = [0.0, -0.0, 5e-324, -5e-324, 1e308, -1.7976931348623157e308, 10.0, -2.5, 1e15, 0.1, 0.2, 3.0]
NUMBERS = st.lists(st.one_of(st.sampled_from(EXTREME), st.floats(-9, 9)), min_size=1, max_size=60).map(np.array)


@given(NUMBERS, st.lists(st.integers(0, 60), max_size=3), st.integers(4, 12), st.integers(1, 3))
def test_numbers_are_known_or_rounded_to_just_below_the_end_of_their_bin(
    numbers: Floats, cuts: list[int], most: int, step: int
) -> None:
    parts = [number_column("a", part) for part in np.split(numbers, sorted(cuts))]
    sample = Sample.join([Sample.of(part, frozenset(), step) for part in parts])
    assert sample.different == len(np.unique(numbers + 0.0)) or step > 1
    ends = sample.thin(most)
    assert {numbers.min() + 0.0, numbers.max() + 0.0} <= set(ends)
    rounded = round_to(ends, numbers)
    assert (rounded == numbers)[np.isin(numbers, ends)].all()
    order = np.argsort(numbers, kind="stable")
    assert (rounded[order][1:] >= rounded[order][:-1]).all(), "the order of numbers stays"
    assert (rounded >= numbers).all()
    assert np.isnan(round_to(ends, np.array([np.nan]))).all()


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


@pytest.fixture
def few_are_many() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "MANY_NUMBERS", 4)
        patch.setattr(engine, "COUNTED_BINS", 24)
        yield


@pytest.mark.usefixtures("few_are_many")
@given(measurements(), st.lists(st.integers(0, 80), max_size=4), OPTIONS)
def test_numbers_in_bins_rank_as_they_do_alone(frame: pd.DataFrame, cuts: list[int], options: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert_same(write_parts(frame, cuts, Path(folder)), exactly=False, **options)


@pytest.mark.usefixtures("few_are_many")
def test_a_number_that_gives_the_class_away_though_another_is_in_more_rows(tmp_path: Path) -> None:
    rows = np.arange(200)
    # Neither the first number, nor the most frequent one, nor one where the column is cut.
    numbers = np.where(rows % 5 == 3, 50.5, np.where(rows % 2, 0.0, rows / 7))
    frame = pd.DataFrame({"a": numbers, "b": rows % 3, "y": np.where(rows % 5 == 3, "p", "q")})
    found = assert_same(write_parts(frame, [90], tmp_path), exactly=False, bins=2)
    assert any("a = 50.5 gives y away: 200 of 200 rows" in note for note in found.warnings)
    column = found.background.inspection.columns[0]
    assert (column.most_frequent, column.frequency) == ("0", 81)


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
    assert_same(paths, exactly=False, unlabeled=[more], mapping=mapping, score="unlabeled")
    assert binned == {"different", "rare", "tied", "wide", "zeros tell"}


@pytest.mark.parametrize(
    "labelled", [0.05, *(pytest.param(labelled, marks=pytest.mark.slow) for labelled in (1.0, 0.0001))]
)
def test_p_of_many_rows_is_right_to_three_digits(tmp_path: Path, binned: set[str], labelled: float) -> None:
    random = np.random.default_rng(4)
    rows = 100_000
    labels = random.integers(0, 3, rows)
    frame = pd.DataFrame({kind: measured(random, labels, kind) for kind in MEASURED_KINDS}).assign(id=np.arange(rows))
    frame.loc[random.random(rows) < 0.1, "different"] = np.nan
    names = np.array(["a", "b", "c"], dtype=object)[labels]
    names[random.random(rows) > labelled] = None
    parts = write_parts(frame.assign(n=random.integers(0, 3, rows), y=names), [60_000], tmp_path)
    assert_same(parts, exactly=False, p_within=1e-3, count="n")
    # The others are too few different numbers in one block.
    assert binned == {"different", "wide", "zeros tell", "nearly whole"}


def test_a_selection_of_columns_of_very_many_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MANY_NUMBERS", 50)
    random = np.random.default_rng(3)
    labels = random.integers(0, 3, 9000)
    cells = {f"m{j}": random.normal(size=9000) + 0.2 * j * labels for j in range(4)}
    write_parts(pd.DataFrame({**cells, "y": labels.astype(str)}), [100, 5000], tmp_path)
    expected = probfs.select(tmp_path, target="y", folds=3)
    assert_same_selection(probfs.select(tmp_path, target="y", folds=3, engine="dask"), expected)


# Which files make up which block


@pytest.mark.parametrize(
    ("sizes", "threads", "expected"),
    [
        ([10], 4, [1]),
        ([10] * 8, 2, [2, 2, 2, 2]),
        ([10] * 8, 8, [1] * 8),
        ([100, 1, 1, 1, 1, 96], 1, [1, 5]),
        ([0, 0, 0, 0], 1, [2, 2]),
        ([1000, 1, 1], 1, [1, 2]),
    ],
)
def test_blocks_hold_about_equally_many_bytes(
    tmp_path: Path, sizes: list[int], threads: int, expected: list[int]
) -> None:
    parts = [Part(str(tmp_path / f"{number:03}.csv")) for number in range(len(sizes))]
    for part, size in zip(parts, sizes, strict=True):
        Path(part.path).write_bytes(b"x" * size)
    blocks = plan_blocks(parts, threads)
    assert [len(block) for block in blocks] == expected
    assert [part for block in blocks for part in block] == parts


def test_files_that_only_workers_see_and_what_is_no_parquet_file_are_left_to_the_reader(tmp_path: Path) -> None:
    parts = [Part(f"s3://bucket/{number}.parquet") for number in range(4)]
    assert [len(block) for block in plan_blocks(parts, 1)] == [2, 2]
    path = tmp_path / "table.parquet"
    path.write_bytes(b"nothing")
    assert plan_blocks([Part(str(path))], 2) == [(Part(str(path)),)]


def test_a_large_parquet_file_is_read_by_several(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pd.DataFrame({"a": range(100), "y": [0, 1] * 50}).to_parquet(path, row_group_size=10)
    two = [Part(str(path)), Part(str(tmp_path / "same.parquet"))]
    shutil.copy(path, two[1].path)
    assert plan_blocks(two, 1) == [(two[0],), (two[1],)], "as many files as blocks are wanted"
    blocks = plan_blocks([Part(str(path))], 2)
    assert [part.row_groups for block in blocks for part in block] == [(0, 1), (2, 3, 4), (5, 6), (7, 8, 9)]
    tables = [read_block(block, ReadOptions()) for block in blocks]
    cells = [text for table in tables for text in table.columns["a"].values.to_pylist()]
    assert cells == [str(number) for number in range(100)]
    assert [table.first_row for table in tables] == [0, 20, 50, 70]
