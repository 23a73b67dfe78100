"""The options of commands and the keywords of calls, each declared once: for help, completion and the manual, for the
parser of the command line, and for the checks of what is given in Python.

A group has options by their names in Python. Help and completion import this module, so it imports nothing heavy.
"""

from __future__ import annotations

import os
import re
import reprlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from numbers import Number as AnyNumber
from pathlib import Path
from typing import Any, TypeAlias

from probfs.classifiers.catalogue import CLASSIFIERS, known_options
from probfs.classifiers.options import DEFAULT_FOLDS, ESTIMATES, Choice, Number, WholeNumber
from probfs.classifiers.scores import SCORES
from probfs.columns.choice import DATE_ORDERS, DEFAULT_MIN_CLASS, MOST_TARGET_CLASSES
from probfs.ranking.settings import (
    AUTO_STEP,
    DEFAULT_FALSE_DISCOVERIES,
    DEFAULT_KEEP,
    DEFAULT_NESTED_FOLDS,
    KEEP,
    NESTED_FOLDS,
)
from probfs.tables.formats import TABLE_FORMATS

_NAME_TYPES = (str, AnyNumber, date, tuple)
"""The columns of a frame may be called by numbers and dates."""

# --- what options take ---


def _check_text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text")
    return value


@dataclass(frozen=True)
class Kind:
    """What an option takes: a text, unless functions say otherwise."""

    metavar: str = ""
    check: Callable[[Any], Any] = _check_text
    """Makes a value of an object from Python; a ValueError says what is wrong with it."""
    parse: Callable[[str], Any] = str
    """The same for a word of the command line."""


def _accept(types: Any, wanted: str, convert: Callable[[Any], Any] = lambda value: value) -> Callable[[Any], Any]:
    """A check that a value is of some types."""

    def check(value: Any) -> Any:
        if not isinstance(value, types):
            raise ValueError(f"{reprlib.repr(value)} is not {wanted}")
        return convert(value)

    return check


def _check_flag(value: Any) -> bool:
    if not isinstance(plain_number(value), bool):
        raise ValueError(f"{value!r} is not True or False")
    return bool(value)


def _check_names(value: Any) -> tuple[str, ...]:
    """One name or several; in Python a tuple is several, though it may be the name of a column, too."""
    names = (value,) if isinstance(value, str) or not isinstance(value, Iterable) else tuple(value)
    if isinstance(value, bytes) or not all(isinstance(name, _NAME_TYPES) for name in names):
        raise ValueError(f"{value!r} is neither a text nor a list of texts")
    return tuple(map(str, names))


def _parse_group(text: str) -> tuple[str, str]:
    name, _, columns = text.partition("=")
    if not (name and columns):
        raise ValueError(f"{text!r} is not NAME=COLUMN,COLUMN")
    return name, columns


def _check_groups(value: Any) -> dict[str, tuple[str, ...]]:
    """Columns by the name of the feature that they are together."""
    groups: dict[str, tuple[str, ...]] = {}
    try:
        # On a command line, several words may add to the same name.
        for name, columns in value.items() if isinstance(value, Mapping) else value:
            groups[str(name)] = (*groups.get(str(name), ()), *_check_names(columns))
    except (TypeError, ValueError):
        raise ValueError(f"{value!r} is not a dictionary of groups, each a list of columns") from None
    return groups


def _parse_step(text: str) -> Any:
    is_whole, is_fraction = re.fullmatch(r"\d{1,18}", text), re.fullmatch(r"0?\.\d+", text)
    return _check_step(int(text) if is_whole else float(text) if is_fraction else text)


def _check_step(value: Any) -> Any:
    number = plain_number(value)
    is_whole = isinstance(number, int) and not isinstance(number, bool) and number >= 1
    is_fraction = isinstance(number, float) and 0 < number < 1
    if is_whole or is_fraction or (isinstance(value, str) and value == AUTO_STEP):
        return number
    raise ValueError(f"{value!r} is neither {AUTO_STEP} nor a whole number from 1 on nor a fraction like 0.1")


def _parse_size(text: str) -> int:
    match = re.fullmatch(r"(\d{1,12})([KMGT]?)B?", text.upper())
    if match is None or not int(match[1]):
        raise ValueError(f"{text!r} is not a size like 500M or 8G")
    return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}[match[2]]


def plain_number(value: Any) -> Any:
    """A number of numpy's as Python's; all else as it is."""
    return value.item() if getattr(value, "ndim", None) == 0 else value


