"""Which rows models hold out and score."""

from __future__ import annotations

import contextlib
from typing import get_args

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.classifiers.estimates import EstimateName
from probfs.classifiers.svm.splits import UNLABELLED, make_splits
from probfs.text import command_line_language
from tests.support.svm_tables import random_dataset


@pytest.mark.parametrize("estimate", get_args(EstimateName))
def test_every_copy_of_every_row_is_scored_once(estimate: EstimateName) -> None:
    dataset = random_dataset(3, 12, "ct", unlabelled=5, counted=True)
    scored = np.zeros(12 + 5, dtype=np.int64)
    for split in make_splits(dataset, estimate, 3 if estimate == "cv" else None, seed=0):
        np.add.at(scored, split.scored, split.scored_counts)
        labelled = split.scored_labels != UNLABELLED
        assert (labelled == (split.scored < 12)).all()
        assert (split.scored_labels[labelled] == dataset.labels[split.scored[labelled]]).all()
    assert scored.tolist() == [*dataset.counts.tolist(), *dataset.unlabelled_counts.tolist()]


@pytest.mark.parametrize(("estimate", "models"), [("loo", 12), ("cv", 3)])
def test_scored_rows_are_held_out(estimate: EstimateName, models: int) -> None:
    dataset = random_dataset(3, 12, "ct", counted=True)
    splits = make_splits(dataset, estimate, 3 if estimate == "cv" else None, seed=0)
    assert len(splits) == models
    for split in splits:
        assert (split.held_out == split.scored).all()
        expected = split.scored_counts if estimate == "cv" else np.ones(1)
        assert (split.held_out_copies == expected).all()


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
