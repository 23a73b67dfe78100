"""Which groups of rows a sieve pays for, and its bounds hold for."""

from __future__ import annotations

from collections.abc import Sequence

from probfs.classifiers.naive_bayes.compiled_many_class_rows import CompiledManyClassRows
from probfs.classifiers.naive_bayes.compiled_two_class_rows import CompiledTwoClassRows
from probfs.classifiers.naive_bayes.counts import ClassCounts
from probfs.classifiers.naive_bayes.many_class_sieve import ManyClassSieve
from probfs.classifiers.naive_bayes.rows import Rows
from probfs.classifiers.naive_bayes.sieve import Sieve
from probfs.classifiers.naive_bayes.two_class_sieve import TwoClassSieve
from probfs.kernels.constants import ROWS_PER_BLOCK

_MAX_CELLS = 1 << 26
"""Beyond this another copy of the codes would take too much memory."""


def build_sieve(groups: Sequence[Rows], absolute: bool, counts: ClassCounts) -> Sieve | None:
    """A sieve for a sum over all rows of these groups; None where there are too many rows to gain by it, or where its
    bounds would not hold.
    """
    two_class = [rows for rows in groups if isinstance(rows, CompiledTwoClassRows)]
    many_class = [rows for rows in groups if isinstance(rows, CompiledManyClassRows)]
    compiled = two_class or many_class
    rows = sum(own.codes.shape[1] for own in compiled)
    if len(compiled) < len(groups) or rows > ROWS_PER_BLOCK or rows * len(compiled[0].codes) > _MAX_CELLS:
        return None
    if two_class:
        return TwoClassSieve(two_class, counts, absolute) if TwoClassSieve.can_sift(two_class) else None
    return ManyClassSieve(many_class, counts, absolute) if ManyClassSieve.can_sift(many_class) else None
