"""Which files paths, patterns, folders and URLs name, in which order, and what their folders say."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fsspec
import pytest

from probfs.errors import DataError, UsageError
from probfs.tables.files import Part, find_parts, may_be_many
from probfs.tables.opening import display_name
from probfs.tables.reading import read_table
from probfs.tables.urls import is_url
from tests.support.tables import put, table_content

pytestmark = pytest.mark.usefixtures("in_folder")


def touch(names: str) -> None:
    put(dict.fromkeys(names.split(), ""))


def paths(*named: str) -> list[str]:
    return [part.path for part in find_parts(named)]


def test_one_plain_path_is_taken_as_it_is() -> None:
    touch("year=2026/a.csv a[1].csv a1.csv")
    for name in ("-", "no/such.csv", "year=2026/a.csv", "none.txt", "a[1].csv"):
        assert (find_parts([name]), may_be_many(name)) == ((Part(name),), False)
    assert find_parts([Path("a.csv")]) == find_parts(["file://a.csv"]) == (Part("a.csv"),)
    assert may_be_many("a[2].csv")
    assert may_be_many(Path())


def test_folders_and_patterns_are_all_tables_in_and_below_them() -> None:
    touch("d/3.csv d/x/1.csv.gz d/y/2.CSV d/x/notes.txt d/_SUCCESS d/.hidden.csv d/.git/y.csv")
    touch("d/_temporary/0/4.csv d/_metadata.csv d/_k=1/5.csv")
    everything = ["d/3.csv", "d/_k=1/5.csv", "d/x/1.csv.gz", "d/y/2.CSV"]
    assert paths("d") == paths("d/") == paths("d/*") == paths("d/y/*.CSV", "d/3.csv", "d/x", "d/_k=1") == everything
    assert paths("d/**/*.csv") == ["d/3.csv", "d/_k=1/5.csv"]
    assert paths("d/_SUC*") == ["d/_SUCCESS"]
    assert paths("d/_temporary/*/*.csv") == ["d/_temporary/0/4.csv"]
    assert paths("d/x/../*.csv") == ["d/x/../3.csv"]
    put(dict.fromkeys(("e [1]/x/a.csv", "e 1/x/b.csv", "e 2/x/c.csv"), ""))
    assert paths("e [1]/*") == paths("e [1]/x/*.csv") == ["e [1]/x/a.csv"], "the folder itself is called so"
    assert paths("e [2]/*/*.csv") == ["e 2/x/c.csv"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_links_that_lead_in_circles_end_and_pipes_are_passed_over() -> None:
    touch("d/a.csv elsewhere/b.csv")
    os.symlink("../elsewhere", "d/link")
    os.symlink(".", "d/again")
    os.mkfifo("d/pipe.csv")
    assert paths("d") == ["d/a.csv", "d/link/b.csv"]


DATES = [{"year": "2025", "month": "1"}, {"year": "2026", "month": "2"}]


@pytest.mark.parametrize(
    ("named", "columns"),
    [
        ("d/", DATES),
        ("d/year=*/*/*.csv", DATES),
        ("d/year=2025/month=1/a.csv d/year=2026/month=2/b.csv", DATES),
        ("d/year=2025 d/year=2026", DATES),
        ("d/year=2025", [{"month": "1"}]),
        ("d/year=2025/month=1", [{}]),
        ("d/year=2025/month=1/a.csv", [{}]),
        *((named, [{"k": "1"}, {"k": "2"}]) for named in ("k=1/a.csv k=2/a.csv", "k=*/a.csv", "k=1 k=2")),
        (
            "odd",
            [{}, {"_k": "1"}, {"a b": ""}, {"a b": ""}, {"a b": "x/y"}, {"k": ".."}, {"k": "é="}, {"k": "\ufffd"}],
        ),
    ],
)
def test_folders_below_what_was_named_are_columns(named: str, columns: list[dict[str, str]]) -> None:
    touch("d/year=2025/month=1/a.csv d/year=2026/month=2/b.csv k=1/a.csv k=2/a.csv")
    touch("odd/a%20b=x%2Fy/t.csv odd/a%20b=__HIVE_DEFAULT_PARTITION__/t.csv odd/a%20b=/t.csv")
    touch("odd/_k=1/t.csv odd/=1/t.csv odd/k=%2E%2E/t.csv odd/k=%C3%A9=/t.csv " + os.fsdecode(b"odd/k=\xff/t.csv"))
    assert [dict(part.partition) for part in find_parts(named.split())] == columns


@pytest.fixture
def memory() -> Iterator[Any]:
    files = fsspec.filesystem("memory")
    files.pipe({"/d/k=1/a.csv": b"a,y\nu,0\nv,1\n", "/d/k=2/b.csv": b"y,a\n1,u\n", "/d/_SUCCESS": b""})
    yield files
    files.store.clear()
    files.pseudo_dirs[:] = [""]


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize(
    ("named", "message"),
    [
        (["nothing*.csv"], "nothing\\*.csv: no file matches this pattern"),
        (["empty"], "empty: is a directory without tables, which end in .csv, .*; name its files by a pattern$"),
        (["a\0.csv"], "a\\\\x00.csv: cannot be read: the path holds a NUL byte"),
        (["b.csv", "a\0.csv"], "a\\\\x00.csv: cannot be read: the path holds a NUL byte"),
        (["a.csv", "file://a.csv"], "a.csv: is named twice; name each file once"),
        (["link.csv", "."], "./a.csv: is the same file as link.csv; name each file once"),
        (["a.csv", "b.arff"], "b.arff: is ARFF, but a.csv is CSV; name files of one format"),
        (["k=1/k=2/a.csv", "b.csv"], "k=1/k=2/a.csv: two of its folders are called 'k'; rename one"),
        (["locked"], "locked: cannot be read: permission denied$"),
        (["-", "a.csv"], "standard input cannot be read together with files; name files only$"),
        ([], "no file is named"),
        (["memory://none.csv"], "memory://none.csv: cannot be read: no such file or directory$"),
        (["memory://none*.csv"], "memory://none\\*.csv: no file matches this pattern$"),
        (["nosuchthing://t.csv"], "nosuchthing://t.csv: cannot be read: Protocol not known: nosuchthing"),
        (["s3://bucket/t.csv"], "s3://bucket/t.csv: its driver is not installed: Install s3fs to access S3$"),
        (["simplecache::memory://d/*/b.csv"], ".*: is a pattern in a chain of URLs; name the files one by one"),
        (["zip://*.csv::http://[::1]/t.zip"], ".*: is a pattern in a chain of URLs; name the files one by one"),
        (["memory://d/k=1/a.csv", "memory:///d/k=1/a.csv"], ".*: is the same file as memory://d/k=1/a.csv; name"),
    ],
)
def test_what_is_wrong_is_said(monkeypatch: pytest.MonkeyPatch, named: list[str], message: str) -> None:
    touch("a.csv b.arff k=1/k=2/a.csv b.csv locked/c.csv")
    Path("empty").mkdir()
    os.symlink("a.csv", "link.csv")
    real = os.scandir

    def scandir(path: str) -> object:
        if path == "locked":
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises((DataError, UsageError), match=f"^{message}"):
        read_table(named)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("s3://key:sec/ret@bucket/t.csv", "s3://…@bucket/t.csv"),
        ("https://me:p@ss?w@host/t.csv", "https://…@host/t.csv"),
        ("https://example.org/t.csv?X-Amz-Signature=5#y", "https://example.org/t.csv?…"),
        ("https://example.org:80/t@.csv#token", "https://example.org:80/t@.csv#…"),
        ("zip://in.csv::https://me:secret@host/t.zip", "zip://in.csv::https://…@host/t.zip"),
        ("s3://bucket/a@b.csv", "s3://bucket/a@b.csv"),
        ("https://host?mail=a@secret", "https://host?…"),
        ("https://:secret@host/#access_token=5", "https://…@host/#…"),
    ],
)
def test_secrets_are_not_shown(url: str, shown: str) -> None:
    assert (is_url(url), display_name(url)) == (True, shown)
    assert not any(map(is_url, ["t.csv", "/a/b", "C:\\t.csv", "://x", "a b://c"]))


@pytest.mark.parametrize("named", ["memory://d", "memory://d/", "memory://d/*/*.csv", "memory://d/k=*"])
def test_urls_name_files_folders_and_patterns(memory: Any, named: str) -> None:
    parts = find_parts([named])
    assert parts == (Part("memory://d/k=1/a.csv", (("k", "1"),)), Part("memory://d/k=2/b.csv", (("k", "2"),)))
    table = read_table(named)
    assert table_content(table) == {"k": ["1", "1", "2"], "a": ["u", "v", "u"], "y": ["0", "1", "1"]}
    assert table.source == f"{named} (2 files)"
    assert table_content(read_table("simplecache::memory://d/k=2/b.csv")) == {"y": ["1"], "a": ["u"]}


def test_what_drivers_raise_is_an_error_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(size: int) -> bytes:
        raise KeyError("no credentials for https://me:secret@host/t\nanywhere")

    driver = type(fsspec.filesystem("memory"))
    file = SimpleNamespace(read=fail, seekable=lambda: True, close=lambda: None)
    monkeypatch.setattr(driver, "open", lambda *_, **__: file)
    monkeypatch.setattr(driver, "isdir", lambda *_: False)
    with pytest.raises(DataError, match=r"^memory://t.csv: cannot be read: .*no credentials for https://…@host/t"):
        read_table("memory://t.csv")
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(DataError, match=r"takes fsspec to read; pip install 'probfs\[remote\]'$"):
        read_table("memory://t.csv")


class HttpError(Exception):
    def __init__(self, status: int, message: str) -> None:
        self.status, self.message = status, message


@pytest.mark.parametrize(
    ("cause", "reason"),
    [
        (None, "no such file or directory"),
        (HttpError(404, "Not Found"), "no such file or directory"),
        (HttpError(401, "Unauthorized"), "the server answers 401 unauthorized"),
        (OSError(errno.ECONNREFUSED, "Connect call failed"), "connect call failed"),
    ],
)
@pytest.mark.parametrize("host", ["127.0.0.1:80", "[::1]:8080"])
def test_what_the_web_answers(host: str, cause: Exception | None, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """fsspec raises a FileNotFoundError for whatever went wrong there; the colons of an address are none of a chain."""
    url = f"http://{host}/t.csv"

    def fail(path: str, mode: str) -> None:
        assert path == url
        raise FileNotFoundError(path) from cause

    web = SimpleNamespace(open=fail)
    if host.startswith("["):
        monkeypatch.setattr(fsspec, "filesystem", lambda name: web if name == "http" else None)
    else:
        monkeypatch.setattr("fsspec.core.url_to_fs", lambda url: (web, url))
    with pytest.raises(DataError, match=f"^{re.escape(url)}: cannot be read: {reason}$"):
        read_table(url)
