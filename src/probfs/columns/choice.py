"""What users say of columns, and the names they say it with. Nothing heavy is imported here: help needs the limits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from probfs.errors import UsageError
from probfs.text import did_you_mean, nearest_name, option, quoted

if TYPE_CHECKING:
    from probfs.columns.mapping import ColumnMapping
    from probfs.tables.table import Table

DEFAULT_BINS = 5
MOST_BINS = 10_000
CUT_ABOVE = 20
"""A numeric column with more distinct values than this is cut before a classifier that counts categories sees it."""
MOST_TARGET_CLASSES = 100
"""Classes that a target of numbers is cut into at most."""
DEFAULT_MIN_CLASS = 2
"""Rows of a class with fewer rows than this are dropped: leaving one out must leave something to learn from."""
DATE_ORDERS = ("dmy", "mdy")
MISSING_IN_A_COLUMN = ("skip", "value")
"""What a missing cell may be for a classifier: nothing, or a value of its own."""
MISSING_CHOICES = (*MISSING_IN_A_COLUMN, "auto")
ABOUT_ROWS = ("count", "weight", "group", "time")
"""The options that name a column of what rows are, none of which is a feature."""
AUTO, NONE = "auto", "none"
"""What users say in place of a text that means missing: take all that looks so, or nothing but what they name."""


@dataclass(frozen=True)
class ColumnChoice:
    """What the user says of columns, beside the mapping."""

    target: str | None = None
    count: str | None = None
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    na: Sequence[str] = ()
    bins: int = DEFAULT_BINS
    numbers_as_they_are: bool = False
    """Whether the classifier measures numbers; for one that counts categories they are cut."""
    dates: str | None = None
    """Whether the day or the month comes first in dates: dmy or mdy; None where the columns are to show it."""
    ignore_case: bool = False
    """Whether values that differ only in case are the same."""
    keep_identifiers: bool = False
    """Whether columns that look like identifiers are ranked, too."""
    missing: str = "skip"
    """Whether missing cells are nothing (skip), a value (value), or a value where they tell the class (auto)."""
    cut_target: int | None = None
    """Into how many classes a target of numbers is cut."""
    min_class: int = 1
    """Rows of classes with fewer rows than this are dropped."""
    keep_category_order: bool = True
    """Whether categories stand in the order that their column's type may give them, and not always in that of their
    texts."""
    group: str | None = None
    """The column that says which subject a row belongs to."""
    weight: str | None = None
    """The column that says how important a row is."""
    time: str | None = None
    """The column that says when rows came, by which they are ordered."""

    def __post_init__(self) -> None:
        for name in (self.target, *self.about_rows.values(), *self.include, *self.exclude, *self.na):
            if name is not None and any("\ud800" <= character <= "\udfff" for character in name):
                raise UsageError(f"{quoted(name)} is not valid Unicode; write it as your terminal's encoding has it")

    @property
    def about_rows(self) -> dict[str, str]:
        """The columns that say something of rows and are no features, by the options that name them."""
        return {option: name for option in ABOUT_ROWS if (name := getattr(self, option)) is not None}

    @property
    def named_missing(self) -> tuple[str, ...]:
        """The texts that mean missing by the user's word."""
        return tuple(text for text in self.na if text not in (AUTO, NONE))

    def missing_texts(self, mapping: ColumnMapping) -> tuple[str, ...]:
        """The texts that mean missing in all columns, by the user's word and the mapping's."""
        if {AUTO, NONE} <= set(self.na):
            raise UsageError(f"{option('na')}: {AUTO} and {NONE} contradict each other; keep one of the two")
        return (*self.named_missing, *mapping.missing)


