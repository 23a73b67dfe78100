"""Classes of too few rows are told so, in the caller's language."""

from __future__ import annotations

import contextlib

import pandas as pd
import pytest

import probfs
from probfs.text import command_line_language


@pytest.mark.parametrize(
    ("options", "message", "on_the_command_line"),
    [
        (
            {},
            "class 'p' has one row only, and the SVM's probabilities need two or more; "
            'drop the row, or use classifier="nb"',
            "; drop the row, or use --classifier nb",
        ),
        (
            {"target": "z", "estimate": "loo"},
            "class 'u' has 2 rows, of which estimate=\"loo\" leaves 1 to train on; "
            'the SVM needs two: use estimate="resubstitution"',
            "class 'u' has 2 rows, of which --estimate loo leaves 1 to train on; "
            "the SVM needs two: use --estimate resubstitution",
        ),
        (
            {"target": "z", "estimate": "cv", "folds": 2},
            "class 'u' has 2 rows, of which estimate=\"cv\" leaves 1",
            "class 'u' has 2 rows, of which --estimate cv leaves 1",
        ),
    ],
)
def test_too_few_rows_of_a_class_are_an_error(
    options: dict[str, object], message: str, on_the_command_line: str
) -> None:
    frame = pd.DataFrame({"a": [1, 2, 3, 5, 8], "z": list("uuvvv"), "y": list("nnnnp")})
    for language, expected in (
        (contextlib.nullcontext(), message),
        (command_line_language(), on_the_command_line),
    ):
        with language, pytest.raises(probfs.DataError) as caught:
            probfs.rank(frame, **{"target": "y", "classifier": "svm", **options})  # type: ignore[arg-type]
        assert expected in str(caught.value)