_anything = _accept(object, "")
FLAG = Kind(check=_check_flag)
NAMES = Kind("COLUMN", _check_names)
COLUMN = Kind("COLUMN", _accept(_NAME_TYPES, "the name of a column", str))
TARGET = Kind("COLUMN", _accept(_NAME_TYPES, "the name of a column; classes themselves go in y=", str))
FILE = Kind("FILE", parse=Path)
TABLES = Kind("DATA...", _anything)
"""Tables, which readers check."""
_DELIMITER = Kind("CHAR", parse=lambda word: {"\\t": "\t", "tab": "\t"}.get(word, word))
FUNCTION = Kind(check=_accept(Callable, "a function"))
SEED = WholeNumber(0)
FALSE_DISCOVERIES = Number(1e-6, 1.0, "Q")

# --- options ---


@dataclass(frozen=True)
class Option:
    """An option of commands, or a keyword of calls, or both."""

    help: str
    """One line."""
    takes: Any = FLAG
    """A kind: what makes a value of a word (``parse``) and what checks one from Python (``check``)."""
    default: Any = None
    """The default that help shows; the library applies it."""
    many: bool = False
    """Whether it may be given several times."""
    names: tuple[str, ...] = ()
    """As users write it: two dashes and the name in Python, unless declared otherwise; none for an argument."""
    metavar: str = ""
    """That of the kind, unless declared otherwise."""
    required: bool = False
    is_argument: bool = False
    """Whether it is given without a name."""
    panel: str = ""
    """The heading that it stands under in help."""

    @property
    def line(self) -> str:
        return self.help if self.default is None else f"{self.help} Default: {self.default}."


Argument = partial(Option, is_argument=True)
Group: TypeAlias = dict[str, Option]


def panel(title: str, **options: Option) -> Group:
    """Options under a heading of help."""
    group = {}
    for name, option in options.items():
        names = () if option.is_argument else option.names or (f"--{name.replace('_', '-')}",)
        metavar = option.metavar or option.takes.metavar
        group[name] = replace(option, names=names, metavar=metavar, panel=title)
    return group


# --- groups ---

DATA = panel("Table", data=Argument("The table, one file or several; - is stdin.", TABLES, many=True))
UNLABELED = panel(
    "Table", unlabeled=Option("Rows without a class, for the score s_su.", TABLES, many=True, metavar="FILE")
)
READING = panel(
    "Table",
    input_format=Option("Format. Default: by its ending or first bytes.", Choice(tuple(TABLE_FORMATS))),
    delimiter=Option("Separator of CSV. Default: found in the file.", _DELIMITER),
    decimal=Option("Decimal separator. Default: a point.", Choice((".", ","))),
    encoding=Option("Encoding of text files. Default: found in the file.", Kind("NAME")),
    sheet=Option("Sheet of a workbook. Default: the first.", Kind("NAME")),
    skip_rows=Option("Rows above the header. Default: titles found there.", WholeNumber(0, metavar="N")),
    no_header=Option("The first row is data, not names."),
    union=Option("Allow files with different columns."),
    max_unpacked=Option("Limit of unpacked data, like 500M or 8G.", Kind("SIZE", WholeNumber(1).check, _parse_size)),
)
CELLS = panel(
    "Columns",
    target=Option("Column to predict. Default: the last one.", TARGET, names=("--target", "-t")),
    count=Option("Column of counts: equal rows that each row stands for.", COLUMN),
    na=Option("Text that means missing, or auto, or none.", NAMES, many=True, metavar="TEXT"),
    dates=Option("What comes first in 1/2/2024: day or month.", Choice(DATE_ORDERS)),
    ignore_case=Option("Merge values that differ only in case."),
)
MAPPING = panel(
    "Columns",
    mapping=Option(
        "TOML file that cuts, groups or drops columns.",
        Kind("FILE", _accept(str | os.PathLike | Mapping, "a path or a dictionary"), Path),
    ),
)
OTHER_COLUMNS = panel(
    "Columns",
    exclude=Option("Leave a column out, or several: a,b.", NAMES, many=True),
    include=Option("Use only this column, or several: a,b.", NAMES, many=True),
    keep_identifiers=Option("Rank columns that look like identifiers, too."),
    cut_target=Option("Cut a numeric target into K classes.", WholeNumber(2, MOST_TARGET_CLASSES, "K")),
    min_class=Option("Drop classes with fewer rows.", WholeNumber(1), DEFAULT_MIN_CLASS),
)
COLUMNS = CELLS | MAPPING | OTHER_COLUMNS
JOIN = panel(
    "Columns",
    join=Option("Rank two columns as one: a+b.", NAMES, many=True, metavar="A+B"),
    together=Option(
        "Columns that are one feature: colour=colour_*.", Kind("NAME=A,B", _check_groups, _parse_group), many=True
    ),
)
ABOUT_ROWS = panel(
    "Columns",
    group=Option("Column of subjects whose rows belong together.", COLUMN),
    weight=Option("Column of weights: how important each row is.", COLUMN),
    time=Option("Column of times: only earlier rows judge a row.", COLUMN),
)


