"""Columns that alone give the class away: by a threshold, by intervals, by their values, or by being missing.

Such a column is often known only after the class is, or is written down because of it: leakage. Or it is just good:
it is ranked, and the user is told.

The measure is the number of rows that the column alone gets wrong, against the rows that guessing the most frequent
class gets wrong. A column is flagged where it removes nearly all of these errors, and where an honest column as strong
as is usual would hardly have done so by luck and by the choice of cuts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from probfs.columns.choice import CUT_ABOVE
from probfs.columns.identifiers import FEWEST_SUBJECTS, ROWS_OF_A_SUBJECT
from probfs.columns.rules import UNKNOWN, end_label
from probfs.columns.target import Target
from probfs.notes import Note, NoteKind
from probfs.tables.arrays import Floats, Integers
from probfs.tables.cells import Kind
from probfs.tables.column import Column
from probfs.tables.table import Profile, number_groups, number_matrix
from probfs.text import listed, option, printable, quoted

_MOST_ERRORS = 0.03
"""Of the errors of guessing, those that a leak leaves."""
_MOST_ERRORS_OF_MISSING = 0.1
"""The same where missing cells tell the class: seldom does an honest column tell so much by having no value."""
_ERRORS_OF_HONEST = 0.14
"""Of the errors of guessing, about those that the best cut of an honest normal column of AUC 0.97 leaves."""
_ERRORS_OF_HONEST_MISSING = 0.5
_SIGNIFICANCE = 0.01
_MANY_ERRORS = 2_000
"""Of guessing: beyond, no honest column leaves few of them by luck."""
_FEWEST_MISSING = 5
"""Cells before they are looked at; fewer tell nothing."""
_MORE_INTERVALS = 3
"""Intervals beyond the number of classes that are tried."""
_SAMPLED_ROWS = 500
"""Of each class, by which most columns of long tables are seen to be no leak."""
_MOST_ERRORS_IN_SAMPLE = 0.15
_MOST_PAIRS = 1 << 24
"""Pairs of values and classes that are counted: beyond, no leak is looked for."""
_MOST_ROWS_OF_SUBJECTS = 1 << 16
"""Beyond, numbers are not looked at that repeat as those of subjects do: it would take as long as reading them."""
_MOST_TOLD = 6
"""In one note."""


@dataclass(frozen=True)
class Leak:
    """How a column gives the class away, and in how many rows it is right."""

    how: str
    """What tells the class, as a sentence begins: ``bwt <= 2500 gives low away``."""
    right: int
    rows: int
    values: int = 0
    """How many values tell it where it takes all of them; 0 where it is told by one, by cuts or by missing cells."""

    def describe(self) -> str:
        return f"{self.how}: {self.right:,} of {self.rows:,} rows"


def note_on_leaks(leaks: Mapping[str, Leak]) -> list[Note]:
    """One line about the columns that nearly give the class away, if there are any."""
    shown = "; ".join(leak.describe() for leak in list(leaks.values())[:_MOST_TOLD])
    rest = f"; and {len(leaks) - _MOST_TOLD:,} more columns" if len(leaks) > _MOST_TOLD else ""
    remedy = f"{option('exclude')} leaves out what is known only after the class"
    message = f"one column alone nearly gives the class away (leakage?): {shown}{rest}; {remedy}"
    return [NoteKind.LEAKAGE.note(message, leaks)] if leaks else []


def note_on_kept_leaks(leaks: Mapping[str, Leak], kept: Iterable[str]) -> list[Note]:
    """One line about a selection that rests on columns that nearly give the class away, if it does."""
    names = [name for name in kept if name in leaks]
    gives, it, it_is = ("gives", "it", "it is") if len(names) == 1 else ("give", "them", "they are")
    problem = f"{listed(names)} nearly {gives} the class away, and the verdicts on all other columns depend on {it}"
    remedy = f"if {it_is} known only after the class, leave {it} out with {option('exclude')} and select again"
    return [NoteKind.LEAK_KEPT.note(f"{problem}; {remedy}", names)] if names else []


@cache
def _most_errors(guessing: int, missing: bool = False, extra: int = 0) -> int:
    """The most errors that a leak makes where guessing makes so many, -1 if even none would prove nothing.

    ``extra`` cuts were chosen for the errors they remove, and count as errors.
    """
    share = _MOST_ERRORS_OF_MISSING if missing else _MOST_ERRORS
    honest = _ERRORS_OF_HONEST_MISSING if missing else _ERRORS_OF_HONEST
    most, errors = math.floor(share * guessing), -1
    if guessing > _MANY_ERRORS:
        return most if extra <= most else -1
    # The probability that so many of the errors of guessing are left, summed up term by term.
    term, below = guessing * math.log1p(-honest), 0.0
    for left in range(most + extra + 1):
        below += math.exp(term)
        if below >= _SIGNIFICANCE:
            break
        errors = left - extra
        term += math.log((guessing - left) / (left + 1) * honest / (1 - honest)) if left < guessing else -math.inf
    return max(errors, -1)


def times_in_leak(class_rows: Sequence[int], weights: Integers | None) -> int:
    """In how many rows of a table a value must stand to tell a class from all others, given the rows of each class."""
    total, heaviest = sum(class_rows), 1 if weights is None else int(weights.max(initial=1))
    rarer = [min(rows, total - rows) for rows in class_rows]
    fewest = [rows - most for rows in rarer if (most := _most_errors(rows)) >= 0]
    return -(-min(fewest, default=total + 1) // heaviest)


def find_leaks(
    columns: Iterable[Column], profiles: Mapping[str, Profile], target: Target, weights: Integers | None
) -> dict[str, Leak]:
    """The leaks in some columns, by their names.

    ``profiles`` say which columns repeat a value ``times_in_leak`` times, and ``weights`` how many labelled rows each
    row stands for, None where each is one.
    """
    if len(target.classes) < 2:
        return {}
    every = list(columns)
    separated = set(_columns_in_few_runs([column for column in every if not column.is_encoded], target, weights))
    found: dict[str, Leak] = {}
    for column in every:
        profile = profiles[column.name]
        # Most measurements hardly repeat, and rise without regard to the class.
        may_be_subjects = FEWEST_SUBJECTS <= profile.distinct <= column.rows / ROWS_OF_A_SUBJECT
        repeats = profile.repeats or (may_be_subjects and column.rows <= _MOST_ROWS_OF_SUBJECTS)
        may_be_cut = column.name in separated or column.is_encoded or not column.is_numeric
        if repeats or profile.missing >= _FEWEST_MISSING or may_be_cut:
            leak = _find_leak(column, target, weights, by_cuts=may_be_cut)
            found |= {} if leak is None else {column.name: leak}
    return found


def _columns_in_few_runs(columns: Sequence[Column], target: Target, weights: Integers | None) -> Iterator[str]:
    """The columns of numbers that intervals may decide: in their order, the class seldom changes.

    Every row that is an error splits a run in two, or it is at the end of a run.
    """
    labels, classes = target.labels, len(target.classes)
    rows_of_each = [np.flatnonzero(labels == label) for label in range(classes)]
    if weights is None:
        rows_of_each = [rows[:: -(-len(rows) // _SAMPLED_ROWS) or 1] for rows in rows_of_each]
        sizes = [len(rows) for rows in rows_of_each]
        most_errors = _MOST_ERRORS_IN_SAMPLE * (sum(sizes) - max(sizes))
    else:
        # Of rows that stand for others, a sample says little.
        rows_of_each = [rows[weights[rows] > 0] for rows in rows_of_each]
        most_errors = _MOST_ERRORS_OF_MISSING * (sum(target.class_rows) - max(target.class_rows))
    # By class, so that equal numbers stay together by class.
    rows = np.concatenate(rows_of_each)
    most_changes = 2 * classes + _MORE_INTERVALS + 2 * most_errors
    for group in number_groups(columns):
        numbers = number_matrix(group)[:, rows]
        order = np.argsort(numbers, axis=1, kind="stable")
        in_order = labels[rows][order].astype(np.int64)
        few = np.flatnonzero(np.count_nonzero(np.diff(in_order, axis=1), axis=1) <= most_changes)
        ordered = np.take_along_axis(numbers[few], order[few], axis=1)
        row_weights = None if weights is None else weights[rows][order[few]].ravel()
        # The errors of telling all rows of a number to be of one class.
        is_new = np.ones(ordered.shape, dtype=np.bool_)
        is_new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        shape = (*ordered.shape, classes)
        value = np.arange(len(few))[:, None] * len(rows) + np.cumsum(is_new, axis=1) - 1
        counts = np.bincount((value * classes + in_order[few]).ravel(), row_weights, math.prod(shape)).reshape(shape)
        wrong = counts.sum(axis=(1, 2)) - counts.max(axis=2).sum(axis=1)
        yield from (group[place].name for place in few[wrong <= most_errors].tolist())


def _find_leak(column: Column, target: Target, weights: Integers | None, *, by_cuts: bool) -> Leak | None:
    """The simplest way in which a column gives the class away, if it does; ``by_cuts`` says whether its numbers may."""
    by_value = _count_by_class(column, target, weights)
    if by_value is None:
        return None
    class_rows = np.array(target.class_rows)
    total, guessing = int(class_rows.sum()), int(class_rows.sum() - class_rows.max())
    known = column.of_known_numbers()
    counts_of_known = by_value if known is column else _count_by_class(known, target, weights)
    by_one_value = None if counts_of_known is None else _find_telling_value(known, counts_of_known, target)
    if by_one_value is not None and len(target.classes) == 2:
        return by_one_value
    numbers = column.numbers() if column.kind is not Kind.TEXT and not column.is_nominal else None
    if numbers is not None and by_cuts and (leak := _find_cuts(column, numbers, by_value, target)) is not None:
        return leak
    held = int(np.count_nonzero(by_value.sum(axis=1)[:-1]))
    if numbers is None or held <= CUT_ABOVE or held * ROWS_OF_A_SUBJECT <= total:
        # The rows whose class most other rows with the same value have; rows that are alone with theirs are guessed.
        second, first = np.sort(by_value, axis=1)[:, -2:].T
        alone = by_value.sum(axis=1) == 1
        right = int(first[first - 1 > second].sum() + by_value[alone, class_rows.argmax()].sum())
        if total - right <= _most_errors(guessing):
            how = f"the {held:,} values of {printable(column.name)} give {printable(target.name)} away"
            return Leak(how, right, total, held)
    return by_one_value


def _count_by_class(column: Column, target: Target, weights: Integers | None) -> Integers | None:
    """How many labelled rows of each class hold each value, missing cells last; None where these are too many."""
    classes = len(target.classes)
    codes, rows, cell_weights = column.coded_cells(weights)
    if column.problem is not None or (len(column.entries) + 1) * (classes + 1) > _MOST_PAIRS:
        return None
    pairs = (len(column.entries) + 1) * (classes + 1)
    # The narrower the numbers of pairs, the faster they are computed and counted.
    narrow = np.min_scalar_type(pairs)
    keys = codes.astype(narrow) * narrow.type(classes + 1)
    keys += (target.labels[rows] - UNKNOWN).astype(narrow)
    counts = np.bincount(keys, cell_weights, minlength=pairs)
    return counts.reshape(-1, classes + 1)[:, 1:].astype(np.int64)


def _find_telling_value(column: Column, by_value: Integers, target: Target) -> Leak | None:
    """The value, or missing cells, whose presence or absence tells a class from all others with the fewest errors."""
    class_rows, rows = np.array(target.class_rows), by_value.sum(axis=1)
    total, missing = int(class_rows.sum()), len(rows) - 1
    rarer = np.minimum(class_rows, total - class_rows).tolist()
    limits = np.tile([_most_errors(guessing) for guessing in rarer], (len(rows), 1))
    limits[missing] = [_most_errors(guessing, missing=True) for guessing in rarer]
    # In how many rows a value is without a class or the other way round; or it stands for all other classes.
    differing = rows[:, None] + class_rows - 2 * by_value
    errors = np.minimum(differing, total - differing)
    values, labels = np.nonzero(errors <= limits)
    if not len(values):
        return None
    # Of equals: missing cells, the class that the value stands for, then the first value and class.
    fewest = errors[values, labels]
    best = np.lexsort((labels, values, differing[values, labels] > fewest, values != missing, fewest))[0]
    code, name = int(values[best]), printable(column.name)
    value = "" if code == missing else column.values[code].as_py()
    shown = value if column.kind is Kind.NUMBER else quoted(value)
    how = f"whether {name} is missing" if code == missing else f"{name} = {shown}"
    what = printable(target.name)
    if len(target.classes) > 2:
        what += f" = {quoted(target.classes[int(labels[best])])}"
    return Leak(f"{how} gives {what} away", total - int(fewest[best]), total)


def _find_cuts(column: Column, numbers: Floats, by_value: Integers, target: Target) -> Leak | None:
    """The fewest cuts between numbers that give the class away, if some do; missing cells are apart."""
    total, guessing = sum(target.class_rows), sum(target.class_rows) - max(target.class_rows)
    if total - by_value.max(axis=1).sum() > _most_errors(guessing):
        return None
    held = np.flatnonzero(by_value[:-1].sum(axis=1))
    order = held[np.argsort(numbers[held], kind="stable")]
    classes, ordered = len(target.classes), numbers[order]
    # How many rows of each class lie below each number, and in all; and how many of these are right by so many cuts.
    up_to = np.concatenate([np.zeros((1, classes), dtype=np.int64), np.cumsum(by_value[order], axis=0)])
    best = [up_to.max(axis=1)]
    for cuts in range(min(classes + _MORE_INTERVALS, max(len(order), 1))):
        if cuts:
            # The last interval begins where most is right before it, less what its class has had until then.
            best.append((up_to + np.maximum.accumulate(best[-1][:, None] - up_to, axis=0)).max(axis=1))
        # The two ends of one interval are no more of a choice than one threshold (simulated).
        extra = 2 * max(0, cuts - 2) if classes == 2 else max(0, cuts - 1)
        right = int(best[-1][-1] + by_value[-1].max())
        if total - right <= _most_errors(guessing, extra=extra):
            break
    else:
        return None
    places, labels, end = list[int](), list[int](), len(order)
    for before in best[-2::-1]:
        gains = up_to[end] + before[: end + 1, None] - up_to[: end + 1]
        end, label = (int(place) for place in np.unravel_index(int(gains.argmax()), gains.shape))
        places.insert(0, end)
        labels.insert(0, label)
    labels.insert(0, int(up_to[end].argmax()))
    ends = zip(ordered[np.array(places, np.intp) - 1], ordered[places], strict=True) if places else ()
    points = [end_label(_round_between(float(low), float(high), column.kind), column.kind) for low, high in ends]
    name = printable(column.name)
    if not points:
        how = f"whether {name} is missing"
    elif len(points) == 1:
        how = f"{name} <= {points[0]}"
    elif len(points) == 2 and labels[0] == labels[2]:
        how = f"{points[0]} < {name} <= {points[1]}"
    else:
        how = f"{name} cut at {', '.join(points[:-1])} and {points[-1]}"
    return Leak(f"{how} gives {printable(target.name)} away", right, total)


def _round_between(low: float, high: float, kind: Kind) -> float:
    """The roundest number that is not below the one, and below the other."""
    if kind is not Kind.NUMBER or not 0 < high - low < math.inf:
        return low
    scales = 10.0 ** np.arange(-math.ceil(math.log10(max(abs(low), abs(high)))), 18)
    rounded = np.ceil(low * scales) / scales
    return float(next(iter(rounded[(low <= rounded) & (rounded < high)]), low))
