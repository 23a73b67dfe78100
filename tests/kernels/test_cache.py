"""Object code is kept in, and read from, files that nobody else can have written."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from probfs.kernels.cache import CacheFolder, cache_folders

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes are those of POSIX")


@pytest.fixture
def folder(tmp_path: Path) -> CacheFolder:
    """A folder in which ``x.o`` is kept."""
    folder = CacheFolder(tmp_path / "probfs" / "kernels")
    assert folder.write("x.o", b"code")
    return folder


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_folders_and_files_are_created_for_the_user_alone(folder: CacheFolder) -> None:
    assert [mode_of(path) for path in (folder.path.parent, folder.path, folder.path / "x.o")] == [0o700, 0o700, 0o600]
    assert os.listdir(folder.path) == ["x.o"]
    assert folder.read("x.o") == b"code"
    assert folder.read("y.o") is None


def test_beside_the_package_others_may_read_whatever_the_umask(tmp_path: Path) -> None:
    package, *_ = cache_folders()
    shared = CacheFolder(tmp_path / "package" / "__pycache__", package.mode)
    umask = os.umask(0o002)
    try:
        shared.path.mkdir(parents=True)
        for path in (shared.path, shared.path.parent):
            path.chmod(0o755)
        assert shared.write("x.o", b"code")
    finally:
        os.umask(umask)
    assert mode_of(shared.path / "x.o") == 0o644
    assert shared.read("x.o") == b"code"


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777])
@pytest.mark.parametrize("which", ["folder", "parent"])
def test_a_folder_that_others_can_write_to_is_not_trusted(folder: CacheFolder, which: str, mode: int) -> None:
    (folder.path if which == "folder" else folder.path.parent).chmod(mode)
    assert folder.read("x.o") is None
    assert not folder.write("y.o", b"code")
    assert os.listdir(folder.path) == ["x.o"]


@pytest.mark.parametrize("mode", [0o602, 0o620, 0o666])
def test_a_file_that_others_can_write_to_is_not_trusted(folder: CacheFolder, mode: int) -> None:
    (folder.path / "x.o").chmod(mode)
    assert folder.read("x.o") is None
    assert folder.write("x.o", b"new code"), "it is replaced, not written to"
    assert folder.read("x.o") == b"new code"


def test_what_another_user_owns_is_not_trusted(folder: CacheFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = folder.path.stat().st_uid
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    trusts_root = owner == 0
    assert (folder.read("x.o") is not None) == trusts_root
    assert folder.write("y.o", b"code") == trusts_root


@pytest.mark.parametrize("which", ["folder", "parent", "file"])
def test_a_foreign_owner_is_not_trusted(folder: CacheFolder, which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests, as seen by a user who is neither root nor the owner of one of the three."""
    place = {"folder": folder.path, "parent": folder.path.parent, "file": folder.path / "x.o"}[which].stat().st_ino
    real_stat, real_fstat = os.stat, os.fstat

    def pretend(status: os.stat_result) -> os.stat_result:
        fields = list(status)
        fields[stat.ST_UID] = 4242 if status.st_ino == place else os.getuid()
        return os.stat_result(fields)

    monkeypatch.setattr(os, "stat", lambda path, **options: pretend(real_stat(path, **options)))
    monkeypatch.setattr(os, "fstat", lambda number: pretend(real_fstat(number)))
    assert folder.read("x.o") is None


@pytest.mark.parametrize(
    "damage",
    [lambda content: content[:-1], lambda content: content[:5], lambda _: b"", lambda content: content[:-1] + b"!"],
)
def test_a_damaged_file_is_not_read(folder: CacheFolder, damage: object) -> None:
    file = folder.path / "x.o"
    file.write_bytes(damage(file.read_bytes()))  # type: ignore[operator]
    assert folder.read("x.o") is None


def test_where_no_folder_can_be_created_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = CacheFolder(tmp_path / "file" / "kernels")
    assert not folder.write("x.o", b"code")
    assert folder.read("x.o") is None


def test_a_write_that_fails_leaves_nothing_behind(folder: CacheFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    assert not folder.write("y.o", b"code")
    assert os.listdir(folder.path) == ["x.o"]


def test_the_users_folder_is_named_by_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if sys.platform == "linux":
        assert list(cache_folders())[-1].path == tmp_path / "probfs" / "kernels"
