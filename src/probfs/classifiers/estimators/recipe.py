"""An estimator that is not fitted yet, and how it is used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Encoding = Literal["standardised", "onehot", "filled", "single", "native", "codes", "frame"]
"""How columns reach an estimator: see ``column_encoders``. ``filled`` is one-hot for those that refuse NaN, ``single``
for those that compute in single precision.
"""
MATRICES_OF_TREES: tuple[Encoding, ...] = ("onehot", "single", "codes")
"""Encodings whose columns a tree can be asked about one by one."""
MOST_SEED = 2**32
"""Where scikit-learn's seeds end."""


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
    out_of_bag: bool = False
    """Whether labelled rows are judged only by trees that were not trained on them."""
    linear_terms: bool = False
    """Whether log-odds are sums of terms, one from each column, as in a logistic regression."""
