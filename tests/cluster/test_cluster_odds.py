"""The odds of rows in blocks add up to those of all rows together, also where a block has to begin anew."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from probfs.cluster.block import Part
from probfs.cluster.store import ClusterStore

from probfs.classifiers.naive_bayes.classifier import FittedNaiveBayes
from probfs.classifiers.naive_bayes.model import ClassCounts
from probfs.cluster.blocks import Blocks
from probfs.cluster.connection import as_it_is
from probfs.columns.dataset import Dataset
from probfs.screening.screen import count_values
from tests.support.blocks import blocks_of, condense
from tests.support.datasets import random_dataset


class ForgetfulBlocks(Blocks):
    """Blocks whose workers die after each question."""

    def ask(self, name: str, function: Any, **others: Any) -> list[Any]:
        self.futures = [self.cluster.submit("again", as_it_is, future) for future in self.futures]
        return super().ask(name, function, **others)


def fit_both(dataset: Dataset, features: list[int], forgetful: bool) -> tuple[FittedNaiveBayes, FittedNaiveBayes]:
    """A model of some features of rows that are here, and of the same rows in blocks."""
    own = replace(dataset, features=tuple(dataset.features[place] for place in features))
    counts = count_values(own)
    blocks = blocks_of(dataset, [40, 40, 150])
    if forgetful:
        blocks = ForgetfulBlocks(blocks.cluster, blocks.futures)
    class_counts = ClassCounts(counts.class_rows, counts.by_slot)
    store = ClusterStore(blocks, condense(own), class_counts, len(dataset.labels), Part(np.array(features)))
    return (
        FittedNaiveBayes(own, "loo", 0, 1.0, 0),
        FittedNaiveBayes(condense(own), "loo", 0, 1.0, 0, store=store),
    )


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("forgetful", [False, True])
@pytest.mark.parametrize("compiled", [False, True])
def test_sums_at_temperatures(classes: int, forgetful: bool, compiled: bool) -> None:
    local, remote = fit_both(random_dataset(200, 6, 4, classes, seed=0), [5, 0, 3, 2], forgetful)
    for dropped in ([], [1], [0, 2], [3]):
        for model in (local, remote):
            model.drop(np.array(dropped, dtype=np.intp))
        expected, found = local.odds(), remote.odds()
        assert found.rows == expected.rows == 200
        assert found.errors == expected.errors
        for temperature in (0.0, 0.4, 1.0):
            sums = found.tempered(0.01, compiled=compiled)(temperature)
            np.testing.assert_allclose(sums, expected.tempered(0.01)(temperature), rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize("forgetful", [False, True])
def test_differences_of_losses(forgetful: bool) -> None:
    dataset = random_dataset(200, 6, 4, 3, seed=1)
    expected, found = (model.odds().losses(0.7, 0.001) for model in fit_both(dataset, [3, 0], forgetful))
    local, remote = fit_both(dataset, [5, 0, 3, 2], forgetful)
    for dropped in ([], [0], [1, 3]):
        for model in (local, remote):
            model.drop(np.array(dropped, dtype=np.intp))
        own = remote.odds().losses(0.4, 0.001).minus(found)
        same = local.odds().losses(0.4, 0.001).minus(expected)
        assert (own.rows, own.mean, own.se) == pytest.approx((same.rows, same.mean, same.se), rel=1e-12)


def test_rows_that_changed_are_not_mistaken_for_what_they_were() -> None:
    _, remote = fit_both(random_dataset(200, 6, 4, 2, seed=2), [0, 1], forgetful=False)
    odds = remote.odds()
    remote.drop(np.array([0]))
    with pytest.raises(ValueError, match="no longer"):
        odds.tempered(0.01)(1.0)
