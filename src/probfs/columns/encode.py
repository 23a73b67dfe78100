"""Prepared table + unlabelled tables -> a dataset of integer codes, and of numbers for a classifier that measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probfs.columns.dataset import Dataset, Feature
from probfs.columns.leakage import note_on_leaks
from probfs.columns.missing_texts import mark_missing
from probfs.columns.prepare import PreparedTable
from probfs.columns.recoding import new_code_of_each_value, number_of_each_row, recode_column, translate_codes
from probfs.columns.roles import ColumnPlan, Role
from probfs.columns.row_counts import row_counts
from probfs.columns.rules import Measured, Quantiles, Rule
from probfs.errors import DataError
from probfs.tables.arrow_arrays import text_array
from probfs.tables.table import Kind, Table, code_type
from probfs.text import counted, listed, option, quoted

MOST_CLASSES_OF_NUMBERS = 50
"""A target of more distinct numbers than this, of which nobody said that they are classes, is taken for a quantity."""
MOST_VALUES = 1_000_000
"""Values of one feature: a column with more does not hold categories, and would take all memory."""
_MANY_UNSEEN = 0.5


def encode(prepared: PreparedTable, unlabelled: Sequence[Table] = ()) -> tuple[Dataset, tuple[str, ...]]:
    """Codes for every feature of every row, and notes on what a user should know of them."""
    _check_target(prepared)
    others = [mark_missing(table, prepared.missing) for table in unlabelled]
    _check_columns(prepared, others)
    count = prepared.choice.count
    notes = [
        f"{table.source}: no column {quoted(count)}, so each of its rows counts once"
        for table in others
        if count is not None and count not in table.columns
    ]
    encoded = [_encode_feature(prepared, others, plan) for plan in prepared.features]
    strange = [one.feature.name for one in encoded if one.unseen > _MANY_UNSEEN]
    if strange:
        problem = "most unlabelled cells hold what labelled ones do not, so they count as missing"
        notes.append(f"{problem}: {listed(strange)}; are they written alike?")
    every = prepared.labelled_rows == prepared.table.rows
    dataset = Dataset(
        tuple(one.feature for one in encoded),
        prepared.target.classes,
        prepared.target.labels if every else prepared.target.labels[prepared.labelled],
        prepared.weights if every else prepared.weights[prepared.labelled],
        np.concatenate([prepared.weights[prepared.unlabelled], *(row_counts(table, count) for table in others)]),
        prepared.table.source,
    )
    return dataset, (*notes, *_notes(prepared, encoded))


@dataclass(frozen=True)
class _Encoded:
    """A feature, its number of distinct labelled values, and the share of unlabelled cells with other values."""

    feature: Feature
    distinct: int
    unseen: float


def _encode_feature(prepared: PreparedTable, others: Sequence[Table], plan: ColumnPlan) -> _Encoded:
    if isinstance(plan.rule, Measured):
        return _measure_feature(prepared, others, plan.name, plan.rule)
    return _count_feature(prepared, others, plan.name, plan.rule)


def _measure_feature(prepared: PreparedTable, others: Sequence[Table], name: str, rule: Measured) -> _Encoded:
    own = number_of_each_row(prepared.table, prepared.table.columns[name], rule)
    labelled = own[prepared.labelled]
    unlabelled = np.concatenate(
        [own[prepared.unlabelled], *(number_of_each_row(table, table.columns[name], rule) for table in others)]
    )
    # Missing cells are NaN, of which unique leaves one, at the end: its code is the one after the last number's.
    # Adding 0 makes -0 the same as 0.
    numbers, codes = np.unique(np.concatenate([labelled, unlabelled]) + 0.0, return_inverse=True)
    numbers = numbers[~np.isnan(numbers)]
    narrow = codes.astype(code_type(len(numbers)))
    feature = Feature(name, text_array([]), narrow[: len(labelled)], narrow[len(labelled) :], numbers)
    distinct = int(np.count_nonzero(np.bincount(feature.labelled, minlength=len(numbers) + 1)[:-1]))
    present = _unlabelled_values(prepared, others, name)
    lost = present - int(np.count_nonzero(~np.isnan(unlabelled)))
    return _Encoded(feature, distinct, lost / max(present, 1))


def _count_feature(prepared: PreparedTable, others: Sequence[Table], name: str, rule: Rule) -> _Encoded:
    column = prepared.table.columns[name]
    coder = prepared.learn(column, rule)
    new_codes = new_code_of_each_value(prepared.table, column, coder)
    codes = translate_codes(column.codes, new_codes, len(coder.labels))
    labelled = codes if prepared.labelled_rows == len(codes) else codes[prepared.labelled]
    unlabelled = np.concatenate(
        [codes[prepared.unlabelled], *(recode_column(table, table.columns[name], coder).codes for table in others)]
    )
    missing = len(coder.labels)
    if missing > MOST_VALUES:
        problem = (
            f"column {quoted(name)} has {missing:,} different values, more than the {MOST_VALUES:,} that are counted"
        )
        hint = f"leave it out with {option('exclude')}, or cut or group it in a mapping"
        raise DataError(f"{problem}; {hint}", source=prepared.table.source)
    # From how many rows hold each value, not from the rows.
    rows = column.counts(prepared.labelled_weights)
    seen = np.bincount(new_codes, rows, minlength=missing + 1) > 0
    present = _unlabelled_values(prepared, others, name)
    # A value that no labelled row holds says nothing about the classes: it counts as missing.
    unlabelled[~seen[unlabelled]] = missing
    lost = present - int(np.count_nonzero(unlabelled != missing))
    feature = Feature(name, coder.labels, labelled, unlabelled)
    return _Encoded(feature, int(np.count_nonzero(seen[:-1])), lost / max(present, 1))


def _unlabelled_values(prepared: PreparedTable, others: Sequence[Table], name: str) -> int:
    """How many unlabelled cells of a column hold a value, seen in labelled rows or not."""
    own = prepared.table.columns[name]
    columns = [(own, own.codes[prepared.unlabelled]), *((t.columns[name], t.columns[name].codes) for t in others)]
    return sum(int(np.count_nonzero(codes != len(column.values))) for column, codes in columns)


def _check_target(prepared: PreparedTable) -> None:
    source, target, classes = prepared.table.source, quoted(prepared.target.name), prepared.target.classes
    another = f"name another with {option('target')}"
    if not prepared.labelled_rows:
        raise DataError(f"no row has a value in the target {target}; {another}", source=source)
    if len(classes) == 1:
        only = quoted(classes[0])
        raise DataError(f"the target {target} has one class only, {only}; two or more are needed", source=source)
    numbers = None if prepared.target.declared else prepared.table.columns[prepared.target.name].numbers()
    if len(classes) > MOST_CLASSES_OF_NUMBERS and numbers is not None:
        problem = f"the target {target} has {len(classes):,} distinct numbers: a regression target?"
        raise DataError(f"{problem} {another}, or cut it in a mapping, as in {{ quantiles = 2 }}", source=source)
    if not prepared.features:
        problem = f"no column is left to rank beside the target {target}"
        identifiers = [plan.name for plan in prepared.plans if plan.role is Role.LEFT_OUT and plan.identifier]
        if identifiers:
            keep = option("keep_identifiers", True)
            problem = f"{problem} and identifiers: {listed(identifiers)}; {keep} ranks them"
        raise DataError(problem, source=source)


def _check_columns(prepared: PreparedTable, others: Sequence[Table]) -> None:
    for table in others:
        lacking = [plan.name for plan in prepared.features if plan.name not in table.columns]
        if lacking:
            problem = f"lacks {counted(len(lacking), 'column')} of {prepared.table.source}: {listed(lacking)}"
            raise DataError(f"{problem}; add them, or leave them out with {option('exclude')}", source=table.source)


def _notes(prepared: PreparedTable, encoded: Sequence[_Encoded]) -> list[str]:
    notes = []
    measured = prepared.choice.numbers_as_they_are
    cut = [plan for plan in prepared.features if isinstance(plan.rule, Quantiles) and not plan.rule.strict]
    if cut:
        names = listed(plan.name for plan in cut)
        how = f"{cut[0].rule.describe()}; {option('bins')}, or a mapping"
        notes.append(f"cut at quantiles of the labelled rows ({how}): {names}")
    distinct = [(one.feature, one.distinct) for one in encoded]
    empty = [f.name for f, values in distinct if not values]
    constant = [f.name for f, values in distinct if values == 1 and not (measured and _tells_by_missing(f))]
    rows = prepared.labelled_rows
    told = {plan.name for plan in prepared.features if plan.identifier}
    unique = [
        f.name
        for f, values in distinct
        if rows > 2 and values == rows and f.name not in told and _names_rows(prepared, f)
    ]
    if empty:
        notes.append(f"no value in any labelled row: {listed(empty)}")
    if constant:
        notes.append(f"the same value in every labelled row: {listed(constant)}")
    if unique:
        names = listed(unique)
        notes.append(f"a different value in every row (an identifier?): {names}; {option('exclude')} leaves it out")
    if prepared.leaks:
        notes.append(note_on_leaks(prepared.leaks))
    return notes


def _tells_by_missing(feature: Feature) -> bool:
    """Whether missing cells tell rows apart for a classifier that measures: in a category they do, a missing number is
    replaced by the mean.
    """
    return feature.numbers is None and bool(np.any(feature.labelled == feature.values))


def _names_rows(prepared: PreparedTable, feature: Feature) -> bool:
    """Whether values that are all different may be identifiers: texts and whole numbers, not measurements or dates."""
    if feature.numbers is None:
        return True
    whole = bool(np.all(feature.numbers == np.rint(feature.numbers)))
    return whole and prepared.table.columns[feature.name].kind is not Kind.DATE
