"""Columns that are one feature: groups, which leave, are shuffled, tested and kept as one, and pairs.

The columns of a group stay what they are: to Naive Bayes they are independent within a class, and to other classifiers
as many columns as before. The joint value of a pair is one column.
"""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import count
from typing import NoReturn

import numpy as np
import pyarrow as pa

from probfs.columns.choice import TableNames
from probfs.columns.dataset import Dataset, DeferredLabels, Feature, number_rows
from probfs.columns.prepare import PreparedTable, Role
from probfs.errors import UsageError
from probfs.notes import Note, NoteKind
from probfs.tables.arrays import Integers, code_type, looked_up, text_array
from probfs.text import and_more, option, quoted

Groups = Mapping[str, Sequence[str]]
"""The columns of each group, by its name."""
_SEPARATORS = "-_.:/= "
"""What may stand between the name of a category and that of a value."""
_MEANING = {"0": 0.0, "1": 1.0, "false": 0.0, "true": 1.0}


def find_groups(prepared: PreparedTable, given: Groups) -> dict[str, tuple[str, ...]]:
    """The columns of each group that are ranked, in the groups of the mapping and in those ``given`` beside it, which
    take the place of a mapping's of the same name.
    """
    roles = {plan.name: plan.role for plan in prepared.plans}
    names, mapping = TableNames.of(prepared.table), prepared.mapping
    found: dict[str, tuple[str, ...]] = {}
    group_of: dict[str, str] = {}
    for group, texts in {**mapping.together, **given}.items():
        try:
            if group in names.columns:
                _refuse(f"there is a column {quoted(group)} already; give the group another name")
            columns = dict.fromkeys(column for text in texts for column in _columns_named(text, group, names, roles))
            found[group] = tuple(column for column in columns if roles[column] is Role.FEATURE)
            if not found[group]:
                _refuse(f"no column of {quoted(group)} is ranked; name others, or leave the group out")
            for column in found[group]:
                if group_of.setdefault(column, group) != group:
                    both = f"{quoted(group_of[column])} and in {quoted(group)}"
                    _refuse(f"column {quoted(column)} is in {both}; keep one")
        except UsageError as error:
            if group in given:
                raise
            raise mapping.error(str(error).replace(option("together"), "together", 1), group) from None
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
        like = [name for name in names.columns if fnmatchcase(name, part.replace("[", "[[]"))]
        if not like:
            _refuse(f"no column of {names.source} is like {quoted(part)}")
        yield from like


def _refuse(problem: str, parameter: str = "together") -> NoReturn:
    raise UsageError(f"{option(parameter)}: {problem}")


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
        columns = [features.pop(name) for name in names]
        codes = [np.concatenate([column.labelled, column.unlabelled]) for column in columns]
        missing = [own.dtype.type(column.values) for column, own in zip(columns, codes, strict=True)]
        # A value for each combination of codes that rows hold, labelled or not; that of missing cells is the last.
        numbers = number_rows(codes, [column.values + 1 for column in columns])
        _, first, number = np.unique(numbers, return_index=True, return_inverse=True)
        if len(first) and all(own[first[-1]] == gone for own, gone in zip(codes, missing, strict=True)):
            first = first[:-1]
        members = tuple(
            replace(column, labelled=np.append(own[first], gone), unlabelled=own[:0])
            for column, own, gone in zip(columns, codes, missing, strict=True)
        )
        labelled, unlabelled = np.split(number.astype(code_type(len(first))), [len(columns[0].labelled)])
        made.append(Feature(group, pa.nulls(len(first), pa.string()), labelled, unlabelled, members=members))
    return replace(dataset, features=(*features.values(), *made))


# Two columns as one


