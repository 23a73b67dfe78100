"""Prepared table + unlabelled tables -> a dataset of integer codes, and of numbers for a classifier that measures."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

import numpy as np
import pyarrow as pa

from probfs.columns.dataset import MISSING_LABEL, Dataset, DeferredLabels, Feature, refuse_many_values
from probfs.columns.leakage import note_on_leaks
from probfs.columns.prepare import ColumnPlan, PreparedTable
from probfs.columns.rules import (
    UNKNOWN,
    Category,
    Coder,
    CutCoder,
    Measured,
    Numeric,
    Quantiles,
    UnfitValueError,
    cut_one,
    interval_codes,
    interval_labels,
    quantile_points,
)
from probfs.columns.target import check_target, label_of_each_value, row_counts
from probfs.columns.texts import are_dates
from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.runtime.threads import count_cores, map_ahead
from probfs.tables.arrays import Codes, Flags, Floats, Integers, code_type, looked_up, text_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column
from probfs.tables.table import Table, number_groups, number_matrix
from probfs.text import counted, listed, option, quoted

_SECONDS_OF_A_DAY = 86_400.0
_MANY_UNSEEN = 0.5
_FEWEST_UNLABELLED = 10
"""Fewer unlabelled cells than this with a value in a column say nothing about how the column is written."""


@dataclass(frozen=True)
class EncodedFeature:
    """A feature, its number of distinct labelled values, and the share of unlabelled cells with other values."""

    feature: Feature
    distinct: int
    unseen: float


def encode(prepared: PreparedTable, unlabelled: Sequence[Table] = ()) -> tuple[Dataset, tuple[Note, ...]]:
    """Codes for every feature of every row, and notes on what a user should know of them."""
    check_target(prepared)
    others = [prepared.texts.read(table) for table in unlabelled]
    for table in others:
        refuse_lacking_columns(table, [plan.name for plan in prepared.features], prepared.table.source)
    count = prepared.choice.count
    notes = [note for table in others for note in notes_on_lacking_counts(table, count)]
    cut = _encode_cut_numbers(prepared, others)
    encoded = [cut.get(plan.name) or _encode_feature(prepared, others, plan) for plan in prepared.features]
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


# Columns of numbers cut at quantiles, many at once


def _encode_cut_numbers(prepared: PreparedTable, others: Sequence[Table]) -> dict[str, EncodedFeature]:
    """The features that are numbers in every table and are cut at quantiles, by name."""
    by_rule: dict[int, dict[str, ColumnPlan]] = {}
    for plan in prepared.features:
        rule = plan.rule.fallback if isinstance(plan.rule, Numeric) else plan.rule
        tables = (prepared.table, *others)
        if isinstance(rule, Quantiles) and all(table.columns[plan.name].is_numeric for table in tables):
            by_rule.setdefault(rule.intervals, {})[plan.name] = plan
    encoded: dict[str, EncodedFeature] = {}
    threads = count_cores()
    for intervals, plans in by_rule.items():
        columns = (prepared.table.columns[name] for name in plans)
        cut = partial(_cut, prepared, others, plans, intervals)
        for features in map_ahead(cut, number_groups(columns), threads, ahead=threads):
            encoded.update((one.feature.name, one) for one in features)
    return encoded


def _cut(
    prepared: PreparedTable,
    others: Sequence[Table],
    plans: Mapping[str, ColumnPlan],
    intervals: int,
    columns: Sequence[Column],
) -> list[EncodedFeature]:
    numbers = number_matrix(columns)
    weights, rows = prepared.labelled_weights, slice(None) if prepared.labelled_weights is None else prepared.labelled
    labelled = numbers[:, rows]
    further = [number_matrix([table.columns[column.name] for column in columns]) for table in others]
    # A column without a number, or with an infinite one, has nothing to cut, or is refused: not here.
    infinite = np.any([np.isinf(own).any(axis=1) for own in (numbers, *further)], axis=0)
    fits: Flags = np.logical_and(np.isfinite(labelled).any(axis=1), ~infinite)
    if not fits.all():
        columns = [column for column, fit in zip(columns, fits.tolist(), strict=True) if fit]
        if not columns:
            return []
        numbers, labelled, further = numbers[fits], labelled[fits], [own[fits] for own in further]
    points, counting = quantile_points(labelled, None if weights is None else weights[rows], intervals)
    codes = interval_codes(numbers, points, counting)
    unlabelled = [codes[:, prepared.unlabelled], *(interval_codes(one, points, counting) for one in further)]
    own, further_codes = codes[:, rows], np.concatenate(unlabelled, axis=1)
    features = []
    for place, column in enumerate(columns):
        missing_is_value = plans[column.name].missing_is_value
        own_points = points[place, counting[place]]
        make = partial(_interval_labels, own_points, column.kind, missing_is_value)
        labels = DeferredLabels(len(own_points) + 1 + missing_is_value, make)
        feature = Feature(column.name, labels, own[place], further_codes[place], missing_is_value=missing_is_value)
        # Labelled rows are in every interval, so no cell holds what they do not.
        features.append(EncodedFeature(feature, len(labels), 0.0))
    return features


def _interval_labels(points: Floats, kind: Kind, missing_is_value: bool) -> pa.StringArray:
    return _with_missing(interval_labels(points, kind), missing_is_value)


def _with_missing(labels: pa.StringArray, missing_is_value: bool) -> pa.StringArray:
    return text_array([*labels.to_pylist(), MISSING_LABEL]) if missing_is_value else labels


# Any other column, one by one


@dataclass(frozen=True, eq=False)
class FeatureCoding:
    """How the cells of a feature become codes: a learned rule, its labels, and which of these labelled rows hold.

    The codes are those of a ``Feature``: 0…values-1, and ``values`` for a cell that says nothing.
    """

    name: str
    coder: Coder
    labels: pa.StringArray
    """The text of each value, with that of missing cells at the end where they are one."""
    missing_is_value: bool
    nominal: bool
    """Whether the values are those of a type of categories, as a data frame has it."""
    held: Flags
    """For each code, that of cells that say nothing included, whether some labelled row has it."""

    @property
    def values(self) -> int:
        return len(self.labels)

    @property
    def distinct(self) -> int:
        """How many values labelled rows hold."""
        return int(np.count_nonzero(self.held[:-1]))

    def recode(self, table: Table) -> Codes:
        """The code of every row of a table."""
        column = table.columns[self.name]
        if isinstance(self.coder, CutCoder) and column.is_numeric and column.kind is self.coder.kind:
            # Without a look at each of perhaps very many different numbers, unless one is to be refused.
            by_row = column.by_row
            if not (self.coder.strict and np.isinf(by_row).any()):
                return cut_one(by_row, self.coder.points)
        new_codes = code_of_each_value(table, column, self.coder, missing_is_value=self.missing_is_value)
        return looked_up(new_codes.astype(code_type(self.values)), column.codes)

    def silence_unseen(self, unlabelled: Codes) -> tuple[Codes, int]:
        """The codes with that of cells that say nothing wherever no labelled row holds the value; how many still tell.

        A missing cell tells nothing here, though it may be a value.
        """
        kept = np.where(self.held, np.arange(self.values + 1), self.values)
        codes = looked_up(kept.astype(unlabelled.dtype), unlabelled)
        return codes, int(np.count_nonzero(codes < self.values - self.missing_is_value))


def code_of_each_value(table: Table, column: Column, coder: Coder, *, missing_is_value: bool = False) -> Integers:
    """The code of each value and, at the end, of a missing cell: a value without a label becomes missing.

    Where missing is a value, it comes after the labels, and a value without a label gets the code after that.
    """
    labels = label_of_each_value(table, column, coder)
    codes = np.where(labels == UNKNOWN, len(coder.labels) + missing_is_value, labels)
    if missing_is_value:
        codes[-1] = len(coder.labels)
    return codes


def learn_coding(prepared: PreparedTable, plan: ColumnPlan) -> tuple[FeatureCoding, Integers]:
    """What the labelled rows teach of a feature, and the code of each value of its column."""
    assert not isinstance(plan.rule, Measured), "numbers as they are have no list of values"
    table, missing_is_value = prepared.table, plan.missing_is_value
    column = table.columns[plan.name]
    in_text_order = column.ordered and not prepared.choice.keep_category_order
    coder = prepared.learn(replace(column, order=None) if in_text_order else column, plan.rule)
    labels = _with_missing(coder.labels, missing_is_value)
    codes = code_of_each_value(table, column, coder, missing_is_value=missing_is_value)
    refuse_many_values(plan.name, len(coder.labels), table.source)
    # From how many rows hold each value, not from the rows.
    rows = column.counts(prepared.labelled_weights)
    held = np.bincount(codes, rows, minlength=len(labels) + 1) > 0
    nominal = column.categorical and isinstance(plan.rule, Category)
    return FeatureCoding(plan.name, coder, labels, missing_is_value, nominal, held), codes


def _encode_feature(prepared: PreparedTable, others: Sequence[Table], plan: ColumnPlan) -> EncodedFeature:
    own = prepared.table.columns[plan.name].is_missing()[prepared.unlabelled]
    present = ~np.concatenate([own, *(table.columns[plan.name].is_missing() for table in others)])
    if isinstance(plan.rule, Measured):
        feature, distinct, telling = _measure_feature(prepared, others, plan, plan.rule, present)
    else:
        coding, new_codes = learn_coding(prepared, plan)
        codes = looked_up(new_codes.astype(code_type(coding.values)), prepared.table.columns[plan.name].codes)
        labelled = codes if prepared.labelled_rows == len(codes) else codes[prepared.labelled]
        unlabelled = np.concatenate([codes[prepared.unlabelled], *map(coding.recode, others)])
        unlabelled, telling = coding.silence_unseen(unlabelled)
        feature = Feature(plan.name, coding.labels, labelled, unlabelled, None, coding.missing_is_value, coding.nominal)
        distinct = coding.distinct
    holding = int(np.count_nonzero(present))
    return EncodedFeature(feature, distinct, unseen_share(holding - telling, holding))


def _measure_feature(
    prepared: PreparedTable, others: Sequence[Table], plan: ColumnPlan, rule: Measured, present: Flags
) -> tuple[Feature, int, int]:
    """A feature of numbers as they are, how many different ones labelled rows hold, and how many unlabelled cells hold
    one; ``present`` says which of these hold anything.
    """
    column = prepared.table.columns[plan.name]
    own = number_of_each_row(prepared.table, column, rule)
    # Texts of another file are dates if those of the labelled one are.
    further = [number_of_each_row(table, table.columns[plan.name], rule, column.kind) for table in others]
    labelled, unlabelled = own[prepared.labelled], np.concatenate([own[prepared.unlabelled], *further])
    # Missing cells are NaN, of which unique leaves one, at the end: its code is the one after the last number's.
    # Adding 0 makes -0 the same as 0.
    numbers, codes = np.unique(np.concatenate([labelled, unlabelled]) + 0.0, return_inverse=True)
    numbers = numbers[~np.isnan(numbers)]
    if column.kind is Kind.DATE and len(numbers):
        # Days since the first date: a classifier that does not scale columns would drown in seconds since 1970.
        numbers = (numbers - numbers[0]) / _SECONDS_OF_A_DAY
    narrow = codes.astype(code_type(len(numbers) + plan.missing_is_value))
    own_codes, other_codes = narrow[: len(labelled)], narrow[len(labelled) :]
    if plan.missing_is_value:
        # An unlabelled text that is not a number is not missing: it says nothing.
        other_codes[np.isnan(unlabelled) & present] += 1
    feature = Feature(plan.name, text_array([]), own_codes, other_codes, numbers, plan.missing_is_value)
    distinct = int(np.count_nonzero(np.bincount(own_codes, minlength=feature.values + 1)[:-1]))
    return feature, distinct, int(np.count_nonzero(~np.isnan(unlabelled)))


def number_of_each_row(table: Table, column: Column, rule: Measured, kind: Kind | None = None) -> Floats:
    """The number in every row, NaN for a missing cell; ``kind`` says what the values are, if not the column's own."""
    if column.is_numeric and kind in (None, column.kind):
        by_row = column.by_row
        if not np.isinf(by_row).any():
            return by_row
    try:
        numbers = rule.numbers(table.usable(column).entries, kind or column.kind)
    except UnfitValueError as error:
        raise table.cell_error(column, error.position, error.problem) from error
    return np.append(numbers, np.nan)[column.codes]


