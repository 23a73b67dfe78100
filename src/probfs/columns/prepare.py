"""Table + mapping + the user's choice of columns -> what each column is for, and the class and weight of each row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from probfs.columns.choice import CUT_ABOVE, ColumnChoice, TableNames, check_choice
from probfs.columns.dates import likely_kinds
from probfs.columns.identifiers import (
    FEWEST_SUBJECTS,
    ROWS_OF_A_SUBJECT,
    identifier_reason,
    seems_to_name_subjects,
)
from probfs.columns.leakage import Leak, find_leaks, note_on_leaks, times_in_leak
from probfs.columns.mapping import ColumnMapping
from probfs.columns.missing import LEAST_MISSING, missing_cells_tell, note_on_codes, note_on_unused
from probfs.columns.rules import UNKNOWN, Category, Coder, Groups, Measured, Numeric, Quantiles, Rule
from probfs.columns.target import (
    Target,
    choose_target,
    drop_rare_classes,
    label_of_each_value,
    learn_rule,
    numbers_of_rows,
    read_classes,
    row_counts,
    row_importance,
)
from probfs.columns.texts import TableTexts, read_texts
from probfs.errors import DataError
from probfs.notes import Note, NoteKind
from probfs.tables.arrays import Floats, Integers, code_type, index_array, looked_up
from probfs.tables.cells import Kind
from probfs.tables.column import Column, text_column
from probfs.tables.table import Profile, Table, profile_columns
from probfs.text import and_more, counted, listed, option, printable, quoted

_MOST_SHOWN = 6
"""Columns in one note."""
_NEARLY_ALL = 0.9


class Role(Enum):
    """What a column is there for."""

    TARGET = "target"
    COUNT = "count"
    GROUP = "group"
    WEIGHT = "weight"
    TIME = "time"
    FEATURE = "feature"
    LEFT_OUT = "left out"


@dataclass(frozen=True)
class ColumnPlan:
    """What will be done with a column, and on whose word."""

    name: str
    role: Role
    reason: str
    rule: Rule | Measured = field(default_factory=Category)
    identifier: str = ""
    """Why the column looks like an identifier, ranked or not; empty if it does not."""
    missing_is_value: bool = False
    """Whether a missing cell counts as a value of its own."""

    def describe(self) -> str:
        what = self.rule.describe() if self.role is Role.FEATURE else self.role.value
        if self.missing_is_value:
            what += ", missing as a value"
        return f"{what} ({self.reason})" if self.reason else what


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """A table whose missing cells are marked, whose rows have a class and a weight, and whose columns have a plan."""

    table: Table
    mapping: ColumnMapping
    choice: ColumnChoice
    target: Target
    texts: TableTexts
    """What the texts of cells mean, for tables of further rows."""
    weights: Integers
    """How many equal rows each row stands for."""
    labelled_weights: Integers | None
    """The same for labelled rows, 0 for all others; None where all rows are labelled and stand for one."""
    profiles: Mapping[str, Profile]
    """What columns hold in labelled rows."""
    dropped_rows: int
    """How many rows are left out because their class is rare; their weights are 0."""
    importance: Floats | None = None
    """How important each row is, where a column says so; rows of importance 0 stand for none."""
    plans: tuple[ColumnPlan, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def labelled_rows(self) -> int:
        """How many rows have a class and count for something."""
        if self.table.row_counts is not None and self.labelled_weights is not None:
            return int(self.table.row_counts[self.labelled].sum())
        return len(self.labelled)

    @cached_property
    def labelled(self) -> npt.NDArray[np.intp]:
        """The positions of the rows that have a class."""
        if self.labelled_weights is None:
            return np.arange(self.table.rows)
        return np.flatnonzero((self.target.labels != UNKNOWN) & (self.weights > 0))

    @cached_property
    def unlabelled(self) -> npt.NDArray[np.intp]:
        """The positions of the rows that have none."""
        if self.labelled_weights is None:
            return np.empty(0, dtype=np.intp)
        return np.flatnonzero((self.target.labels == UNKNOWN) & (self.weights > 0))

    @cached_property
    def features(self) -> tuple[ColumnPlan, ...]:
        return tuple(plan for plan in self.plans if plan.role is Role.FEATURE)

    @property
    def identifiers(self) -> list[ColumnPlan]:
        """The columns that are left out because they seem to name their rows."""
        return [plan for plan in self.plans if plan.role is Role.LEFT_OUT and plan.identifier]

    @cached_property
    def leaks(self) -> dict[str, Leak]:
        """The features of which one value, or missing cells, nearly give the class away."""
        if self.target.quantity:
            # Which is refused; and of so many classes the search would take minutes.
            return {}
        columns = [self.table.columns[plan.name] for plan in self.features]
        return find_leaks(columns, self.profiles, self.target, self.labelled_weights)

    @cached_property
    def subjects(self) -> dict[str, str]:
        """The columns that seem to say which rows belong together, and why, where nobody said which do."""
        if self.choice.group is not None:
            return {}
        found: dict[str, str] = {}
        rows = sum(self.target.class_rows)
        for name in (plan.name for plan in (*self.features, *self.identifiers)):
            if seems_to_name_subjects(self.table.columns[name], self.profiles[name], rows):
                found[name] = f"{counted(self.profiles[name].distinct, 'value')} in {counted(rows, 'row')}"
        for name, leak in self.leaks.items():
            if FEWEST_SUBJECTS <= leak.values <= leak.rows / ROWS_OF_A_SUBJECT:
                found.setdefault(name, f"{counted(leak.values, 'value')}, nearly all of one class each")
        return found

    @property
    def trust_notes(self) -> list[Note]:
        """Warnings about columns that can make the results for all others misleading."""
        shown = and_more([f"{quoted(name)} ({why})" for name, why in self.subjects.items()], _MOST_SHOWN)
        remedy = f"if so, name it with {option('group')}: without it, p-values and errors look better than they are"
        message = f"several rows seem to belong to the same subject, by {shown}; {remedy}"
        subjects = [NoteKind.SUBJECTS.note(message, self.subjects)] if self.subjects else []
        return note_on_leaks(self.leaks) + subjects

    def groups(self) -> Integers | None:
        """The subject of each labelled row, by number; a row without one is a subject of its own."""
        if self.choice.group is None:
            return None
        column = self.table.usable(self.table.columns[self.choice.group])
        codes = column.codes.astype(np.int64)
        unknown = np.flatnonzero(column.is_missing())
        codes[unknown] = len(column.entries) + np.arange(len(unknown))
        groups: Integers = np.unique(codes[self.labelled], return_inverse=True)[1].astype(np.int64)
        if groups.max(initial=0) < 1:
            problem = f"{option('group')}: all rows have the same value in {quoted(self.choice.group)}"
            raise DataError(f"{problem}, and with one subject left out there is none", source=self.table.source)
        return groups

    def times(self) -> Integers | None:
        """The place of each labelled row in time: a number, the same for equal times."""
        if self.choice.time is None:
            return None
        dates = f"{option('dates', 'dmy')} or {option('dates', 'mdy')} says whether days or months come first"
        problem = f"is not a time; use numbers or dates; {dates}"
        kinds = (Kind.NUMBER, Kind.DATE)
        column, numbers = numbers_of_rows(self.table, self.choice.time, np.isfinite, problem, kinds)
        lacking = self.labelled[np.isnan(numbers[self.labelled])]
        if len(lacking):
            problem = "the time is missing; fill it in, or leave the row out"
            raise self.table.row_error(column, int(lacking[0]), problem)
        times: Integers = np.unique(numbers[self.labelled], return_inverse=True)[1].astype(np.int64)
        return times

    @property
    def target_note(self) -> Note:
        """Which column is predicted, and who named it."""
        kind = NoteKind.TARGET_BY_DEFAULT if self.target.by_default else NoteKind.TARGET
        return kind.note(f"target: {printable(self.target.name)} ({self.target.reason})", [self.target.name])

    def learn(self, column: Column, rule: Rule) -> Coder:
        """What a rule learns from the labelled rows."""
        return learn_rule(self.table, column, rule, self.labelled_weights)


def prepare(table: Table, mapping: ColumnMapping, choice: ColumnChoice, decimal: str | None = None) -> PreparedTable:
    """Decide what every column is for, and read the target and the row counts.

    ``decimal`` is the decimal separator; without one, a point, and commas are noticed.
    """
    mapping.check_names(table.columns, table.source, table.left_out)
    names = TableNames.of(table)
    include, exclude = (names.resolve(getattr(choice, name), name) for name in ("include", "exclude"))
    choice = replace(choice, include=include, exclude=exclude)
    target_name, reason = choose_target(table, mapping, choice)
    found = set[str]()
    texts, table = read_texts(table, mapping, choice, decimal, target_name, found)
    for parameter, named in choice.about_rows.items():
        names.refuse_unknown(named, parameter)
    check_choice(mapping, choice, target_name)
    weights, importance = row_counts(table, choice.count), row_importance(table, choice.weight, target_name)
    if importance is not None:
        weights = np.where(importance > 0, weights, 0)
    counts = None if choice.count is None and importance is None else weights
    every_class = read_classes(table, mapping, target_name, reason, counts, choice.cut_target)
    target, weights, dropping = drop_rare_classes(every_class, weights, choice.min_class, table.source)
    dropped_rows = sum(every_class.class_rows) - sum(target.class_rows)
    every_row = target.labels.min(initial=0) != UNKNOWN and weights.min(initial=1) == weights.max(initial=1) == 1
    labelled_weights = None if every_row else np.where(target.labels == UNKNOWN, 0, weights)
    columns = [column for column in table.columns.values() if not column.unread]
    profiles = profile_columns(columns, labelled_weights, times_in_leak(target.class_rows, labelled_weights))
    # Where all rows are labelled and stand for one, the profiles are the same.
    in_every_row = profiles if labelled_weights is None and counts is None else profile_columns(columns, counts)
    of_rows = weights, labelled_weights, profiles, dropped_rows, importance
    draft = PreparedTable(table, mapping, choice, target, texts, *of_rows)
    plans = tuple(_plan_columns(draft, in_every_row, counts))
    used = {plan.name for plan in plans if plan.role is not Role.LEFT_OUT}
    cells = (*texts.notes(used), *note_on_unused(choice.named_missing, found, table.columns.values()))
    prepared = replace(draft, table=table.with_notes(cells), plans=plans)
    return replace(prepared, notes=(*prepared.table.notes, *dropping, *_notes(prepared)))


# What each column is for


def _plan_columns(
    prepared: PreparedTable, in_every_row: Mapping[str, Profile], counts: Integers | None
) -> Iterator[ColumnPlan]:
    table, mapping, choice = prepared.table, prepared.mapping, prepared.choice
    left_out = dict.fromkeys(mapping.drop, "dropped by the mapping") | dict.fromkeys(choice.exclude, option("exclude"))
    if choice.include:
        left_out = dict.fromkeys(set(table.columns).difference(choice.include), option("include")) | left_out
    about_rows = {name: parameter for parameter, name in choice.about_rows.items()}
    for name, column in table.columns.items():
        if name == prepared.target.name:
            yield ColumnPlan(name, Role.TARGET, "")
            continue
        if name in about_rows:
            yield ColumnPlan(name, Role(about_rows[name]), option(about_rows[name]))
            continue
        if name in left_out:
            yield ColumnPlan(name, Role.LEFT_OUT, left_out[name])
            continue
        texts, identifier = prepared.texts.columns.get(name), ""
        if texts is None or not texts.measures:
            # What each row of a table of counts has of its own names the row, too, if it is a text.
            names_rows = column.kind is Kind.TEXT and column.distinct() == column.rows
            identifier = identifier_reason(column, in_every_row[name], None if names_rows else counts) or ""
        if identifier and not (choice.keep_identifiers or name in choice.include or name in mapping.columns):
            yield ColumnPlan(name, Role.LEFT_OUT, f"identifier: {identifier}", identifier=identifier)
            continue
        rule, reason = _rule_of_feature(prepared, column)
        how, missing = mapping.missing_cells.get(name, choice.missing), prepared.profiles[name].missing
        # Where all labelled cells are there, or all missing, a missing cell tells nothing.
        some = 0 < missing < sum(prepared.target.class_rows)
        missing_is_value = some and how == "value"
        if some and how == "auto" and missing >= LEAST_MISSING:
            missing_is_value = missing_cells_tell(column, prepared.target, prepared.labelled_weights)
        yield ColumnPlan(name, Role.FEATURE, reason, rule, identifier, missing_is_value)


def _rule_of_feature(prepared: PreparedTable, column: Column) -> tuple[Rule | Measured, str]:
    """The rule for a feature and the reason for it: the mapping's, or what is done with columns of this kind."""
    choice, rule = prepared.choice, prepared.mapping.columns.get(column.name)
    profile = prepared.profiles[column.name]
    many, measures = profile.distinct > CUT_ABOVE, choice.numbers_as_they_are
    if isinstance(rule, Numeric):
        cut = Quantiles(choice.bins) if many else Category()
        return Measured(scale=rule.scale) if measures else Numeric(cut, rule.scale), "mapping"
    if rule is not None:
        return rule, "mapping"
    is_measured = column.kind in (Kind.NUMBER, Kind.DATE) and not column.is_nominal and column.problem is None
    if not is_measured or not (many or measures):
        return Category(), ""
    guess = Measured(strict=False) if measures else Quantiles(choice.bins, strict=False)
    infinite = f"; the infinite one needs {option('na')}" if profile.infinite else ""
    return guess, counted(profile.distinct, column.kind.value) + infinite


