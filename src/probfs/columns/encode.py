"""Prepared table + unlabelled tables -> a dataset of integer codes, and of numbers for a classifier that measures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from probfs.columns.block_encoding import encode_block_columns
from probfs.columns.dataset import Dataset, EncodedFeature, Feature, unseen_share
from probfs.columns.encoding_notes import notes_on_features, notes_on_unseen
from probfs.columns.feature_coding import learn_coding
from probfs.columns.prepare import PreparedTable
from probfs.columns.recoding import number_of_each_row
from probfs.columns.roles import ColumnPlan
from probfs.columns.row_counts import row_counts
from probfs.columns.rules import Measured
from probfs.columns.target_check import check_target
from probfs.columns.unlabelled_tables import notes_on_lacking_counts, refuse_lacking_columns
from probfs.notes import Note
from probfs.tables.arrow_arrays import text_array
from probfs.tables.table import Kind, Table, code_type

_SECONDS_OF_A_DAY = 86_400.0


def encode(prepared: PreparedTable, unlabelled: Sequence[Table] = ()) -> tuple[Dataset, tuple[Note, ...]]:
    """Codes for every feature of every row, and notes on what a user should know of them."""
    check_target(prepared)
    others = [prepared.texts.read(table) for table in unlabelled]
    names = [plan.name for plan in prepared.features]
    for table in others:
        refuse_lacking_columns(table, names, prepared.table.source)
    count = prepared.choice.count
    notes = [note for table in others for note in notes_on_lacking_counts(table, count)]
    together = encode_block_columns(prepared, others)
    encoded = [together.get(plan.name) or _encode_feature(prepared, others, plan) for plan in prepared.features]
    notes += notes_on_unseen({one.feature.name: one.unseen for one in encoded})
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
    return _count_feature(prepared, others, plan)


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


def _count_feature(prepared: PreparedTable, others: Sequence[Table], plan: ColumnPlan) -> EncodedFeature:
    coding, new_codes = learn_coding(prepared, plan)
    codes = coding.recode(prepared.table, new_codes)
    labelled = codes if prepared.labelled_rows == len(codes) else codes[prepared.labelled]
    unlabelled = np.concatenate([codes[prepared.unlabelled], *map(coding.recode, others)])
    unlabelled, telling = coding.silence_unseen(unlabelled)
    present = _unlabelled_values(prepared, others, plan.name)
    missing_is_value, nominal = coding.missing_is_value, coding.nominal
    feature = Feature(
        plan.name, coding.labels, labelled, unlabelled, missing_is_value=missing_is_value, nominal=nominal
    )
    return EncodedFeature(feature, coding.distinct, unseen_share(present - telling, present))


def _unlabelled_presence(prepared: PreparedTable, others: Sequence[Table], name: str) -> npt.NDArray[np.bool_]:
    """For each unlabelled cell of a column, whether it holds a value, seen in labelled rows or not."""
    own = prepared.table.columns[name]
    columns = [(own, own.codes[prepared.unlabelled]), *((t.columns[name], t.columns[name].codes) for t in others)]
    return np.concatenate([codes != len(column.values) for column, codes in columns])


def _unlabelled_values(prepared: PreparedTable, others: Sequence[Table], name: str) -> int:
    return int(np.count_nonzero(_unlabelled_presence(prepared, others, name)))


def _notes(prepared: PreparedTable, encoded: Sequence[EncodedFeature]) -> list[Note]:
    features = [one.feature for one in encoded]
    told_by_missing: set[str] = set()
    if prepared.choice.numbers_as_they_are:
        told_by_missing = {one.feature.name for one in encoded if one.distinct == 1 and _tells_by_missing(one.feature)}
    return notes_on_features(
        prepared,
        {one.feature.name: one.distinct for one in encoded},
        {feature.name: feature.numbers for feature in features if feature.numbers is not None},
        told_by_missing,
    )


def _tells_by_missing(feature: Feature) -> bool:
    """Whether missing cells tell rows apart for a classifier that measures: in a category they do, a missing number is
    replaced by the mean.
    """
    return feature.numbers is None and bool(np.any(feature.labelled == feature.values))
