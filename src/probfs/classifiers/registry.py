"""All classifiers. Importing this module registers those that come with probfs."""

from __future__ import annotations

from typing import Any

from probfs.classifiers.estimators.specification import BOOSTING, FOREST, LOGISTIC
from probfs.classifiers.naive_bayes.specification import NAIVE_BAYES
from probfs.classifiers.specification import CLASSIFIERS, Specification
from probfs.classifiers.svm.specification import SVM
from probfs.errors import UsageError
from probfs.text import option

__all__ = ["BOOSTING", "CLASSIFIERS", "FOREST", "LOGISTIC", "NAIVE_BAYES", "SVM", "find_specification"]

# In the order of help, behind those that register themselves.
for own in (LOGISTIC, FOREST, BOOSTING):
    CLASSIFIERS.register(own)


def find_specification(classifier: Any, categories: str | None = None) -> Specification:
    """The specification of a classifier, which is a registered name or a user's own estimator.

    ``categories`` says how columns reach an estimator.
    """
    if isinstance(classifier, str) or not (isinstance(classifier, type) or hasattr(classifier, "fit")):
        found = CLASSIFIERS[classifier]
        if categories is not None:
            raise UsageError(f"{option('categories')} goes with an estimator given as {option('classifier')} only")
        return found
    # scikit-learn is imported only for those who have it anyway.
    from probfs.classifiers.estimators.own_estimator import specify

    return specify(classifier, categories)
