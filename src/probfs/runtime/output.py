"""Writing a file whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from probfs.errors import OutputError, UsageError
from probfs.text import printable

Format = TypeVar("Format", bound=str)

_unfinished: set[Path] = set()
_OWN_DESCRIPTOR = re.compile(r"/dev/(?:fd/)?(stdout|stderr|\d{1,9})")


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Put ``content`` at ``path`` so that a reader, or an interrupt, finds the old file or the new one.

    What is not a regular file (a terminal, a pipe, /dev/stdout) cannot be replaced and is written directly.
    """
    shown = printable(os.fspath(path))
    try:
        if Path(path).is_dir():
            raise OutputError("is a directory; name a file in it", source=shown)
        if is_stream(path):
            _write_directly(path, content)
        else:
            _replace(_final(path), content)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"cannot be written: {(error.strerror or str(error)).lower()}", source=shown) from error


def check_writable(path: str | os.PathLike[str]) -> None:
    """Complain now of what would keep a file from being written when all the work is done."""
    shown = printable(os.fspath(path))
    try:
        if Path(path).is_dir():
            raise OutputError("is a directory; name a file in it", source=shown)
        if is_stream(path):
            return
        target = _final(path)
        if not target.parent.is_dir():
            raise OutputError(f"cannot be written: there is no folder {printable(str(target.parent))}", source=shown)
        if not os.access(target if target.exists() else target.parent, os.W_OK):
            raise OutputError("cannot be written: permission denied", source=shown)
    except OSError as error:
        raise OutputError(f"cannot be written: {(error.strerror or str(error)).lower()}", source=shown) from error


def format_by_ending(
    path: str | os.PathLike[str], endings: Mapping[str, Format], for_streams: Format, option: str = "--output"
) -> Format:
    """The format that a file's ending says; what is no file, such as a pipe, has no ending to go by."""
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending in endings:
        return endings[ending]
    if is_stream(path):
        return for_streams
    says = f"the ending {ending!r}" if ending else "a name without an ending"
    raise UsageError(f"{option}: {says} tells no format; use {', '.join(endings)}, or --format")


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether something is there already that is no regular file, and so cannot be replaced."""
    # Asked of the path itself: what /dev/stdout resolves to may have no name, or be a file that is appended to.
    own = _OWN_DESCRIPTOR.fullmatch(os.fspath(path)) is not None
    return own or (os.path.exists(path) and not os.path.isfile(path))


def _final(path: str | os.PathLike[str]) -> Path:
    """What a path leads to in the end."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return target


def _write_directly(path: str | os.PathLike[str], content: bytes) -> None:
    own = _OWN_DESCRIPTOR.fullmatch(os.fspath(path))
    # Opening /dev/stdout anew would start at the beginning of the file it is redirected to.
    number = {"stdout": 1, "stderr": 2}.get(own[1], own[1]) if own else None
    with open(path if number is None else os.dup(int(number)), "wb", buffering=0) as stream:
        remaining = memoryview(content)
        while remaining:
            remaining = remaining[stream.write(remaining) or 0 :]


def _replace(target: Path, content: bytes) -> None:
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(13, "permission denied")
    # Named before it is there, so that whatever happens from then on removes it.
    beginning = os.fsencode(target.name)[:100].decode(errors="ignore")
    temporary = target.parent / f".{beginning}.{secrets.token_hex(4)}.tmp"
    _unfinished.add(temporary)
    try:
        with open(temporary, "xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, _mode_for(target))
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    finally:
        _unfinished.discard(temporary)


def remove_unfinished() -> None:
    """Take away what is being written, for a program that is about to end at once."""
    for temporary in list(_unfinished):
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _mode_for(target: Path) -> int:
    """The mode of the file that is replaced, or what the umask leaves of a new one."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
