"""Whatever is wrong with a kernel, one line says it."""

from __future__ import annotations

import pytest

from probfs.kernels.unavailable import KernelUnavailable


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        ("numba is broken", "numba is broken"),
        (ModuleNotFoundError("No module named 'numba'"), "No module named 'numba'"),
        (RuntimeError("\nFailed in nopython mode:\n\nFile x.py, line 3:\n"), "Failed in nopython mode"),
        (MemoryError(), "MemoryError"),
        (OSError(2, "No such file or directory"), "[Errno 2] No such file or directory"),
        (ImportError("bad \x1b[31mname."), "bad \\x1b[31mname"),
    ],
)
def test_the_reason_is_one_line_that_can_be_shown(problem: object, reason: str) -> None:
    error = KernelUnavailable("sum_codes", problem)
    assert error.reason == reason
    assert str(error) == f"sum_codes: {reason}"
