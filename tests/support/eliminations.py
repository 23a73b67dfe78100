"""Whole eliminations by Naive Bayes, and whether two of them are the same."""

from __future__ import annotations

from functools import partial

import pytest

from probfs.classifiers.naive_bayes.classifier import FittedNaiveBayes
from probfs.classifiers.naive_bayes.shrinkage import ShrinkName
from probfs.classifiers.options import EstimateName
from probfs.classifiers.scores import SCORES
from probfs.columns.dataset import Dataset
from probfs.ranking.elimination import Round, eliminate


def eliminate_all(
    dataset: Dataset,
    estimate: EstimateName,
    step: float = 1,
    score: str = "signed",
    smoothing: float = 1.0,
    compiled: bool | None = None,
    shrink: ShrinkName = "off",
) -> list[Round]:
    classifier = FittedNaiveBayes(dataset, estimate, 3, smoothing, 0, shrink=shrink, compiled=compiled)
    names = [feature.name for feature in dataset.features]
    return list(eliminate(classifier, names, SCORES[score], step))


def leaving_features(rounds: list[Round]) -> list[list[int]]:
    """The features that leave in each round, in order of leaving."""
    return [one.active[list(one.leaving)].tolist() for one in rounds]


def assert_same_rounds(first: list[Round], second: list[Round], exactly: bool = False) -> None:
    """The same features leave; scores, errors and losses agree, to within rounding or ``exactly``."""
    assert leaving_features(first) == leaving_features(second)
    close = partial(pytest.approx, rel=0, abs=0) if exactly else partial(pytest.approx, rel=1e-11, abs=1e-15)
    for one, other in zip(first, second, strict=True):
        for name in ("s_s", "s_a", "s_su"):
            scores, others = getattr(one.scores, name), getattr(other.scores, name)
            assert (scores is None) == (others is None)
            if scores is not None:
                assert scores == close(others)
        assert one.scores.exponent == other.scores.exponent
        assert one.scores.errors == other.scores.errors
        assert one.scores.absolute_loss == close(other.scores.absolute_loss)
        assert one.scores.log_loss == close(other.scores.log_loss)
