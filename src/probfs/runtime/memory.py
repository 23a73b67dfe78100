"""How much memory is free, so that a table that cannot fit is refused before the system kills the process."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from probfs.errors import DataError
from probfs.text import shown_bytes

_CONTROL_GROUPS = Path("/sys/fs/cgroup")


def require_memory(needed: int, purpose: str, source: str | None = None) -> None:
    """Raise a DataError if ``needed`` bytes are more than are free, as far as that can be known."""
    free = free_memory()
    if free is not None and needed > free:
        problem = f"{purpose} needs about {shown_bytes(needed)} of memory, and {shown_bytes(max(free, 0))} is free"
        raise DataError(f"{problem}; rank fewer columns or rows at a time, or use a machine with more", source=source)


def free_memory() -> int | None:
    """How many bytes this process can still allocate: the least that the machine, its control groups and its own
    limit allow, or None where nothing is known.
    """
    return min((free for free in _free_by_limit() if free is not None), default=None)


def _free_by_limit() -> Iterator[int | None]:
    yield _available_on_machine()
    yield _free_in_address_space()
    for group in _own_control_groups():
        yield _free_in_control_group(group)


def _available_on_machine() -> int | None:
    for line in _read_lines(Path("/proc/meminfo")):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return None


def _free_in_address_space() -> int | None:
    if sys.platform == "win32":
        return None
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = next(iter(_read_lines(Path("/proc/self/statm"))), "").split()
    if limit == resource.RLIM_INFINITY or not pages:
        return None
    return limit - int(pages[0]) * os.sysconf("SC_PAGE_SIZE")


def _own_control_groups() -> Iterator[Path]:
    """The control group of this process and the groups that contain it, as far as they are visible."""
    for line in _read_lines(Path("/proc/self/cgroup")):
        number, _, path = line.split(":", 2)
        if number == "0":
            own = _CONTROL_GROUPS / path.lstrip("/")
            yield from (group for group in (own, *own.parents) if group.is_relative_to(_CONTROL_GROUPS))


def _free_in_control_group(group: Path) -> int | None:
    limit, used = (next(iter(_read_lines(group / name)), "") for name in ("memory.max", "memory.current"))
    if not limit.isdigit() or not used.isdigit():
        return None
    # Cached files count as used, but the system drops them when memory is needed.
    statistics = _read_lines(group / "memory.stat")
    cached = sum(int(line.split()[1]) for line in statistics if line.startswith("inactive_file "))
    return int(limit) - int(used) + cached


def _read_lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except (OSError, UnicodeError):
        return []
