"""Naive Bayes against scikit-learn and the paper, and what must not change its rankings."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import CategoricalNB

import probfs
from probfs.classifiers.naive_bayes.classifier import FittedNaiveBayes
from probfs.classifiers.options import EstimateName
from probfs.classifiers.scores import ABSOLUTE
from probfs.tables.arrays import Floats
from tests.conftest import SAMPLES
from tests.support import score_formulas
from tests.support.datasets import frame_of, random_dataset


@pytest.mark.parametrize(("mapping", "errors"), [(None, 23), ("breast_cancer.toml", 24)])
def test_breast_cancer_gives_the_errors_of_the_paper(mapping: str | None, errors: int) -> None:
    ranking = probfs.rank(
        SAMPLES / "breast_cancer.csv",
        target="class",
        mapping=None if mapping is None else SAMPLES / mapping,
        exclude=["sample_id"] if mapping is None else [],
        smoothing=0,
    )
    assert (ranking.rounds[0].errors, ranking.rounds[0].rows) == (errors, 699)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("smoothing", [0.5, 1.0])
def test_scores_equal_scikit_learns_probabilities_put_through_the_papers_formulas(
    classes: int, smoothing: float
) -> None:
    dataset = random_dataset(60, 5, 4, classes, seed=classes)
    matrix = np.stack([feature.labelled for feature in dataset.features], axis=1).astype(int)
    labels = dataset.labels
    found = FittedNaiveBayes(dataset, "resubstitution", 0, smoothing, 0).score()

    def probabilities(columns: list[int]) -> Floats:
        peer = CategoricalNB(alpha=smoothing, force_alpha=True, min_categories=4)
        return np.asarray(peer.fit(matrix[:, columns], labels).predict_proba(matrix[:, columns]))

    every = list(range(5))
    full = probabilities(every)
    for feature in every:
        without = probabilities([other for other in every if other != feature])
        assert found.s_s[feature] == pytest.approx(score_formulas.absolute_score(full, without), abs=1e-12)
        assert found.s_a[feature] == pytest.approx(score_formulas.signed_score(full, without, labels), abs=1e-12)
    own = full[np.arange(len(labels)), labels]
    assert found.absolute_loss == pytest.approx(float(np.mean(1 - own)), abs=1e-12)
    assert found.log_loss == pytest.approx(float(np.mean(-np.log(own))), abs=1e-12)


def ranked(frame: pd.DataFrame, **options: object) -> list[tuple[str, float, float]]:
    ranking = probfs.rank(frame, target="y", **options)  # type: ignore[arg-type]  # options of many types
    return [(f.feature, f.s_s, f.s_a) for f in ranking.features]


def approximately(expected: list[tuple[str, float, float]]) -> list[tuple[object, ...]]:
    return [(name, pytest.approx(s_s, rel=1e-9), pytest.approx(s_a, rel=1e-9)) for name, s_s, s_a in expected]


@pytest.mark.parametrize("score", ["absolute", "signed"])
@pytest.mark.parametrize("estimate", ["loo", "resubstitution", "cv"])
@pytest.mark.parametrize("classes", [2, 3])
def test_order_of_rows_and_columns_and_merging_of_equal_rows_change_nothing(
    score: str, estimate: EstimateName, classes: int
) -> None:
    frame = frame_of(random_dataset(80, 4, 2, classes, seed=5))
    expected = approximately(ranked(frame, score=score, estimate=estimate))
    shuffled = frame.sample(frac=1, random_state=3)
    assert ranked(shuffled, score=score, estimate=estimate) == expected
    assert ranked(frame[["y", *reversed(frame.columns[:-1])]], score=score, estimate=estimate) == expected
    tally = Counter(frame.itertuples(index=False, name=None))
    merged = pd.DataFrame([(*row, count) for row, count in tally.items()], columns=[*frame.columns, "rows"])
    assert len(merged) < len(frame)
    assert ranked(merged, score=score, estimate=estimate, count="rows") == expected


@pytest.mark.parametrize("score", ["absolute", "signed", "unlabeled"])
@pytest.mark.parametrize("seed", range(3))
def test_order_of_rows_changes_the_last_digits_of_scores_alone(score: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, 400)
    numbers = random.normal(size=(400, 3)) + y[:, None] * [0.0, 0.3, 1.0]
    # Numbers that are cut, their copies, a tie in every round; and missing cells and classes.
    frame = pd.DataFrame(np.hstack([numbers, 2 * numbers, numbers.round(1)]), columns=list("abcdefghi"))
    frame = frame.mask(random.random(frame.shape) < 0.1)
    frame[["d", "e", "f"]] = 2 * frame[["a", "b", "c"]].to_numpy()
    frame["y"] = pd.Series(y).map({0: "p", 1: "q", 2: "r"}).mask(random.random(400) < 0.2)
    first, second = (
        probfs.rank(data, target="y", score=score) for data in (frame, frame.sample(frac=1, random_state=seed))
    )

    def exact(ranking: probfs.Ranking) -> list[tuple[object, ...]]:
        return [(own.feature, own.round, own.p, own.q) for own in ranking.features]

    assert exact(first) == exact(second)
    for own, other in zip(first.features, second.features, strict=True):
        for name in ("s_s", "s_a", "s_su", "initial_s_s", "initial_s_a", "initial_s_su"):
            assert getattr(own, name) == pytest.approx(getattr(other, name), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("classes", [2, 3])
def test_names_of_values_and_classes_change_nothing(classes: int) -> None:
    frame = frame_of(random_dataset(80, 4, 3, classes, seed=6))
    expected = approximately(ranked(frame))
    renamed = frame.copy()
    for name in frame.columns[:-1]:
        renamed[name] = frame[name].map({"0": "007", "1": "NA", "2": "v 1"})
    renamed["y"] = frame["y"].map({"c0": "zebra", "c1": "null", "c2": "1"})
    assert ranked(renamed) == expected


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("smoothing", [0.1, 0.3, 0.7, 1.0])
def test_factors_that_are_equal_but_for_rounding_give_exactly_zero(classes: int, smoothing: float) -> None:
    rows = [(value, label) for label in range(classes) for value in "uv" for _ in range(3 + 2 * label)]
    frame = pd.DataFrame({"z_even": [v for v, _ in rows], "a_same": "x", "y": [str(label) for _, label in rows]})
    ranking = probfs.rank(frame, target="y", smoothing=smoothing, estimate="resubstitution")
    assert [(f.feature, f.s_s, f.s_a) for f in ranking.features] == [("a_same", 0.0, 0.0), ("z_even", 0.0, 0.0)]


def test_a_class_of_one_row_cannot_be_left_out() -> None:
    frame = pd.DataFrame({"a": list("xyxyx"), "y": list("00112")})
    with pytest.raises(probfs.DataError, match="class '2' has one row only"):
        probfs.rank(frame, target="y", min_class=1)
    assert probfs.rank(frame, target="y", estimate="resubstitution").features[0].feature == "a"


def test_without_pruning_every_active_feature_is_scored() -> None:
    dataset = random_dataset(200, 30, 3, 2, seed=0)
    everything = FittedNaiveBayes(dataset, "loo", 0, 1.0, 0, prune=False)
    pruned = FittedNaiveBayes(dataset, "loo", 0, 1.0, 0, prune=True)
    for classifier in (everything, pruned):
        classifier.lowest(ABSOLUTE, 1)
        classifier.drop(np.array([3]))
    assert everything.lowest(ABSOLUTE, 1)[0].tolist() == everything.active.tolist()
    assert len(pruned.lowest(ABSOLUTE, 1)[0]) < 29


def test_small_tables_do_not_import_numba() -> None:
    program = "import sys; from probfs.cli import run; run(sys.argv[1:]); print('numba' in sys.modules)"
    arguments = ["rank", str(SAMPLES / "breast_cancer.csv"), "--quiet"]
    result = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "False"
