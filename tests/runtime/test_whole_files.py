"""Files are replaced whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import probfs
from probfs.runtime.output import write_whole


def test_a_file_is_replaced_whole_through_its_symlink_and_keeps_its_mode(tmp_path: Path) -> None:
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_whole(link, b"new")
    assert (real.read_text(), link.is_symlink(), real.stat().st_mode & 0o777) == ("new", True, 0o640)


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_is_what_the_umask_makes_of_it(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        write_whole(tmp_path / "fresh.csv", b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "fresh.csv").stat().st_mode & 0o777 == 0o666 & ~umask


def test_the_umask_of_the_process_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread would create its files readable and writable for everybody meanwhile."""

    def refuse(mask: int) -> int:
        raise AssertionError(f"umask({mask:o})")

    monkeypatch.setattr(os, "umask", refuse)
    for _ in range(2):
        write_whole(tmp_path / "r.csv", b"x")


def test_what_replaces_a_private_file_is_private_from_the_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "r.csv"
    path.write_text("old")
    path.chmod(0o600)
    modes = []

    def look(descriptor: int) -> None:
        modes.append(os.fstat(descriptor).st_mode & 0o777)

    monkeypatch.setattr(os, "fsync", look)
    write_whole(path, b"new")
    assert modes == [0o600], "once all is written"
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o600)
    path.chmod(0o644)
    write_whole(path, b"newer")
    assert path.stat().st_mode & 0o777 == 0o644


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
