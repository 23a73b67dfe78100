"""Writing a file whole or not at all, and choosing its format by its ending."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from probfs.errors import OutputError, UsageError
from probfs.text import option, printable

Format = TypeVar("Format", bound=str)

_unfinished: set[Path] = set()
"""Temporary files that are being written."""
_DESCRIPTOR = re.compile(r"/dev/(?:fd/)?(stdout|stderr|\d{1,9})")


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write ``content`` to ``path`` so that readers see either the old file or the new one, even after an interrupt.

    A terminal, a pipe or /dev/stdout cannot be replaced by another file and is written directly.
    """
    target = check_writable(path)
    with _failing_in_one_line(path):
        if target is None:
            descriptor = _DESCRIPTOR.fullmatch(os.fspath(path))
            # Opening /dev/stdout again would overwrite the file it is redirected to from the beginning.
            number = {"stdout": 1, "stderr": 2}.get(descriptor[1], descriptor[1]) if descriptor else None
            with open(path if number is None else os.dup(int(number)), "wb") as stream:
                stream.write(content)
            return
        # Registered before it exists, so that it is removed whatever happens from then on.
        beginning = os.fsencode(target.name)[:100].decode(errors="ignore")
        temporary = target.parent / f".{beginning}.{os.urandom(4).hex()}.tmp"
        _unfinished.add(temporary)
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
        try:
            # What replaces a private file is private from its first byte on; a new file is what the umask makes of it.
            permissions = 0o666 if mode is None else 0o600
            with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, permissions)) as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            if mode is not None:
                os.chmod(temporary, mode)
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        finally:
            _unfinished.discard(temporary)


def deliver_text(text: str, path: str | os.PathLike[str] | None) -> str:
    """The text itself, also written to ``path`` where there is one."""
    if path is None:
        return text
    if not isinstance(path, str | os.PathLike) or "\0" in os.fspath(path):
        raise UsageError(f"{option('path')}: {path!r} is not a path")
    write_whole(path, text.encode())
    return text


def check_writable(path: str | os.PathLike[str]) -> Path | None:
    """The file that a path leads to once all links are followed, None for a stream; an OutputError now if it could not
    be written once all the work is done.
    """
    with _failing_in_one_line(path):
        shown = printable(os.fspath(path))
        if os.path.isdir(path):
            raise OutputError("is a directory; name a file in it", source=shown)
        if is_stream(path):
            return None
        target = Path(os.path.realpath(path))
        if target.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        if not target.parent.is_dir():
            raise OutputError(f"cannot be written: there is no folder {printable(str(target.parent))}", source=shown)
        if not os.access(target if target.exists() else target.parent, os.W_OK):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        return target


@contextlib.contextmanager
def _failing_in_one_line(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        problem = f"cannot be written: {(error.strerror or str(error)).lower()}"
        raise OutputError(problem, source=printable(os.fspath(path))) from error


def format_by_ending(
    path: str | os.PathLike[str],
    endings: Mapping[str, Format],
    for_streams: Format,
    parameter: str = "output",
    by_name: bool = True,
) -> Format:
    """The format for the ending of a file, or ``for_streams`` for a pipe or terminal whose name has no such ending.

    ``parameter`` is the one that names the file, for the message about an unknown ending, and ``by_name`` says whether
    users can name the format, too.
    """
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending in endings:
        return endings[ending]
    if is_stream(path):
        return for_streams
    says = f"the ending {ending!r}" if ending else "a name without an ending"
    *others, last = endings if not by_name else (*endings, option("format"))
    known = f"{', '.join(others)}{', or' if by_name else ' or'} {last}"
    raise UsageError(f"{option(parameter)}: {says} names no known format; use {known}")


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether the path exists and is not a regular file, so that no other file can take its place."""
    # Links are not followed first: /dev/stdout may lead to an unnamed pipe, or to a file that is being appended to.
    return bool(_DESCRIPTOR.fullmatch(os.fspath(path))) or (os.path.exists(path) and not os.path.isfile(path))


def remove_unfinished() -> None:
    """Remove the temporary files of interrupted writes, for a program that is about to end at once."""
    for temporary in list(_unfinished):
        with contextlib.suppress(OSError):
            os.unlink(temporary)
