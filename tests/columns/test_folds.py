"""Stratified folds."""

from __future__ import annotations

import probfs
from tests.support.paths import SAMPLES


def test_folds_are_seeded() -> None:
    def ranks(seed: int) -> str:
        return probfs.rank(SAMPLES / "commute.csv", exclude=["person"], estimate="cv", folds=5, seed=seed).to_csv()

    assert ranks(1) == ranks(1)
    assert ranks(1) != ranks(2)
