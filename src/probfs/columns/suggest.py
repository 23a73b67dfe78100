"""A draft mapping for a table: identifiers dropped, long numeric columns cut, rare categories grouped."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pyarrow.compute as pc

from probfs.columns.choice import CUT_ABOVE, NONE
from probfs.columns.inspect import kind_of
from probfs.columns.missing import ALSO_WORDS, WORDS
from probfs.columns.prepare import ColumnPlan, PreparedTable
from probfs.columns.rules import Measured, Quantiles, Seen, free_name, some_numbers
from probfs.tables.arrays import Integers, index_array
from probfs.tables.column import Column
from probfs.text import counted, is_unseen, option, printable

_MOST_LISTED = 6
"""Rare values that a group lists; more of them are grouped by a rule."""
_MOST_NAMED = 6
_MOST_TEXT = 2 << 20
"""A mapping must stay below its size limit, however long the names of rare values are."""
_MOST_TARGET_INTERVALS = 10
_RARE_SHARE = 0.01
_RARE_ROWS = 5


def suggest_mapping(prepared: PreparedTable, classifier: str) -> str:
    """A commented TOML mapping that ``rank`` takes as it is, for the classifier the table was prepared for."""
    columns, target = prepared.table.columns, prepared.target
    dropped = {plan.name: plan.identifier for plan in prepared.identifiers}
    problems = {plan.name: columns[plan.name].problem for plan in prepared.features}
    features = [plan for plan in prepared.features if problems[plan.name] is None]
    rules, kept = _rules(prepared, features)
    if not features:
        # A mapping that leaves nothing to rank helps nobody.
        rules = [_rule_that_keeps(prepared, plan) for plan in prepared.identifiers]
        dropped = {}
    dropped |= {name: problem for name, problem in problems.items() if problem is not None}
    # Only a classifier that measures can rank what was left uncut.
    uncut = any(isinstance(plan.rule, Measured) for plan in prepared.features)
    words = {
        "classifier": classifier if uncut else None,
        "decimal": prepared.texts.decimal,
        "dates": prepared.choice.dates,
    }
    given = [f" --{name} {value}" for name, value in words.items() if value is not None]
    given += [" --ignore-case"] if prepared.choice.ignore_case else []
    command = f"probfs rank …{''.join(given)} --mapping THIS_FILE"
    lines = [
        f"# Draft mapping for {printable(prepared.table.source)}; edit it, then: {command}",
        f"target = {toml_text(target.name)}  # {target.reason}",
        "",
        "# Columns that look like identifiers (they tell rows apart, not classes), or that cannot be ranked.",
        *_list("drop", [f"{toml_text(name)},  # {reason}" for name, reason in dropped.items()]),
        "",
        '# Texts that mean "not known", besides the empty cell.',
        *_list("missing", _missing_texts(prepared)),
        "",
        "[columns]",
        *_target_rule(prepared),
        *rules,
    ]
    if prepared.leaks:
        lines += ["", "# Leakage? These nearly give the class away; drop those that are not known before the class is."]
        lines += [f"# {leak.describe()}" for leak in prepared.leaks.values()]
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


def _list(key: str, items: Sequence[str]) -> list[str]:
    """A TOML list with an item in each line."""
    return [f"{key} = [", *(f"    {item}" for item in items), "]"] if items else [f"{key} = []"]


def _missing_texts(prepared: PreparedTable) -> list[str]:
    """Lines with the texts that mean missing, by the user's word and by where they stand."""
    reasons = dict.fromkeys(prepared.texts.missing, option("na"))
    suspects = _suspected_texts(prepared)
    reasons |= {text: f"in {', '.join(map(printable, names[:_MOST_NAMED]))}" for text, names in suspects.items()}
    reasons |= dict.fromkeys(_infinite_texts(prepared), "infinite")
    undecided = {text for text in suspects if text.strip() in ALSO_WORDS and text not in prepared.texts.missing}
    return [
        f"# {toml_text(text)},  # {reason}: missing, or a value?"
        if text in undecided
        else f"{toml_text(text)},  # {reason}"
        for text, reason in reasons.items()
    ]


def _suspected_texts(prepared: PreparedTable) -> dict[str, list[str]]:
    """Texts that could be missing in all columns, each with the columns it looks so in; none that the target or a
    column of words holds as a value.
    """
    found: dict[str, list[str]] = {}
    if NONE in prepared.texts.keywords:
        return found
    for name, texts in prepared.texts.columns.items():
        for text in (*texts.missing, *texts.doubtful):
            found.setdefault(text, []).append(name)
    for name, column in prepared.table.columns.items():
        if not column.is_numeric and column.problem is None:
            for text in column.values.filter(pc.is_in(column.values, value_set=WORDS)).to_pylist():
                if name == prepared.target.name or name not in found.get(text, ()):
                    found.pop(text, None)
    return found


