"""What is given to ``ProbabilisticSelector.fit``, checked as scikit-learn's own estimators check it."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from probfs.api.training_table import TARGET, Classes, class_texts, collected, is_frame
from probfs.columns.target import MOST_ROWS
from probfs.tables.arrays import Flags, Integers
from probfs.text import counted, option, quoted

_FEWEST_ROWS = 2
_CELLS = 1 << 20
"""Looked at together."""


@dataclass(frozen=True, eq=False)
class SelectorInputs:
    """The arguments of ``fit``, checked."""

    X: Any
    """A data frame as it was given, or a matrix."""
    names: tuple[str, ...]
    """Of the columns of X; x0, x1 … where they have none."""
    labels: npt.NDArray[Any]
    """The distinct classes, sorted."""
    classes: Classes
    counts: Integers | None
    """How many equal rows each row stands for; None where each is one."""
    unlabeled: Any


def check_inputs(
    estimator: Any,
    X: Any,  # noqa: N803  # as scikit-learn has it
    y: Any,
    sample_weight: Any,
    unlabeled: Any,
    unlabeled_value: Any,
) -> SelectorInputs:
    """Check the arguments of ``fit``; the estimator learns the number of columns and their names."""
    if y is None:
        # It refuses, as scikit-learn does everywhere, since the estimator's tags say that y is required.
        validate_data(estimator, X, y, skip_check_array=True)
    X = _check_features(estimator, X, reset=True)  # noqa: N806
    name = getattr(y, "name", None)
    labels, codes = _check_classes(X, y, unlabeled_value)
    counts = None if sample_weight is None else check_counts(sample_weight, len(codes))
    if counts is not None:
        present = np.unique(codes[counts > 0])
        labels, codes = _only(labels, codes, present[present < len(labels)])
    if len(labels) < 2:
        found = f"1 class, {quoted(str(labels[0]))}" if len(labels) else "no class"
        raise ValueError(f"y holds {found}; two or more are needed")
    if unlabeled is not None:
        unlabeled = _check_features(estimator, unlabeled, reset=False)
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        names = [f"x{position}" for position in range(estimator.n_features_in_)]
    target = name if isinstance(name, str) and name.strip() else TARGET
    return SelectorInputs(X, tuple(names), labels, Classes(target, class_texts(labels), codes), counts, unlabeled)


def check_counts(sample_weight: Any, rows: int) -> Integers:
    """Weights as whole numbers: each says how many equal rows a row stands for."""
    if isinstance(sample_weight, numbers.Number):
        sample_weight = np.full(rows, sample_weight)
    weights = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if weights.shape != (rows,):
        raise ValueError(f"{option('sample_weight')}: its shape is {weights.shape}, but X has {counted(rows, 'row')}")
    wrong = np.flatnonzero((weights < 0) | (weights != np.rint(weights)))
    if len(wrong):
        row, weight = int(wrong[0]), float(weights[wrong[0]])
        problem = f"{weight:g} in row {row} is no whole number from 0 on"
        why = "a weight says how many equal rows a row stands for, as no part of a row can be left out to judge it"
        raise ValueError(f"{option('sample_weight')}: {problem}; {why}; multiply or round the weights")
    if not weights.any():
        raise ValueError(f"{option('sample_weight')}: every weight is zero, which leaves no row")
    if weights.sum() > MOST_ROWS:
        raise ValueError(f"{option('sample_weight')}: the weights add up to more than 2^53 rows; divide them")
    counts: Integers = weights.astype(np.int64)
    return counts


def _check_features(estimator: Any, data: Any, *, reset: bool) -> Any:
    """X as it is, if it is a frame, or else as a matrix; infinite numbers are refused, and missing ones allowed."""
    fewest = _FEWEST_ROWS if reset else 1
    data = collected(data)
    # What is too small is left to scikit-learn to refuse.
    frame = is_frame(data) and len(data) >= fewest and data.shape[1] > 0
    checked = validate_data(
        estimator,
        data,
        reset=reset,
        skip_check_array=frame,
        dtype=None,
        ensure_all_finite="allow-nan",
        ensure_min_samples=fewest,
    )
    if frame:
        _refuse_infinity(checked)
    return checked


def _refuse_infinity(frame: Any) -> None:
    """As ``check_array`` does for a matrix."""
    if not hasattr(frame, "iloc"):
        import pyarrow as pa
        import pyarrow.compute as pc

        table = pa.table(frame)
        for name, column in zip(table.column_names, table.columns, strict=True):
            if pa.types.is_floating(column.type) and pc.any(pc.is_inf(column)).as_py():
                raise _infinity(name)
        return
    floats = [position for position, dtype in enumerate(frame.dtypes) if getattr(dtype, "kind", "") == "f"]
    # Some columns at a time: each alone takes long in a wide frame, and all together much memory in a tall one.
    at_a_time = max(1, _CELLS // len(frame))
    for first in range(0, len(floats), at_a_time):
        some = floats[first : first + at_a_time]
        infinite = np.isinf(frame.iloc[:, some].to_numpy(np.float64, na_value=np.nan)).any(axis=0)
        if infinite.any():
            raise _infinity(frame.columns[some[int(infinite.argmax())]])


def _infinity(name: object) -> ValueError:
    ways = "make it missing (NaN), or a large number"
    return ValueError(f"Input X contains infinity in column {quoted(str(name))}; {ways}")


def _check_classes(data: Any, y: Any, unlabeled_value: Any) -> tuple[npt.NDArray[Any], Integers]:
    """The distinct classes, and of each row the position of its own; their number for a row without one."""
    y = column_or_1d(y, warn=True)
    check_consistent_length(data, y)
    known = ~_is_unlabeled(y, unlabeled_value)
    if not known.any():
        raise ValueError(f"y holds no class: each of its values is {option('unlabeled_value', unlabeled_value)}")
    labelled = y[known]
    if unlabeled_value is not None and labelled.dtype == object:
        # What is left without None or such like may be plain numbers.
        labelled = np.array(labelled.tolist())
    labelled = check_array(labelled, ensure_2d=False, dtype=None, input_name="y")
    check_classification_targets(labelled)
    labels, own = np.unique(labelled, return_inverse=True)
    codes = np.full(len(y), len(labels), dtype=np.int64)
    codes[known] = own
    return labels, codes


def _is_unlabeled(y: npt.NDArray[Any], value: Any) -> Flags:
    """Which rows have no class, by the value that says so; NaN stands for all that pandas takes as missing."""
    if value is None:
        return np.zeros(len(y), dtype=np.bool_)
    import pandas

    if pandas.isna(value):
        return np.asarray(pandas.isna(y), dtype=np.bool_)
    if y.dtype.kind in "US":
        # numpy has made a text of it, too.
        value = str(value)
    return np.fromiter((own == value for own in y.tolist()), dtype=np.bool_, count=len(y))


def _only(labels: npt.NDArray[Any], codes: Integers, present: Integers) -> tuple[npt.NDArray[Any], Integers]:
    """The classes that rows have that count; a row that counts for nothing need not have one of them."""
    new = np.full(len(labels) + 1, len(present), dtype=np.int64)
    new[present] = np.arange(len(present))
    return labels[present], new[codes]