# Tables of further rows


def refuse_lacking_columns(table: Table, features: Iterable[str], labelled_source: str) -> None:
    """Refuse a table that lacks a feature of the labelled one."""
    lacking = [name for name in features if name not in table.columns]
    if lacking:
        problem = f"lacks {counted(len(lacking), 'column')} of {labelled_source}: {listed(lacking)}"
        raise DataError(f"{problem}; add them, or leave them out with {option('exclude')}", source=table.source)


def notes_on_lacking_counts(table: Table, count: str | None) -> list[Note]:
    """A note on a table without the column of counts, if there is to be one."""
    if count is None or count in table.columns:
        return []
    message = f"{table.source}: no column {quoted(count)}, so each of its rows counts once"
    return [NoteKind.COUNTED_ONCE.note(message, [count])]


def unseen_share(lost: int, present: int) -> float:
    """The share of a column's unlabelled cells that hold what no labelled one does; 0 where they are too few to say."""
    return lost / present if present >= _FEWEST_UNLABELLED else 0.0


def notes_on_unseen(unseen: Mapping[str, float]) -> list[Note]:
    """A note on features by the share of unlabelled cells that hold what labelled ones do not, if some is large."""
    strange = [name for name, share in unseen.items() if share > _MANY_UNSEEN]
    if not strange:
        return []
    problem = "most unlabelled cells hold what labelled ones do not, so they count as missing"
    return [NoteKind.UNSEEN.note(f"{problem}: {listed(strange)}; are they written alike?", strange)]


