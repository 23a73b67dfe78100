"""A draft mapping for a table: identifiers dropped, long numeric columns cut, rare categories grouped."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import numpy as np

from probfs.columns.inspection import kind_of
from probfs.columns.limits import CUT_ABOVE
from probfs.columns.prepare import PreparedTable
from probfs.columns.roles import ColumnPlan
from probfs.columns.rules import Measured, Quantiles, Seen, short_number
from probfs.tables.arrow_arrays import index_array
from probfs.tables.table import Column, Integers, Kind, numbers_of
from probfs.text import counted, is_unseen, printable

_ID_NAME = re.compile(
    r"(?:^|[_\W])(?:id|ids|uuid|guid|key|index|idx|row|rownum|nr|no|number)$|^(?:id|uuid|guid)(?:[_\W]|$)", re.I
)
_CAMEL_ID = re.compile(r"[a-z](?:Id|ID|Uuid|UUID)$")
_MOST_GROUPED = 200
_MOST_TEXT = 2 << 20
"""A mapping must stay below its size limit, however long the names of rare values are."""
_RARE_SHARE = 0.01
_RARE_ROWS = 5


def suggest_mapping(prepared: PreparedTable, classifier: str) -> str:
    """A commented TOML mapping that ``rank`` takes as it is, for the classifier the table was prepared for."""
    reasons = _identifiers(prepared)
    drops = [f"    {toml_text(name)},  # {reason}" for name, reason in reasons.items()]
    features = [plan for plan in prepared.features if plan.name not in reasons]
    rules, kept = _rules(prepared, features)
    # Only a classifier that measures can rank what was left uncut.
    uncut = any(isinstance(plan.rule, Measured) for plan in prepared.features)
    command = f"probfs rank …{f' --classifier {classifier}' if uncut else ''} --mapping THIS_FILE"
    missing = (*prepared.choice.na, *_infinite_texts(prepared))
    lines = [
        f"# Draft mapping for {printable(prepared.table.source)}; edit it, then: {command}",
        f"target = {toml_text(prepared.target.name)}  # {prepared.target.reason}",
        "",
        "# Columns that look like identifiers: they tell rows apart, not classes.",
        *(["drop = [", *drops, "]"] if drops else ["drop = []"]),
        "",
        '# Texts that mean "not known", besides the empty cell.',
        f"missing = [{', '.join(toml_text(text) for text in missing)}]",
        "",
        "[columns]",
        *_target_rule(prepared),
        *rules,
    ]
    if kept:
        lines += ["", "# Left as they are:", *kept]
    return "\n".join(lines) + "\n"


def toml_text(text: str) -> str:
    """A TOML string; JSON's escapes are TOML's too.

    >>> print(toml_text('say "hi"'))
    "say \\"hi\\""
    """
    escaped = json.dumps(text, ensure_ascii=False)
    return "".join(f"\\U{ord(character):08x}" if is_unseen(character) else character for character in escaped)


def _identifiers(prepared: PreparedTable) -> dict[str, str]:
    """The columns that seem to name their rows, and why they seem so."""
    columns = [prepared.table.columns[plan.name] for plan in prepared.features]
    reasons = {column.name: _looks_like_an_id(column, prepared.table.rows) for column in columns}
    found = {name: reason for name, reason in reasons.items() if reason is not None}
    # With nothing else to rank, a mapping that drops everything helps nobody.
    return found if len(found) < len(columns) else {}


def _rules(prepared: PreparedTable, features: Sequence[ColumnPlan]) -> tuple[list[str], list[str]]:
    """Lines with the rules of some columns, and comments on those that are best left alone."""
    rules: list[str] = []
    kept: list[str] = []
    room = _MOST_TEXT
    for plan in features:
        column = prepared.table.columns[plan.name]
        measured = isinstance(plan.rule, Measured)
        rule = None if measured else _rule(column, prepared.labelled_weights, prepared.choice.bins)
        room -= len(rule or "")
        if rule is None or room <= 0:
            kept.append(_comment(column))
        else:
            rules.append(rule)
    return rules, kept


def _target_rule(prepared: PreparedTable) -> list[str]:
    """A rule for a target that looks like a quantity."""
    target = prepared.target
    if not target.quantity or not _finite_numbers(prepared.table.columns[target.name]):
        return []
    note = f"{len(target.classes):,} distinct numbers: a regression target? Cut into classes, it can be ranked."
    return [f"{toml_text(target.name)} = {{ quantiles = 2 }}  # {note}"]


def _rule(column: Column, weights: Integers | None, bins: int) -> str | None:
    """The line with a column's rule and why, or None if it is best left alone."""
    key = toml_text(column.name)
    counts = column.counts(weights)[:-1]
    seen = np.flatnonzero(counts)
    if not column.declared and len(seen) > CUT_ABOVE:
        values = column.values.take(index_array(seen))
        observed = Seen(values, counts[seen], column.kind)
        if kind_of(column) in ("number", "date"):
            labels = Quantiles(bins).learn(_finite_only(observed)).labels.to_pylist()
            return f"{key} = {{ quantiles = {bins} }}  # {counted(len(seen), 'value')}; now {' '.join(labels)}"
    rare = _rare_values(column, counts, seen)
    if rare:
        listing = ", ".join(toml_text(value) for value in rare)
        note = f"{counted(len(rare), 'value')} in few rows each"
        return f"{key} = {{ groups = {{ {toml_text(_group_name(column))} = [{listing}] }} }}  # {note}"
    return None


