"""Columns that are one feature together: they leave, are shuffled, tested and kept as one.

Unlike a pair (``joined``), whose joint value is one column, they stay what they are: to Naive Bayes they are
independent within a class, and to other classifiers as many columns as before.
"""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import chain, count

import numpy as np
import pyarrow as pa

from probfs.columns.choice import TableNames
from probfs.columns.dataset import Dataset, Feature
from probfs.columns.prepare import PreparedTable, Role
from probfs.errors import UsageError
from probfs.notes import Note, NoteKind
from probfs.tables.arrays import Codes, Integers, code_type
from probfs.text import and_more, option, quoted

Groups = Mapping[str, Sequence[str]]
"""The columns of each group, by its name."""
_MOST_NUMBERED = 1 << 62
_SEPARATORS = "-_.:/= "
"""What may stand between the name of a category and that of a value."""
_MEANING = {"0": 0.0, "1": 1.0, "false": 0.0, "true": 1.0}


def find_groups(prepared: PreparedTable, given: Groups) -> dict[str, tuple[str, ...]]:
    """The columns of each group that are ranked, in the groups of the mapping and in those ``given`` beside it, which
    take the place of a mapping's of the same name.
    """
    roles = {plan.name: plan.role for plan in prepared.plans}
    names = TableNames.of(prepared.table)
    found: dict[str, tuple[str, ...]] = {}
    group_of: dict[str, str] = {}
    for group, texts in {**prepared.mapping.together, **given}.items():
        if group in names.columns:
            _refuse(f"there is a column {quoted(group)} already; give the group another name")
        columns = dict.fromkeys(column for text in texts for column in _columns_named(text, group, names, roles))
        found[group] = tuple(column for column in columns if roles[column] is Role.FEATURE)
        if not found[group]:
            _refuse(f"no column of {quoted(group)} is ranked; name others, or leave the group out")
        for column in found[group]:
            if column in group_of:
                _refuse(f"column {quoted(column)} is in {quoted(group_of[column])} and in {quoted(group)}; keep one")
            group_of[column] = group
    return found


def _columns_named(text: str, group: str, names: TableNames, roles: Mapping[str, Role]) -> Iterator[str]:
    """The columns that a text names, or that are like a pattern in it, whatever these are there for."""
    for part in names.split(text):
        if part in names.columns or not ("*" in part or "?" in part):
            names.refuse_unknown(part, "together")
            if roles[part] not in (Role.FEATURE, Role.LEFT_OUT):
                _refuse(f"{quoted(part)} is the {roles[part].value} column; leave it out of {quoted(group)}")
            yield part
            continue
        # Names like x[1] are no patterns.
        pattern = part.replace("[", "[[]")
        like = [name for name in names.columns if fnmatchcase(name, pattern)]
        if not like:
            _refuse(f"no column of {names.source} is like {quoted(part)}")
        yield from like


def _refuse(problem: str) -> None:
    raise UsageError(f"{option('together')}: {problem}")


def put_together(dataset: Dataset, groups: Groups) -> Dataset:
    """The dataset with a feature for each group in the place of its columns, behind all others: so these keep their
    positions when the groups are taken apart again.
    """
    features = {feature.name: feature for feature in dataset.features}
    made = []
    for group, names in groups.items():
        if group in features:
            _refuse(f"{option('join')} makes a column {quoted(group)}; give the group another name")
        for name in names:
            if name not in features:
                _refuse(f"column {quoted(name)} is in a pair of {option('join')}, too; keep one of the two")
        made.append(_put_together(group, [features.pop(name) for name in names]))
    return replace(dataset, features=(*features.values(), *made))


