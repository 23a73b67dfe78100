"""Notes: lines of text that tell a user what was done, or warn, with a code that programs can rely on."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any, Final, Literal

Severity = Literal["note", "warning"]
_NOTE: Final = "note"
_WARNING: Final = "warning"


class Note(str):
    """A text that also knows its code, how severe it is, and the columns it is about.

    >>> note = Note("ranked as it is: 'age'", code="as-it-is", severity="note", columns=["age"])
    >>> note, note.code, note.severity, note.columns
    ("ranked as it is: 'age'", 'as-it-is', 'note', ('age',))
    """

    __slots__ = ("code", "columns", "severity")

    code: str
    severity: Severity
    columns: tuple[str, ...]
    """The names of all columns that the note is about, unescaped; its text may show only a few."""

    def __new__(cls, message: str, *, code: str, severity: Severity, columns: Iterable[str] = ()) -> Note:
        note = super().__new__(cls, message)
        note.code = code
        note.severity = severity
        note.columns = tuple(columns)
        return note

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.message,), {"code": self.code, "severity": self.severity, "columns": self.columns}

    @property
    def message(self) -> str:
        """The text alone."""
        return str(self)

    def reworded(self, message: str) -> Note:
        """The same note in other words."""
        return Note(message, code=self.code, severity=self.severity, columns=self.columns)

    @property
    def is_warning(self) -> bool:
        return self.severity == _WARNING

    def to_dict(self) -> dict[str, Any]:
        """The content of the JSON."""
        columns = list(self.columns)
        return {"code": self.code, "severity": self.severity, "columns": columns, "message": self.message}


def texts_by_severity(notes: Iterable[Note]) -> tuple[list[str], list[str]]:
    """The texts of the warnings, and those of the other notes."""
    texts: tuple[list[str], list[str]] = [], []
    for note in notes:
        texts[not note.is_warning].append(note.message)
    return texts


class NoteKind(Enum):
    """Every kind of note: its code, its severity, and what it means.

    A warning is about something that may make the result wrong or useless unless the user acts; a note tells what was
    done, or will be.
    """

    code: str
    severity: Severity
    meaning: str

    # Reading.
    DELIMITER = "delimiter", _NOTE, "cells are separated by an unusual character"
    ROW_INDEX = "row-index", _NOTE, "a first column without a name, or a data frame's index, is left out"
    UNNAMED_COLUMNS = "unnamed-columns", _NOTE, "columns without a name are named by their position"
    EQUAL_NAMES = "equal-names", _WARNING, "columns of the same name are renamed by adding a number"
    TITLES = "titles", _NOTE, "rows above the header are skipped"
    BLANK_ROWS = "blank-rows", _NOTE, "rows whose cells are all empty are skipped"
    NO_HEADER = "no-header", _WARNING, "the header looks like data, so the file may have no header"
    ENCODING = "encoding", _NOTE, "a text that is not UTF-8 is read in another encoding"
    SHEETS = "sheets", _NOTE, "only the first sheet of a workbook is read"
    IGNORED = "ignored", _NOTE, "a part of a file or of its path is not used, such as the weights of an ARFF file"
    UNUSABLE = "unusable", _WARNING, "a column holds lists or the like, and is left out"
    # Columns.
    TARGET = "target", _NOTE, "which column is predicted, as named by the user"
    TARGET_BY_DEFAULT = "target-by-default", _NOTE, "which column is predicted by default"
    DROPPED_ROWS = "dropped-rows", _WARNING, "rows of rare classes are dropped"
    NUMBER_STYLE = "number-style", _NOTE, "numbers with separators, currencies or units are read as numbers"
    MAY_BE_NUMBERS = "may-be-numbers", _WARNING, "texts may be numbers, but there is doubt, so they stay texts"
    MAY_BE_THOUSANDS = "may-be-thousands", _WARNING, "points read as decimal points may separate thousands"
    DATE_FORMAT = "date-format", _WARNING, "the format of dates is not understood, so they are texts"
    DATE_STYLE = "date-style", _NOTE, "dates that are not in ISO form are read as dates"
    MAY_BE_DATES = "may-be-dates", _WARNING, "texts may be dates, but there is doubt, so they stay texts"
    MERGED_VALUES = "merged-values", _NOTE, "values that differ in blanks or capitals are taken as one"
    MIXED_CASE = "mixed-case", _WARNING, "values that may mean the same, like `Yes` and `1`, stay apart"
    NEARLY_NUMBERS = "nearly-numbers", _WARNING, "nearly all values are numbers, but not all, so they are categories"
    MISSING_TEXTS = "missing-texts", _NOTE, "texts such as NA are taken as missing"
    MAY_BE_MISSING = "may-be-missing", _WARNING, "texts that may mean missing are taken as values"
    WORD_FOR_MISSING = "word-for-missing", _WARNING, "a word of `--na`, such as `auto`, is also a text of the table"
    UNUSED_NA = "unused-na", _WARNING, "no cell holds a text given for missing cells"
    CODE_FOR_MISSING = "code-for-missing", _WARNING, "a number such as -999 may mean missing"
    MISSING_CELLS = "missing-cells", _NOTE, "missing cells count as a value, as they tell the class"
    UNKNOWN_MEMBERS = "unknown-members", _WARNING, "a mapping groups values that a column does not hold"
    IDENTIFIER = "identifier", _WARNING, "columns that look like identifiers are left out"
    IDENTIFIER_RANKED = "identifier-ranked", _WARNING, "columns that look like identifiers are ranked on request"
    COUNTED_ONCE = "counted-once", _NOTE, "a table of unlabelled rows has no column of counts, so each row counts once"
    UNSEEN = "unseen", _WARNING, "most unlabelled cells hold values of no labelled row"
    CUT = "cut", _NOTE, "numbers are cut into intervals"
    EMPTY = "empty", _NOTE, "columns have no value in any labelled row"
    CONSTANT = "constant", _NOTE, "columns have only one value in the labelled rows"
    DISTINCT = "distinct", _WARNING, "columns have a different value in every row, as identifiers do"
    ONE_HOT = "one-hot", _NOTE, "0/1 columns of one category could be ranked as one"
    EFFECTIVE_ROWS = "effective-rows", _NOTE, "how many rows of equal weight hold as much information"
    TIME_ORDER = "time-order", _NOTE, "rows are ordered in time, and judged by models of earlier rows only"
    SUBJECTS = "subjects", _WARNING, "several rows seem to belong to the same subject, but no group is named"
    LEAKAGE = "leakage", _WARNING, "a column alone nearly gives the class away"
    REFUSED = "refused", _WARNING, "`rank` would refuse the table"
    # Classifiers.
    SHRINKAGE = "shrinkage", _NOTE, "log-odds were shrunk"
    COMPILING = "compiling", _NOTE, "loops are compiled, once"
    NOT_COMPILED = "not-compiled", _NOTE, "compiled loops are not available, so the work takes longer"
    TIME = "time", _NOTE, "how many models will be fitted"
    SPILLED = "spilled", _WARNING, "the workers of a cluster lack memory for all rows, and keep some on disk"
    SIGMOID = "sigmoid", _WARNING, "sigmoids of the SVM came out decreasing and were replaced, so scores are rough"
    SUBJECT_FOLDS = "subject-folds", _NOTE, "subjects are left out in ten folds, as there are too many of them"
    WEIGHT_FOLDS = "weight-folds", _NOTE, "rows are left out in ten folds, as too many weights differ"
    NOT_CONVERGED = "not-converged", _WARNING, "fits of the SVM did not converge"
    GUESSING = "no-better-than-guessing", _WARNING, "the SVM predicts no better than the class shares do"
    FIT_WARNINGS = "fit-warnings", _WARNING, "fitting an estimator warned"
    WEAK_MODEL = "weak-model", _WARNING, "the model of all columns does not clearly beat guessing"
    LATE_CLASS = "late-class", _WARNING, "with times, few rows are judged, as a class begins late"
    FEWER_COPIES = "fewer-copies", _NOTE, "an estimator was given fewer copies of equal rows"
    UNJUDGED = "unjudged", _WARNING, "rows were drawn for every tree of a forest, so that none could judge them"
    # Selections.
    FEW_FOLDS = "few-folds", _NOTE, "a selection is judged in fewer folds than asked for"
    LEAK_KEPT = "leak-kept", _WARNING, "a kept column nearly gives the class away"
    FEWER_KEPT = "fewer-kept", _WARNING, "fewer columns are kept than asked for"
    NOISE_KEPT = "noise-kept", _WARNING, "columns are kept on request that are noise or not worth keeping"
    WEAK_CHOICE = "weak-choice", _WARNING, "on unseen rows, the kept columns do worse than all, or no better than none"
    NOTHING_KEPT = "nothing-kept", _WARNING, "no column is kept"
    # Comparisons.
    SETTINGS_REUSED = "settings-reused", _NOTE, "a table is ranked with the target and the settings of a document"
    DIFFERENCE = "difference", _WARNING, "the two documents were made in different ways"
    PARTIAL = "partial", _WARNING, "a document lists only its best columns"
    TOP = "top", _NOTE, "there are fewer columns than `--top` names"
    # Experiments of the paper.
    FEW_RUNS = "few-runs", _WARNING, "so few runs that claims may hold or fail by chance"
    WRITTEN = "written", _NOTE, "which files were written"

    def __init__(self, code: str, severity: Severity, meaning: str) -> None:
        self.code = code
        self.severity = severity
        self.meaning = meaning

    def note(self, message: str, columns: Iterable[str] = ()) -> Note:
        """A note of this kind about some columns."""
        return Note(message, code=self.code, severity=self.severity, columns=columns)
