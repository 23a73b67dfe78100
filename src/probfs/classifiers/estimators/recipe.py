"""An estimator that is not fitted yet, and how it is used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Encoding = Literal["standardised", "onehot", "filled", "single", "native", "codes", "frame"]
"""How columns reach an estimator: see ``column_encoders``. ``filled`` is one-hot for those that refuse NaN, ``single``
for those that compute in single precision.
"""


@dataclass(frozen=True, eq=False)
class Recipe:
    """What every model of a ranking is a clone of."""

    estimator: Any
    """Its random_state is set."""
    encoding: Encoding
    name: str
    """What it is called in messages: the forest, say."""
    weighted_by: str | None
    """The parameter of ``fit`` that takes row counts; None if it has none, and rows are repeated instead."""
    counts_rows: bool = False
    """Whether the estimator counts rows, say those of a leaf, so that a row of weight 5 is not the same to it as five
    rows. Rows are then repeated as long as that takes little memory.
    """
    out_of_bag: bool = False
    """Whether labelled rows are judged only by trees that were not trained on them."""
    linear_terms: bool = False
    """Whether log-odds are sums of terms, one from each column, as in a logistic regression."""
