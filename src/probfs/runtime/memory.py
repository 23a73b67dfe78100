"""How much memory is free, so that a table that cannot fit is refused before the system kills the process."""

from __future__ import annotations

import sys
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
    known = [int(line.split()[1]) << 10 for line in _read_lines(Path("/proc/meminfo")) if line.startswith("MemAvail")]
    held = _read_lines(Path("/proc/self/statm"))
    if sys.platform != "win32" and held:
        import resource

        own, _ = resource.getrlimit(resource.RLIMIT_AS)
        if own != resource.RLIM_INFINITY:
            known.append(own - int(held[0].split()[0]) * resource.getpagesize())
    for line in _read_lines(Path("/proc/self/cgroup")):
        number, _, path = line.split(":", 2)
        # The control group of this process and the groups that contain it, as far as they are visible.
        innermost = _CONTROL_GROUPS / path.lstrip("/")
        for group in (innermost, *innermost.parents) if number == "0" else ():
            limit, used = ("".join(_read_lines(group / name)) for name in ("memory.max", "memory.current"))
            if limit.isdigit() and used.isdigit():
                # Cached files count as used, but the system drops them when memory is needed.
                statistics = [line.split() for line in _read_lines(group / "memory.stat")]
                cached = sum(int(size) for name, size in statistics if name == "inactive_file")
                known.append(int(limit) - int(used) + cached)
    return min(known, default=None)


def _read_lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except (OSError, UnicodeError):
        return []
