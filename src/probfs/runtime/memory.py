"""How much memory is free, so that what cannot fit is refused in a line instead of being killed half-way."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from probfs.errors import DataError
from probfs.text import shown_bytes

_GROUPS = Path("/sys/fs/cgroup")


def require_memory(needed: int, purpose: str, source: str | None = None) -> None:
    """Refuse what needs more memory than is free, where that can be known."""
    free = free_memory()
    if free is not None and needed > free:
        problem = f"{purpose} needs about {shown_bytes(needed)} of memory, and {shown_bytes(max(free, 0))} is free"
        raise DataError(f"{problem}; rank fewer columns or rows at a time, or where there is more", source=source)


def free_memory() -> int | None:
    """What this process may still take: by the machine, by its group of processes and by its own limit."""
    return min((free for free in _free() if free is not None), default=None)


def _free() -> Iterator[int | None]:
    yield _free_in_machine()
    yield _free_in_address_space()
    for group in _own_groups():
        yield _free_in_group(group)


def _free_in_machine() -> int | None:
    for line in _lines(Path("/proc/meminfo")):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return None


def _free_in_address_space() -> int | None:
    if sys.platform == "win32":
        return None
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = next(iter(_lines(Path("/proc/self/statm"))), "").split()
    if limit == resource.RLIM_INFINITY or not pages:
        return None
    return limit - int(pages[0]) * os.sysconf("SC_PAGE_SIZE")


def _own_groups() -> Iterator[Path]:
    """The control group of this process and those around it, as far as they can be seen."""
    for line in _lines(Path("/proc/self/cgroup")):
        number, _, path = line.split(":", 2)
        if number == "0":
            own = _GROUPS / path.lstrip("/")
            yield from (group for group in (own, *own.parents) if group == _GROUPS or _GROUPS in group.parents)


def _free_in_group(group: Path) -> int | None:
    limit, used = (next(iter(_lines(group / name)), "") for name in ("memory.max", "memory.current"))
    if not limit.isdigit() or not used.isdigit():
        return None
    # Files that were read lately count as used, but make room for whoever needs it.
    cached = sum(int(line.split()[1]) for line in _lines(group / "memory.stat") if line.startswith("inactive_file "))
    return int(limit) - int(used) + cached


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except (OSError, UnicodeError):
        return []
