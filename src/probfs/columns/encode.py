"""Prepared table + unlabelled tables -> a dataset of integer codes, and of numbers for a classifier that measures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress

import numpy as np
import pyarrow as pa

from probfs.columns.dataset import (
    MISSING_LABEL,
    MOST_VALUES,
    Dataset,
    DeferredLabels,
    Feature,
    normalise_weights,
)
from probfs.columns.dates import are_iso_dates
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
    interval_codes,
    quantile_points,
    some_numbers,
)
from probfs.columns.target import check_target, label_of_each_value, row_counts
from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.runtime.parallel import count_cores, map_in_threads
from probfs.tables.arrays import Codes, Flags, Floats, Integers, Rows, code_type, looked_up, text_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column, numbers_of
from probfs.tables.table import Table, number_groups, number_matrix
from probfs.text import counted, listed, option, quoted

_SECONDS_OF_A_DAY = 86_400.0
_FEW_ROWS = 2_000
_MANY_UNSEEN = 0.5
_FEWEST_UNLABELLED = 10
"""Fewer unlabelled cells than this with a value in a column say nothing about how the column is written."""


def encode(prepared: PreparedTable, unlabelled: Sequence[Table] = ()) -> tuple[Dataset, tuple[Note, ...]]:
    """Codes for every feature of every row, and notes on what a user should know of them."""
    check_target(prepared)
    table, choice, rows = prepared.table, prepared.choice, _labelled(prepared)
    others = [prepared.texts.read(other) for other in unlabelled]
    for other in others:
        refuse_lacking_columns(other, [plan.name for plan in prepared.features], table.source)
    coded = _code_numbers(prepared)
    features, distinct, unseen = [], {}, {}
    for plan in prepared.features:
        column, further = table.columns[plan.name], [other.columns[plan.name] for other in others]
        present: Flags = np.empty(0, dtype=np.bool_)
        if others or len(prepared.unlabelled):
            missing = column.is_missing()[prepared.unlabelled]
            present = ~np.concatenate([missing, *(one.is_missing() for one in further)])
        if isinstance(plan.rule, Measured):
            feature, lost = _measure(prepared, others, plan, plan.rule, present)
            held = np.bincount(feature.labelled, minlength=feature.values + 1)[: feature.values]
            distinct[plan.name] = int(np.count_nonzero(held))
        else:
            if plan.name in coded:
                coding, codes = coded[plan.name]
            else:
                coding, new_codes = learn_coding(prepared, plan)
                codes = looked_up(new_codes.astype(code_type(coding.values)), column.codes)
            of_unlabelled, lost = codes[prepared.unlabelled], 0
            if len(present):
                of_unlabelled = np.concatenate([of_unlabelled, *(coding.recode(other) for other in others)])
                of_unlabelled, known = coding.mask_unseen(of_unlabelled)
                lost = int(np.count_nonzero(present)) - known
            feature = coding.feature(codes[rows], of_unlabelled)
            distinct[plan.name] = coding.distinct
        features.append(feature)
        unseen[plan.name] = unseen_share(lost, int(np.count_nonzero(present)))
    importance = prepared.importance
    weights = None if importance is None else normalise_weights(importance[rows], prepared.weights[rows])
    dataset = Dataset(
        tuple(features),
        prepared.target.classes,
        prepared.target.labels[rows],
        prepared.weights[rows],
        np.concatenate([prepared.weights[prepared.unlabelled], *(row_counts(other, choice.count) for other in others)]),
        table.source,
        prepared.groups(),
        weights,
        prepared.times(),
    )
    notes = [note for other in others for note in notes_on_lacking_counts(other, choice.count)]
    if weights is not None:
        equal = f"as much information as {dataset.effective_rows:,.1f} rows of equal weight, and tests count that many"
        message = f"with {option('weight')}, the {counted(dataset.rows, 'row')} hold {equal}"
        notes.append(NoteKind.EFFECTIVE_ROWS.note(message, [choice.weight or ""]))
    if dataset.times is not None:
        of_rows = f"by {option('time')}, and each is judged by models of earlier rows only"
        folds = "the first fold only trains, and folds replace leave-one-out"
        notes.append(NoteKind.TIME_ORDER.note(f"rows are ordered {of_rows}: {folds}", [choice.time or ""]))
    return dataset, (*notes, *notes_on_unseen(unseen), *notes_on_features(prepared, distinct))


def _labelled(prepared: PreparedTable) -> Rows:
    """The labelled rows; a slice, which copies nothing, where these are all."""
    return slice(None) if len(prepared.labelled) == prepared.table.rows else prepared.labelled


# Categories and intervals


@dataclass(frozen=True, eq=False)
class FeatureCoding:
    """How the cells of a feature become codes: a learned rule, its labels, and which of these labelled rows hold.

    The codes are those of a ``Feature``: 0…values-1, and ``values`` for a cell without a value.
    """

    name: str
    coder: Coder
    missing_is_value: bool
    nominal: bool
    """Whether the values are those of a type of categories, as a data frame has it."""
    held: Flags
    """For each code, ``values`` included, whether some labelled row has it."""
    scale: Floats | None = None
    """The number that each value stands for, as a ``Feature`` has it."""

    @property
    def values(self) -> int:
        return len(self.held) - 1

    @property
    def distinct(self) -> int:
        """How many values labelled rows hold."""
        return int(np.count_nonzero(self.held[:-1]))

    def labels(self) -> pa.StringArray:
        """The text of each value, with that of missing cells at the end where they are one."""
        labels = self.coder.labels
        return text_array([*labels.to_pylist(), MISSING_LABEL]) if self.missing_is_value else labels

    def feature(self, labelled: Codes, unlabelled: Codes) -> Feature:
        """The feature of rows with these codes."""
        return Feature(
            self.name,
            DeferredLabels(self.values, self.labels),
            labelled,
            unlabelled,
            missing_is_value=self.missing_is_value,
            nominal=self.nominal,
            scale=self.scale,
        )

    def recode(self, table: Table) -> Codes:
        """The code of every row of a table."""
        column = table.columns[self.name]
        is_number = column.is_numeric and not pa.types.is_dictionary(column.cells.type)
        if isinstance(self.coder, CutCoder) and is_number and column.kind is self.coder.kind:
            # Without a look at each of perhaps very many different numbers, unless one is to be refused.
            numbers, points = column.by_row, self.coder.points
            if not (self.coder.strict and np.isinf(numbers).any()):
                counting = np.ones((1, len(points)), dtype=np.bool_)
                return np.asarray(interval_codes(numbers[None, :], points[None, :], counting)[0])
        new_codes = code_of_each_value(table, column, self.coder, missing_is_value=self.missing_is_value)
        return looked_up(new_codes.astype(code_type(self.values)), column.codes)

    def mask_unseen(self, unlabelled: Codes) -> tuple[Codes, int]:
        """The codes with ``values`` in place of those that no labelled row has, and how many cells still hold a value;
        missing cells are not among these, though they may count as a value.
        """
        if not self.held[:-1].all():
            kept = np.where(self.held, np.arange(self.values + 1), self.values)
            unlabelled = looked_up(kept.astype(unlabelled.dtype), unlabelled)
        return unlabelled, int(np.count_nonzero(unlabelled < self.values - self.missing_is_value))


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
    column = prepared.table.columns[plan.name]
    in_text_order = column.ordered and not prepared.choice.keep_category_order
    coder = prepared.learn(replace(column, order=None) if in_text_order else column, plan.rule)
    codes = code_of_each_value(prepared.table, column, coder, missing_is_value=plan.missing_is_value)
    if len(coder.labels) > MOST_VALUES:
        problem = f"column {quoted(plan.name)} has {len(coder.labels):,} different values, more than the"
        hint = f"leave it out with {option('exclude')}, or cut or group it in a mapping"
        raise DataError(f"{problem} {MOST_VALUES:,} that are counted; {hint}", source=prepared.table.source)
    # From how many rows hold each value, not from the rows.
    counts = column.counts(prepared.labelled_weights)
    held = np.bincount(codes, counts, minlength=len(coder.labels) + plan.missing_is_value + 1) > 0
    nominal = column.categorical and isinstance(plan.rule, Category)
    is_guess = isinstance(plan.rule, Category) and not nominal and plan.name not in prepared.mapping.columns
    # By their texts: a cluster has no others.
    return _coding(plan, coder, held, nominal, numbers_of(coder.labels, Kind.TEXT) if is_guess else None), codes


def _coding(
    plan: ColumnPlan, coder: Coder, held: Flags, nominal: bool = False, scale: Floats | None = None
) -> FeatureCoding:
    if isinstance(coder, CutCoder):
        scale = np.arange(len(coder.points) + 1, dtype=np.float64)
    scale = np.append(scale, np.nan) if plan.missing_is_value and scale is not None else scale
    return FeatureCoding(plan.name, coder, plan.missing_is_value, nominal, held, scale)


# Numbers, many columns at once


def _code_numbers(prepared: PreparedTable) -> dict[str, tuple[FeatureCoding, Codes]]:
    """How columns of numbers are coded, and the code of each row: those that are cut at quantiles and are not encoded
    yet, and those of few numbers in tables of few rows without unlabelled ones.
    """
    plans = {plan.name: plan for plan in prepared.features}
    cut: defaultdict[int, list[Column]] = defaultdict(list)
    few: list[Column] = []
    for name, plan in plans.items():
        rule, column = plan.rule.fallback if isinstance(plan.rule, Numeric) else plan.rule, prepared.table.columns[name]
        if isinstance(rule, Quantiles) and not column.is_encoded:
            cut[rule.intervals].append(column)
        elif (
            plan.rule == Category()
            and name not in prepared.mapping.columns
            and not pa.types.is_dictionary(column.cells.type)
        ):
            # Whole numbers that are no doubles are held as texts.
            few.append(column)
    jobs = [(partial(_cut_group, prepared, plans, intervals), columns) for intervals, columns in cut.items()]
    if prepared.labelled_weights is None and prepared.table.rows <= _FEW_ROWS:
        jobs.append((partial(_list_group, prepared, plans), few))
    coded: dict[str, tuple[FeatureCoding, Codes]] = {}
    for code, columns in jobs:
        for group in map_in_threads(code, number_groups(columns), count_cores()):
            coded |= group
    return coded


def _cut_group(
    prepared: PreparedTable, plans: Mapping[str, ColumnPlan], intervals: int, columns: Sequence[Column]
) -> dict[str, tuple[FeatureCoding, Codes]]:
    """Columns cut at quantiles, except columns without a number or with an infinite one."""
    numbers, rows, weights = number_matrix(columns), _labelled(prepared), prepared.labelled_weights
    fits: Flags = np.logical_and(np.isfinite(numbers[:, rows]).any(axis=1), ~np.isinf(numbers).any(axis=1))
    if not fits.all():
        numbers, columns = numbers[fits], list(compress(columns, fits.tolist()))
    if not columns:
        return {}
    points, counting = quantile_points(numbers[:, rows], None if weights is None else weights[rows], intervals)
    codes = interval_codes(numbers, points, counting)
    coded = {}
    for place, column in enumerate(columns):
        plan = plans[column.name]
        strict = not isinstance(plan.rule, Quantiles) or plan.rule.strict
        coder = CutCoder(points[place, counting[place]], column.kind, strict)
        # Every interval holds labelled rows.
        held = np.ones(len(coder.points) + 2 + plan.missing_is_value, dtype=np.bool_)
        coded[column.name] = _coding(plan, coder, held), codes[place]
    return coded


def _list_group(
    prepared: PreparedTable, plans: Mapping[str, ColumnPlan], columns: Sequence[Column]
) -> dict[str, tuple[FeatureCoding, Codes]]:
    """Columns of few numbers. Columns that hold the same numbers are coded alike, so one of them is learned from."""
    matrix = number_matrix(columns)
    ordered = np.sort(matrix, axis=1)
    new = ~np.isnan(ordered)
    new[:, 1:] &= ordered[:, 1:] != ordered[:, :-1]
    alike: defaultdict[tuple[bool, str, bytes], list[int]] = defaultdict(list)
    for place, column in enumerate(columns):
        held = ordered[place][new[place]].tobytes()
        alike[plans[column.name].missing_is_value, str(column.cells.type), held].append(place)
    coded = {}
    for places in alike.values():
        first = columns[places[0]]
        coding, codes = learn_coding(prepared, plans[first.name])
        numbers = some_numbers(first.entries, first.kind)
        order = np.argsort(numbers)
        # A missing cell is NaN, which comes last.
        in_order = np.append(codes[:-1][order], codes[-1]).astype(code_type(coding.values))
        for place in places:
            name = columns[place].name
            coded[name] = replace(coding, name=name), in_order[np.searchsorted(numbers[order], matrix[place])]
    return coded


# Numbers as they are


def _measure(
    prepared: PreparedTable, others: Sequence[Table], plan: ColumnPlan, rule: Measured, present: Flags
) -> tuple[Feature, int]:
    """A feature of numbers as they are, and how many unlabelled cells hold something else."""
    column = prepared.table.columns[plan.name]
    by_row = number_of_each_row(prepared.table, column, rule)
    # Texts of another file are dates if those of the labelled one are.
    further = [number_of_each_row(table, table.columns[plan.name], rule, column.kind) for table in others]
    labelled, unlabelled = by_row[_labelled(prepared)], np.concatenate([by_row[prepared.unlabelled], *further])
    # Missing cells are NaN, of which unique leaves one, at the end: its code is the one after the last number's.
    # Adding 0 makes -0 the same as 0.
    numbers, positions = np.unique(np.concatenate([labelled, unlabelled]) + 0.0, return_inverse=True)
    numbers = numbers[~np.isnan(numbers)]
    if column.kind is Kind.DATE and len(numbers):
        # Days since the first date: a classifier that does not scale columns would drown in seconds since 1970.
        numbers = (numbers - numbers[0]) / _SECONDS_OF_A_DAY
    codes = positions.astype(code_type(len(numbers) + plan.missing_is_value))
    labelled_codes, unlabelled_codes = codes[: len(labelled)], codes[len(labelled) :]
    # An unlabelled text that is not a number has no value, but it is not missing.
    lost = np.isnan(unlabelled) & present
    unlabelled_codes[lost] += plan.missing_is_value
    feature = Feature(
        plan.name, text_array([]), labelled_codes, unlabelled_codes, numbers, missing_is_value=plan.missing_is_value
    )
    return feature, int(np.count_nonzero(lost))


def number_of_each_row(table: Table, column: Column, rule: Measured, kind: Kind | None = None) -> Floats:
    """The number in every row, NaN for a missing cell; ``kind`` says what the values are, if not the column's."""
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
    problem = "most unlabelled cells hold values of no labelled row, so they count as missing"
    return [NoteKind.UNSEEN.note(f"{problem}: {listed(strange)}; are they written the same way?", strange)]


