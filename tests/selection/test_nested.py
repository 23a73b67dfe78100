"""Nested cross-validation against a plain loop over folds and rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import probfs
from probfs.columns.folds import order_by_content
from probfs.selection.nested import nested_cross_validation
from tests.selection.test_choice import candidates, dealt, table
from tests.support import plain_selection
from tests.support.datasets import random_dataset


@pytest.mark.parametrize(
    ("seed", "classes", "smoothing", "folds", "always"),
    [(0, 2, 1.0, 3, ()), (1, 3, 1.0, 3, ()), (2, 2, 0.0, 4, ()), (3, 2, 1.0, 3, (1,)), (4, 3, 0.0, 3, ())],
)
def test_the_estimate_is_that_of_a_plain_loop(
    seed: int, classes: int, smoothing: float, folds: int, always: tuple[int, ...]
) -> None:
    dataset = table(seed, classes=classes)
    # Enough rows of each class for every fold.
    dataset = replace(dataset, counts=np.maximum(dataset.counts, 1))
    found, kept = nested_cross_validation(*dealt(candidates(dataset, always, smoothing), folds), "best")
    plain = plain_selection.estimate(dataset, folds, smoothing, always)
    assert found.folds == folds
    for judged, losses, errors in zip((found.kept, found.all, found.none), plain.losses, plain.errors, strict=True):
        assert judged.rows == len(losses) == dataset.rows
        assert judged.errors == errors
        assert judged.log_loss == pytest.approx(np.mean(losses), abs=1e-6)
        assert judged.se == pytest.approx(plain_selection.standard_error(losses), abs=1e-6)
    differences = np.subtract(plain.losses[0], plain.losses[1])
    assert found.difference == pytest.approx(differences.mean(), abs=1e-6)
    assert found.se == pytest.approx(plain_selection.standard_error(differences.tolist()), abs=1e-6)
    assert tuple(kept.tolist()) == plain.folds


def test_noise_alone_is_judged_as_no_column_at_all() -> None:
    dataset = random_dataset(60, 5, 3, 2, seed=1, signal=0.0)
    estimate, kept = nested_cross_validation(*dealt(candidates(dataset, false_discoveries=1e-6), 5), "best")
    assert estimate.kept == estimate.none
    assert kept.sum() == 0


def test_neither_the_order_of_rows_nor_that_of_columns_matters() -> None:
    dataset = table(7)
    dataset = replace(dataset, counts=np.maximum(dataset.counts, 1))
    (one, one_kept), (other, other_kept) = (
        nested_cross_validation(*dealt(candidates(own), 3), "best") for own in (dataset, order_by_content(dataset, 5))
    )
    assert one.kept.log_loss == pytest.approx(other.kept.log_loss, rel=1e-9)
    assert one.difference == pytest.approx(other.difference, rel=1e-7, abs=1e-9)
    np.testing.assert_array_equal(one_kept, other_kept)


def test_the_number_of_jobs_reaches_the_models_of_the_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(0)
    signal = generator.normal(size=60)
    frame = pd.DataFrame({"a": signal, "b": generator.normal(size=60), "y": np.where(signal > 0, "p", "n")})
    fit, jobs = RandomForestClassifier.fit, []

    def recording_fit(self: Any, *cells: Any, **more: Any) -> Any:
        jobs.append(self.n_jobs)
        return fit(self, *cells, **more)

    monkeypatch.setattr(RandomForestClassifier, "fit", recording_fit)
    probfs.select(frame, target="y", classifier="forest", trees=3, folds=2, permutations=2, jobs=3)
    assert set(jobs) == {3}
