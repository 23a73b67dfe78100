"""Object code that was compiled earlier, kept in files that nobody else can have written.

It is kept beside the package, where Python keeps its own bytecode, or else in the user's cache; where neither can be
written, it is compiled anew by each process. A file begins with a digest of what follows it, so that a damaged one is
not run. Whoever can write such a file can make the user run anything: so files and folders that belong to somebody
other than the user or root, or that others may write to, are neither read nor written.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_DIGEST_SIZE = hashlib.sha256().digest_size
_PRIVATE, _SHARED = 0o700, 0o755


@dataclass(frozen=True)
class CacheFolder:
    """A folder for object code, and the mode to create it with."""

    path: Path
    mode: int = _PRIVATE

    def is_trusted(self) -> bool:
        """Whether nobody but the user and root can put files here, or put another folder in its place."""
        return _is_trusted(os.stat(self.path)) and _is_trusted(os.stat(self.path.parent))

    def read(self, name: str) -> bytes | None:
        """The object code of a file, if it is there, undamaged and trustworthy."""
        try:
            with open(self.path / name, "rb") as stream:
                if not (self.is_trusted() and _is_trusted(os.fstat(stream.fileno()))):
                    return None
                content = stream.read()
        except OSError:
            return None
        digest, code = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
        return code if digest == hashlib.sha256(code).digest() else None

    def write(self, name: str, code: bytes) -> bool:
        """Keep object code, whole or not at all; whether that could be done."""
        import tempfile

        try:
            for folder in (self.path.parent, self.path):
                if not folder.is_dir():
                    folder.parent.mkdir(parents=True, exist_ok=True)
                    folder.mkdir(self.mode, exist_ok=True)
            if not self.is_trusted():
                return False
            number, temporary = tempfile.mkstemp(prefix=f".{name}.", suffix=".tmp", dir=self.path)
        except OSError:
            return False
        try:
            with open(number, "wb") as stream:
                stream.write(hashlib.sha256(code).digest() + code)
            os.chmod(temporary, self.mode & 0o666)
            os.replace(temporary, self.path / name)
        except BaseException as error:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            if isinstance(error, OSError):
                return False
            raise
        return True


def cache_folders() -> Iterator[CacheFolder]:
    """Where object code is kept, in order of preference."""
    # Other users of the package must be able to read their own bytecode there.
    yield CacheFolder(Path(__file__).parent / "__pycache__", _SHARED)
    with contextlib.suppress(RuntimeError):
        # Nobody knows where the home of a user without one is.
        yield CacheFolder(_user_cache() / "probfs" / "kernels")


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _is_trusted(status: os.stat_result) -> bool:
    if not hasattr(os, "getuid"):
        return True
    written_by_others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return status.st_uid in (0, os.getuid()) and not written_by_others
