"""Files that nobody but the user and root can have written: the only ones whose content is run.

Owners and modes are asked of the open file, so that nothing can be put in its place between the question and the
reading. Windows has neither; there the user's profile protects what is in it.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import NamedTuple

_ROOT = 0
_MAX_SIZE = 1 << 24
"""Of a file that is read: no loop takes a hundredth of it, and a file of any size could fill the memory."""
_FOR_READING = (
    os.O_RDONLY
    # A link says nothing of who may change what it leads to, and opening a pipe would wait for its writer.
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)


class TrustedFile(NamedTuple):
    """What is in a file, and who wrote it."""

    content: bytes
    is_roots: bool
    """Whether the file, its folder and the folder above belong to root, and the user is somebody else."""


def read_trusted(path: Path, private: bool = False) -> TrustedFile | None:
    """A regular file in a trusted folder; with ``private``, one that nobody else can even read. None if it is not."""
    try:
        number = os.open(path, _FOR_READING)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(number)
        if not (stat.S_ISREG(status.st_mode) and _is_trusted(status) and status.st_size <= _MAX_SIZE):
            return None
        if private and hasattr(os, "getuid") and stat.S_IMODE(status.st_mode) & 0o077:
            return None
        folders = _folder_and_parents(path.parent)
        if not all(map(_is_trusted, folders)):
            return None
        with open(number, "rb", closefd=False) as stream:
            return TrustedFile(stream.read(_MAX_SIZE), all(map(_is_roots, (status, *folders))))
    except OSError:
        return None
    finally:
        os.close(number)


def is_trusted_folder(path: Path) -> bool:
    """Whether nobody but the user and root can put files into a folder, or another folder in its place."""
    try:
        return all(map(_is_trusted, _folder_and_parents(path)))
    except OSError:
        return False


def create_folder(path: Path, mode: int) -> bool:
    """Create a folder and the one above, each with this mode, if they are not there; whether they can be trusted."""
    try:
        for folder in (path.parent, path):
            if not folder.is_dir():
                folder.parent.mkdir(parents=True, exist_ok=True)
                folder.mkdir(mode, exist_ok=True)
    except OSError:
        return False
    return is_trusted_folder(path)


def write_whole(path: Path, content: bytes, mode: int) -> bool:
    """Write a file into a trusted folder, whole or not at all; whether that could be done.

    What was there before is replaced, never written to: it may be somebody else's.
    """
    import tempfile

    try:
        number, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    except OSError:
        return False
    try:
        with open(number, "wb") as stream:
            stream.write(content)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError):
            return False
        raise
    return True


def _folder_and_parents(path: Path) -> list[os.stat_result]:
    """A folder and whatever holds it: the folder above and, where one of them is a link, the one above its target."""
    parents = {path.parent, Path(os.path.realpath(path)).parent}
    return [os.stat(folder) for folder in (path, *parents)]


def _is_trusted(status: os.stat_result) -> bool:
    if not hasattr(os, "getuid"):
        return True
    written_by_others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return status.st_uid in (_ROOT, os.getuid()) and not written_by_others


def _is_roots(status: os.stat_result) -> bool:
    return hasattr(os, "getuid") and status.st_uid == _ROOT and os.getuid() != _ROOT
