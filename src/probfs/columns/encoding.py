"""Prepared table + unlabelled tables -> a dataset of integer codes, and of numbers where they are to be measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probfs.columns.dataset import Dataset, Feature
from probfs.columns.preparation import (
    MOST_CLASSES_OF_NUMBERS,
    Prepared,
    measured,
    moved,
    places_of_values,
    recoded,
    row_counts,
    without_missing_texts,
)
from probfs.columns.roles import ColumnChoice, ColumnPlan
from probfs.columns.rules import Measured, Quantiles, Rule
from probfs.errors import DataError
from probfs.tables.arrow_arrays import text_array
from probfs.tables.table import Kind, Table, code_type
from probfs.text import counted, listed, quoted

MANY_UNSEEN = 0.5
MOST_VALUES = 1_000_000
"""Of one feature, for each class: more are no categories, and would take all memory."""


def encode(
    prepared: Prepared, unlabelled: Sequence[Table], choice: ColumnChoice, missing: Sequence[str]
) -> tuple[Dataset, tuple[str, ...]]:
    """Codes for every feature of every row, and notes on what a user should know of them."""
    _check_target(prepared)
    others = [without_missing_texts(table, missing) for table in unlabelled]
    _check_columns(prepared, others)
    notes = [
        f"{table.source}: no column {quoted(choice.count)}, so each of its rows counts once"
        for table in others
        if choice.count is not None and choice.count not in table.columns
    ]
    encoded = [_encode_feature(prepared, others, plan) for plan in prepared.features]
    strange = [one.feature.name for one in encoded if one.unseen > MANY_UNSEEN]
    if strange:
        problem = "most unlabelled cells hold what labelled ones do not, so they count as missing"
        notes.append(f"{problem}: {listed(strange)}; are they written alike?")
    every = prepared.labelled_rows == prepared.table.rows
    dataset = Dataset(
        tuple(one.feature for one in encoded),
        prepared.classes,
        prepared.labels if every else prepared.labels[prepared.labelled],
        prepared.weights if every else prepared.weights[prepared.labelled],
        np.concatenate([prepared.weights[prepared.unlabelled], *(row_counts(table, choice.count) for table in others)]),
        prepared.table.source,
    )
    return dataset, (*notes, *_notes(prepared, encoded, choice.measured))


@dataclass(frozen=True)
class _Encoded:
    """A feature, how many distinct values its labelled rows have, and the share of unlabelled cells with others."""

    feature: Feature
    distinct: int
    unseen: float


def _encode_feature(prepared: Prepared, others: Sequence[Table], plan: ColumnPlan) -> _Encoded:
    if isinstance(plan.rule, Measured):
        return _measure_feature(prepared, others, plan.name, plan.rule)
    return _count_feature(prepared, others, plan.name, plan.rule)


def _measure_feature(prepared: Prepared, others: Sequence[Table], name: str, rule: Measured) -> _Encoded:
    own = measured(prepared.table, prepared.table.columns[name], rule)
    labelled = own[prepared.labelled]
    unlabelled = np.concatenate(
        [own[prepared.unlabelled], *(measured(table, table.columns[name], rule) for table in others)]
    )
    # Missing cells are NaN, of which unique leaves one, at the end: its code is the one after the last number's.
    # Adding 0 makes -0 the same as 0.
    numbers, codes = np.unique(np.concatenate([labelled, unlabelled]) + 0.0, return_inverse=True)
    numbers = numbers[~np.isnan(numbers)]
    narrow = codes.astype(code_type(len(numbers)))
    feature = Feature(name, text_array([]), narrow[: len(labelled)], narrow[len(labelled) :], numbers)
    distinct = int(np.count_nonzero(np.bincount(feature.labelled, minlength=len(numbers) + 1)[:-1]))
    present = _present(prepared, others, name)
    lost = present - int(np.count_nonzero(~np.isnan(unlabelled)))
    return _Encoded(feature, distinct, lost / max(present, 1))


def _count_feature(prepared: Prepared, others: Sequence[Table], name: str, rule: Rule) -> _Encoded:
    column = prepared.table.columns[name]
    coder = prepared.learn(column, rule)
    places = places_of_values(prepared.table, column, coder)
    codes = moved(column.codes, places, len(coder.labels))
    labelled = codes if prepared.labelled_rows == len(codes) else codes[prepared.labelled]
    unlabelled = np.concatenate(
        [codes[prepared.unlabelled], *(recoded(table, table.columns[name], coder).codes for table in others)]
    )
    missing = len(coder.labels)
    if missing > MOST_VALUES:
        problem = (
            f"column {quoted(name)} has {missing:,} different values, more than the {MOST_VALUES:,} that are counted"
        )
        hint = "leave it out with --exclude, or cut or group it in a mapping"
        raise DataError(f"{problem}; {hint}", source=prepared.table.source)
    # From how many rows hold each value, not from the rows.
    rows = column.counts(prepared.labelled_weights)
    seen = np.bincount(places, rows, minlength=missing + 1) > 0
    present = _present(prepared, others, name)
    # A value that no labelled row holds says nothing about the classes: it counts as missing.
    unlabelled[~seen[unlabelled]] = missing
    lost = present - int(np.count_nonzero(unlabelled != missing))
    feature = Feature(name, coder.labels, labelled, unlabelled)
    return _Encoded(feature, int(np.count_nonzero(seen[:-1])), lost / max(present, 1))


def _present(prepared: Prepared, others: Sequence[Table], name: str) -> int:
    """How many unlabelled cells of a column are not missing to begin with."""
    own = prepared.table.columns[name]
    columns = [(own, own.codes[prepared.unlabelled]), *((t.columns[name], t.columns[name].codes) for t in others)]
    return sum(int(np.count_nonzero(codes != len(column.values))) for column, codes in columns)


def _check_target(prepared: Prepared) -> None:
    source, target, classes = prepared.table.source, quoted(prepared.target), prepared.classes
    if not prepared.labelled_rows:
        raise DataError(f"no row has a value in the target {target}; name another with --target", source=source)
    if len(classes) == 1:
        only = quoted(classes[0])
        raise DataError(f"the target {target} has one class only, {only}; two or more are needed", source=source)
    numbers = None if prepared.classes_declared else prepared.table.columns[prepared.target].numbers()
    if len(classes) > MOST_CLASSES_OF_NUMBERS and numbers is not None:
        problem = f"the target {target} has {len(classes):,} distinct numbers: a regression target?"
        hint = "name another with --target, or cut it in a mapping, as in { quantiles = 2 }"
        raise DataError(f"{problem} {hint}", source=source)
    if not prepared.features:
        raise DataError(f"no column is left to rank beside the target {target}", source=source)


def _check_columns(prepared: Prepared, others: Sequence[Table]) -> None:
    for table in others:
        lacking = [plan.name for plan in prepared.features if plan.name not in table.columns]
        if lacking:
            problem = f"lacks {counted(len(lacking), 'column')} of {prepared.table.source}: {listed(lacking)}"
            raise DataError(f"{problem}; add them, or leave them out with --exclude", source=table.source)


def _notes(prepared: Prepared, encoded: Sequence[_Encoded], measured: bool) -> list[str]:
    notes = []
    cut = [plan for plan in prepared.features if isinstance(plan.rule, Quantiles) and not plan.rule.strict]
    if cut:
        names = listed(plan.name for plan in cut)
        notes.append(f"cut at quantiles of the labelled rows ({cut[0].rule.describe()}; --bins, or a mapping): {names}")
    distinct = [(one.feature, one.distinct) for one in encoded]
    empty = [f.name for f, values in distinct if not values]
    constant = [f.name for f, values in distinct if values == 1 and not (measured and _tells_by_missing(f))]
    rows = prepared.labelled_rows
    unique = [f.name for f, values in distinct if rows > 2 and values == rows and _names_rows(prepared, f)]
    if empty:
        notes.append(f"no value in any labelled row: {listed(empty)}")
    if constant:
        notes.append(f"the same value in every labelled row: {listed(constant)}")
    if unique:
        notes.append(f"a different value in every row (an identifier?): {listed(unique)}; --exclude leaves it out")
    return notes


def _tells_by_missing(feature: Feature) -> bool:
    """Whether a classifier that measures sees where a category is missing; a missing number is the mean to it."""
    return feature.numbers is None and bool(np.any(feature.labelled == feature.values))


def _names_rows(prepared: Prepared, feature: Feature) -> bool:
    """Whether values that are all different may be names: texts and whole numbers are, measurements and dates not."""
    if feature.numbers is None:
        return True
    whole = bool(np.all(feature.numbers == np.rint(feature.numbers)))
    return whole and prepared.table.columns[feature.name].kind is not Kind.DATE
