"""X, y and weights, checked as scikit-learn's estimators check them -> the table that ``rank`` and ``select`` read."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from probfs.columns.target import MOST_ROWS
from probfs.errors import DataError
from probfs.notes import NoteKind
from probfs.tables.arrays import Floats, Integers, code_type, text_array
from probfs.tables.cells import Kind
from probfs.tables.column import Column, text_column
from probfs.tables.frames import collected, table_in_memory
from probfs.tables.header import name_columns
from probfs.tables.table import Table
from probfs.text import option, quoted


class TrainingTable(NamedTuple):
    """The rows to learn from: features, classes and, if given, counts, weights and groups."""

    table: Table
    keywords: dict[str, str | None]
    """Keywords of ``rank`` and ``select``: the names of the target and of the columns of counts, weights and groups."""
    classes: npt.NDArray[Any]
    """The distinct values of y, sorted."""
    class_rows: tuple[int, ...]


def training_table(
    estimator: Any,
    X: Any,  # noqa: N803  # as scikit-learn has it
    y: Any,
    sample_weight: Any,
    unlabeled_value: Any,
    groups: Any = None,
) -> TrainingTable:
    """The table to learn from; the estimator learns the number of columns and their names."""
    if y is None:
        # It refuses, as scikit-learn does everywhere, since the estimator's tags say that y is required.
        validate_data(estimator, X, y, skip_check_array=True)
    data = _check_features(estimator, X, reset=True)
    name = getattr(y, "name", None)
    y = column_or_1d(unmasked(y), warn=True)
    check_consistent_length(data, y)
    weights = None if sample_weight is None else _check_weights(sample_weight, y)
    is_count = weights is not None and bool((weights == np.rint(weights)).all())
    if weights is not None and is_count and weights.sum() > MOST_ROWS:
        remedy = "divide all of them by their mean, if they say how important rows are"
        raise ValueError(
            f"{option('sample_weight')}: as counts of rows, the weights add up to more than 2^53; {remedy}"
        )
    # A row that is important counts once.
    counts = weights if is_count or weights is None else (weights > 0).astype(np.float64)
    subjects = None
    if groups is not None:
        import pandas

        subjects = column_or_1d(unmasked(groups), warn=True)
        check_consistent_length(y, subjects)
        if pandas.isna(subjects).any():
            raise ValueError(f"{option('groups')}: some are missing; name a group for each row of X")
        subjects = np.unique(subjects.astype(str), return_inverse=True)[1].astype(np.int64)
    classes, codes = _check_classes(y, unlabeled_value, counts)
    rows = np.bincount(codes, weights=counts, minlength=len(classes) + 1).astype(np.int64).tolist()
    table = _table_of(estimator, data, "X")
    target = _free_name(name if isinstance(name, str) and name.strip() else "y", table)
    texts = text_array([str(label) for label in classes.tolist()])
    # Declared, they are classes: numbers are no quantity, and no text means missing.
    labels = text_column(target, codes.astype(code_type(len(texts))), texts, declared=texts)
    table = table.with_columns({target: labels})
    keywords: dict[str, str | None] = {"target": target}
    for keyword, wanted, numbers in (
        ("count" if is_count else "weight", "sample_weight", weights),
        ("group", "groups", subjects),
    ):
        if numbers is not None:
            free = keywords[keyword] = _free_name(wanted, table)
            table = table.with_columns({free: Column(free, pa.chunked_array([pa.array(numbers)]), Kind.NUMBER)})
    return TrainingTable(table, keywords, classes, tuple(rows[:-1]))


def unlabelled_table(estimator: Any, data: Any) -> Table:
    """Further rows without classes, with the columns that the estimator was fitted on."""
    return _table_of(estimator, _check_features(estimator, data, reset=False), "unlabeled")


def column_names(estimator: Any) -> tuple[str, ...]:
    """What tables call the columns of X, by position."""
    return name_columns(_names_in(estimator), "X").names


def is_pandas(data: Any) -> bool:
    return hasattr(data, "iloc") and hasattr(data, "columns")


def unmasked(data: Any) -> Any:
    """Masked cells as missing ones, as scikit-learn would take what is behind the mask; and lazy frames as frames."""
    if not np.ma.is_masked(data):
        return collected(data)
    missing: Any = np.nan if data.dtype.kind in "biuf" else None
    return np.where(np.ma.getmaskarray(data), missing, np.ma.getdata(data))


def is_frame(data: Any) -> bool:
    """Whether columns have types of their own: in a frame of pandas, or of what offers an Arrow stream, as polars."""
    return is_pandas(data) or (hasattr(data, "__arrow_c_stream__") and len(getattr(data, "shape", ())) == 2)


def _names_in(estimator: Any) -> list[str]:
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{place}" for place in range(estimator.n_features_in_)] if names is None else list(names)


def _check_features(estimator: Any, data: Any, *, reset: bool) -> Any:
    """X as it is, if it is a frame, or else as a matrix, in which missing cells are allowed and infinite ones not."""
    fewest = 2 if reset else 1
    data = unmasked(data)
    # What is too small is left to scikit-learn to refuse.
    frame = is_frame(data) and len(data) >= fewest and data.shape[1] > 0
    return validate_data(
        estimator,
        data,
        reset=reset,
        skip_check_array=frame,
        dtype=None,
        ensure_all_finite="allow-nan",
        ensure_min_samples=fewest,
    )


def _table_of(estimator: Any, data: Any, source: str) -> Table:
    """The columns of X as a table, without row indexes and columns of lists or the like; a note names each of these."""
    names = _names_in(estimator)
    if is_pandas(data):
        table = table_in_memory(data.set_axis(names, axis=1), source)
    elif is_frame(data):
        table = table_in_memory(pa.table(data).rename_columns(names), source)
    else:
        table = table_in_memory(data, source, names)
    notes = [
        NoteKind.UNUSABLE.note(f"left out: {quoted(name)} {column.problem}", [name])
        for name, column in table.columns.items()
        if column.problem is not None
    ]
    usable = {name: column for name, column in table.columns.items() if column.problem is None}
    if not usable:
        raise DataError("no column holds texts or numbers; turn some into these", source=source)
    for name, column in usable.items():
        if pa.types.is_floating(column.cells.type) and pc.any(pc.is_inf(column.cells)).as_py():
            ways = "make it missing (NaN), or a large number"
            raise ValueError(f"Input {source} contains infinity in column {quoted(name)}; {ways}")
    return replace(table, source=source, columns=usable).with_notes(notes)


def _check_weights(sample_weight: Any, y: npt.NDArray[Any]) -> Floats:
    """Weights from 0 on. Whole numbers say how many equal rows a row stands for, and others how important it is."""
    if isinstance(sample_weight, Number):
        sample_weight = np.full(len(y), sample_weight)
    how: dict[str, Any] = {"dtype": np.float64, "ensure_non_negative": True, "input_name": "sample_weight"}
    weights: Floats = column_or_1d(check_array(unmasked(sample_weight), ensure_2d=False, **how))
    check_consistent_length(y, weights)
    if not weights.any():
        raise ValueError(f"{option('sample_weight')}: every weight is zero, which leaves no row")
    return weights


def _check_classes(
    y: npt.NDArray[Any], unlabeled_value: Any, counts: Floats | None
) -> tuple[npt.NDArray[Any], Integers]:
    """The distinct classes, and the number of each row's class; rows without a class, or of count 0, have the number
    after the last.
    """
    known = np.ones(len(y), dtype=np.bool_) if counts is None else counts > 0
    if unlabeled_value is not None:
        import pandas

        # NaN stands for all that pandas takes as missing; and numpy has made a text of a number among texts.
        value = str(unlabeled_value) if y.dtype.kind in "US" else unlabeled_value
        known &= ~np.asarray(pandas.isna(y) if pandas.isna(unlabeled_value) else pandas.Series(y) == value)
    if not known.any():
        raise ValueError(f"y holds no class: each of its values is {option('unlabeled_value', unlabeled_value)}")
    labelled = y[known]
    if unlabeled_value is not None and labelled.dtype == object:
        # What is left without None or such like may be plain numbers.
        labelled = np.array(labelled.tolist())
    labelled = check_array(labelled, ensure_2d=False, dtype=None, input_name="y")
    check_classification_targets(labelled)
    classes, places = np.unique(labelled, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y holds 1 class, {quoted(str(classes[0]))}; two or more are needed")
    codes = np.full(len(y), len(classes), dtype=np.int64)
    codes[known] = places
    return classes, codes


def _free_name(name: str, table: Table) -> str:
    names = (name if number == 1 else f"{name} ({number})" for number in count(1))
    return next(free for free in names if free not in table.columns)
