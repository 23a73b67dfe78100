"""Files that URLs name, through fsspec, which is imported for them only."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest

import probfs
from probfs.errors import DataError
from probfs.tables.parts import Part, find_parts, name_together
from probfs.tables.readers import read_table
from probfs.tables.remote import RemoteFile, is_url, open_url, shown_url
from probfs.tables.source import display_name
from tests.support.table_content import table_content

HEADER = b"a,y\n"


@pytest.fixture
def memory() -> Iterator[Any]:
    files = fsspec.filesystem("memory")
    files.pipe({"/d/k=1/a.csv": HEADER + b"u,0\nv,1\n", "/d/k=2/b.csv": b"y,a\n1,u\n", "/d/_SUCCESS": b""})
    yield files
    files.store.clear()
    files.pseudo_dirs[:] = [""]


def test_urls() -> None:
    assert all(map(is_url, ["s3://b/t.csv", "memory://t", "file:///t.csv", "simplecache::s3://b/t.csv"]))
    assert not any(map(is_url, ["t.csv", "/a/b", "C:\\t.csv", "://x", "a b://c"]))


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("s3://key:secret@bucket/t.csv", "s3://…@bucket/t.csv"),
        ("https://example.org/t.csv?X-Amz-Signature=5", "https://example.org/t.csv?…"),
        ("s3://bucket/a@b.csv", "s3://bucket/a@b.csv"),
    ],
)
def test_secrets_are_not_shown(url: str, shown: str) -> None:
    assert shown_url(url) == display_name(url) == shown


def test_a_url_is_read_as_a_file_is(memory: Any, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(HEADER + b"u,0\nv,1\n")
    # A URL of this machine's files is the path of one.
    for url, source in (("memory://d/k=1/a.csv",) * 2, (f"file://{tmp_path}/t.csv", f"{tmp_path}/t.csv")):
        table = read_table(url)
        assert table_content(table) == {"a": ["u", "v"], "y": ["0", "1"]}
        assert table.source == source


def test_parquet_is_read_from_a_url(memory: Any) -> None:
    frame = probfs.rank("sample_data/breast_cancer.csv", target="class").to_frame()[["feature", "s_s", "round"]]
    with memory.open("/t.parquet", "wb") as stream:
        frame.to_parquet(stream)
    assert read_table("memory://t.parquet").rows == len(frame)


@pytest.mark.parametrize("named", ["memory://d", "memory://d/", "memory://d/*/*.csv", "memory://d/k=*"])
def test_folders_and_patterns_have_partitions(memory: Any, named: str) -> None:
    parts = find_parts([named])
    assert parts == (Part("memory://d/k=1/a.csv", (("k", "1"),)), Part("memory://d/k=2/b.csv", (("k", "2"),)))
    table = read_table(named)
    assert table_content(table) == {"k": ["1", "1", "2"], "a": ["u", "v", "u"], "y": ["0", "1", "1"]}
    assert table.source == name_together([named], parts) == f"{named} (2 files)"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("memory://none.csv", "^memory://none.csv: cannot be read: no such file or directory$"),
        ("memory://none*.csv", "^memory://none\\*.csv: no file matches this pattern$"),
        ("nosuchthing://t.csv", "^nosuchthing://t.csv: cannot be read: Protocol not known: nosuchthing"),
        ("s3://bucket/t.csv", "^s3://bucket/t.csv: its driver is not installed: Install s3fs to access S3$"),
    ],
)
def test_what_is_wrong_is_said(url: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(DataError, match=message):
        read_table(url)


def test_without_fsspec_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(DataError, match=r"takes fsspec to read; pip install 'probfs\[remote\]'$"):
        read_table("memory://t.csv")


def test_a_folder_that_was_named_is_no_column(memory: Any) -> None:
    memory.pipe("/k=1/.hidden.csv", b"")
    memory.pipe("/k=1/j=2/t.csv", HEADER + b"u,0\n")
    assert find_parts(["memory://k=1"]) == (Part("memory://k=1/j=2/t.csv", (("j", "2"),)),)


def test_one_file_has_several_urls(memory: Any) -> None:
    with pytest.raises(DataError, match=r"^memory:///d/k=1/a.csv: is the same file as memory://d/k=1/a.csv; name"):
        find_parts(["memory://d/k=1/a.csv", "memory:///d/k=1/a.csv"])


def test_a_chain_names_one_file(memory: Any) -> None:
    assert table_content(read_table("simplecache::memory://d/k=2/b.csv")) == {"y": ["1"], "a": ["u"]}
    with pytest.raises(DataError, match="is a pattern in a chain of URLs; name the files one by one"):
        read_table("simplecache::memory://d/*/b.csv")


class Failing:
    """A file whose driver has exceptions of its own."""

    size = None

    def read(self, size: int) -> bytes:
        raise KeyError("no credentials\nanywhere")

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        pass


def test_the_errors_of_drivers_are_errors_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not RemoteFile(Failing()).seekable()
    monkeypatch.setattr(type(fsspec.filesystem("memory")), "open", lambda *_, **__: Failing())
    monkeypatch.setattr(type(fsspec.filesystem("memory")), "isdir", lambda *_: False)
    with pytest.raises(DataError, match=r"^memory://t.csv: cannot be read: .*no credentials"):
        read_table("memory://t.csv")


def test_a_file_knows_its_size(memory: Any) -> None:
    with open_url("memory://d/k=1/a.csv") as stream:
        assert (stream.size, stream.seekable(), stream.readable()) == (12, True, True)
        assert stream.seek(4) == 4
        assert stream.read() == b"u,0\nv,1\n"


def test_neither_fsspec_nor_dask_is_imported_unasked(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("a,y\nu,0\nu,0\nv,1\nv,1\n")
    code = (
        "import sys, probfs; probfs.rank(['a.csv', 'b.csv'], target='y'); print({'fsspec', 'dask'} & set(sys.modules))"
    )
    told = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert told.stdout == "set()\n"
