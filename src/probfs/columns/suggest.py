"""A draft mapping for a table: identifiers dropped, long numeric columns cut, rare categories grouped."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow.compute as pc

from probfs.columns.choice import CUT_ABOVE, NONE
from probfs.columns.inspect import kind_of
from probfs.columns.missing import ALSO_WORDS, WORDS, code_for_missing
from probfs.columns.prepare import PreparedTable
from probfs.columns.rules import Measured, Quantiles, Seen, free_name, some_numbers
from probfs.tables.arrays import Integers, index_array
from probfs.tables.column import Column
from probfs.text import counted, is_unseen, option, printable

_MOST_LISTED = 6
"""Rare values that a group lists; more of them are grouped by a rule."""
_MOST_NAMED = 6
_MOST_TARGET_INTERVALS = 10
_RARE_SHARE = 0.01
_RARE_ROWS = 5


def suggest_mapping(prepared: PreparedTable, classifier: str) -> str:
    """A commented TOML mapping that ``rank`` takes as it is, for the classifier the table was prepared for."""
    columns, target, choice = prepared.table.columns, prepared.target, prepared.choice
    problems = {plan.name: columns[plan.name].problem for plan in prepared.features}
    features = [plan for plan in prepared.features if problems[plan.name] is None]
    rules, kept = [], []
    for plan in features:
        column, texts = columns[plan.name], prepared.texts.columns.get(plan.name)
        reading = "" if texts is None or not texts.describe() else f"; {texts.describe()}"
        values = counted(int(np.count_nonzero(column.counts()[:-1])), "value")
        measured = isinstance(plan.rule, Measured)
        rule = None if measured else _rule(column, prepared.labelled_weights, choice.bins)
        if rule is None and texts is not None and texts.style is not None:
            rule = f'{toml_text(plan.name)} = "{texts.kind.value}"  # {values}'
        if rule is None:
            kept.append(f"# {printable(column.name)}: {kind_of(column)}, {values}{reading}")
        else:
            rules.append(rule + reading)
    dropped = {plan.name: plan.identifier for plan in prepared.identifiers}
    if not features:
        # A mapping that leaves nothing to rank helps nobody.
        kinds = {name: "number" if _finite_numbers(columns[name]) else "category" for name in dropped}
        rules = [f'{toml_text(name)} = "{kinds[name]}"  # {reason}' for name, reason in dropped.items()]
        dropped = {}
    dropped |= {name: problem for name, problem in problems.items() if problem is not None}
    # Only a classifier that measures can rank what was left uncut.
    uncut = any(isinstance(plan.rule, Measured) for plan in prepared.features)
    words = {"classifier": classifier if uncut else None, "decimal": prepared.texts.decimal, "dates": choice.dates}
    given = [f" --{name} {value}" for name, value in words.items() if value is not None]
    given += [" --ignore-case"] if choice.ignore_case else []
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
    """A TOML string; JSON's escapes are TOML's too."""
    escaped = json.dumps(text, ensure_ascii=False)
    return "".join(f"\\U{ord(character):08x}" if is_unseen(character) else character for character in escaped)


def _list(key: str, items: Iterable[str]) -> list[str]:
    """A TOML list with an item in each line."""
    lines = [f"    {item}" for item in items]
    return [f"{key} = [", *lines, "]"] if lines else [f"{key} = []"]


def _missing_texts(prepared: PreparedTable) -> Iterator[str]:
    """Lines with the texts that mean missing: by the user's word, by where they stand, or as they are infinite, which
    can neither be cut nor measured; and comments on those that may.
    """
    texts, columns = prepared.texts, prepared.table.columns
    suspects: defaultdict[str, list[str]] = defaultdict(list)
    for name, meaning in texts.columns.items() if NONE not in texts.keywords else ():
        for text in (*meaning.missing, *meaning.doubtful):
            suspects[text].append(name)
    for name, column in columns.items() if suspects else ():
        # None that the target or a column of words holds as a value could be missing in all columns.
        if not column.is_numeric and column.problem is None:
            for text in column.values.filter(pc.is_in(column.values, value_set=WORDS)).to_pylist():
                if name == prepared.target.name or name not in suspects.get(text, ()):
                    suspects.pop(text, None)
    undecided = {text for text in suspects if text.strip() in ALSO_WORDS and text not in texts.missing}
    infinite: dict[str, str] = {}
    for plan in prepared.features:
        column = columns[plan.name]
        if (code := code_for_missing(column, prepared.profiles[plan.name])) is not None:
            suspects[code[0]].append(plan.name)
            undecided.add(code[0])
        numbers = None if column.is_nominal else column.numbers()
        if numbers is not None and (isinstance(plan.rule, Measured) or len(numbers) > CUT_ABOVE):
            infinite |= {column.values[int(code)].as_py(): "infinite" for code in np.flatnonzero(np.isinf(numbers))}
    reasons = dict.fromkeys(texts.missing, option("na"))
    reasons |= {text: f"in {', '.join(map(printable, names[:_MOST_NAMED]))}" for text, names in suspects.items()}
    for text, reason in (reasons | infinite).items():
        is_doubtful = text in undecided
        yield f"{'# ' * is_doubtful}{toml_text(text)},  # {reason}{': missing, or a value?' * is_doubtful}"


# Rules


def _seen(column: Column, weights: Integers | None) -> Seen:
    """What rows of positive weight hold that is not infinite."""
    counts = column.counts(weights)[:-1]
    codes = np.flatnonzero(counts)
    if kind_of(column) in ("number", "date"):
        codes = codes[np.isfinite(some_numbers(column.entries, column.kind)[codes])]
    return Seen(column.entries.take(index_array(codes)), counts[codes], column.kind)


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
    seen = _seen(column, prepared.labelled_weights)
    enough = [k for k in range(2, _MOST_TARGET_INTERVALS + 1) if len(Quantiles(k).points(seen))]
    cut = f"quantiles = {enough[0]}" if enough else ""
    if not enough:
        cut = f"cut = [{np.unique(some_numbers(seen.values, seen.kind))[-2].item()!r}]"
    note = f"{len(target.classes):,} distinct numbers: a regression target? Cut into classes, it can be ranked."
    return [f"{toml_text(target.name)} = {{ {cut} }}  # {note}"]


def _rule(column: Column, weights: Integers | None, bins: int) -> str | None:
    """The line with a column's rule and why, or None if it is best left alone."""
    key, kind = toml_text(column.name), kind_of(column)
    counts = column.counts(weights)[:-1]
    held = np.flatnonzero(counts)
    if len(held) > CUT_ABOVE and kind in ("number", "date"):
        labels = Quantiles(bins).learn(_seen(column, weights)).labels.to_pylist()
        return f"{key} = {{ quantiles = {bins} }}  # {counted(len(held), 'value')}; now {' '.join(labels)}"
    few = max(_RARE_ROWS, int(_RARE_SHARE * counts.sum()))
    rare = held[counts[held] < few]
    if kind == "number" or len(rare) < 2 or len(rare) == len(held):
        return None
    values = counted(len(rare), "value")
    if len(rare) > _MOST_LISTED:
        return f"{key} = {{ min_count = {few} }}  # {values} in fewer than {few:,} rows each"
    texts = column.values.to_pylist()
    listing = ", ".join(toml_text(value) for value in sorted(texts[code] for code in rare.tolist()))
    return (
        f"{key} = {{ groups = {{ {toml_text(free_name('rare', texts))} = [{listing}] }} }}  # {values} in few rows each"
    )


def _finite_numbers(column: Column) -> bool:
    numbers = column.numbers()
    return numbers is not None and bool(np.isfinite(numbers).all())
