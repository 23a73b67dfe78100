"""Which groups of rows the compiled loops can take over."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from probfs.classifiers.naive_bayes.compiled_many_class_rows import CompiledManyClassRows
from probfs.classifiers.naive_bayes.compiled_two_class_rows import CompiledTwoClassRows
from probfs.classifiers.naive_bayes.many_class_rows import ManyClassRows
from probfs.classifiers.naive_bayes.rows import Rows
from probfs.classifiers.naive_bayes.two_class_rows import TwoClassRows
from probfs.kernels.kernel import CODE_DTYPES
from probfs.tables.table import Codes

_MAX_TABLE_CELLS = 1 << 22
"""Beyond this the tables of many classes would not stay in the cache, and take long to compute."""
_MAX_CELLS_OF_ALL_TABLES = 1 << 24
"""Beyond this the tables of all groups would take too much memory."""


def compile_rows(codes: Codes, groups: Sequence[TwoClassRows | ManyClassRows]) -> Sequence[Rows]:
    """Compiled equivalents of these row groups, or where there are none the groups themselves.

    ``codes`` are those of all groups, one after the other. KernelUnavailable is raised where loops cannot be compiled.
    """
    if codes.dtype.name not in CODE_DTYPES or any(group.has_zeros for group in groups):
        return groups
    two_class = [group for group in groups if isinstance(group, TwoClassRows)]
    if two_class:
        table_cells = 3 * len(groups) * groups[0].layout.slots
        return [CompiledTwoClassRows(codes, two_class)] if table_cells <= np.iinfo(np.int32).max else groups
    many_class = [group for group in groups if isinstance(group, ManyClassRows)]
    table_cells = len(many_class[0].high) ** 2 * many_class[0].layout.slots
    if table_cells > _MAX_TABLE_CELLS or table_cells * len(groups) > _MAX_CELLS_OF_ALL_TABLES:
        return groups
    return [CompiledManyClassRows(group) for group in many_class]
