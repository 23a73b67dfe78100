"""The compiled loops: whether they can be had here, and when they are loaded.

Importing numba and loading what it has compiled takes half a second, and compiling some seconds, the first time on a
machine. So nothing here is imported before it is needed.
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
"""What takes longer is compiled, not loaded."""
_BYTES_OF_NUMBA = 768 << 20
"""Memory with which numba surely starts."""


def loops() -> Any:
    from probfs.classifiers import loops

    return loops


@cache
def why_not_compiled() -> str | None:
    """Why loops cannot be compiled here, in one line; None if they can."""
    free = free_memory()
    if free is not None and free < _BYTES_OF_NUMBA and "numba" not in sys.modules:
        # The libraries that it loads may wait for memory without end.
        return f"numba takes up to {shown_bytes(_BYTES_OF_NUMBA)} of memory, and {shown_bytes(max(free, 0))} is free"
    try:
        loops()
    except Exception as error:  # numpy can do without whatever is wrong with numba
        return first_line(error)
    return None


def compile_loops(compilation: Callable[[], object]) -> str | None:
    """Compile loops, or load them, and say so if it takes long; why that failed, if it did."""
    reason = why_not_compiled()
    if reason is not None:
        return reason
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(compilation)
        if wait([done], _SECONDS_OF_LOADING).not_done:
            report(COMPILING)
    # numpy can do without whatever fails in numba, such as a full disk.
    error = done.exception()
    return None if error is None else first_line(error)


def load_loops_ahead() -> None:
    """Load the loops in another thread, while a large file is being read. What goes wrong goes wrong again where they
    are used, and is told there.
    """

    def load() -> None:
        from probfs.classifiers.naive_bayes.rows import compile_rows

        compile_rows(None, np.dtype(np.uint8), 2)

    threading.Thread(target=load, daemon=True).start()
