"""Object code is recognised if this user sealed it, or root did for everybody; and it is not kept for ever."""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
import sys
import time
from pathlib import Path

import pytest

from probfs.kernels.cache import CacheFolder, cache_folders
from tests.kernels.test_trusted_files import pretend_owners

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes are those of POSIX")

SEALS = 2 * hashlib.sha256().digest_size
A_DAY = 24 * 3600


@pytest.fixture
def folder(tmp_path: Path) -> CacheFolder:
    """The user's own folder, in which ``x.o`` is kept."""
    own = tmp_path / "probfs" / "kernels"
    folder = CacheFolder(own, own)
    assert folder.write("x.o", b"code")
    return folder


@pytest.fixture
def shared(tmp_path: Path, folder: CacheFolder) -> CacheFolder:
    """The folder beside the package, in which ``x.o`` is kept."""
    shared = CacheFolder(tmp_path / "package" / "__pycache__", folder.path, is_shared=True)
    umask = os.umask(0o022)
    try:
        assert shared.write("x.o", b"code")
    finally:
        os.umask(umask)
    return shared


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def set_user(monkeypatch: pytest.MonkeyPatch, user: int) -> None:
    monkeypatch.setattr(os, "getuid", lambda: user)


def test_code_and_key_are_for_the_user_alone(folder: CacheFolder) -> None:
    assert sorted(os.listdir(folder.path)) == ["key", "x.o"]
    assert [mode_of(path) for path in (folder.path.parent, folder.path)] == [0o700, 0o700]
    assert [mode_of(folder.path / name) for name in ("key", "x.o")] == [0o600, 0o600]
    assert folder.read("x.o") == b"code"
    assert folder.read("y.o") is None


def test_beside_the_package_others_may_read_whatever_the_umask(shared: CacheFolder) -> None:
    umask = os.umask(0o002)
    try:
        assert shared.write("y.o", b"code")
    finally:
        os.umask(umask)
    assert [mode_of(shared.path / name) for name in ("x.o", "y.o")] == [0o644, 0o644]
    assert shared.read("y.o") == b"code"
    assert shared.key_folder is not None
    assert os.listdir(shared.path).count("key") == 0, "the key is in the user's own folder"


def test_the_key_is_random_and_is_kept(folder: CacheFolder, tmp_path: Path) -> None:
    key = (folder.path / "key").read_bytes()
    assert len(key) == 32
    assert folder.write("y.o", b"code")
    assert (folder.path / "key").read_bytes() == key
    another = CacheFolder(tmp_path / "other" / "kernels", tmp_path / "other" / "kernels")
    assert another.write("x.o", b"code")
    assert (another.path / "key").read_bytes() != key


@pytest.mark.parametrize("change", ["gone", "short", "long", "readable", "writable", "link", "pipe", "another"])
def test_with_another_key_nothing_is_recognised_and_a_new_one_is_made(folder: CacheFolder, change: str) -> None:
    key = folder.path / "key"
    content = key.read_bytes()
    if change == "readable":
        key.chmod(0o604)
    elif change == "writable":
        key.chmod(0o620)
    else:
        key.unlink()
        if change == "link":
            (folder.path / "target").write_bytes(content)
            (folder.path / "target").chmod(0o600)
            key.symlink_to("target")
        elif change == "pipe":
            os.mkfifo(key, 0o600)
        elif change != "gone":
            key.write_bytes({"short": content[:31], "long": content + b"!", "another": bytes(32)}[change])
            key.chmod(0o600)
    assert folder.read("x.o") is None
    assert folder.write("x.o", b"code")
    assert folder.read("x.o") == b"code"
    assert mode_of(key) == 0o600
    assert key.read_bytes() != content
    assert stat.S_ISREG(key.lstat().st_mode)


@pytest.mark.parametrize("obstacle", ["no home", "a file", "a folder for a key", "others write"])
def test_without_a_place_for_the_key_nothing_is_kept(shared: CacheFolder, tmp_path: Path, obstacle: str) -> None:
    own: Path | None = tmp_path / "home" / "kernels"
    assert own is not None
    if obstacle == "a file":
        own.parent.touch()
    elif obstacle == "a folder for a key":
        (own / "key").mkdir(parents=True)
    elif obstacle == "others write":
        own.mkdir(parents=True)
        own.chmod(0o777)
    else:
        own = None
    keyless = CacheFolder(shared.path, own, is_shared=True)
    assert keyless.read("x.o") is None
    assert not keyless.write("y.o", b"code")
    assert os.listdir(shared.path) == ["x.o"]


def test_a_plain_digest_is_no_seal(folder: CacheFolder) -> None:
    """Neither the earlier form of such files nor a digest that anybody can compute."""
    for digest in (
        hashlib.sha256(b"evil").digest(),
        2 * hashlib.sha256(b"x.o\0evil").digest(),
        *(
            hmac.digest(key, hashlib.sha256(b"x.o\0evil").digest(), "sha256") + hashlib.sha256(b"x.o\0evil").digest()
            for key in (b"", bytes(32))
        ),
    ):
        (folder.path / "x.o").write_bytes(digest + b"evil")
        assert folder.read("x.o") is None


