"""Prepared table + unlabelled tables -> a dataset of integer codes, and of numbers for a classifier that measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from probfs.columns.block_encoding import encode_block_columns
from probfs.columns.dataset import MISSING_LABEL, Dataset, EncodedFeature, Feature, refuse_many_values, unseen_share
from probfs.columns.date_texts import are_dates
from probfs.columns.leakage import note_on_leaks
from probfs.columns.prepare import PreparedTable
from probfs.columns.recoding import new_code_of_each_value, number_of_each_row, translate_codes
from probfs.columns.roles import ColumnPlan
from probfs.columns.row_counts import row_counts
from probfs.columns.rules import Category, Measured, Quantiles, Rule
from probfs.columns.target_check import check_target
from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.tables.arrow_arrays import text_array
from probfs.tables.number_block import NumberColumn
from probfs.tables.table import Codes, Integers, Kind, Table, code_type
from probfs.text import counted, listed, option, quoted

_SECONDS_OF_A_DAY = 86_400.0
_MANY_UNSEEN = 0.5


def encode(prepared: PreparedTable, unlabelled: Sequence[Table] = ()) -> tuple[Dataset, tuple[Note, ...]]:
    """Codes for every feature of every row, and notes on what a user should know of them."""
    check_target(prepared)
    others = [prepared.texts.read(table) for table in unlabelled]
    _check_columns(prepared, others)
    count = prepared.choice.count
    notes = [
        NoteKind.COUNTED_ONCE.note(
            f"{table.source}: no column {quoted(count)}, so each of its rows counts once", [count]
        )
        for table in others
        if count is not None and count not in table.columns
    ]
    together = encode_block_columns(prepared, others)
    encoded = [together.get(plan.name) or _encode_feature(prepared, others, plan) for plan in prepared.features]
    strange = [one.feature.name for one in encoded if one.unseen > _MANY_UNSEEN]
    if strange:
        problem = "most unlabelled cells hold what labelled ones do not, so they count as missing"
        notes.append(NoteKind.UNSEEN.note(f"{problem}: {listed(strange)}; are they written alike?", strange))
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


def _encode_feature(prepared: PreparedTable, others: Sequence[Table], plan: ColumnPlan) -> EncodedFeature:
    if isinstance(plan.rule, Measured):
        return _measure_feature(prepared, others, plan, plan.rule)
    return _count_feature(prepared, others, plan, plan.rule)


def _measure_feature(
    prepared: PreparedTable, others: Sequence[Table], plan: ColumnPlan, rule: Measured
) -> EncodedFeature:
    name, missing_is_value = plan.name, plan.missing_is_value
    column = prepared.table.columns[name]
    own = number_of_each_row(prepared.table, column, rule)
    labelled = own[prepared.labelled]
    unlabelled = np.concatenate(
        [
            own[prepared.unlabelled],
            # Texts of another file are dates if those of the labelled one are.
            *(number_of_each_row(table, table.columns[name], rule, column.kind) for table in others),
        ]
    )
    # Missing cells are NaN, of which unique leaves one, at the end: its code is the one after the last number's.
    # Adding 0 makes -0 the same as 0.
    numbers, codes = np.unique(np.concatenate([labelled, unlabelled]) + 0.0, return_inverse=True)
    numbers = numbers[~np.isnan(numbers)]
    if column.kind is Kind.DATE and len(numbers):
        # Days since the first date: a classifier that does not scale columns would drown in seconds since 1970.
        numbers = (numbers - numbers[0]) / _SECONDS_OF_A_DAY
    narrow = codes.astype(code_type(len(numbers) + missing_is_value))
    if missing_is_value:
        # An unlabelled text that is not a number is not missing: it says nothing.
        narrow[len(labelled) :][np.isnan(unlabelled) & _unlabelled_presence(prepared, others, name)] += 1
    feature = Feature(name, text_array([]), narrow[: len(labelled)], narrow[len(labelled) :], numbers, missing_is_value)
    distinct = int(np.count_nonzero(np.bincount(feature.labelled, minlength=feature.values + 1)[:-1]))
    present = _unlabelled_values(prepared, others, name)
    lost = present - int(np.count_nonzero(~np.isnan(unlabelled)))
    return EncodedFeature(feature, distinct, unseen_share(lost, present))


def _count_feature(prepared: PreparedTable, others: Sequence[Table], plan: ColumnPlan, rule: Rule) -> EncodedFeature:
    name, missing_is_value = plan.name, plan.missing_is_value
    column = prepared.table.columns[name]
    in_text_order = column.ordered and not prepared.choice.types_order_categories
    coder = prepared.learn(replace(column, ordered=False) if in_text_order else column, rule)
    labels = text_array([*coder.labels.to_pylist(), MISSING_LABEL]) if missing_is_value else coder.labels

    def recoded(table: Table) -> tuple[Codes, Integers]:
        own = table.columns[name]
        new_codes = new_code_of_each_value(table, own, coder, missing_is_value=missing_is_value)
        return translate_codes(own.codes, new_codes, len(labels)), new_codes

    codes, new_codes = recoded(prepared.table)
    labelled = codes if prepared.labelled_rows == len(codes) else codes[prepared.labelled]
    unlabelled = np.concatenate([codes[prepared.unlabelled], *(recoded(table)[0] for table in others)])
    nothing = len(labels)
    refuse_many_values(name, len(coder.labels), prepared.table.source)
    # From how many rows hold each value, not from the rows.
    rows = column.counts(prepared.labelled_weights)
    seen = np.bincount(new_codes, rows, minlength=nothing + 1) > 0
    present = _unlabelled_values(prepared, others, name)
    # A value that no labelled row holds says nothing about the classes.
    unlabelled[~seen[unlabelled]] = nothing
    telling = np.count_nonzero(unlabelled < len(coder.labels))
    nominal = column.categorical and isinstance(rule, Category)
    feature = Feature(name, labels, labelled, unlabelled, missing_is_value=missing_is_value, nominal=nominal)
    return EncodedFeature(feature, int(np.count_nonzero(seen[:-1])), unseen_share(present - int(telling), present))


def _unlabelled_presence(prepared: PreparedTable, others: Sequence[Table], name: str) -> npt.NDArray[np.bool_]:
    """For each unlabelled cell of a column, whether it holds a value, seen in labelled rows or not."""
    own = prepared.table.columns[name]
    columns = [(own, own.codes[prepared.unlabelled]), *((t.columns[name], t.columns[name].codes) for t in others)]
    return np.concatenate([codes != len(column.values) for column, codes in columns])


def _unlabelled_values(prepared: PreparedTable, others: Sequence[Table], name: str) -> int:
    return int(np.count_nonzero(_unlabelled_presence(prepared, others, name)))


def _check_columns(prepared: PreparedTable, others: Sequence[Table]) -> None:
    for table in others:
        lacking = [plan.name for plan in prepared.features if plan.name not in table.columns]
        if lacking:
            problem = f"lacks {counted(len(lacking), 'column')} of {prepared.table.source}: {listed(lacking)}"
            raise DataError(f"{problem}; add them, or leave them out with {option('exclude')}", source=table.source)


def _notes(prepared: PreparedTable, encoded: Sequence[EncodedFeature]) -> list[Note]:
    notes = []
    measured = prepared.choice.numbers_as_they_are
    cut = [plan for plan in prepared.features if isinstance(plan.rule, Quantiles) and not plan.rule.strict]
    if cut:
        names = [plan.name for plan in cut]
        how = f"into {cut[0].rule.describe()} of the labelled rows ({option('bins')}, or a mapping)"
        notes.append(NoteKind.CUT.note(f"cut {how}: {listed(names)}", names))
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
        notes.append(NoteKind.EMPTY.note(f"no value in any labelled row: {listed(empty)}", empty))
    if constant:
        notes.append(NoteKind.CONSTANT.note(f"the same value in every labelled row: {listed(constant)}", constant))
    if unique:
        problem = f"a different value in every row (an identifier?): {listed(unique)}"
        notes.append(NoteKind.DISTINCT.note(f"{problem}; {option('exclude')} leaves it out", unique))
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
    column = prepared.table.columns[feature.name]
    if isinstance(column, NumberColumn):
        return not column.has_fractions(None)
    numbers = column.numbers() if feature.numbers is None else feature.numbers
    if column.kind is Kind.DATE or numbers is None:
        return column.kind is not Kind.DATE and not are_dates(column.values)
    return bool(np.all(numbers == np.rint(numbers)))
