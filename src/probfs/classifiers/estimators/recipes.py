"""scikit-learn's estimators that have names of their own, not fitted yet, and how each is used.

scikit-learn is imported only when a recipe is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from probfs.classifiers.refitting.matrix import Encoding, MatrixEncoder, choose_cost

if TYPE_CHECKING:
    from probfs.classifiers.catalogue import Boosting, Forest, Logistic
    from probfs.columns.dataset import Dataset
    from probfs.tables.arrays import Integers

MATRICES_OF_TREES: tuple[Encoding, ...] = ("onehot", "codes")
"""Encodings that the trees of a forest can be given one by one."""
MOST_SEED = 2**32
"""Where scikit-learn's seeds end."""
MOST_COPIES = 1_000_000
"""Rows that an estimator is given, about: beyond, each row is repeated less often, in proportion."""
_SMOOTH_SOLVERS = ("lbfgs", "newton-cg", "newton-cholesky")
"""The solvers of a logistic regression that do not draw rows."""
_MOST_STEPS = 1_000
_LEAF_OF_FOREST = 5
_LEAF_OF_BOOSTING = 20


@dataclass(frozen=True, eq=False)
class Recipe:
    """What every model of a ranking is a clone of."""

    estimator: Any
    """Its random_state is set."""
    encoding: Encoding
    name: str
    """What it is called in messages: the forest, say."""
    weighted: bool = False
    """Whether ``fit`` is given how often rows occur as ``sample_weight``; otherwise rows are repeated."""
    linear_terms: bool = False
    """Whether log-odds are sums of terms, one from each column, as in a logistic regression."""


def logistic_regression(options: Logistic, dataset: Dataset) -> Recipe:
    from sklearn.linear_model import LogisticRegression

    name = "the logistic regression"
    cost = choose_cost(options.C, MatrixEncoder(dataset, "standardised", name), dataset)
    estimator = LogisticRegression(C=cost, max_iter=_MOST_STEPS)
    return Recipe(estimator, "standardised", name, weighted=True, linear_terms=True)


def random_forest(options: Forest, dataset: Dataset, seed: int) -> Recipe:
    """A forest, whose trees grow on several cores in tables that are large enough."""
    from joblib import cpu_count
    from sklearn.ensemble import RandomForestClassifier

    from probfs.classifiers.refitting.classifier import FEW_CELLS

    is_small = len(dataset.labels) * len(dataset.features) < FEW_CELLS
    estimator = RandomForestClassifier(
        n_estimators=options.trees,
        min_samples_leaf=_LEAF_OF_FOREST if options.leaf == "auto" else options.leaf,
        max_depth=None if options.depth == "any" else options.depth,
        random_state=seed % MOST_SEED,
        # In worker processes, which have a core each, this counts for nothing.
        n_jobs=options.jobs or (1 if is_small else cpu_count()),
    )
    return Recipe(estimator, "onehot", "the forest")


def gradient_boosting(options: Boosting, dataset: Dataset, seed: int) -> Recipe:
    """Trees by histograms, with small leaves in small tables."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    small_leaf = max(1, min(_LEAF_OF_BOOSTING, dataset.rows // _LEAF_OF_BOOSTING))
    estimator = HistGradientBoostingClassifier(
        max_iter=options.iterations,
        learning_rate=options.learning_rate,
        min_samples_leaf=small_leaf if options.leaf == "auto" else options.leaf,
        max_depth=None if options.depth == "any" else options.depth,
        categorical_features=None,
        # Whether a model stops early would depend on the rows that it keeps for that.
        early_stopping=False,
        random_state=seed % MOST_SEED,
    )
    return Recipe(estimator, "native", "the boosting")


def is_forest(estimator: Any) -> bool:
    """Whether an estimator's probabilities are the mean of its trees'."""
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

    return type(estimator) in (RandomForestClassifier, ExtraTreesClassifier)


def takes_weights_for_copies(estimator: Any) -> bool:
    """Whether a row of weight 5 is the same to an estimator as five equal rows: a few of scikit-learn's own of which
    that is known. Most do something to rows that weights do not reach: they scale, fold, draw or count them.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB

    # A subclass may do anything. GaussianNB smooths by a variance without weights.
    if type(estimator) is LogisticRegression:
        return estimator.solver in _SMOOTH_SOLVERS and estimator.class_weight != "balanced"
    return type(estimator) in (BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB)


def choose_copies(counts: Integers, most: int | None = None) -> Integers:
    """How often each row is repeated: as often as it occurs, or in proportion to that, at least once each, where these
    are more rows than ``most``. What is lost by rounding down goes to the rows that lose most.

    >>> choose_copies(np.array([1, 60, 39]), 10)
    array([1, 6, 4])
    """
    allowed = MOST_COPIES if most is None else most
    total = int(counts.sum())
    if total <= allowed:
        return counts
    quotas = counts * (allowed / total)
    copies = np.floor(quotas).astype(np.int64)
    short = max(0, allowed - int(copies.sum()))
    copies[np.argsort(copies - quotas, kind="stable")[:short]] += 1
    found: Integers = np.maximum(copies, 1)
    return found
