"""A draft mapping for a table: identifiers dropped, long numeric columns cut, rare categories grouped."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from probfs.columns.choice import CUT_ABOVE
from probfs.columns.inspect import kind_of
from probfs.columns.prepare import ColumnPlan, PreparedTable
from probfs.columns.rules import Measured, Quantiles, Seen, some_numbers
from probfs.columns.texts import ALSO_WORDS
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
    identifiers = prepared.identifiers
    problems = {plan.name: prepared.table.columns[plan.name].problem for plan in prepared.features}
    features = [plan for plan in prepared.features if problems[plan.name] is None]
    rules, kept = _rules(prepared, features)
    if not features:
        # A mapping that leaves nothing to rank helps nobody.
        rules = [_rule_that_keeps(prepared, plan) for plan in identifiers]
        identifiers = []
    reasons = {plan.name: plan.identifier for plan in identifiers}
    reasons |= {name: problem for name, problem in problems.items() if problem is not None}
    drops = [f"    {toml_text(name)},  # {reason}" for name, reason in reasons.items()]
    # Only a classifier that measures can rank what was left uncut.
    uncut = any(isinstance(plan.rule, Measured) for plan in prepared.features)
    decimal = "" if prepared.texts.decimal is None else f" --decimal {prepared.texts.decimal}"
    command = f"probfs rank …{f' --classifier {classifier}' if uncut else ''}{decimal} --mapping THIS_FILE"
    missing = _missing_texts(prepared)
    lines = [
        f"# Draft mapping for {printable(prepared.table.source)}; edit it, then: {command}",
        f"target = {toml_text(prepared.target.name)}  # {prepared.target.reason}",
        "",
        "# Columns that look like identifiers (they tell rows apart, not classes), or that cannot be ranked.",
        *(["drop = [", *drops, "]"] if drops else ["drop = []"]),
        "",
        '# Texts that mean "not known", besides the empty cell.',
        *(["missing = [", *missing, "]"] if missing else ["missing = []"]),
        "",
        "[columns]",
        *_target_rule(prepared),
        *rules,
    ]
    lines += _leaks(prepared)
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


def _rule_that_keeps(prepared: PreparedTable, plan: ColumnPlan) -> str:
    """A rule for an identifier beside which there is nothing to rank: what a mapping names is not left out."""
    column = prepared.table.columns[plan.name]
    rule = _rule(column, prepared.labelled_weights, prepared.choice.bins)
    if prepared.choice.numbers_as_they_are and _finite_numbers(column):
        rule = f'{toml_text(plan.name)} = "numeric"'
    return rule or f'{toml_text(plan.name)} = "category"  # {plan.identifier}'


def _leaks(prepared: PreparedTable) -> list[str]:
    """Comments on columns that nearly give the class away."""
    if not prepared.leaks:
        return []
    heading = "# Leakage? These nearly give the class away; drop those that are not known before the class is."
    return ["", heading, *(f"# {printable(name)}: {leak.describe()}" for name, leak in prepared.leaks.items())]


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
    if not target.quantity:
        return []
    if not _finite_numbers(prepared.table.columns[target.name]):
        return [f'{toml_text(target.name)} = "category"  # numbers, but an infinite one cannot be cut']
    note = f"{len(target.classes):,} distinct numbers: a regression target? Cut into classes, it can be ranked."
    return [f"{toml_text(target.name)} = {{ {_cut_into_classes(prepared)} }}  # {note}"]


def _cut_into_classes(prepared: PreparedTable) -> str:
    """The fewest quantiles that make two classes; where most rows hold the largest number, a cut below that."""
    column = prepared.table.columns[prepared.target.name]
    counts = column.counts(prepared.labelled_weights)[:-1]
    codes = np.flatnonzero(counts)
    seen = Seen(column.entries.take(index_array(codes)), counts[codes], column.kind)
    for intervals in range(2, _MOST_TARGET_INTERVALS + 1):
        if len(Quantiles(intervals).points(seen)):
            return f"quantiles = {intervals}"
    numbers = column.numbers()
    assert numbers is not None
    return f"cut = [{np.unique(numbers[codes])[-2].item()!r}]"


def _rule(column: Column, weights: Integers | None, bins: int) -> str | None:
    """The line with a column's rule and why, or None if it is best left alone."""
    key = toml_text(column.name)
    counts = column.counts(weights)[:-1]
    seen = np.flatnonzero(counts)
    if len(seen) > CUT_ABOVE and kind_of(column) in ("number", "date"):
        finite = seen[np.isfinite(some_numbers(column.entries, column.kind)[seen])]
        observed = Seen(column.entries.take(index_array(finite)), counts[finite], column.kind)
        labels = Quantiles(bins).learn(observed).labels.to_pylist()
        return f"{key} = {{ quantiles = {bins} }}  # {counted(len(seen), 'value')}; now {' '.join(labels)}"
    few = max(_RARE_ROWS, int(_RARE_SHARE * counts.sum()))
    rare = _rare_values(column, counts, seen, few)
    if len(rare) > _MOST_LISTED:
        return f"{key} = {{ min_count = {few} }}  # {counted(len(rare), 'value')} in fewer than {few:,} rows each"
    if rare:
        listing = ", ".join(toml_text(value) for value in rare)
        note = f"{counted(len(rare), 'value')} in few rows each"
        return f"{key} = {{ groups = {{ {toml_text(_group_name(column))} = [{listing}] }} }}  # {note}"
    return None


