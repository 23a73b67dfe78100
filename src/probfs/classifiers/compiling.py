"""Compiling the loops with numba, or loading them, and why that fails.

Importing numba and loading compiled loops takes half a second, and compiling them, the first time on a machine, some
seconds. So this module imports neither before they are needed.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import Any

import numpy as np

from probfs.runtime.memory import free_memory
from probfs.runtime.progress import COMPILING, report
from probfs.text import first_line, shown_bytes

_SECONDS_OF_LOADING = 2.0
"""Loops that take longer than this are being compiled, not loaded."""
_BYTES_OF_NUMBA = 768 << 20
"""Free memory that is surely enough for numba to start."""


def loops() -> Any:
    from probfs.classifiers import loops

    return loops


@cache
def why_not_compiled() -> str | None:
    """The reason why loops cannot be compiled here, in one line; None if they can."""
    free = free_memory()
    if free is not None and free < _BYTES_OF_NUMBA and "numba" not in sys.modules:
        # Its libraries may wait for memory forever.
        return f"numba takes up to {shown_bytes(_BYTES_OF_NUMBA)} of memory, and {shown_bytes(max(free, 0))} is free"
    try:
        loops()
    except Exception as error:  # whatever is wrong with numba, numpy can do the work
        return first_line(error)
    return None


def compile_loops(compilation: Callable[[], object]) -> str | None:
    """Compile loops or load them, with a progress message if that takes long; the reason if it fails."""
    reason = why_not_compiled()
    if reason is not None:
        return reason
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(compilation)
        if wait([done], _SECONDS_OF_LOADING).not_done:
            report(COMPILING)
    # Whatever fails in numba, such as writing to a full disk, numpy can do the work.
    error = done.exception()
    return None if error is None else first_line(error)


def load_loops_ahead() -> None:
    """Load the loops in another thread, while a large file is being read. An error occurs again where loops are used,
    and is reported there.
    """

    def load() -> None:
        from probfs.classifiers.naive_bayes.rows import compile_rows

        compile_rows(None, np.dtype(np.uint8), 2)

    threading.Thread(target=load, daemon=True).start()
