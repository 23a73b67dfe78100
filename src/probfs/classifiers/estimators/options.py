"""Options of logistic regression, the forest and boosting, and of a user's own estimator.

Help and completion need them, so neither numpy nor scikit-learn is imported here.
"""

from __future__ import annotations

from typing import Literal

from probfs.classifiers.specification import Option
from probfs.classifiers.value_types import Choice, Number, WholeNumber

Categories = Literal["onehot", "codes", "frame"]

TREES = Option("trees", WholeNumber(1, 100_000), 100, "how many trees the forest has.")
LEAF = Option(
    "leaf",
    WholeNumber(1, words=("auto",), metavar="auto|N"),
    "auto",
    "how many rows a leaf of a tree has, at least; more is smoother.",
    default_help="auto, which is 5 for forest, and for boosting 20, or a twentieth of the rows where that is less",
)
DEPTH = Option(
    "depth",
    WholeNumber(1, words=("any",), metavar="any|N"),
    "any",
    "how many questions a tree asks of a row, at most.",
    default_help="any number",
)
ITERATIONS = Option("iterations", WholeNumber(1, 100_000), 100, "how many trees are added, one after the other.")
LEARNING_RATE = Option(
    "learning_rate", Number(1e-6, 1.0), 0.1, "by how much of what is left to explain each tree changes the model."
)
CATEGORIES = Option(
    "categories",
    Choice(("onehot", "codes", "frame")),
    None,
    "how columns reach the estimator.",
    default_help="frame where it holds a ColumnTransformer, codes where it counts categories, otherwise onehot",
)
