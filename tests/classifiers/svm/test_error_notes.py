"""Notes on models that know no more than the share of each class."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.classifiers.svm.error_notes import note_guessing


@pytest.mark.parametrize(
    ("errors", "noted"),
    [(90, False), (91, True), (100, True), (130, True), (0, False)],
)
def test_better_than_guessing_is_better_by_a_standard_deviation(errors: int, noted: bool) -> None:
    """Guessing gets 100 of 1,000 rows wrong, give or take √90 = 9.5."""
    note = note_guessing(errors, {"no": 900, "yes": 60, "perhaps": 40})
    assert (note is not None) == noted
    if note is not None:
        assert f"{errors} of 1,000 held-out rows wrong, no better than guessing 'no' every time (100)" in note


@pytest.mark.parametrize("options", [{}, {"estimate": "cv"}, {"removal": "retrain"}])
def test_noise_is_noted_and_signal_is_not(options: dict[str, str]) -> None:
    generator = np.random.default_rng(2)
    labels = np.arange(80) % 2
    names = [f"f{number}" for number in range(10)]
    noise = pd.DataFrame(generator.normal(size=(80, 10)), columns=names).assign(y=labels.astype(str))
    signal = noise.assign(f0=noise["f0"] + 3 * labels)
    notes = [
        " ".join(probfs.rank(table, classifier="svm", eliminate=False, jobs=1, **options).warnings)  # type: ignore[arg-type]
        for table in (noise, signal)
    ]
    assert ["no better than guessing" in said for said in notes] == [True, False]
