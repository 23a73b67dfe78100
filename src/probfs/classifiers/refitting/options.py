"""Options that classifiers share which fit models anew in every round.

Help and completion need them, so neither numpy nor scikit-learn is imported here.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from probfs.classifiers.specification import Option
from probfs.classifiers.value_types import Choice, Number, WholeNumber

Removal = Literal["permute", "retrain"]
"""How the probabilities without a feature are found: with its values permuted among the rows, or by a new model."""
Cost: TypeAlias = "float | Literal['scale']"
"""C, the penalty of a row on the wrong side; ``scale`` sets it by the table."""

DEFAULT_REMOVAL: Removal = "permute"
DEFAULT_COST: Cost = "scale"
DEFAULT_PERMUTATIONS = 20
MOST_PERMUTATIONS = 10_000
LEAST_SCALE, MOST_SCALE = 1e-10, 1e10
"""The range of C and of gamma."""

COST = Option(
    "C",
    Number(LEAST_SCALE, MOST_SCALE, words=("scale",)),
    DEFAULT_COST,
    "what a row on the wrong side costs; less is smoother.",
    default_help="scale, which is 1 for rbf, and for linear and logistic 1 / the mean squared length of the table's "
    "standardised rows: 1 / 30 for 30 numeric columns",
)
REMOVAL = Option(
    "removal",
    Choice(("permute", "retrain")),
    DEFAULT_REMOVAL,
    "how a column is taken away: by shuffling it among the rows (permute), or by fitting the model without it "
    "(retrain), which is exact and takes a fit for each column.",
)
PERMUTATIONS = Option(
    "permutations",
    WholeNumber(1, MOST_PERMUTATIONS, "M"),
    DEFAULT_PERMUTATIONS,
    "the number of shuffles whose probabilities are averaged.",
    only_with=("removal", "permute"),
)
JOBS = Option(
    "jobs",
    WholeNumber(1, 10_000),
    None,
    "how many processes fit models at a time.",
    default_help="one for each core",
    recorded=False,
)