# What a user should know of that


def _notes(prepared: PreparedTable) -> Iterator[Note]:
    table, mapping, features = prepared.table, prepared.mapping, prepared.features
    for name, rule in mapping.columns.items():
        if isinstance(rule, Groups):
            held = set(table.columns[name].values.to_pylist())
            # Misspelt, perhaps.
            unknown = [value for values in rule.groups.values() for value in values if value.strip() not in held]
            if unknown:
                problem = f"column {quoted(name)} holds none of {listed(unknown)}"
                message = f"{problem}, which the groups of {mapping.source} name"
                yield NoteKind.UNKNOWN_MEMBERS.note(message, [name])
    guessed = (table.columns[plan.name] for plan in features if plan.name not in mapping.columns)
    almost = {column.name: what for column in guessed if (what := _nearly(prepared, column))}
    for kind in (Kind.NUMBER, Kind.DATE):
        shown = {name: value for name, (found, value) in almost.items() if found is kind}
        if shown:
            names = and_more([f"{quoted(name)} (not {quoted(value)})" for name, value in shown.items()], _MOST_SHOWN)
            problem = f"nearly all values are {kind.value}s, but not all, so ranked as categories: {names}"
            message = f"{problem}; {option('na')} takes the other texts as missing, or map the column"
            yield NoteKind.NEARLY_NUMBERS.note(message, shown)
    yield from note_on_codes((table.columns[plan.name] for plan in features), prepared.profiles)
    keep, leave_out = f"{option('keep_identifiers', True)} ranks them", f"{option('exclude')} leaves them out"
    for note, plans, problem, remedy in (
        (NoteKind.IDENTIFIER, prepared.identifiers, "left out as identifiers", keep),
        (NoteKind.IDENTIFIER_RANKED, features, "ranked, but they look like identifiers", leave_out),
    ):
        reasons = {plan.name: plan.identifier for plan in plans if plan.identifier}
        if reasons:
            names = and_more([f"{quoted(name)} ({why})" for name, why in reasons.items()], _MOST_SHOWN)
            yield note.note(f"{problem}: {names}; {remedy}", reasons)
    marked = [plan.name for plan in features if plan.missing_is_value and plan.name not in mapping.missing_cells]
    if marked and prepared.choice.missing == "auto":
        ways = option("missing", "skip|value")
        message = f"missing cells count as a value where they tell the class ({ways}): {listed(marked)}"
        yield NoteKind.MISSING_CELLS.note(message, marked)


