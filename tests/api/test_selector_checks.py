"""scikit-learn's checks of estimators, all of them, with no list of checks that are expected to fail."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator

from probfs import NaiveBayes, ProbabilisticSelector
from probfs.classifiers.catalogue import CLASSIFIERS
from tests.support.selector_tables import SMALL

QUICK = [
    ProbabilisticSelector(),
    ProbabilisticSelector(NaiveBayes(smoothing=0.5), n_features_to_select=1, estimate="cv", folds=2),
]
"""Selectors that pass all checks in a second or two."""
OTHERS = [name for name in CLASSIFIERS.names() if name != "nb"]
NEEDED = (
    "check_estimators_pickle",
    "check_sample_weight_equivalence_on_dense_data",
    "check_dont_overwrite_parameters",
    "check_methods_sample_order_invariance",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
)
"""Checks that depend most on the classifier; the slow suite makes all of them for every classifier."""

# The checks fit noise, rare classes and rows of their own numbers, of which the selector warns.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def all_checks(selector: ProbabilisticSelector) -> dict[str, str]:
    """The outcome of each check that did not pass; skipped are only those that need packages or settings."""
    results = check_estimator(selector, on_fail=None, on_skip=None)
    assert len(results) > 40
    skipped = {check["check_name"] for check in results if check["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}
    return {
        check["check_name"]: repr(check["exception"])
        for check in results
        if check["status"] not in ("passed", "skipped")
    }


@pytest.mark.parametrize("selector", QUICK, ids=str)
def test_naive_bayes_passes(selector: ProbabilisticSelector) -> None:
    assert all_checks(selector) == {}


def test_an_svm_passes_what_depends_on_it() -> None:
    selector = ProbabilisticSelector("svm", n_features_to_select=1, step=0.5, options=SMALL["svm"])
    for name in NEEDED:
        getattr(estimator_checks, name)("ProbabilisticSelector", selector)


@pytest.mark.slow
@pytest.mark.parametrize("wanted", ["auto", 1])
@pytest.mark.parametrize("classifier", OTHERS)
def test_other_classifiers_pass_everything(classifier: str, wanted: Any) -> None:
    assert all_checks(ProbabilisticSelector(classifier, n_features_to_select=wanted, options=SMALL[classifier])) == {}


@pytest.mark.slow
@pytest.mark.parametrize("wanted", ["auto", 1])
def test_an_estimator_as_classifier_passes_everything(wanted: Any) -> None:
    assert (
        all_checks(ProbabilisticSelector(GaussianNB(), n_features_to_select=wanted, options={"permutations": 2})) == {}
    )
