"""Does the SVM find the features that matter, and are its scores those of the paper?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import probfs
from tests.support.svm_tables import SHAPES, draw_table, precision_of_chi_squared, precision_of_svm, weston


@pytest.mark.parametrize("score", ["absolute", "signed"])
@pytest.mark.parametrize(
    ("features", "tables"),
    [(30, 5), pytest.param(30, 20, marks=pytest.mark.slow), pytest.param(202, 20, marks=pytest.mark.slow)],
)
def test_weston_s_relevant_features_come_first(features: int, tables: int, score: Any) -> None:
    hits = []
    for seed in range(tables):
        ranking = probfs.rank(weston(100, features, seed), target="y", classifier="svm", score=score, seed=seed)
        hits.append(sum(feature.feature.startswith("relevant") for feature in ranking.features[:6]))
    print(f"Weston, {features} features, {score}: {np.mean(hits)} of 6, {hits}")
    assert np.mean(hits) >= 5


def test_signed_scores_are_about_twice_the_square_of_absolute_ones() -> None:
    """The paper's figure 3, and its bound S_S ≤ √(S_A/2), on X_{c,p} beside a column of noise."""
    generator = np.random.default_rng(0)
    absolute, root = [], []
    for c in np.arange(0, 3.01, 1.0):
        for p in np.arange(0, 1.01, 0.25):
            signs = np.where(np.arange(300) % 2, 1.0, -1.0)
            signal = np.where(
                generator.random(300) < p, signs * generator.normal(c, 1, 300), generator.normal(size=300)
            )
            frame = pd.DataFrame({"x": signal, "noise": generator.normal(size=300), "y": signs.astype(str)})
            ranking = probfs.rank(frame, target="y", classifier="svm", removal="retrain", eliminate=False)
            x = next(feature for feature in ranking.features if feature.feature == "x")
            absolute.append(x.s_s)
            root.append(math.sqrt(max(x.s_a, 0) / 2))
    correlation = np.corrcoef(absolute, root)[0, 1]
    excess = np.max(np.array(absolute) - np.array(root))
    print(f"figure 3: correlation {correlation:.4f}, S_S exceeds √(S_A/2) by at most {excess:.4f}")
    assert correlation >= 0.99
    assert excess < 0.05


def test_a_single_permutation_overstates_the_score() -> None:
    """Probabilities are averaged before the absolute value: with one permutation E|Z - Z'| would be scored."""
    frame = weston(200, 6)
    one, many = (
        sum(f.s_s for f in probfs.rank(frame, target="y", classifier="svm", permutations=m, eliminate=False).features)
        for m in (1, 50)
    )
    assert 1.05 < one / many < 1.6


@pytest.mark.slow
def test_noise_with_many_values_does_not_mislead_the_svm_about_five_classes() -> None:
    tables = [draw_table(SHAPES["many values"], seed) for seed in range(8)]
    svm = [precision_of_svm(frame, seed) for seed, frame in enumerate(tables)]
    tested = [precision_of_chi_squared(frame) for frame in tables]
    print(f"noise of 20 values, 5 classes: SVM {np.mean(svm):.2f}, χ² {np.mean(tested):.2f}")
    assert np.mean(svm) > np.mean(tested) - 0.05
