"""Pipelines that name columns do without those that have left."""

from __future__ import annotations

import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from probfs.classifiers.estimators.column_transformers import (
    check_column_names,
    check_column_names_exist,
    find_column_transformers,
    keep_columns,
    takes_no_columns,
)
from probfs.errors import UsageError

SELECTOR = make_column_selector(dtype_include=object)


def pipeline(numbers: object) -> Pipeline:
    steps = [
        ("numbers", StandardScaler(), numbers),
        ("words", CountVectorizer(), "text"),
        ("rest", OneHotEncoder(), SELECTOR),
    ]
    return Pipeline([("columns", ColumnTransformer(steps)), ("last", StandardScaler())])


def test_names_of_columns_that_are_gone_are_left_out() -> None:
    own = pipeline(["a", "b", "c"])
    keep_columns(own, ["c", "a", "d"])
    (_, numbers, columns), (_, words, text), (_, _, selector) = own.named_steps["columns"].transformers
    assert (type(numbers), columns) == (StandardScaler, ["a", "c"])
    assert (words, text) == ("drop", [])
    assert selector is SELECTOR


def test_a_text_column_that_is_there_stays() -> None:
    own = pipeline(["a"])
    keep_columns(own, ["text"])
    (_, _, columns), (_, words, text), _ = own.named_steps["columns"].transformers
    assert (columns, type(words), text) == ([], CountVectorizer, "text")


def test_names_must_be_columns_of_the_table() -> None:
    check_column_names_exist(pipeline(["a"]), ["text", "a", "b"], "the table")
    for columns in (["text", "b"], ["a", "b"]):
        with pytest.raises(UsageError, match=r"names '(a|text)', which is no column of the table"):
            check_column_names_exist(pipeline(["a"]), columns, "the table")


def test_what_is_dropped_and_what_remains() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})

    def takes_none(*steps: tuple[str, object, object], remainder: str = "drop") -> bool:
        return takes_no_columns(ColumnTransformer(list(steps), remainder=remainder), frame)

    assert takes_none(("numbers", StandardScaler(), []))
    assert takes_none(("texts", OneHotEncoder(), SELECTOR))
    assert takes_none(("gone", "drop", ["a"]))
    assert takes_none(("gone", "drop", ["a", "b"]), remainder="passthrough")
    assert not takes_none(("gone", "drop", ["a"]), remainder="passthrough")
    assert not takes_none(("numbers", StandardScaler(), ["a"]))
    assert not takes_none(("numbers", "passthrough", "a"))
    assert not takes_no_columns(StandardScaler(), frame)


@pytest.mark.parametrize("columns", [[0, 1], slice(0, 2), [True, False]])
def test_positions_are_refused(columns: object) -> None:
    with pytest.raises(UsageError, match="'numbers' chooses columns by position") as caught:
        check_column_names(pipeline(columns))
    assert "\n" not in str(caught.value)
    check_column_names(pipeline(["a"]))


def test_a_transformer_is_found_wherever_it_is() -> None:
    assert [name for name, _ in find_column_transformers(pipeline(["a"]))] == ["columns"]
    inner = pipeline(["a"]).named_steps["columns"]
    assert [name for name, _ in find_column_transformers(inner)] == [""]
    assert list(find_column_transformers(StandardScaler())) == []