def _nearly(prepared: PreparedTable, column: Column) -> tuple[Kind, str] | None:
    """What nearly all of a column's many texts are, numbers or dates in some style, and the first text that is not."""
    many = prepared.profiles[column.name].distinct > CUT_ABOVE
    if not many or column.kind is not Kind.TEXT or column.is_nominal or column.problem is not None:
        return None
    values = column.values.take(index_array(np.flatnonzero(column.counts()[:-1])))
    for kind, fit in likely_kinds(values, prepared.choice.dates).items():
        # If all are numbers, a leading zero makes them names, like postal codes.
        if _NEARLY_ALL <= fit.mean() < 1:
            return kind, str(values[int(fit.argmin())])
    return None


# The table that a mapping makes


def apply_mapping(prepared: PreparedTable) -> Table:
    """The table with the mapping's rules applied and its dropped columns left out."""
    table, mapping = prepared.table, prepared.mapping
    columns = {name: column for name, column in table.columns.items() if name not in mapping.drop}
    for name, rule in mapping.columns.items():
        if not isinstance(rule, Numeric):
            column, coder = columns[name], prepared.learn(columns[name], rule)
            labels = label_of_each_value(table, column, coder)
            new_codes = np.where(labels == UNKNOWN, len(coder.labels), labels).astype(code_type(len(coder.labels)))
            columns[name] = text_column(name, looked_up(new_codes, column.codes), coder.labels, declared=coder.labels)
    return Table(table.source, columns, table.rows, table.lines)