# What a user should know of the features before they are ranked


def notes_on_features(prepared: PreparedTable, distinct: Mapping[str, int]) -> list[Note]:
    """Notes on features, of which ``distinct`` says how many values labelled rows hold."""
    cut = [plan for plan in prepared.features if isinstance(plan.rule, Quantiles) and not plan.rule.strict]
    empty, constant, unique = [], [], []
    for plan in prepared.features:
        values, column, profile = distinct[plan.name], prepared.table.columns[plan.name], prepared.profiles[plan.name]
        # For a classifier that measures, a missing category differs from a present one; a missing number is the mean.
        measures = prepared.choice.numbers_as_they_are and not isinstance(plan.rule, Measured)
        if not values:
            empty.append(plan.name)
        elif values == 1 and not (measures and profile.missing):
            constant.append(plan.name)
        elif values == prepared.labelled_rows > 2 and not plan.identifier:
            # Texts and whole numbers may be identifiers of which nothing was said so far, not measurements or dates.
            texts = prepared.texts.columns.get(plan.name)
            is_text = column.kind is Kind.TEXT and not are_iso_dates(column.values) and not (texts and texts.measures)
            unique += [plan.name] if is_text or (column.kind is Kind.NUMBER and profile.whole) else []
    notes = []
    if cut:
        names = [plan.name for plan in cut]
        how = f"into {cut[0].rule.describe()} of the labelled rows ({option('bins')}, or a mapping)"
        notes.append(NoteKind.CUT.note(f"cut {how}: {listed(names)}", names))
    if empty:
        notes.append(NoteKind.EMPTY.note(f"no value in any labelled row: {listed(empty)}", empty))
    if constant:
        notes.append(NoteKind.CONSTANT.note(f"only one value in the labelled rows: {listed(constant)}", constant))
    if unique:
        problem = f"a different value in every row (an identifier?): {listed(unique)}"
        notes.append(NoteKind.DISTINCT.note(f"{problem}; {option('exclude')} leaves it out", unique))
    return notes + prepared.trust_notes
