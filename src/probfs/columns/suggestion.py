"""A draft mapping for a table: identifiers dropped, long numeric columns cut, rare categories grouped."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import numpy as np

from probfs.columns.inspection import kind_of
from probfs.columns.preparation import MOST_CLASSES_OF_NUMBERS, Prepared
from probfs.columns.roles import CUT_ABOVE
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


def suggest_mapping(prepared: Prepared, bins: int, missing: Sequence[str] = ()) -> str:
    """A commented TOML mapping that ``--mapping`` takes as it is."""
    weights, rows = prepared.labelled_weights, prepared.table.rows
    drops: list[str] = []
    rules: list[str] = []
    kept: list[str] = []
    reasons = {plan.name: _looks_like_an_id(prepared.table.columns[plan.name], rows) for plan in prepared.features}
    if all(reasons.values()):
        # With nothing else to rank, a mapping that drops everything helps nobody.
        reasons = {}
    infinite: list[str] = []
    room = _MOST_TEXT
    for plan in prepared.features:
        column = prepared.table.columns[plan.name]
        measured = isinstance(plan.rule, Measured)
        infinite += [text for text in _infinite_texts(column, measured) if text not in infinite]
        reason = reasons.get(plan.name)
        if reason:
            drops.append(f"    {toml_text(plan.name)},  # {reason}")
            continue
        rule = None if measured else _rule(column, weights, bins)
        room -= len(rule or "")
        rule = rule if room > 0 else None
        (kept if rule is None else rules).append(_comment(column) if rule is None else rule)
    target = prepared.table.columns[prepared.target]
    if len(prepared.classes) > MOST_CLASSES_OF_NUMBERS and not prepared.classes_declared and _finite_numbers(target):
        note = f"{len(prepared.classes):,} distinct numbers: a regression target? Cut into classes, it can be ranked."
        rules.insert(0, f"{toml_text(prepared.target)} = {{ quantiles = 2 }}  # {note}")
    svm = " --classifier svm" if any(isinstance(plan.rule, Measured) for plan in prepared.features) else ""
    source = printable(prepared.table.source)
    lines = [
        f"# Draft mapping for {source}; edit it, then: probfs rank …{svm} --mapping THIS_FILE",
        f"target = {toml_text(prepared.target)}  # {prepared.target_reason}",
        "",
        "# Columns that look like identifiers: they tell rows apart, not classes.",
        *(["drop = [", *drops, "]"] if drops else ["drop = []"]),
        "",
        '# Texts that mean "not known", besides the empty cell.',
        f"missing = [{', '.join(toml_text(text) for text in (*missing, *infinite))}]",
        "",
        "[columns]",
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


def _infinite_texts(column: Column, measured: bool) -> list[str]:
    """How a numeric column writes infinity, which can neither be cut nor measured."""
    numbers = None if column.declared else column.numbers()
    if numbers is None or not (measured or len(numbers) > CUT_ABOVE):
        return []
    return [column.values[int(code)].as_py() for code in np.flatnonzero(np.isinf(numbers))]


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