def _infinite_texts(prepared: PreparedTable) -> list[str]:
    """How the features write infinity, which can neither be cut nor measured."""
    found: dict[str, None] = {}
    for plan in prepared.features:
        column = prepared.table.columns[plan.name]
        numbers = None if column.is_nominal else column.numbers()
        if numbers is not None and (isinstance(plan.rule, Measured) or len(numbers) > CUT_ABOVE):
            found |= dict.fromkeys(column.values[int(code)].as_py() for code in np.flatnonzero(np.isinf(numbers)))
    return list(found)


# Rules


def _target_rule(prepared: PreparedTable) -> list[str]:
    """A rule for a target that looks like a quantity: the fewest quantiles that make two classes or, where most rows
    hold the largest number, a cut below that.
    """
    target = prepared.target
    if not target.quantity:
        return []
    column = prepared.table.columns[target.name]
    if not _finite_numbers(column):
        return [f'{toml_text(target.name)} = "category"  # numbers, but an infinite one cannot be cut']
    counts = column.counts(prepared.labelled_weights)[:-1]
    codes = np.flatnonzero(counts)
    seen = Seen(column.entries.take(index_array(codes)), counts[codes], column.kind)
    rules = (intervals for intervals in range(2, _MOST_TARGET_INTERVALS + 1) if len(Quantiles(intervals).points(seen)))
    intervals = next(rules, None)
    cut = f"quantiles = {intervals}"
    if intervals is None:
        cut = f"cut = [{np.unique(some_numbers(seen.values, seen.kind))[-2].item()!r}]"
    note = f"{len(target.classes):,} distinct numbers: a regression target? Cut into classes, it can be ranked."
    return [f"{toml_text(target.name)} = {{ {cut} }}  # {note}"]


def _rule_that_keeps(prepared: PreparedTable, plan: ColumnPlan) -> str:
    """A rule for an identifier beside which there is nothing to rank: what a mapping names is not left out."""
    column = prepared.table.columns[plan.name]
    rule = _rule(column, prepared.labelled_weights, prepared.choice.bins)
    if prepared.choice.numbers_as_they_are and _finite_numbers(column):
        rule = f'{toml_text(plan.name)} = "numeric"'
    return rule or f'{toml_text(plan.name)} = "category"  # {plan.identifier}'


def _rules(prepared: PreparedTable, features: Sequence[ColumnPlan]) -> tuple[list[str], list[str]]:
    """Lines with the rules of some columns, and comments on those that are best left alone."""
    rules: list[str] = []
    kept: list[str] = []
    room = _MOST_TEXT
    for plan in features:
        column = prepared.table.columns[plan.name]
        measured = isinstance(plan.rule, Measured)
        rule = None if measured else _rule(column, prepared.labelled_weights, prepared.choice.bins)
        texts = prepared.texts.columns.get(plan.name)
        reading = "" if texts is None else texts.describe()
        if rule is None and texts is not None and texts.style is not None:
            rule = f'{toml_text(plan.name)} = "{texts.kind.value}"  # {counted(column.distinct(), "value")}'
        if rule and reading:
            rule += f"; {reading}"
        room -= len(rule or "")
        if rule is None or room <= 0:
            present = int(np.count_nonzero(column.counts()[:-1]))
            about = f"; {reading}" if reading else ""
            kept.append(f"# {printable(column.name)}: {kind_of(column)}, {counted(present, 'value')}{about}")
        else:
            rules.append(rule)
    return rules, kept


def _rule(column: Column, weights: Integers | None, bins: int) -> str | None:
    """The line with a column's rule and why, or None if it is best left alone."""
    key, kind = toml_text(column.name), kind_of(column)
    counts = column.counts(weights)[:-1]
    seen = np.flatnonzero(counts)
    if len(seen) > CUT_ABOVE and kind in ("number", "date"):
        finite = seen[np.isfinite(some_numbers(column.entries, column.kind)[seen])]
        observed = Seen(column.entries.take(index_array(finite)), counts[finite], column.kind)
        labels = Quantiles(bins).learn(observed).labels.to_pylist()
        return f"{key} = {{ quantiles = {bins} }}  # {counted(len(seen), 'value')}; now {' '.join(labels)}"
    few = max(_RARE_ROWS, int(_RARE_SHARE * counts.sum()))
    rare = seen[counts[seen] < few]
    if kind == "number" or len(rare) < 2 or len(rare) == len(seen):
        return None
    if len(rare) > _MOST_LISTED:
        return f"{key} = {{ min_count = {few} }}  # {counted(len(rare), 'value')} in fewer than {few:,} rows each"
    values = column.values.to_pylist()
    listing = ", ".join(toml_text(value) for value in sorted(values[code] for code in rare.tolist()))
    group = toml_text(free_name("rare", values))
    return f"{key} = {{ groups = {{ {group} = [{listing}] }} }}  # {counted(len(rare), 'value')} in few rows each"


def _finite_numbers(column: Column) -> bool:
    numbers = column.numbers()
    return numbers is not None and bool(np.isfinite(numbers).all())