def _classifier_options() -> Group:
    """The classifier, and options of classifiers."""
    names = tuple(CLASSIFIERS)
    # Objects from Python are checked by find_classifier.
    takes = Kind("|".join(names), _anything, Choice(names).parse)
    chosen = {"classifier": Option("Classifier that gives the probabilities.", takes, names[0])}
    for name, declared, owners in known_options():
        # The classifiers, and the value of another option, that an option is for.
        others = [known for known in names if known not in owners]
        whose = ", ".join(owners) if len(others) > 1 else f"all but {others[0]}" if others else ""
        words = ", ".join(filter(None, (whose, declared.only_with and declared.only_with[1])))
        # The line ends at the first mark; the rest is for the manual.
        line = re.split("[:;.]", declared.help)[0]
        line = f"{words}: {line}." if words else f"{line[:1].upper()}{line[1:]}."
        default = str(declared.default_help or declared.default).partition(", ")[0]
        chosen[name] = Option(line, declared.kind, default)
    return panel("Model", **chosen)


CLASSIFIER = _classifier_options()
ENCODING = {name: CLASSIFIER[name] for name in ("bins", "missing")}
"""Options of classifiers that say how columns are encoded."""
COLUMN_CLASSIFIER = {"classifier": CLASSIFIER["classifier"], **ENCODING}
_LABELLED_SCORES = tuple(name for name, score in SCORES.items() if not score.needs_unlabelled)
_NOISE = Option("Share of noise tolerated after the screen.", FALSE_DISCOVERIES, DEFAULT_FALSE_DISCOVERIES)
ELIMINATION = panel(
    "Elimination",
    score=Option("Score that decides which column leaves.", Choice(tuple(SCORES)), "signed"),
    screen=Option("Columns of noise leave first.", default="--screen", names=("--screen/--no-screen",)),
    false_discoveries=_NOISE,
    estimate=Option("Which model scores a row. Default: by classifier.", Choice(tuple(ESTIMATES))),
    folds=Option("Folds of --estimate cv.", WholeNumber(2, metavar="K"), DEFAULT_FOLDS),
    step=Option("Columns that leave in a round, or a fraction.", Kind(f"{AUTO_STEP}|N", _check_step, _parse_step)),
    always=Option("Let a column leave last, or several: a,b.", NAMES, many=True),
    no_eliminate=Option("Rank by the scores of one round."),
    uncertainty=Option("Add standard errors and rank intervals (slow)."),
    seed=Option("Seed of folds, shuffles, forests and samples.", SEED, 0),
)
SELECTION = panel(
    "Selection",
    false_discoveries=_NOISE,
    keep=Option("How many columns to keep.", KEEP, DEFAULT_KEEP),
    always=Option("Keep a column whatever it says, or several: a,b.", NAMES, many=True),
    score=Option("Score that decides which column leaves.", Choice(_LABELLED_SCORES), "signed"),
    folds=Option("Folds that judge the choice; 0: none.", NESTED_FOLDS, DEFAULT_NESTED_FOLDS),
    seed=Option("Seed of folds, shuffles and forests.", SEED, 0),
)
PAIRING = panel(
    "Selection",
    false_discoveries=Option("Share of chance tolerated among found pairs.", FALSE_DISCOVERIES, 0.05),
    seed=Option("Seed of tables drawn for pairs of rare values.", SEED, 0),
)
ENGINE = panel(
    "Where to run",
    engine=Option("In this process, or on a Dask cluster.", Choice(("local", "dask")), "local"),
    scheduler=Option("Scheduler of a cluster, like tcp://host:8786.", Kind("ADDRESS")),
    workers=Option("Processes of this machine, for --engine dask.", WholeNumber(1)),
)
IN_PYTHON = {
    "y": Option("The values to predict.", TABLES),
    "feature_names": Option("Those of an array's columns.", Kind(check=_accept(Iterable, "a list of names"))),
    "eliminate": Option("Whether to eliminate."),
    "report": Option("Whether to keep what a report tells."),
    "on_note": Option("Hears of notes.", FUNCTION),
    "on_progress": Option("Hears of progress.", FUNCTION),
}
"""Keywords that a command line lacks or writes in another form."""

# --- what commands and calls have in common ---

RANK = DATA | UNLABELED | READING | COLUMNS | JOIN | ABOUT_ROWS | CLASSIFIER | ELIMINATION
SELECT = DATA | READING | COLUMNS | JOIN | ABOUT_ROWS | CLASSIFIER | SELECTION
PAIRS = DATA | READING | COLUMNS | ENCODING | PAIRING
