"""Errors: where, what, and the exit status they mean."""

from __future__ import annotations

import pickle

import pytest

from probfs.errors import DataError, MappingError, OutputError, ProbfsError, ProbfsWarning, TargetWarning, UsageError


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


def test_data_is_status_1_and_usage_status_2() -> None:
    kinds = (DataError, OutputError, UsageError, MappingError)
    assert [kind("x").exit_status for kind in kinds] == [1, 1, 2, 2]
    assert all(issubclass(kind, ProbfsError) for kind in kinds)


def test_warnings_are_of_a_class_of_ours_that_can_be_filtered() -> None:
    assert issubclass(TargetWarning, ProbfsWarning)
    assert issubclass(ProbfsWarning, UserWarning)
    assert not issubclass(ProbfsWarning, ProbfsError)


def test_wrong_data_and_arguments_are_value_errors_as_in_other_libraries() -> None:
    assert issubclass(DataError, ValueError)
    assert issubclass(UsageError, ValueError)
    assert not issubclass(OutputError, ValueError)


@pytest.mark.parametrize("kind", [DataError, OutputError, UsageError, MappingError])
def test_an_error_comes_whole_out_of_another_process(kind: type[ProbfsError]) -> None:
    error = pickle.loads(pickle.dumps(kind("is wrong", source="t.csv", line=3)))
    assert (type(error), str(error), error.line) == (kind, "t.csv:3: is wrong", 3)


def test_an_error_is_one_line_whatever_value_it_shows() -> None:
    assert str(UsageError("target=:    a  b\n0  x  u is not the name of a column")) == (
        "target=: a b 0 x u is not the name of a column"
    )
