"""Which solver fits an SVM fastest, by the shape of its training rows."""

from __future__ import annotations

from enum import Enum

from probfs.classifiers.options import KernelName

_FEW_ROWS_LINEAR = 1_000
_FEW_ROWS = 2_000
_MOST_KERNEL_ROWS = 5_000
_ROWS_PER_COLUMN = 20


class Solver(Enum):
    """How the SVM is fitted."""

    INTERIOR_POINT = "on the columns, by the interior-point method"
    KERNEL_MATRIX = "by LIBSVM, on a kernel matrix computed before"
    KERNEL_ON_DEMAND = "by LIBSVM, which computes the kernel values that it needs"


def choose_solver(kernel: KernelName, rows: int, columns: int) -> Solver:
    """The fastest solver, as measured on tables of 100 × 5 to 8,000 × 2,000 (benchmarks/README.md has the times).

    A step of the interior-point method takes time proportional to rows × columns², LIBSVM at best to rows².
    """
    is_narrow = columns * _ROWS_PER_COLUMN <= rows
    if kernel == "linear" and is_narrow and rows > _FEW_ROWS_LINEAR:
        return Solver.INTERIOR_POINT
    if rows <= _FEW_ROWS or (rows <= _MOST_KERNEL_ROWS and not is_narrow):
        return Solver.KERNEL_MATRIX
    return Solver.KERNEL_ON_DEMAND