@dataclass(frozen=True)
class TableNames:
    """The names of a table's columns, and those of row indexes that are not among them."""

    source: str
    columns: Collection[str]
    left_out: Collection[str] = ()

    @classmethod
    def of(cls, table: Table) -> TableNames:
        return cls(table.source, table.columns, table.left_out)

    def resolve(self, names: Iterable[str], parameter: str) -> tuple[str, ...]:
        """The columns that a user names; ``a,b`` names two columns where none is called so.

        >>> TableNames("t.csv", ["a", "b", "c,d"]).resolve(["b,a", "c,d"], "exclude")
        ('b', 'a', 'c,d')
        """
        found: list[str] = []
        for name in names:
            if not name:
                raise UsageError(f"{option(parameter)}: the name is empty; name a column, or leave the option out")
            if parameter == "exclude" and name in self.left_out and name not in self.columns:
                # An index column, which was left out already.
                continue
            parts = self.split(name)
            for part in parts or [name]:
                if part not in self.columns:
                    # A column with a comma in its name may be misspelt as a whole.
                    whole = not parts or "," in (nearest_name(name, self.columns) or "")
                    self.refuse_unknown(name if whole else part, parameter)
            found += parts
        return tuple(dict.fromkeys(found))

    def refuse_unknown(self, name: str, parameter: str) -> None:
        """Refuse a name that no column has, and suggest the nearest."""
        if name not in self.columns:
            index = "; it was left out as a row index, give it another name" if name in self.left_out else None
            near = index or did_you_mean(name, self.columns)
            raise UsageError(f"{option(parameter)}: no column {quoted(name)} in {self.source}{near}")

    def split(self, name: str) -> list[str]:
        """The name, or the parts between its commas where no column is called so."""
        return [name] if name in self.columns else [part.strip() for part in name.split(",") if part.strip()]


def default_target(names: Iterable[str], mapping: ColumnMapping, choice: ColumnChoice) -> str | None:
    """The column to predict where no file suggests one: the user's, the mapping's, or the last that is free."""
    unwanted = {*mapping.drop, *choice.exclude, *choice.about_rows.values()}
    free = [name for name in names if name not in unwanted]
    return choice.target or mapping.target or (free[-1] if free else None)


def columns_not_needed(names: Sequence[str], mapping: ColumnMapping, choice: ColumnChoice) -> frozenset[str]:
    """The columns that users leave out, known by their names before a cell is read; none where a name is wrong, which
    is refused when the table is read.
    """
    table = TableNames("", names)
    try:
        include, exclude = (table.resolve(getattr(choice, name), name) for name in ("include", "exclude"))
    except UsageError:
        return frozenset()
    dropped = {*mapping.drop, *exclude}
    # A target or a count that is also left out is a mistake, and its message shows cells.
    needed = {choice.target, mapping.target, *choice.about_rows.values()}
    if not include:
        return frozenset(dropped.difference(needed))
    free = [name for name in names if name not in dropped and name not in choice.about_rows.values()]
    # Without a name, the last column is the target; and what a mapping says of values is checked by the values.
    needed.update(free[-1:], include, mapping.columns, mapping.missing_cells)
    return frozenset(names).difference(name for name in needed if name is not None)


def columns_as_text(names: Sequence[str], mapping: ColumnMapping, choice: ColumnChoice) -> frozenset[str]:
    """The columns whose cells mean what they say, digit by digit: the target, whose texts are the classes, and those
    for which a mapping names texts.
    """
    target = default_target(names, mapping, choice)
    return frozenset(mapping.columns_of_texts()).union(() if target is None else (target,))


def check_choice(mapping: ColumnMapping, choice: ColumnChoice, target: str) -> None:
    """Refuse options that contradict each other, or the mapping."""
    source, cut = mapping.source, choice.cut_target is not None
    roles: dict[str, list[str]] = {target: [f"cut by {option('cut_target')}" if cut else "the target"]}
    for parameter in (*ABOUT_ROWS, "include", "exclude"):
        named = getattr(choice, parameter) or ()
        for name in (named,) if isinstance(named, str) else named:
            roles.setdefault(name, []).append(f"named by {option(parameter)}")
    for name in mapping.drop:
        if name in roles and name not in choice.exclude:
            roles[name].append(f"dropped by {source}")
    for name in mapping.columns.keys() & {*choice.about_rows.values(), target if cut else None}:
        roles[name].append(f"given a rule in {source}")
    for name, found in roles.items():
        if len(found) > 1:
            raise UsageError(f"column {quoted(name)} is {found[0]} and {found[1]}; keep one of the two")
    if mapping.is_numeric(target):
        raise UsageError(f"the target {quoted(target)} is numeric in {source}, but classes are needed; cut it")
    if target in mapping.missing_cells:
        problem = f"the target {quoted(target)} has 'missing' in {source}, but its missing cells are unlabelled rows"
        raise UsageError(f"{problem}; take that out, or name another {option('target')}")
