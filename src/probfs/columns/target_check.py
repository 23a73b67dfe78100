"""Whether a prepared table's target can be predicted; if not, what is wrong with it and what to do."""

from __future__ import annotations

import re
import statistics

import numpy as np

from probfs.columns.choice import CUT_ABOVE
from probfs.columns.identifiers import look_like_dates
from probfs.columns.prepare import PreparedTable
from probfs.columns.roles import Role
from probfs.errors import DataError
from probfs.tables.arrays import text_array
from probfs.tables.column import Column
from probfs.text import listed, option, quoted

MOST_CANDIDATES = 3
"""How many other columns a refusal names."""
_MOST_CLASSES = 20
"""A candidate has no more classes than this, unless it is named like a class column."""
_MOST_LOOKED_AT = 10_000
"""A column of more different values is no candidate, whatever it is called."""
_NEARLY_ALL = 0.9
_WORDS_OF_A_PHRASE = 4
"""Texts of typically so many words are free text, not names of classes."""
_CLASS_NAME = re.compile(
    r"(?:^|[_\W])(?:class|target|label|outcome|response|result|category|type|status|diagnosis|group|y)$"
    r"|^(?:species|survived|churn(?:ed)?|default(?:ed)?|approved|grade|is_\w+)$",
    re.I,
)


def check_target(prepared: PreparedTable) -> None:
    """Refuse a table whose target is no class column, or has nothing beside it to rank."""
    source, target = prepared.table.source, prepared.target
    name = quoted(target.name)
    if not prepared.features:
        raise DataError(
            f"no column is left to rank beside the target {name}{_only_identifiers(prepared)}", source=source
        )
    if not prepared.labelled_rows:
        problem = f"no row has a value in the target {name}"
        raise DataError(f"{problem}; name another with {option('target')}", source=source)
    if target.quantity:
        cut = f"cut it into classes with {option('cut_target', 3)}"
        classes = f'if they are classes, map it as "category" ({option("mapping")})'
        problem = f"the target {name}{_assumed(prepared)} is a quantity (a regression target?): {_numbers(prepared)}"
        raise DataError(f"{problem}; {_another(prepared)}, or {cut}; {classes}", source=source)
    if len(target.classes) == 1:
        only = quoted(target.classes[0])
        raise DataError(f"the target {name} has one class only, {only}; two or more are needed", source=source)
    why = _plainly_no_class(prepared) if target.assumed else None
    if why is not None:
        problem = f"the target {name}{_assumed(prepared)} is hardly a class column: {why}"
        raise DataError(f"{problem}; {_another(prepared)}", source=source)


def _only_identifiers(prepared: PreparedTable) -> str:
    """The end of a message about a table that has nothing else to rank."""
    identifiers = [plan.name for plan in prepared.plans if plan.role is Role.LEFT_OUT and plan.identifier]
    if not identifiers:
        return ""
    return f" and identifiers: {listed(identifiers)}; {option('keep_identifiers', True)} ranks them"


def candidate_targets(prepared: PreparedTable) -> list[str]:
    """Columns that may be the target: those named like one first, then those of few values, later columns first."""
    found = []
    for position, plan in enumerate(prepared.features):
        column = prepared.table.columns[plan.name]
        if prepared.facts.labelled[plan.name].distinct > _MOST_LOOKED_AT:
            continue
        rows = np.sort(column.counts(prepared.weights)[:-1])
        rows = rows[rows > 0]
        named = bool(_CLASS_NAME.search(plan.name))
        # A class column repeats its values, whatever it is called.
        few = 2 <= len(rows) <= _MOST_CLASSES and rows[0] > 1
        if few or (named and 2 <= len(rows) <= rows.sum() / 2 and not _looks_measured(column)):
            found.append((not named, len(rows), -position, plan.name))
    return [name for *_, name in sorted(found)[:MOST_CANDIDATES]]


def _looks_measured(column: Column) -> bool:
    """Whether a column holds more numbers than classes have."""
    return not column.is_nominal and len(column.entries) > CUT_ABOVE and column.numbers() is not None


def _assumed(prepared: PreparedTable) -> str:
    return f", {prepared.target.reason}," if prepared.target.assumed else ""


def _another(prepared: PreparedTable) -> str:
    """How to name another target, with candidates where nobody had named this one."""
    another = f"name another with {option('target')}"
    candidates = candidate_targets(prepared) if prepared.target.assumed else []
    return f"{another} ({' or '.join(quoted(name) for name in candidates)}?)" if candidates else another


def _numbers(prepared: PreparedTable) -> str:
    rows = prepared.target.class_rows
    numbers, alone = f"{len(rows):,} distinct numbers", rows.count(1)
    return f"{numbers}, {alone:,} of them in one row only" if alone else numbers


def _plainly_no_class(prepared: PreparedTable) -> str | None:
    """Why a column that nobody named holds no classes, or None if it may."""
    if prepared.target.declared and not prepared.table.columns[prepared.target.name].is_nominal:
        # By a rule: somebody has looked at it.
        return None
    classes = prepared.target.found
    rows = sum(prepared.target.class_rows) + prepared.dropped_rows
    if len(classes) <= CUT_ABOVE:
        return None
    if len(classes) > _NEARLY_ALL * rows:
        return f"{len(classes):,} different values in {rows:,} rows"
    if look_like_dates(text_array(classes)):
        return f"dates, {len(classes):,} different ones in {rows:,} rows"
    if statistics.median(len(text.split()) for text in classes) >= _WORDS_OF_A_PHRASE:
        return f"free text, {len(classes):,} different ones in {rows:,} rows"
    return None
