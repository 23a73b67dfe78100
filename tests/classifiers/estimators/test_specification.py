"""What the built-in estimators promise before they are fitted."""

from __future__ import annotations

import subprocess
import sys

import pytest
from probfs.classifiers.registry import BOOSTING, FOREST, LOGISTIC, SVM
from probfs.classifiers.specification import Specification


@pytest.mark.parametrize("own", [LOGISTIC, FOREST, BOOSTING], ids=lambda own: own.name)
def test_rows_are_cross_validated_and_columns_can_be_selected(own: Specification) -> None:
    assert own.default_estimate == "cv"
    assert ("oob" in own.estimates) == (own is FOREST)
    assert own.hold_out is not None
    assert own.sees_columns_together(own.complete({})) == (own is not LOGISTIC)
    for option in ("removal", "permutations", "jobs", "missing"):
        assert own.find_option(option) is SVM.find_option(option)


def test_the_summary_tells_trees_and_shuffles() -> None:
    assert FOREST.summarize(FOREST.complete({"trees": 1})) == "Forest of 1 tree, 20 shuffles a column"
    assert LOGISTIC.summarize(LOGISTIC.complete({"removal": "retrain"})) == "Logistic regression, retrained"


def test_specifications_import_neither_numpy_nor_scikit_learn() -> None:
    program = "import sys, probfs.classifiers.registry; print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert {"numpy", "sklearn", "pandas", "joblib"}.isdisjoint(result.stdout.split())
