"""Errors: where, what, and the exit status they mean."""

from __future__ import annotations

import pickle

import pytest

from probfs.errors import DataError, MappingError, OutputError, ProbfsError, UsageError


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ({}, "is wrong"),
        ({"source": "t.csv"}, "t.csv: is wrong"),
        ({"source": "t.csv", "line": 3}, "t.csv:3: is wrong"),
        ({"source": "t.csv", "line": 3, "column": 7}, "t.csv:3:7: is wrong"),
        ({"line": 3}, "is wrong"),
    ],
)
def test_an_error_says_where_as_far_as_it_is_known(place: dict[str, object], shown: str) -> None:
    error = DataError("is wrong", **place)  # type: ignore[arg-type]  # places of several types
    assert str(error) == shown
    assert error.message == "is wrong"


@pytest.mark.parametrize("kind", [DataError, OutputError, UsageError, MappingError])
def test_an_error_comes_whole_out_of_another_process(kind: type[ProbfsError]) -> None:
    error = pickle.loads(pickle.dumps(kind("is wrong", source="t.csv", line=3)))
    assert (type(error), str(error), error.line) == (kind, "t.csv:3: is wrong", 3)


def test_an_error_is_one_line_whatever_value_it_shows() -> None:
    assert str(UsageError("target=:    a  b\n0  x  u is not the name of a column")) == (
        "target=: a b 0 x u is not the name of a column"
    )
