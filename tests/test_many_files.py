"""Many files are one table: how rows are split into files, and in which order, changes no ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import probfs
from tests.support.commands import Run
from tests.support.tables import Write

FORMATS = ("csv", "parquet", "arff")
Writer = Callable[[pd.DataFrame, Path], None]


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    frame.to_csv(path, index=False)


def write_parquet(frame: pd.DataFrame, path: Path) -> None:
    frame.to_parquet(path, index=False)


def write_arff(frame: pd.DataFrame, path: Path) -> None:
    """ARFF with numeric attributes and nominal ones, which declare the same values in every file."""
    lines = ["@relation t"]
    for name in frame:
        numeric = pd.api.types.is_numeric_dtype(frame[name]) and name != "y"
        lines.append(f"@attribute {name} {'numeric' if numeric else '{0,1,a,b,c,d}'}")
    rows = [",".join("?" if pd.isna(cell) else str(cell) for cell in row) for row in frame.itertuples(index=False)]
    path.write_text("\n".join([*lines, "@data", *rows, ""]))


WRITERS: dict[str, Writer] = {"csv": write_csv, "parquet": write_parquet, "arff": write_arff}


@st.composite
def tables(draw: st.DrawFn, *, wide: bool = False) -> pd.DataFrame:
    """A table with a target called y, which some rows lack, and with missing cells in its features."""
    rows = draw(st.integers(8, 24))
    columns: dict[str, Any] = {}
    words = st.lists(st.sampled_from(["a", "b", "c", None]), min_size=rows, max_size=rows)
    numbers = st.lists(
        st.one_of(st.none(), st.integers(-3, 40), st.floats(-2, 2, width=16)), min_size=rows, max_size=rows
    )
    for place in range(draw(st.integers(1, 3))):
        columns[f"word{place}"] = pd.Series(draw(words), dtype="str")
    for place in range(draw(st.integers(1, 3))):
        columns[f"number{place}"] = pd.Series(draw(numbers), dtype="float64")
    if wide:
        seed = draw(st.integers(0, 1000))
        columns |= {
            f"w{place}": [(seed * (row + 3) * (place + 7)) % 11 / (1 + place % 2) for row in range(rows)]
            for place in range(70)
        }
    columns["n"] = draw(st.lists(st.integers(1, 3), min_size=rows, max_size=rows))
    more = st.lists(st.sampled_from(["0", "1", None]), min_size=rows - 4, max_size=rows - 4)
    columns["y"] = ["0", "0", "1", "1", *draw(more)]
    return pd.DataFrame(columns)


@st.composite
def splits(draw: st.DrawFn, rows: int) -> list[list[int]]:
    """The rows of a table in some order, cut into files; none of these is empty."""
    order = draw(st.permutations(range(rows)))
    cuts = sorted(draw(st.sets(st.integers(1, rows - 1), min_size=1, max_size=4)))
    return [list(order[first:last]) for first, last in zip([0, *cuts], [*cuts, rows], strict=True)]


def write_parts(frame: pd.DataFrame, folder: Path, ending: str, parts: Sequence[Sequence[int]], data: Any) -> None:
    folder.mkdir()
    for place, rows in enumerate(parts):
        # The order of the first file's columns is that of the table, and so of names in notes.
        names = data.draw(st.permutations(list(frame.columns))) if place else list(frame.columns)
        WRITERS[ending](frame.iloc[list(rows)][list(names)], folder / f"part{place}.{ending}")


def assert_equal_rankings(one: probfs.Ranking, many: probfs.Ranking) -> None:
    assert [own.feature for own in many.features] == [own.feature for own in one.features]
    for own, other in zip(one.features, many.features, strict=True):
        for score in ("s_s", "s_a", "s_su"):
            assert getattr(other, score) == pytest.approx(getattr(own, score), abs=1e-12), own.feature
        assert other.p == pytest.approx(own.p, rel=1e-9)


@pytest.mark.parametrize("ending", FORMATS)
@settings(max_examples=settings().max_examples // 4)
@given(data=st.data())
def test_rows_in_many_files_rank_as_in_one(ending: str, data: Any) -> None:
    frame = data.draw(tables(wide=data.draw(st.booleans())))
    parts = data.draw(splits(len(frame)))
    options: dict[str, Any] = {"target": "y", "keep_identifiers": True}
    options["count"] = data.draw(st.sampled_from([None, "n"]))
    options["score"] = data.draw(st.sampled_from(["absolute", "unlabeled"] if frame["y"].isna().any() else ["signed"]))
    with TemporaryDirectory() as folder:
        write_parts(frame, Path(folder, "parts"), ending, parts, data)
        one = Path(folder, f"one.{ending}")
        WRITERS[ending](frame, one)
        notes: list[str] = []
        ranking = probfs.rank(one, **options, on_note=notes.append)
        again_notes: list[str] = []
        again = probfs.rank(Path(folder, "parts"), **options, on_note=again_notes.append)
    assert_equal_rankings(ranking, again)
    assert again_notes == notes


def test_the_order_of_arguments_changes_nothing(tmp_path: Path) -> None:
    for name, first in (("a", 0), ("b", 20), ("c", 40)):
        rows = "".join(f"{row % 5},{row * 7 % 3},{row % 2}\n" for row in range(first, first + 20))
        (tmp_path / f"{name}.csv").write_text(f"u,v,y\n{rows}")
    files = [tmp_path / f"{name}.csv" for name in "abc"]
    rankings = [probfs.rank(order, target="y").to_json() for order in (files, files[::-1], tuple(files))]
    assert rankings[0] == rankings[1] == rankings[2]
    folder, pattern = probfs.rank(tmp_path, target="y"), probfs.rank(f"{tmp_path}/*.csv", target="y")
    assert folder.features == pattern.features == probfs.rank(files, target="y").features
    assert pattern.input.source == f"{tmp_path}/*.csv (3 files)"
    assert probfs.rank(files, target="y").input.source == f"{tmp_path}/a.csv and 2 more files"


def test_unlabelled_rows_may_be_many_files_too(tmp_path: Path) -> None:
    (tmp_path / "labelled.csv").write_text("a,b,y\n" + "x,u,0\nx,v,0\nz,u,1\nz,v,1\n" * 3)
    rows = ["x,u", "x,v", "z,u", "z,u", "x,u", "z,v"]
    (tmp_path / "more.csv").write_text("\n".join(["a,b", *rows, ""]))
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "1.csv").write_text("\n".join(["a,b", *rows[:2], ""]))
    (tmp_path / "more" / "2.csv").write_text("\n".join(["b,a", *(f"{row[2]},{row[0]}" for row in rows[2:]), ""]))
    one, *many = (
        probfs.rank(tmp_path / "labelled.csv", target="y", score="unlabeled", unlabeled=unlabeled)
        for unlabeled in (tmp_path / "more.csv", tmp_path / "more", [f"{tmp_path}/more/*.csv"])
    )
    for other in many:
        assert_equal_rankings(one, other)
    with_two = probfs.rank(tmp_path / "labelled.csv", target="y", unlabeled=[tmp_path / "more.csv", tmp_path / "more"])
    assert len(with_two.input.unlabelled_sources) == 2


def test_a_list_of_frames_is_no_table() -> None:
    with pytest.raises(probfs.UsageError, match=r"^data must be a path, .*, not a list of DataFrame; only paths may"):
        probfs.rank([pd.DataFrame({"a": [1]})], target="a")  # type: ignore[list-item]
    with pytest.raises(probfs.UsageError, match="no file is named"):
        probfs.rank([], target="a")


@settings(max_examples=settings().max_examples // 4)
@given(
    cells=st.lists(st.sampled_from(["a/b", "c=d", "é %", "1", "07", "..", None]), min_size=12, max_size=30),
    seed=st.integers(0, 99),
)
def test_a_column_may_stand_in_the_names_of_folders(cells: list[str | None], seed: int) -> None:
    rows = range(len(cells))
    frame = pd.DataFrame({"k": pd.Series(cells, dtype="str"), "u": [row * seed % 5 for row in rows]})
    frame["y"] = [(row + row * row * seed // 3) % 2 if row > 3 else row % 2 for row in rows]
    with TemporaryDirectory() as folder:
        one, many = Path(folder, "one.csv"), Path(folder, "many")
        frame.to_csv(one, index=False)
        for place, (cell, own) in enumerate(frame.groupby("k", dropna=False)):
            name = "__HIVE_DEFAULT_PARTITION__" if pd.isna(cell) else quote(str(cell), safe="")
            (many / f"k={name}").mkdir(parents=True)
            own.drop(columns="k").to_csv(many / f"k={name}" / f"{place}.csv", index=False)
        ranking, again = (probfs.rank(data, target="y", keep_identifiers=True) for data in (one, many))
    assert_equal_rankings(ranking, again)


# Several files, patterns and folders on the command line: one table for every command


ROWS = [f"{row % 3},{'uv'[row % 2]},{row * 5 % 7 % 2}" for row in range(30)]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """The rows in one file and in three of a folder, the columns in another order in the last."""
    (tmp_path / "one.csv").write_text("\n".join(["a,b,y", *ROWS, ""]))
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "1.csv").write_text("\n".join(["a,b,y", *ROWS[:4], ""]))
    (tmp_path / "d" / "2.csv").write_text("\n".join(["a,b,y", *ROWS[4:20], ""]))
    turned = [",".join(row.split(",")[::-1]) for row in ["a,b,y", *ROWS[20:]]]
    (tmp_path / "d" / "3.csv").write_text("\n".join([*turned, ""]))
    return ["d/3.csv", "d/1.csv", "d/2.csv"]


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("rank", ""),
        ("select", "--folds 0 --always a,b --false-discoveries 1 --keep 2 --reduced /dev/stdout"),
        ("suggest", ""),
        ("inspect", "--format csv"),
        ("map", "--mapping m.toml"),
    ],
)
def test_every_command_takes_many_files_as_one_table(
    run_here: Run, write: Write, files: list[str], command: str, options: str
) -> None:
    write("m.toml", "[columns]\nb = {groups = {u = ['u'], other = ['v']}}\n")
    words = [*options.split(), "--target", "y", "--quiet"]
    one = run_here(command, "one.csv", *words)
    assert one.returncode == 0, one.stderr
    for named in (files, ["d"], ["d/*.csv"], ["d/[12].csv", "d/3.csv"]):
        many = run_here(command, *named, *words)
        assert many.returncode == 0, many.stderr
        shown = [line for line in many.stdout.splitlines() if not line.startswith("# Draft")]
        assert shown == [line for line in one.stdout.splitlines() if not line.startswith("# Draft")]


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("d/*.csv --output d/2.csv", 2, "--output: d/2.csv is an input; name another file"),
        ("- one.csv", 2, "standard input cannot be read together with files; name files only"),
        ("d more/4.csv", 1, "more/4.csv: lacks 1 column of d/1.csv: 'b'; give all files the same columns, or use "),
        ("d --mapping m.toml", 1, "d/1.csv:2: column 'b': "),
    ],
)
def test_a_mistake_names_its_file(
    run_here: Run, write: Write, tmp_path: Path, files: list[str], words: str, status: int, message: str
) -> None:
    (tmp_path / "more").mkdir()
    write("more/4.csv", "a,more,y\n1,p,0\n2,q,1\n")
    write("m.toml", "[columns]\nb = {cut = [1]}\n")
    result = run_here("rank", *words.split(), "--target", "y", "--quiet")
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (status, "", 1)
    assert result.stderr.startswith(f"probfs: error: {message}")
    assert '"more"' in run_here("inspect", "d", "more", "--union", "--target", "y", "--format", "json").stdout
