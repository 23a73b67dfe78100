"""What fit is given is checked as scikit-learn checks it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from probfs import ProbabilisticSelector
from probfs.api.selector_inputs import SelectorInputs, check_counts, check_inputs

ROWS = 6
MATRIX = np.arange(2.0 * ROWS).reshape(ROWS, 2)
CLASSES = np.array([0, 1, 0, 1, 0, 1])


def check(
    data: Any = MATRIX, y: Any = CLASSES, weights: Any = None, others: Any = None, unlabeled_value: Any = None
) -> SelectorInputs:
    return check_inputs(ProbabilisticSelector(), data, y, weights, others, unlabeled_value)


def test_columns_without_names_are_called_as_scikit_learn_calls_them() -> None:
    assert check().names == ("x0", "x1")
    assert check(pd.DataFrame(MATRIX)).names == ("x0", "x1")
    assert check(pd.DataFrame(MATRIX, columns=["a", "b"])).names == ("a", "b")


@pytest.mark.parametrize(
    ("y", "labels"),
    [
        (CLASSES, [0, 1]),
        (CLASSES.astype(float).tolist(), [0.0, 1.0]),
        (pd.Series(CLASSES.astype(bool)), [False, True]),
        (list("bababa"), ["a", "b"]),
        (pd.Categorical(list("bababa")), ["a", "b"]),
        (pa.chunked_array([list("bab"), list("aba")]).to_pandas(), ["a", "b"]),
    ],
    ids=["whole", "floats", "truth", "texts", "categories", "arrow"],
)
def test_classes_of_all_types_are_found(y: Any, labels: list[Any]) -> None:
    found = check(y=y)
    assert found.labels.tolist() == labels
    assert [labels[code] for code in found.classes.codes] == list(y)


def test_the_name_of_y_is_that_of_the_target() -> None:
    assert check(y=pd.Series(CLASSES, name="churn")).classes.name == "churn"
    assert check(y=pd.Series(CLASSES, name=3)).classes.name == "y"
    assert check(y=pd.Series(CLASSES, name=" ")).classes.name == "y"


@pytest.mark.parametrize(
    ("y", "value"),
    [
        (np.array([0, 1, -1, 1, 0, -1]), -1),
        (np.array([0, 1, np.nan, 1, 0, np.nan]), np.nan),
        (pd.Series([0, 1, None, 1, 0, None], dtype=object), np.nan),
        (np.array([0, 1, "?", 1, 0, "?"], dtype=object), "?"),
        (["0", "1", -1, "1", "0", -1], -1),
    ],
    ids=["-1", "nan", "none", "text", "texts"],
)
def test_rows_without_a_class_are_known_by_a_value(y: Any, value: Any) -> None:
    found = check(y=y, unlabeled_value=value)
    assert len(found.labels) == 2
    assert found.classes.codes.tolist() == [0, 1, 2, 1, 0, 2]


def test_minus_one_is_a_class_unless_it_is_said_to_be_none() -> None:
    assert check(y=[-1, 1, -1, 1, -1, 1]).labels.tolist() == [-1, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": None}, "requires y to be passed, but the target y is None"),
        ({"y": np.linspace(0, 1, ROWS)}, "Unknown label type"),
        ({"y": np.zeros(ROWS)}, "y holds 1 class, '0.0'; two or more are needed"),
        ({"y": CLASSES, "weights": [1, 0, 1, 0, 1, 0]}, "y holds 1 class, '0'"),
        ({"y": np.full(ROWS, -1), "unlabeled_value": -1}, "y holds no class: each of its values is unlabeled_value=-1"),
        ({"y": np.array([0, 1, np.nan, 1, 0, 1])}, "Input y contains NaN"),
        ({"y": CLASSES[:4]}, "inconsistent numbers of samples"),
        ({"data": MATRIX[:1], "y": CLASSES[:1]}, "1 sample"),
        ({"data": pd.DataFrame(MATRIX[:1]), "y": CLASSES[:1]}, "1 sample"),
        ({"data": np.empty((ROWS, 0))}, "0 feature"),
        ({"data": pd.DataFrame(index=range(ROWS))}, "0 feature|at least one array"),
        ({"data": MATRIX[:, 0]}, "Expected 2D array"),
        ({"data": pd.Series(MATRIX[:, 0])}, "Expected a 2-dimensional container|Expected 2D array"),
        ({"data": np.where(MATRIX == 3, np.inf, MATRIX)}, "infinity"),
        ({"data": pd.DataFrame(np.where(MATRIX == 3, np.inf, MATRIX), columns=["a", "b"])}, "infinity in column 'b'"),
        ({"data": pa.table({"a": MATRIX[:, 0], "b": np.full(ROWS, -np.inf)})}, "infinity in column 'b'"),
        ({"others": MATRIX[:, :1]}, "1 features, but ProbabilisticSelector is expecting 2"),
        ({"others": np.full((2, 2), np.inf)}, "infinity"),
    ],
)
def test_what_is_wrong_is_a_value_error(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check(**arguments)


def test_sparse_matrices_are_refused() -> None:
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        check(csr_array(MATRIX))


def test_missing_cells_are_not_infinite() -> None:
    frame = pd.DataFrame({"a": pd.array([1.5, None] * 3, dtype="Float64"), "b": [np.nan, 1.0] * 3})
    assert check(frame).X is frame
    assert np.isnan(check(np.where(MATRIX == 3, np.nan, MATRIX)).X).any()


def test_unlabelled_rows_must_have_the_columns_of_the_others() -> None:
    frame = pd.DataFrame(MATRIX, columns=["a", "b"])
    one = frame[:1]
    assert check(frame, others=one).unlabeled is one
    with pytest.raises(ValueError, match="feature names should match"):
        check(frame, others=frame.rename(columns={"b": "c"}))


@pytest.mark.parametrize("weights", [[1, 2, 0, 1], np.array([1.0, 2.0, 0.0, 1.0], np.float32), pd.Series([1, 2, 0, 1])])
def test_weights_are_whole_numbers_of_any_type(weights: Any) -> None:
    found: npt.NDArray[np.int64] = check_counts(weights, 4)
    assert found.dtype == np.int64
    assert found.tolist() == [1, 2, 0, 1]


def test_one_weight_is_that_of_every_row() -> None:
    assert check_counts(3, 2).tolist() == [3, 3]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1.5, 1], "sample_weight=: 1.5 in row 1 is no whole number from 0 on; a weight says how many equal rows"),
        ([1, 1, -2], "sample_weight=: -2 in row 2 is no whole number"),
        ([0, 0, 0], "every weight is zero"),
        ([1, 1e19, 1], "sample_weight=: the weights add up to more than 2^53 rows; divide them"),
        ([2**52, 2**52, 1e300], "the weights add up to more than 2^53 rows"),
        ([1, 1], "its shape is (2,), but X has 3 rows"),
        (np.ones((3, 2)), "its shape is (3, 2), but X has 3 rows"),
        ([1, np.nan, 1], "sample_weight contains NaN"),
    ],
)
def test_other_weights_are_refused_in_one_line(weights: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        check_counts(weights, 3)
    if "NaN" not in message:
        assert "\n" not in str(caught.value)


def test_a_class_that_only_rows_of_no_weight_have_is_none() -> None:
    found = check(y=["a", "b", "c", "b", "a", "c"], weights=[1, 1, 0, 1, 1, 0])
    assert found.labels.tolist() == ["a", "b"]
    assert found.classes.codes.tolist() == [0, 1, 2, 1, 0, 2]
    # The rows of no weight are taken away with their classes.
    assert found.counts is not None
    assert found.counts.tolist() == [1, 1, 0, 1, 1, 0]
