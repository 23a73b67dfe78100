"""Options of the SVM alone: their types and defaults.

Help and completion need them, so neither numpy nor scikit-learn is imported here.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from probfs.classifiers.estimates import EstimateName

KernelName = Literal["linear", "rbf"]
Gamma: TypeAlias = "float | Literal['scale', 'auto']"
"""γ of the RBF kernel exp(-γ·squared distance); ``scale`` and ``auto`` are scikit-learn's rules."""

DEFAULT_KERNEL: KernelName = "linear"
DEFAULT_GAMMA: Gamma = "scale"
DEFAULT_ESTIMATE: EstimateName = "resubstitution"