def _missing_texts(prepared: PreparedTable) -> list[str]:
    """Lines with the texts that mean missing, by the user's word and by where they stand."""
    reasons = dict.fromkeys(prepared.texts.missing, option("na"))
    agreed = prepared.texts.agreed_missing(prepared.table, prepared.target.name)
    reasons |= {text: f"in {', '.join(map(printable, names[:_MOST_NAMED]))}" for text, names in agreed.items()}
    reasons |= dict.fromkeys(_infinite_texts(prepared), "infinite")
    undecided = {text for text in agreed if text.strip() in ALSO_WORDS and text not in prepared.texts.missing}
    return [
        f"    # {toml_text(text)},  # {reason}: missing, or a value?"
        if text in undecided
        else f"    {toml_text(text)},  # {reason}"
        for text, reason in reasons.items()
    ]


def _infinite_texts(prepared: PreparedTable) -> list[str]:
    """How the features write infinity, which can neither be cut nor measured."""
    found: dict[str, None] = {}
    for plan in prepared.features:
        column = prepared.table.columns[plan.name]
        numbers = None if column.is_nominal else column.numbers()
        if numbers is not None and (isinstance(plan.rule, Measured) or len(numbers) > CUT_ABOVE):
            found |= dict.fromkeys(column.values[int(code)].as_py() for code in np.flatnonzero(np.isinf(numbers)))
    return list(found)


def _finite_numbers(column: Column) -> bool:
    numbers = column.numbers()
    return numbers is not None and bool(np.isfinite(numbers).all())


def _rare_values(column: Column, counts: Integers, seen: Integers, few: int) -> list[str]:
    """Values that fewer than ``few`` labelled rows hold, if there are at least two of them and others beside them."""
    rare = seen[counts[seen] < few]
    if len(rare) < 2 or len(rare) == len(seen) or kind_of(column) == "number":
        return []
    return sorted(column.values[int(code)].as_py() for code in rare)


def _group_name(column: Column) -> str:
    taken = set(column.values.to_pylist())
    name = "rare"
    while name in taken:
        name += "_"
    return name


def _comment(column: Column) -> str:
    present = int(np.count_nonzero(column.counts()[:-1]))
    return f"# {printable(column.name)}: {kind_of(column)}, {counted(present, 'value')}"