def join_features(dataset: Dataset, pairs: Sequence[str]) -> Dataset:
    """The dataset with a feature called ``a+b`` of joint values in the place of the features a and b, for each
    ``"a+b"``.
    """
    features = {feature.name: feature for feature in dataset.features}
    taken: set[str] = set()
    for pair in pairs:
        first, _, second = pair.partition("+")
        if first == second or first not in features or second not in features:
            _refuse(f"{quoted(pair)} does not name two columns that are ranked, as a+b does", "join")
        if pair in features:
            _refuse(f"there is a column {quoted(pair)} already; leave it out or rename it", "join")
        for name in (first, second):
            if name in taken:
                _refuse(f"column {quoted(name)} is in two pairs; keep one of them", "join")
            if features[name].numbers is not None:
                hint = "cut it in a mapping, or use Naive Bayes"
                _refuse(f"column {quoted(name)} is numbers to this classifier; {hint}", "join")
        taken.update((first, second))
        joint = _join(pair, features[first], features.pop(second))
        features = {name: joint if name == first else feature for name, feature in features.items()}
    return replace(dataset, features=tuple(features.values()))


def _join(name: str, first: Feature, second: Feature) -> Feature:
    """One feature of the pairs of values that some labelled row holds; all others are missing."""
    width = second.values + 1
    joint = first.labelled.astype(np.int64) * width + second.labelled
    known = (first.labelled < first.values) & (second.labelled < second.values)
    seen = np.unique(joint[known])
    codes = np.full((first.values + 1) * width, len(seen), dtype=code_type(len(seen)))
    codes[seen] = np.arange(len(seen))

    def labels() -> pa.StringArray:
        texts = [feature.labels.to_pylist() for feature in (first, second)]
        return text_array([f"{texts[0][pair // width]}, {texts[1][pair % width]}" for pair in seen.tolist()])

    return Feature(
        name,
        DeferredLabels(len(seen), labels),
        looked_up(codes, joint),
        looked_up(codes, first.unlabelled.astype(np.int64) * width + second.unlabelled),
    )


# Columns that should be one


def note_on_one_hot(dataset: Dataset, names: Collection[str]) -> list[Note]:
    """Which columns of 0 and 1 are those of one category: they have a prefix in common, and in every row one
    is 1. ``names`` are those of all columns of the table, which the offered name must differ from.
    """
    found: dict[str, list[str]] = {}
    named: defaultdict[str, list[Feature]] = defaultdict(list)
    for feature in dataset.features:
        name = feature.name
        prefixes = (name[:end] for end, letter in enumerate(name[1:-1], 2) if letter in _SEPARATORS)
        # Names with other signs of patterns would be other patterns than they seem.
        for prefix in prefixes if set(name).isdisjoint("*?,") else ():
            if prefix.strip(_SEPARATORS):
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
    name = next(name for n in count(1) if (name := plain if n == 1 else f"{plain} {n}") not in names)
    way = option("together", {name: f"{prefix}*"}, typed=shlex.quote(f"{name}={prefix}*"))
    sets = [f"{quoted(f'{prefix}*')} ({len(columns):,})" for prefix, columns in found.items()]
    message = f"0/1 columns that look like one category (exactly one is 1 in every row): {and_more(sets, 6)}"
    every = [column for columns in found.values() for column in columns]
    remedy = f"{way} ranks {'them' if len(found) == 1 else 'the first of these'} as one"
    return [NoteKind.ONE_HOT.note(f"{message}; {remedy}", every)]


def _are_one_hot(features: Sequence[Feature]) -> bool:
    """Whether all cells are 0 or 1, and one of those of each row is 1."""
    total: Integers | int = 0
    for feature in features:
        numbers = feature.scale if feature.numbers is None else feature.numbers
        if feature.members or feature.values > 2:
            return False
        if numbers is None:
            numbers = np.array([_MEANING.get(text.lower(), np.nan) for text in feature.labels.to_pylist()])
        codes = np.concatenate([feature.labelled, feature.unlabelled])
        if not np.isin(numbers, (0, 1)).all() or codes.max(initial=0) >= len(numbers):
            return False
        total = total + numbers.astype(np.int64)[codes]
        if np.max(total, initial=0) > 1:
            return False
    return bool(np.all(total == 1))