def _infinite_texts(prepared: PreparedTable) -> list[str]:
    """How the features write infinity, which can neither be cut nor measured."""
    found: dict[str, None] = {}
    for plan in prepared.features:
        column = prepared.table.columns[plan.name]
        numbers = None if column.declared else column.numbers()
        if numbers is not None and (isinstance(plan.rule, Measured) or len(numbers) > CUT_ABOVE):
            found |= dict.fromkeys(column.values[int(code)].as_py() for code in np.flatnonzero(np.isinf(numbers)))
    return list(found)


def _finite_numbers(column: Column) -> bool:
    numbers = column.numbers()
    return numbers is not None and bool(np.isfinite(numbers).all())


def _finite_only(seen: Seen) -> Seen:
    numbers = numbers_of(seen.values, seen.kind)
    kept = np.flatnonzero(np.isfinite(numbers)) if numbers is not None else np.arange(len(seen.values))
    return Seen(seen.values.take(index_array(kept)), seen.counts[kept], seen.kind)


def _rare_values(column: Column, counts: Integers, seen: Integers) -> list[str]:
    """Values that few labelled rows hold, when there are at least two of them and others beside them."""
    few = max(_RARE_ROWS, int(_RARE_SHARE * counts.sum()))
    rare = seen[counts[seen] < few]
    if not 2 <= len(rare) <= _MOST_GROUPED or len(rare) == len(seen) or kind_of(column) == "number":
        return []
    return sorted(column.values[int(code)].as_py() for code in rare)


def _group_name(column: Column) -> str:
    taken = set(column.values.to_pylist())
    name = "rare"
    while name in taken:
        name += "_"
    return name


def _looks_like_an_id(column: Column, rows: int) -> str | None:
    """Why a column seems to name its rows, or None."""
    counts = column.counts()[:-1]
    distinct, present = int(np.count_nonzero(counts)), int(counts.sum())
    if distinct <= CUT_ABOVE or present < rows / 2:
        return None
    named = bool(_ID_NAME.search(column.name) or _CAMEL_ID.search(column.name))
    share = distinct / present
    if named and share > 0.5:
        return f"named like an identifier, {distinct:,} values in {present:,} rows"
    if kind_of(column) == "text" and share > 0.9:
        return f"text that is different in nearly every row: {distinct:,} values in {present:,} rows"
    numbers = column.numbers() if column.kind is not Kind.DATE and kind_of(column) == "number" else None
    if (
        numbers is not None
        and distinct == present
        and np.array_equal(np.sort(numbers), np.arange(len(numbers)) + numbers.min())
    ):
        return f"numbers the rows from {short_number(float(numbers.min()))} on"
    return None


def _comment(column: Column) -> str:
    present = int(np.count_nonzero(column.counts()[:-1]))
    return f"# {printable(column.name)}: {kind_of(column)}, {counted(present, 'value')}"
