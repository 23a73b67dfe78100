"""Two-class and many-class rows: the same arithmetic, whatever the blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.classifiers.naive_bayes import rows as rows_module
from probfs.classifiers.naive_bayes.classifier import NaiveBayes
from probfs.classifiers.naive_bayes.counts import ClassConditionals, ClassCounts, SlotLayout
from probfs.classifiers.naive_bayes.many_class_rows import FactorTables, ManyClassRows
from probfs.classifiers.naive_bayes.two_class_rows import OddsTables, TwoClassRows
from tests.support.datasets import dataset_of, problems, random_dataset
from tests.support.exact_naive_bayes import Problem


@given(problems().filter(lambda problem: problem.classes == 2), st.sampled_from([0.0, 1.0]), st.integers(0, 1))
def test_the_two_class_arithmetic_equals_the_general_one(problem: Problem, smoothing: float, label: int) -> None:
    dataset = dataset_of(problem)
    layout = SlotLayout.of(problem.values)
    codes = np.stack([feature.labelled for feature in dataset.features])
    members = [np.flatnonzero(dataset.labels == c) for c in (0, 1)]
    counts = ClassCounts(
        np.array([float(len(m)) for m in members]),
        np.stack([layout.count(codes[:, m], np.ones(len(m))) for m in members], axis=1),
    )
    model = ClassConditionals.of(counts, layout, smoothing, left_out=label)
    own = codes[:, members[label]]
    weights = np.arange(1.0, own.shape[1] + 1)
    two = TwoClassRows(own, weights, label, layout, OddsTables.of(model))
    many = ManyClassRows(own, weights, label, layout, FactorTables.of(model))
    features = np.arange(len(problem.values))
    for group in (two, many):
        group.update(features)
    for shift in (0, 3):
        ours, theirs = two.sum_changes(features, shift), many.sum_changes(features, shift)
        assert ours.absolute == pytest.approx(theirs.absolute, rel=1e-9, abs=1e-14)
        assert ours.signed == pytest.approx(theirs.signed, rel=1e-9, abs=1e-14)
    assert two.fit().errors == many.fit().errors
    assert two.fit().log_loss == pytest.approx(many.fit().log_loss)
    if smoothing:
        assert two.nearest_changes(features) == pytest.approx(many.nearest_changes(features), abs=1e-9)


@pytest.mark.parametrize("classes", [2, 3])
def test_blocks_add_up_to_the_whole(classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = random_dataset(500, 7, 3, classes, seed=1)
    whole = NaiveBayes(dataset, "loo", 0, 1.0, 0).score()
    monkeypatch.setattr(rows_module, "ROWS_PER_BLOCK", 17)
    monkeypatch.setattr(rows_module, "CELLS_PER_BLOCK", 40)
    pieces = NaiveBayes(dataset, "loo", 0, 1.0, 0).score()
    assert pieces.s_s.to_floats() == pytest.approx(whole.s_s.to_floats(), rel=1e-12)
    assert pieces.s_a.to_floats() == pytest.approx(whole.s_a.to_floats(), rel=1e-12)
    assert pieces.log_loss == pytest.approx(whole.log_loss, rel=1e-12)
