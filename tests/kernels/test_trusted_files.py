"""Only files that nobody but the user and root can have written are read; what else lies there does no harm."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from probfs.kernels import trusted_files
from probfs.kernels.trusted_files import create_folder, is_trusted_folder, read_trusted, write_whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes are those of POSIX")

OTHER_USER = 4242


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file in a folder in a folder, all of them the user's own."""
    folder = tmp_path / "probfs" / "kernels"
    assert create_folder(folder, 0o700)
    assert write_whole(folder / "x.o", b"code", 0o600)
    return folder / "x.o"


def content_of(path: Path, private: bool = False) -> bytes | None:
    found = read_trusted(path, private)
    return found.content if found is not None else None


def pretend_owners(monkeypatch: pytest.MonkeyPatch, default: int, **owners: int) -> None:
    """Let files and folders belong to other users than they do: ``owners`` are by name, the others are default's."""
    real_stat, real_fstat = os.stat, os.fstat
    by_inode: dict[int, int] = {}

    def pretend(status: os.stat_result) -> os.stat_result:
        fields = list(status)
        fields[stat.ST_UID] = by_inode.get(status.st_ino, default)
        return os.stat_result(fields)

    def of_path(path: Path | str, **options: bool) -> os.stat_result:
        status = real_stat(path, **options)
        if os.path.basename(path) in owners:
            by_inode[status.st_ino] = owners[os.path.basename(path)]
        return pretend(status)

    def of_file(number: int) -> os.stat_result:
        status = real_fstat(number)
        by_inode.setdefault(status.st_ino, owners.get("x.o", default))
        return pretend(status)

    monkeypatch.setattr(os, "stat", of_path)
    monkeypatch.setattr(os, "fstat", of_file)


def test_a_file_of_the_user_is_read(file: Path) -> None:
    assert content_of(file) == b"code"
    assert [stat.S_IMODE(path.stat().st_mode) for path in (file.parent.parent, file.parent, file)] == [
        0o700,
        0o700,
        0o600,
    ]
    assert os.listdir(file.parent) == ["x.o"]


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777])
@pytest.mark.parametrize("above", [0, 1])
def test_a_folder_that_others_can_write_to_is_not_trusted(file: Path, above: int, mode: int) -> None:
    file.parents[above].chmod(mode)
    assert content_of(file) is None
    assert not is_trusted_folder(file.parent)
    assert not create_folder(file.parent, 0o700)


@pytest.mark.parametrize("mode", [0o602, 0o620, 0o666])
def test_a_file_that_others_can_write_to_is_not_trusted_and_is_replaced(file: Path, mode: int) -> None:
    file.chmod(mode)
    with open(file, "rb") as held_open_by_another:
        assert content_of(file) is None
        assert write_whole(file, b"new code", 0o600)
        assert held_open_by_another.read() == b"code"
    assert content_of(file) == b"new code"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644])
def test_a_secret_that_others_can_read_is_none(file: Path, mode: int) -> None:
    assert content_of(file, private=True) == b"code"
    file.chmod(mode)
    assert content_of(file) == b"code"
    assert content_of(file, private=True) is None


@pytest.mark.parametrize("foreign", ["probfs", "kernels", "x.o"])
def test_what_another_user_owns_is_not_trusted(file: Path, foreign: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_owners(monkeypatch, os.getuid(), **{foreign: OTHER_USER})
    assert content_of(file) is None
    assert is_trusted_folder(file.parent) == (foreign == "x.o")


@pytest.mark.parametrize("user", [0, 1000])
@pytest.mark.parametrize("users_own", ["", "probfs", "kernels", "x.o"])
def test_what_root_owns_is_roots_to_others_if_the_folders_are(
    file: Path, users_own: str, user: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_owners(monkeypatch, 0, **{users_own: user})
    monkeypatch.setattr(os, "getuid", lambda: user)
    found = read_trusted(file)
    assert found is not None
    assert found.is_roots == (user != 0 and not users_own)


def test_a_link_is_not_a_file(file: Path, tmp_path: Path) -> None:
    """Whoever may change what a link leads to may not be whom its folder belongs to."""
    target = tmp_path / "target"
    file.rename(target)
    file.symlink_to(target)
    assert content_of(file) is None
    assert write_whole(file, b"new code", 0o600)
    assert (content_of(file), target.read_bytes()) == (b"new code", b"code"), "the link is replaced, not followed"


@pytest.mark.parametrize("linked", ["kernels", "probfs"])
def test_a_link_to_a_folder_is_as_trusted_as_what_holds_its_target(file: Path, linked: str, tmp_path: Path) -> None:
    link = file.parent if linked == "kernels" else file.parent.parent
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(0o755)
    link.rename(elsewhere / linked)
    link.symlink_to(elsewhere / linked)
    assert content_of(file) == b"code", "as in a home whose cache is on another disk"
    holder = elsewhere if linked == "kernels" else elsewhere / "probfs"
    holder.chmod(0o777)
    assert content_of(file) is None
    assert not is_trusted_folder(file.parent)


@pytest.mark.parametrize("kind", ["pipe", "folder", "loop", "device"])
def test_what_is_no_regular_file_is_not_read(file: Path, kind: str) -> None:
    """A pipe must not be waited for, and /dev/zero has no end."""
    file.unlink()
    if kind == "pipe":
        os.mkfifo(file, 0o600)
    elif kind == "folder":
        file.mkdir(0o700)
    else:
        file.symlink_to(file if kind == "loop" else "/dev/zero")
    assert content_of(file) is None
    assert write_whole(file, b"code", 0o600) == (kind != "folder")
    assert content_of(file) == (b"code" if kind != "folder" else None)
    assert os.listdir(file.parent) == ["x.o"]


def test_a_file_that_would_fill_the_memory_is_not_read(file: Path) -> None:
    os.truncate(file, trusted_files._MAX_SIZE + 1)
    assert content_of(file) is None


@pytest.mark.parametrize("name", ["absent", "x.o/absent", "a\0b"])
def test_what_is_not_there_is_not_read(file: Path, name: str) -> None:
    assert content_of(file.parent / name) is None


def test_no_folder_is_created_below_a_file(file: Path) -> None:
    assert not create_folder(file / "a" / "b", 0o700)
    assert not is_trusted_folder(file / "a")
    assert not write_whole(file / "a", b"", 0o600)


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_a_write_that_fails_leaves_nothing_behind(
    file: Path, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(os, "replace", fail)
    if isinstance(error, OSError):
        assert not write_whole(file, b"new code", 0o600)
    else:
        with pytest.raises(KeyboardInterrupt):
            write_whole(file, b"new code", 0o600)
    assert os.listdir(file.parent) == ["x.o"]
    assert content_of(file) == b"code"
