"""Formats by the ending of a file, files that are replaced whole or not at all, and how much memory there is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import probfs
from probfs.runtime import memory
from probfs.runtime.output import deliver_text, format_by_ending, write_whole
from probfs.text import command_line_language

ENDINGS = {".csv": "csv", ".json": "json"}


def test_a_text_is_returned_and_also_written_where_a_path_is_given(tmp_path: Path) -> None:
    assert deliver_text("größe", None) == deliver_text("größe", tmp_path / "text") == "größe"
    assert (tmp_path / "text").read_bytes() == "größe".encode()


def test_the_ending_of_a_file_chooses_its_format() -> None:
    assert format_by_ending("ranking.JSON", ENDINGS, "csv") == "json"
    assert format_by_ending("/dev/stdout", ENDINGS, "csv") == "csv"


def test_an_unknown_ending_is_refused_in_the_caller_s_language() -> None:
    with pytest.raises(probfs.UsageError) as caught:
        format_by_ending("ranking.xls", ENDINGS, "csv")
    assert str(caught.value) == "output=: the ending '.xls' gives no format; use .csv, .json, or format="
    with command_line_language(), pytest.raises(probfs.UsageError) as caught:
        format_by_ending("rows", ENDINGS, "csv", "unlabeled_output")
    problem = "--unlabeled-output: a name without an ending gives no format"
    assert str(caught.value) == f"{problem}; use .csv, .json, or --format"
    # Where the format has no option of its own, only endings are named.
    with pytest.raises(probfs.UsageError, match=r"^reduced=: .* gives no format; use \.csv or \.json$"):
        format_by_ending("t.csv.gz", ENDINGS, "csv", "reduced", by_name=False)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_a_file_is_replaced_whole_through_its_symlink_and_keeps_its_mode(
    tmp_path: Path, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    real.chmod(mode)
    link.symlink_to(real)
    modes: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: modes.append(os.fstat(descriptor).st_mode & 0o777))
    write_whole(link, b"new")
    assert (real.read_text(), link.is_symlink(), real.stat().st_mode & 0o777) == ("new", True, mode)
    assert modes[0] & ~mode == 0, "what replaces a private file is private from the beginning"


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_is_what_the_umask_makes_of_it(tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without setting it: another thread would create its files readable and writable for everybody meanwhile."""
    before, restore = os.umask(umask), os.umask
    try:
        monkeypatch.delattr(os, "umask")
        write_whole(tmp_path / "fresh.csv", b"x")
    finally:
        restore(before)
    assert (tmp_path / "fresh.csv").stat().st_mode & 0o777 == 0o666 & ~umask


def test_a_failed_write_keeps_the_old_file_and_leaves_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "r.csv"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(probfs.OutputError, match="no space left"):
        write_whole(path, b"new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


# How much memory a process may take, and what is refused for lack of it


@pytest.fixture
def control_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the control group that this process seems to be in."""
    read_lines = memory._read_lines

    def read(path: Path) -> list[str]:
        return ["12:cpu:/other", "0::/outer/inner"] if path == Path("/proc/self/cgroup") else read_lines(path)

    monkeypatch.setattr(memory, "_CONTROL_GROUPS", tmp_path)
    monkeypatch.setattr(memory, "_read_lines", read)
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    return inner


def test_the_limit_of_any_enclosing_control_group_counts(control_group: Path) -> None:
    (control_group / "memory.max").write_text("max\n")
    (control_group / "memory.current").write_text("500\n")
    (control_group.parent / "memory.max").write_text("3000\n")
    (control_group.parent / "memory.current").write_text("2000\n")
    assert memory.free_memory() == 1000
    (control_group.parent / "memory.stat").write_text("anon 1\ninactive_file 700\n")
    assert memory.free_memory() == 1700


def test_a_need_beyond_the_free_memory_is_refused(control_group: Path) -> None:
    (control_group / "memory.max").write_text("4096\n")
    (control_group / "memory.current").write_text("2048\n")
    memory.require_memory(2048, "this table")
    with pytest.raises(probfs.DataError) as caught:
        memory.require_memory(1 << 20, "this table", "d.csv")
    problem = "d.csv: this table needs about 1 MB of memory, and 2 KB is free"
    assert str(caught.value) == f"{problem}; rank fewer columns or rows at a time, or use a machine with more"
