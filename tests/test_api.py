"""probfs.rank: its parameters, what it understands and what it refuses; and what the package exports."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import probfs


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "clas"}, "target=: no column 'clas'"),
        ({"exclude": ["bb"]}, "exclude=: no column 'bb' in <frame>; did you mean 'b'?"),
        ({"include": ["a"], "exclude": ["a"]}, "both include= and exclude="),
        ({"exclude": ["y"]}, "no column|is the target"),
        ({"count": "y", "target": "y"}, "is the target"),
        ({"score": "unlabeled"}, "there is no unlabelled row"),
        ({"score": "loudest"}, "'loudest' is not one of absolute, signed, unlabeled"),
        ({"folds": 5}, 'folds= goes with estimate="cv" only'),
        ({"estimate": "cv", "folds": 9}, "more than the 8 labelled rows"),
        ({"estimate": "cv", "folds": 1}, "1 is out of range; 2 or more"),
        ({"smoothing": -1}, "smoothing=: "),
        ({"smoothing": math.nan}, "smoothing=: "),
        ({"smoothing": 1e160}, "smoothing=: "),
        ({"na": ["\udcff"]}, "not valid Unicode"),
        ({"step": 0}, "step=: "),
        ({"step": 1.5}, "step=: "),
        ({"bins": 1}, "bins=: 1 is out of range; 2 to 10000"),
        ({"seed": -1}, "seed=: "),
    ],
)
def test_a_wrong_option_is_a_usage_error(frame: pd.DataFrame, options: dict[str, object], message: str) -> None:
    if options == {"exclude": ["y"]}:
        options = {"exclude": ["y"], "target": "y"}
    with pytest.raises(probfs.UsageError, match=message):
        probfs.rank(frame, **options)  # type: ignore[arg-type]  # options of many types


def test_arguments_of_other_sorts_are_understood(frame: pd.DataFrame) -> None:
    expected = probfs.rank(frame, target="y", exclude=["b"], unlabeled=[frame]).to_csv()
    numbered = frame.rename(columns={"y": 7})
    ranking = probfs.rank(numbered, target=7, exclude="b", unlabeled=numbered)  # type: ignore[arg-type]  # the point
    assert ranking.to_csv() == expected
    assert probfs.rank(frame, step=np.float64(0.5)).to_csv() == probfs.rank(frame, step=0.5).to_csv()
    with pytest.raises(probfs.UsageError, match="path or a pandas data frame, not dict"):
        probfs.rank({"a": [1]})  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(probfs.UsageError, match="only once"):
        probfs.rank("-", unlabeled=["-"])


def test_everything_exported_can_be_imported() -> None:
    for name in probfs.__all__:
        assert getattr(probfs, name) is not None
    with pytest.raises(AttributeError):
        probfs.nothing_of_the_kind  # noqa: B018  # the access is the test