def _put_together(name: str, columns: Sequence[Feature]) -> Feature:
    """A feature of the combinations of codes that rows hold, labelled or not; where all are missing, so is its own."""
    rows = len(columns[0].labelled)
    codes = [np.concatenate([column.labelled, column.unlabelled]) for column in columns]
    number: Integers = np.zeros(len(codes[0]), dtype=np.int64)
    numbered = 1
    for column, own in zip(columns, codes, strict=True):
        if numbered * (column.values + 1) > _MOST_NUMBERED:
            number = np.unique(number, return_inverse=True)[1]
            numbered = len(number)
        number = number * (column.values + 1) + own
        numbered *= column.values + 1
    _, first, number = np.unique(number, return_index=True, return_inverse=True)
    # As missing cells have the last codes, the combination of missing cells is the last.
    if len(first) and all(own[first[-1]] == column.values for column, own in zip(columns, codes, strict=True)):
        first = first[:-1]
    members = tuple(
        replace(column, labelled=np.append(own[first], own.dtype.type(column.values)), unlabelled=own[:0])
        for column, own in zip(columns, codes, strict=True)
    )
    together: Codes = number.astype(code_type(len(first)))
    return Feature(name, pa.nulls(len(first), pa.string()), together[:rows], together[rows:], members=members)


# Columns that should be one


def note_on_one_hot(dataset: Dataset, names: Collection[str]) -> list[Note]:
    """Which columns of 0 and 1 are those of one category: they have a prefix in common, and in every row one
    is 1. ``names`` are those of all columns of the table, which the offered name must differ from.
    """
    found: dict[str, list[str]] = {}
    named: defaultdict[str, list[Feature]] = defaultdict(list)
    for feature in dataset.features:
        for prefix in _prefixes(feature.name):
            named[prefix].append(feature)
    taken: set[str] = set()
    for prefix in sorted(named, key=len):
        columns = [feature.name for feature in named[prefix]]
        if len(columns) > 1 and taken.isdisjoint(columns) and _are_one_hot(named[prefix]):
            found[prefix] = columns
            taken.update(columns)
    if not found:
        return []
    prefix = next(iter(found))
    plain = prefix.rstrip(_SEPARATORS).replace("=", " ").strip() or "group"
    name = next(name for name in chain([plain], (f"{plain} {number}" for number in count(2))) if name not in names)
    way = option("together", {name: f"{prefix}*"}, typed=shlex.quote(f"{name}={prefix}*"))
    sets = [f"{quoted(f'{prefix}*')} ({len(columns):,})" for prefix, columns in found.items()]
    message = f"0/1 columns of which exactly one is 1 in every row, as of one category: {and_more(sets, 6)}"
    every = [column for columns in found.values() for column in columns]
    remedy = f"{way} ranks {'them' if len(found) == 1 else 'the first of these'} as one"
    return [NoteKind.ONE_HOT.note(f"{message}; {remedy}", every)]


def _prefixes(name: str) -> list[str]:
    """The beginnings of a name that end with a separator.

    >>> _prefixes("colour_dark_red")
    ['colour_', 'colour_dark_']
    """
    if not set(name).isdisjoint("*?,"):
        # Such names would be other patterns than they seem.
        return []
    found = [name[:end] for end, letter in enumerate(name[1:-1], 2) if letter in _SEPARATORS]
    return [prefix for prefix in found if prefix.strip(_SEPARATORS)]


def _are_one_hot(features: Sequence[Feature]) -> bool:
    """Whether all cells are 0 or 1, and one of those of each row is 1."""
    total: Integers | int = 0
    for feature in features:
        numbers = feature.scale if feature.numbers is None else feature.numbers
        if feature.members or feature.values > 2:
            return False
        if numbers is None:
            numbers = np.array([_MEANING.get(text, np.nan) for text in feature.labels.to_pylist()])
        codes = np.concatenate([feature.labelled, feature.unlabelled])
        if not np.isin(numbers, (0, 1)).all() or codes.max(initial=0) >= len(numbers):
            return False
        total = total + numbers.astype(np.int64)[codes]
        if np.max(total, initial=0) > 1:
            return False
    return bool(np.all(total == 1))
