"""Which files paths, patterns and folders name, in which order, and what their folders say."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from probfs.errors import DataError, UsageError
from probfs.tables.parts import Part, find_parts, may_be_many, name_together


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def touch(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()


def paths(*named: str | os.PathLike[str]) -> list[str]:
    return [part.path for part in find_parts(named)]


def test_one_plain_path_is_taken_as_it_is(folder: Path) -> None:
    touch("year=2026/a.csv")
    for name in ("-", "no/such.csv", "year=2026/a.csv", "none.txt"):
        assert find_parts([name]) == (Part(name),)
    assert find_parts([Path("a.csv")]) == (Part("a.csv"),)


def test_parts_are_sorted_whatever_the_order_of_arguments(folder: Path) -> None:
    touch("a.csv", "b.csv", "c.csv")
    assert (
        paths("c.csv", "a.csv", "b.csv") == paths("*.csv") == paths("[ab].csv", "c.csv") == ["a.csv", "b.csv", "c.csv"]
    )


def test_a_file_of_that_very_name_is_no_pattern(folder: Path) -> None:
    touch("a[1].csv", "a1.csv")
    assert paths("a[1].csv") == ["a[1].csv"]
    assert not may_be_many("a[1].csv")
    assert may_be_many("a[2].csv")
    assert may_be_many(folder)


def test_a_folder_is_all_tables_in_it_and_below(folder: Path) -> None:
    touch("d/b.csv", "d/sub/a.csv.gz", "d/c.CSV", "d/readme.txt", "d/_SUCCESS", "d/.hidden.csv", "d/_temporary/0/x.csv")
    touch("d/.git/y.csv", "d/_metadata.csv")
    assert paths("d") == paths("d/") == ["d/b.csv", "d/c.CSV", "d/sub/a.csv.gz"]


def test_patterns_may_match_folders_and_pass_over_marks(folder: Path) -> None:
    touch("d/x/1.csv", "d/y/2.csv", "d/3.csv", "d/_SUCCESS", "d/x/notes.txt")
    assert paths("d/*") == ["d/3.csv", "d/x/1.csv", "d/y/2.csv"]
    assert paths("d/**/*.csv") == ["d/3.csv", "d/x/1.csv", "d/y/2.csv"]
    assert paths("d/_SUC*") == ["d/_SUCCESS"]
    touch("d/_temporary/0/4.csv", "d/_k=1/5.csv")
    assert paths("d/**/*.csv") == ["d/3.csv", "d/_k=1/5.csv", "d/x/1.csv", "d/y/2.csv"]
    assert paths("d/_temporary/*/*.csv") == ["d/_temporary/0/4.csv"]
    assert paths("d/x/../*.csv") == ["d/x/../3.csv"]


def test_links_that_lead_in_circles_end(folder: Path) -> None:
    touch("d/a.csv", "elsewhere/b.csv")
    os.symlink("..", "d/up")
    os.symlink("../elsewhere", "d/link")
    assert paths("d/link", "d/a.csv") == ["d/a.csv", "d/link/b.csv"]
    os.unlink("d/up")
    os.symlink(".", "d/again")
    assert paths("d") == ["d/a.csv", "d/link/b.csv"]


@pytest.mark.parametrize(
    ("named", "columns"),
    [
        (["d"], ("year", "month")),
        (["d/"], ("year", "month")),
        (["d/year=*/*/*.csv"], ("year", "month")),
        (["d/year=2025/month=1/a.csv", "d/year=2026/month=2/b.csv"], ("year", "month")),
        (["d/year=2025", "d/year=2026"], ("year", "month")),
        (["d/year=2025"], ("month",)),
        (["d/year=2025/month=1"], ()),
        (["d/year=2025/month=1/a.csv"], ()),
    ],
)
def test_folders_below_what_was_named_are_columns(folder: Path, named: list[str], columns: tuple[str, ...]) -> None:
    touch("d/year=2025/month=1/a.csv", "d/year=2026/month=2/b.csv")
    found = find_parts(named)
    assert {tuple(key for key, _ in part.partition) for part in found} == {columns}
    if len(found) == 2:
        assert found[1].partition == (("year", "2026"), ("month", "2"))


def test_partitions_are_decoded_and_may_be_missing(folder: Path) -> None:
    touch(
        "d/a%20b=x%2Fy/t.csv",
        "d/a%20b=__HIVE_DEFAULT_PARTITION__/t.csv",
        "d/a%20b=/t.csv",
        "d/_k=1/t.csv",
        "d/=1/t.csv",
    )
    assert [part.partition for part in find_parts(["d"])] == [
        (),
        (("_k", "1"),),
        (("a b", ""),),
        (("a b", ""),),
        (("a b", "x/y"),),
    ]


def test_names_of_folders_need_not_be_utf8(folder: Path) -> None:
    name = os.fsdecode(b"k=\xff")
    touch(f"d/{name}/t.csv", "d/k=%FF/t.csv")
    assert [part.partition for part in find_parts(["d"])] == [(("k", "\ufffd"),), (("k", "\ufffd"),)]


def test_a_part_can_be_sent_to_another_process() -> None:
    part = Part("s3://bucket/year=2026/a.csv", (("year", "2026"),))
    assert pickle.loads(pickle.dumps(part)) == part


def test_relative_partitions_without_a_folder_above(folder: Path) -> None:
    touch("k=1/a.csv", "k=2/a.csv")
    for named in (["k=1/a.csv", "k=2/a.csv"], ["k=*/a.csv"], ["."], ["k=1", "k=2"]):
        assert [part.partition for part in find_parts(named)] == [(("k", "1"),), (("k", "2"),)]


@pytest.mark.parametrize(
    ("named", "message"),
    [
        (["nothing*.csv"], "nothing\\*.csv: no file matches this pattern"),
        (["empty"], "empty: is a directory without tables, which end in .csv, .*; name its files by a pattern$"),
        (["a.csv", "a.csv"], "a.csv: is named twice; name each file once"),
        (["a.csv", "./a.csv"], "./a.csv: is the same file as a.csv; name each file once"),
        (["link.csv", "."], "./a.csv: is the same file as link.csv; name each file once"),
        (["a.csv", "b.arff"], "b.arff: is ARFF, but a.csv is CSV; name files of one format"),
        (["mixed"], "mixed/2.parquet: is Parquet, but mixed/1.csv is CSV; name files of one format"),
        (["k=1/k=2/a.csv", "b.csv"], "k=1/k=2/a.csv: two of its folders are called 'k'; rename one"),
    ],
)
def test_what_is_wrong_is_said(folder: Path, named: list[str], message: str) -> None:
    touch("a.csv", "b.arff", "mixed/1.csv", "mixed/2.parquet", "k=1/k=2/a.csv", "b.csv")
    Path("empty").mkdir()
    os.symlink("a.csv", "link.csv")
    with pytest.raises(DataError, match=f"^{message}"):
        find_parts(named)


def test_standard_input_stands_alone() -> None:
    with pytest.raises(UsageError, match=r"^standard input cannot be read together with files; name files only$"):
        find_parts(["-", "a.csv"])
    with pytest.raises(UsageError, match="no file is named"):
        find_parts([])


def test_a_folder_that_may_not_be_read_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    touch("d/a.csv", "d/locked/b.csv")
    real = os.scandir

    def scandir(path: str) -> object:
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(DataError, match=r"^d/locked: cannot be read: permission denied$"):
        find_parts(["d"])


def test_names_of_tables() -> None:
    one, two = Part("a.csv"), Part("b.csv")
    assert name_together(["*.csv"], [one]) == "a.csv"
    assert name_together(["*.csv"], [one, two]) == "*.csv (2 files)"
    assert name_together(["b.csv", "a.csv"], [one, two]) == "a.csv and 1 more file"
    assert name_together(["\x1b"], [one, two]) == "\\x1b (2 files)"


def test_a_url_of_a_file_here_is_that_file(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,0\n")
    assert find_parts([f"file://{path}"]) == find_parts([path])
    with pytest.raises(DataError, match="is named twice; name each file once"):
        find_parts([path, f"file://{path}"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_pipes_in_a_folder_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,y\n1,0\n")
    os.mkfifo(tmp_path / "pipe.csv")
    assert [part.path for part in find_parts([tmp_path])] == [str(tmp_path / "t.csv")]
