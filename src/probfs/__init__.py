"""Which columns of a table matter, by how much a classifier's probabilities change without them.

>>> import probfs
>>> ranking = probfs.rank("sample_data/breast_cancer.csv", target="class", score="signed")
>>> ranking.features[0].feature
'cell_shape_uniformity'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from probfs.api.calls import pairs, rank, read, select
    from probfs.api.selector import ProbabilisticSelector
    from probfs.classifiers.catalogue import SVM, Boosting, Forest, Logistic, NaiveBayes
    from probfs.comparison import compare
    from probfs.comparison.result import ColumnChange, Comparison
    from probfs.errors import (
        DataError,
        MappingError,
        OutputError,
        ProbfsError,
        ProbfsWarning,
        TargetWarning,
        UsageError,
    )
    from probfs.interaction.pairs import Pair, Pairs
    from probfs.notes import Note
    from probfs.ranking.result import Basis, InputSummary, RankedFeature, Ranking, RoundSummary
    from probfs.ranking.settings import SelectionSettings, Settings
    from probfs.runtime.progress import Progress
    from probfs.selection.result import HonestEstimate, Judged, SelectedFeature, Selection, Size
    from probfs.tables.table import Table

__version__ = "0.1.0"

__all__ = ["__version__", "compare", "pairs", "rank", "read", "select"]
__all__ += ["SVM", "Boosting", "Forest", "Logistic", "NaiveBayes", "ProbabilisticSelector"]
__all__ += ["DataError", "MappingError", "OutputError", "ProbfsError", "ProbfsWarning", "TargetWarning", "UsageError"]
__all__ += ["Basis", "ColumnChange", "Comparison", "HonestEstimate", "InputSummary", "Judged", "Note", "Pair", "Pairs"]
__all__ += ["Progress", "RankedFeature", "Ranking", "RoundSummary", "SelectedFeature", "Selection", "SelectionSettings"]
__all__ += ["Settings", "Size", "Table"]

_MODULES = {
    "api.calls": ("pairs", "rank", "read", "select"),
    "api.selector": ("ProbabilisticSelector",),
    "classifiers.catalogue": ("SVM", "Boosting", "Forest", "Logistic", "NaiveBayes"),
    "comparison": ("compare",),
    "comparison.result": ("ColumnChange", "Comparison"),
    "notes": ("Note",),
    "ranking.result": ("Basis", "InputSummary", "RankedFeature", "Ranking", "RoundSummary"),
    "ranking.settings": ("SelectionSettings", "Settings"),
    "runtime.progress": ("Progress",),
    "interaction.pairs": ("Pair", "Pairs"),
    "selection.result": ("HonestEstimate", "Judged", "SelectedFeature", "Selection", "Size"),
    "tables.table": ("Table",),
}
"""Where the names are defined; all others are in ``errors``."""

if not TYPE_CHECKING:
    # A type checker would take any name for one that is there.

    def __getattr__(name: str) -> Any:
        # Imported when first used, so that `probfs --help` does not wait for numpy.
        if name not in __all__:
            raise AttributeError(f"module 'probfs' has no attribute {name!r}")
        module = next((module for module, names in _MODULES.items() if name in names), "errors")
        return getattr(import_module(f"probfs.{module}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
