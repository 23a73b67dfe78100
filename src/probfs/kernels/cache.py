"""Object code that was compiled earlier, kept in files that nobody else can have written.

It is kept beside the package, where Python keeps its own bytecode, or else in the user's cache; where neither can be
written, it is compiled anew by each process. Whoever can write such a file can make the user run anything. So two
conditions are checked, and of a file that fails either nothing is run:

- It lies in files and folders that belong to the user or root and that nobody else may write to (``trusted_files``).
- It was sealed by this user on this machine. A file begins with a seal, an HMAC under a random key that only the user
  can read and that never leaves the user's cache; then come the digest of its name and code, which the seal is of, and
  the code. A file that was damaged, renamed, unpacked from an archive or copied from another machine is not recognised,
  whoever owns it now. Without a place for the key nothing is kept.

Root may compile for everybody, in a package that users can only read. They do not have root's key: to them the digest,
which shows damage, is enough if the file and its folders belong to root, who could change the package's Python just as
well. Root itself asks for its own seal, as every user does.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import re
import stat
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from probfs.kernels.trusted_files import create_folder, is_trusted_folder, read_trusted, write_whole

_DIGEST_SIZE = hashlib.sha256().digest_size
_KEY_SIZE = 32
_KEY_NAME = "key"
_PRIVATE, _SHARED = 0o700, 0o755
_SECONDS_KEPT = 30 * 24 * 3600
"""How long object code of other versions is kept, which another environment may still use."""


@dataclass(frozen=True)
class CacheFolder:
    """A folder for object code, and the user's own folder, where the key is."""

    path: Path
    key_folder: Path | None
    is_shared: bool = False
    """Whether others may read what is here, and root's files are trusted by their plain digest."""

    @property
    def mode(self) -> int:
        """The mode of the folder, and of files apart from execution."""
        return _SHARED if self.is_shared else _PRIVATE

    def read(self, name: str) -> bytes | None:
        """The object code of a file, if it is there, undamaged and trustworthy."""
        file = read_trusted(self.path / name)
        if file is None:
            return None
        seal, digest = file.content[:_DIGEST_SIZE], file.content[_DIGEST_SIZE : 2 * _DIGEST_SIZE]
        code = file.content[2 * _DIGEST_SIZE :]
        if digest != _digest(name, code):
            return None
        if self.is_shared and file.is_roots:
            return code
        key = _read_key(self.key_folder)
        return code if key is not None and hmac.compare_digest(seal, _seal(key, digest)) else None

    def write(self, name: str, code: bytes) -> bool:
        """Keep object code, whole or not at all; whether that could be done."""
        if not create_folder(self.path, self.mode):
            return False
        key = _read_or_create_key(self.key_folder)
        if key is None:
            return False
        digest = _digest(name, code)
        return write_whole(self.path / name, _seal(key, digest) + digest + code, self.mode & 0o666)

    def remove_outdated(self, name: str) -> None:
        """Remove what earlier versions kept for the same kernel, and what was never finished, if it is a month old.

        Names are ``kernel.fingerprint.o``. This is housekeeping: what cannot be removed stays.
        """
        kernel = re.escape(name.partition(".")[0])
        outdated = re.compile(rf"{kernel}\.[0-9a-f]+\.o|\.{kernel}\.[0-9a-f]+\.o\..+\.tmp")
        oldest = time.time() - _SECONDS_KEPT
        with contextlib.suppress(OSError):
            if not is_trusted_folder(self.path):
                return
            for entry in os.scandir(self.path):
                if entry.name == name or not outdated.fullmatch(entry.name):
                    continue
                with contextlib.suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(status.st_mode) and status.st_mtime < oldest:
                        os.unlink(entry.path)


def cache_folders() -> Iterator[CacheFolder]:
    """Where object code is kept, in order of preference."""
    cache = _user_cache()
    own = cache / "probfs" / "kernels" if cache is not None else None
    # Other users of the package must be able to read their own bytecode there.
    yield CacheFolder(Path(__file__).parent / "__pycache__", own, is_shared=True)
    if own is not None:
        yield CacheFolder(own, own)


def _user_cache() -> Path | None:
    """The user's folder for caches; None where nobody knows where that is.

    Only absolute paths count, as the XDG specification says: a relative one would be another folder, perhaps somebody
    else's, wherever the program is started.
    """
    variable = {"win32": "LOCALAPPDATA", "darwin": None}.get(sys.platform, "XDG_CACHE_HOME")
    named = Path(os.environ.get(variable, "")) if variable else Path()
    if named.is_absolute():
        return named
    try:
        home = Path.home()
    except RuntimeError:
        return None
    below_home = {"win32": "AppData/Local", "darwin": "Library/Caches"}.get(sys.platform, ".cache")
    return home / below_home if home.is_absolute() else None


def _read_key(folder: Path | None) -> bytes | None:
    """The user's key, if there is one that nobody else can read."""
    file = read_trusted(folder / _KEY_NAME, private=True) if folder is not None else None
    return file.content if file is not None and len(file.content) == _KEY_SIZE else None


def _read_or_create_key(folder: Path | None) -> bytes | None:
    """The user's key; a new one where there is none. None where it cannot be kept.

    Of two processes that create it at once the last one wins; what the other has sealed is compiled once more.
    """
    key = _read_key(folder)
    if key is None and folder is not None and create_folder(folder, _PRIVATE):
        write_whole(folder / _KEY_NAME, os.urandom(_KEY_SIZE), 0o600)
        key = _read_key(folder)
    return key


def _seal(key: bytes, digest: bytes) -> bytes:
    return hmac.digest(key, digest, "sha256")


def _digest(name: str, code: bytes) -> bytes:
    # With its name, the code of one loop or version can not stand for that of another.
    return hashlib.sha256(os.fsencode(name) + b"\0" + code).digest()