# What a user should know of the features before they are ranked


def _notes(prepared: PreparedTable, encoded: Sequence[EncodedFeature]) -> list[Note]:
    features = [one.feature for one in encoded]
    distinct = {one.feature.name: one.distinct for one in encoded}
    numbers = {feature.name: feature.numbers for feature in features if feature.numbers is not None}
    # For a classifier that measures, missing cells of a category tell rows apart; a missing number becomes the mean.
    measures = prepared.choice.numbers_as_they_are
    single = [own for own in features if measures and own.numbers is None and distinct[own.name] == 1]
    told_by_missing = {own.name for own in single if np.any(own.labelled == own.values)}
    return notes_on_features(prepared, distinct, numbers, told_by_missing)


def notes_on_features(
    prepared: PreparedTable,
    distinct: Mapping[str, int],
    numbers: Mapping[str, Floats] = MappingProxyType({}),
    told_by_missing: Collection[str] = (),
) -> list[Note]:
    """Notes on features, of which ``distinct`` says how many values labelled rows hold.

    ``numbers`` has the distinct numbers of features that are measured; those ``told_by_missing`` have one value, and
    missing cells that tell rows apart.
    """
    notes = []
    cut = [plan for plan in prepared.features if isinstance(plan.rule, Quantiles) and not plan.rule.strict]
    if cut:
        names = [plan.name for plan in cut]
        how = f"into {cut[0].rule.describe()} of the labelled rows ({option('bins')}, or a mapping)"
        notes.append(NoteKind.CUT.note(f"cut {how}: {listed(names)}", names))
    empty = [name for name, values in distinct.items() if not values]
    constant = [name for name, values in distinct.items() if values == 1 and name not in told_by_missing]
    unique = list(_different_everywhere(prepared, distinct, numbers))
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


def _different_everywhere(
    prepared: PreparedTable, distinct: Mapping[str, int], numbers: Mapping[str, Floats]
) -> Iterator[str]:
    """Features with a different value in every row that may be identifiers, of which nothing was said so far: texts and
    whole numbers, not measurements or dates.
    """
    rows = prepared.labelled_rows
    told = {plan.name for plan in prepared.features if plan.identifier}
    for name, values in distinct.items():
        column = prepared.table.columns[name]
        if rows <= 2 or values != rows or name in told or column.kind is Kind.DATE:
            continue
        measured = numbers.get(name)
        if measured is not None or column.kind is Kind.NUMBER:
            whole = prepared.facts.labelled[name].whole if measured is None else bool(np.all(measured % 1 == 0))
            if whole:
                yield name
        elif not are_dates(column.values):
            yield name
