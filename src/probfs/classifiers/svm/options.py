"""Options of the SVM: their types, defaults and limits.

Help and completion need them, so neither numpy nor scikit-learn is imported here.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from probfs.classifiers.estimates import EstimateName

KernelName = Literal["linear", "rbf"]
Removal = Literal["permute", "retrain"]
"""How the probabilities without a feature are found: with its values permuted among the rows, or by a new model."""
Cost: TypeAlias = "float | Literal['scale']"
"""C, the penalty of a row on the wrong side of the margin; ``scale`` sets it by the table."""
Gamma: TypeAlias = "float | Literal['scale', 'auto']"
"""γ of the RBF kernel exp(-γ·squared distance); ``scale`` and ``auto`` are scikit-learn's rules."""

DEFAULT_KERNEL: KernelName = "linear"
DEFAULT_COST: Cost = "scale"
DEFAULT_GAMMA: Gamma = "scale"
DEFAULT_REMOVAL: Removal = "permute"
DEFAULT_ESTIMATE: EstimateName = "resubstitution"

DEFAULT_PERMUTATIONS = 20
MOST_PERMUTATIONS = 10_000

LEAST_SCALE, MOST_SCALE = 1e-10, 1e10
"""The range of C and of gamma."""