def test_a_renamed_file_is_not_recognised(folder: CacheFolder) -> None:
    (folder.path / "x.o").rename(folder.path / "y.o")
    assert folder.read("y.o") is None


def test_a_file_of_another_user_or_machine_is_not_recognised(folder: CacheFolder, tmp_path: Path) -> None:
    other = CacheFolder(tmp_path / "other" / "kernels", tmp_path / "other" / "kernels")
    assert other.write("x.o", b"code")
    (other.path / "x.o").replace(folder.path / "x.o")
    assert folder.read("x.o") is None


def test_a_damaged_file_is_not_read(folder: CacheFolder) -> None:
    file = folder.path / "x.o"
    content = file.read_bytes()
    damaged = [content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :] for place in range(len(content))]
    for other in (*damaged, *(content[:size] for size in range(len(content))), content + b"\0"):
        file.write_bytes(other)
        assert folder.read("x.o") is None
    file.write_bytes(content)
    assert folder.read("x.o") == b"code"


def test_what_root_compiled_for_everybody_needs_no_key_but_must_be_whole(
    shared: CacheFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_owners(monkeypatch, 0)
    set_user(monkeypatch, 1000)
    users = CacheFolder(shared.path, None, is_shared=True)
    assert users.read("x.o") == b"code"
    private = CacheFolder(shared.path, None)
    assert private.read("x.o") is None, "only beside the package"
    file = shared.path / "x.o"
    content = file.read_bytes()
    for place in range(SEALS // 2, len(content)):
        file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert users.read("x.o") is None
    for size in range(len(content)):
        file.write_bytes(content[:size])
        assert users.read("x.o") is None


@pytest.mark.parametrize("users_own", ["package", "__pycache__", "x.o"])
def test_what_a_user_can_have_written_needs_the_users_key(
    shared: CacheFolder, users_own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_owners(monkeypatch, 0, **{users_own: 1000})
    set_user(monkeypatch, 1000)
    assert shared.read("x.o") == b"code"
    assert CacheFolder(shared.path, None, is_shared=True).read("x.o") is None


def test_root_needs_its_own_key(shared: CacheFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_owners(monkeypatch, 0)
    set_user(monkeypatch, 0)
    assert shared.read("x.o") == b"code"
    assert CacheFolder(shared.path, None, is_shared=True).read("x.o") is None


def test_outdated_code_is_removed_after_a_month(folder: CacheFolder) -> None:
    kept = {
        "sum_uint8.00ff.o": 400,
        "sum_uint8.aaaa.o": 29,
        "sum_uint16.aaaa.o": 400,
        "other.aaaa.o": 400,
        "sum_uint8.aaaa.o.txt": 400,
        "sum_uint8.notes.o": 400,
        ".sum_uint8.aaaa.o.1.tmp": 29,
    }
    removed = {"sum_uint8.bbbb.o": 31, "sum_uint8.cccc.o": 400, ".sum_uint8.bbbb.o.x_y.tmp": 31}
    now = time.time()
    for name, days in (kept | removed).items():
        (folder.path / name).write_bytes(b"")
        os.utime(folder.path / name, (now - days * A_DAY,) * 2)
    (folder.path / "sum_uint8.dddd.o").mkdir()
    os.utime(folder.path / "sum_uint8.dddd.o", (0, 0))
    folder.remove_outdated("sum_uint8.00ff.o")
    assert set(os.listdir(folder.path)) == {*kept, "sum_uint8.dddd.o", "key", "x.o"}


def test_nothing_is_removed_where_others_write_and_nothing_fails(
    folder: CacheFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = folder.path / "sum.aaaa.o"
    old.touch()
    os.utime(old, (0, 0))
    folder.path.chmod(0o777)
    folder.remove_outdated("sum.bbbb.o")
    folder.path.chmod(0o700)
    CacheFolder(folder.path / "absent", None).remove_outdated("sum.bbbb.o")

    def fail(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "unlink", fail)
    folder.remove_outdated("sum.bbbb.o")
    assert old.exists()


def test_the_users_folder_is_named_by_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    package, own = cache_folders()
    assert own.path == package.key_folder == own.key_folder == tmp_path / "probfs" / "kernels"
    assert (package.is_shared, own.is_shared) == (True, False)


@pytest.mark.parametrize(
    ("platform", "variable", "default"),
    [
        ("linux", "XDG_CACHE_HOME", ".cache"),
        ("win32", "LOCALAPPDATA", "AppData/Local"),
        ("darwin", "XDG_CACHE_HOME", "Library/Caches"),
    ],
)
@pytest.mark.parametrize("named", ["cache", "./cache", "../cache", "~/cache", ".", "", None])
def test_a_relative_folder_is_ignored(
    platform: str, variable: str, default: str, named: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("HOME", str(tmp_path))
    if named is None:
        monkeypatch.delenv(variable, raising=False)
    else:
        monkeypatch.setenv(variable, named)
    _, own = cache_folders()
    assert own.path == tmp_path / default / "probfs" / "kernels"


@pytest.mark.parametrize("home", ["relative", None])
def test_without_a_home_there_is_no_folder_of_the_user(home: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if home is None:
        monkeypatch.setattr(Path, "home", no_home)
    else:
        monkeypatch.setenv("HOME", home)
    (package,) = cache_folders()
    assert package.key_folder is None
