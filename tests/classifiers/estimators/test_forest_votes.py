"""The votes of trees, with and without shuffles and out of bag, against predict_proba and loops over trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingClassifier, RandomForestClassifier

from probfs.classifiers.estimators.cells import MatrixCells
from probfs.classifiers.estimators.fitted_model import FittedModel
from probfs.classifiers.estimators.forest_votes import Forest, is_forest
from probfs.tables.table import Floats
from tests.support.fitted_estimators import donors_of, fitted, rows_of, slow_changes, without_codes_of_classes
from tests.support.svm_tables import random_dataset


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    # The first column varies: without any that does, there is nothing to fit.
    kinds=st.text("cdts", min_size=1, max_size=4).map("c".__add__),
    classes=st.integers(2, 4),
    leaf=st.sampled_from([1, 4]),
    kind=st.sampled_from([RandomForestClassifier, ExtraTreesClassifier]),
    gaps=st.sampled_from([0.0, 0.3]),
    missing_is_value=st.booleans(),
)
def test_votes_are_those_of_predict_proba_with_every_feature_shuffled(
    seed: int, kinds: str, classes: int, leaf: int, kind: Any, gaps: float, missing_is_value: bool
) -> None:
    dataset = random_dataset(seed, 30, kinds, classes, 5, gaps=gaps, missing_is_value=missing_is_value)
    model = fitted(dataset, kind(6, min_samples_leaf=leaf, random_state=seed), "single")
    rows, donors = rows_of(dataset), donors_of(dataset)
    votes = Forest(model).votes(rows, donors)
    actual, changes = slow_changes(model, rows, donors, len(kinds))
    np.testing.assert_allclose(votes.actual, actual, atol=1e-12)
    np.testing.assert_allclose(votes.changes, changes, atol=1e-12)
    some = rows[3:20]
    np.testing.assert_allclose(Forest(model).votes(some).actual, actual[:, 3:20], atol=1e-12)


def test_a_feature_that_no_tree_asks_about_changes_nothing_at_all() -> None:
    dataset = random_dataset(3, 40, "cs", gaps=0)
    votes = Forest(fitted(dataset, RandomForestClassifier(5, random_state=0), "single")).votes(
        rows_of(dataset), donors_of(dataset)
    )
    assert (votes.changes[:, :, 1] == 0).all()
    assert (votes.changes[:, :, 0] != 0).any()


def test_small_calls_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = random_dataset(3, 40, "cdt", classes=3)
    forest = Forest(fitted(dataset, RandomForestClassifier(5, random_state=0), "single"))
    expected = forest.votes(rows_of(dataset), donors_of(dataset)).changes
    monkeypatch.setattr("probfs.classifiers.estimators.forest_votes._CELLS_PER_CALL", 60)
    np.testing.assert_array_equal(forest.votes(rows_of(dataset), donors_of(dataset)).changes, expected)


def votes_of_trees(model: FittedModel, rows: np.ndarray, cells: Floats) -> Floats:
    """The mean vote of the trees for which a row was not drawn, one row and tree after the other; of all trees for
    an unlabelled row, and the shares of the classes for a row that was drawn for every tree.
    """
    forest, trained = model.estimator, model.rows
    assert forest is not None
    # Each copy of a row is judged by the trees that it was not drawn for.
    copies = [
        row
        for row, count in zip(trained.positions.tolist(), trained.counts.tolist(), strict=True)
        for _ in range(count)
    ]
    means = []
    for row, own in zip(rows.tolist(), cells, strict=True):
        places = [place for place, copy in enumerate(copies) if copy == row] or [-1]
        votes = [
            tree.predict_proba(own[None].astype(np.float32))[0]
            for tree, known in zip(forest.estimators_, forest.estimators_samples_, strict=True)
            for place in places
            if place not in known
        ]
        means.append(np.mean(votes, axis=0) if votes else trained.class_counts() / trained.counts.sum())
    return np.array(means).T


@pytest.mark.parametrize(("classes", "trees", "counted"), [(2, 12, False), (3, 12, True), (3, 2, False)])
def test_out_of_bag_a_row_is_judged_by_the_trees_that_did_not_see_it(classes: int, trees: int, counted: bool) -> None:
    dataset = random_dataset(5, 30, "cdt", classes, 4, counted)
    model = fitted(dataset, RandomForestClassifier(trees, random_state=2), "single", out_of_bag=True)
    rows, donors = rows_of(dataset), donors_of(dataset, 3)
    votes = Forest(model).votes(rows, donors)
    assert isinstance(model.cells, MatrixCells)
    actual = votes_of_trees(model, rows, model.cells.cells)
    first = 1 if classes == 2 else 0
    np.testing.assert_allclose(votes.actual, actual[first:], atol=1e-12)
    for feature in range(3):
        columns = model.cells.columns_of(feature)
        change = np.zeros_like(actual)
        for line in donors:
            permuted = model.cells.cells.copy()
            permuted[:, columns] = model.cells.cells[line, columns]
            change += (actual - votes_of_trees(model, rows, permuted)) / len(donors)
        np.testing.assert_allclose(votes.changes[:, :, feature], change[first:], atol=1e-12)
    drawn = [set(model.trained[own].tolist()) for own in model.estimator.estimators_samples_]  # type: ignore[union-attr]
    drawn_always = set.intersection(*drawn)
    assert counted or votes.unjudged == len(drawn_always)
    assert votes.unjudged or trees > 2


def test_a_class_without_training_rows_is_impossible() -> None:
    dataset = without_codes_of_classes(random_dataset(5, 30, "cd", classes=3), 1)
    model = fitted(dataset, RandomForestClassifier(4, random_state=2), "single")
    votes = Forest(model).votes(rows_of(dataset), donors_of(dataset))
    assert (votes.actual[1] == 0).all()
    assert (votes.changes[1] == 0).all()
    np.testing.assert_allclose(votes.actual.sum(axis=0), 1)


def test_only_forests_that_average_their_trees_are_asked_tree_by_tree() -> None:
    class Other(RandomForestClassifier):  # type: ignore[misc]  # scikit-learn has no types
        pass

    assert is_forest(RandomForestClassifier())
    assert is_forest(ExtraTreesClassifier())
    assert not is_forest(GradientBoostingClassifier())
    assert not is_forest(Other())
