"""Texts that are dates in ISO form, which order rows as numbers do."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

from probfs.columns.limits import CUT_ABOVE
from probfs.tables.table import Kind, numbers_of

_ISO_DATE = r"^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?$"
_FIRST_LOOK = re.compile(_ISO_DATE)


def are_many_dates(values: pa.StringArray) -> bool:
    """Whether distinct texts are all dates, with a time of day but no zone behind them or not, and many."""
    return len(values) > CUT_ABOVE and are_dates(values)


def are_dates(values: pa.StringArray) -> bool:
    """Whether distinct texts, of which there is at least one, are all dates."""
    # The first text rules out nearly every column.
    if not _FIRST_LOOK.match(values[0].as_py()):
        return False
    iso = pc.all(pc.match_substring_regex(values, _ISO_DATE)).as_py()
    return bool(iso) and numbers_of(values, Kind.DATE) is not None
