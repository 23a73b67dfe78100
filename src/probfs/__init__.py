"""Which columns of a table matter, by what a classifier's probabilities lose without them.

>>> import probfs
>>> ranking = probfs.rank("sample_data/breast_cancer.csv", target="class", score="signed")
>>> ranking.features[0].feature
'cell_shape_uniformity'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from probfs.api import rank, read, select
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
    from probfs.notes import Note
    from probfs.ranking.result import InputSummary, RankedFeature, Ranking, RoundSummary
    from probfs.ranking.settings import Settings
    from probfs.runtime.progress import Progress
    from probfs.selection.result import HonestEstimate, Judged, SelectedFeature, Selection, Size
    from probfs.selection.settings import SelectionSettings
    from probfs.tables.table import Table

__version__ = "0.1.0"

__all__ = [
    "SVM",
    "Boosting",
    "ColumnChange",
    "Comparison",
    "DataError",
    "Forest",
    "HonestEstimate",
    "InputSummary",
    "Judged",
    "Logistic",
    "MappingError",
    "NaiveBayes",
    "Note",
    "OutputError",
    "ProbabilisticSelector",
    "ProbfsError",
    "ProbfsWarning",
    "Progress",
    "RankedFeature",
    "Ranking",
    "RoundSummary",
    "SelectedFeature",
    "Selection",
    "SelectionSettings",
    "Settings",
    "Size",
    "Table",
    "TargetWarning",
    "UsageError",
    "__version__",
    "compare",
    "rank",
    "read",
    "select",
]

_HOMES = {
    "rank": "probfs.api",
    "read": "probfs.api",
    "Table": "probfs.tables.table",
    "ProbabilisticSelector": "probfs.api.selector",
    "NaiveBayes": "probfs.classifiers.catalogue",
    "SVM": "probfs.classifiers.catalogue",
    "Logistic": "probfs.classifiers.catalogue",
    "Forest": "probfs.classifiers.catalogue",
    "Boosting": "probfs.classifiers.catalogue",
    "compare": "probfs.comparison",
    "ColumnChange": "probfs.comparison.result",
    "Comparison": "probfs.comparison.result",
    "Note": "probfs.notes",
    "InputSummary": "probfs.ranking.result",
    "RankedFeature": "probfs.ranking.result",
    "Ranking": "probfs.ranking.result",
    "RoundSummary": "probfs.ranking.result",
    "Settings": "probfs.ranking.settings",
    "Progress": "probfs.runtime.progress",
    "select": "probfs.api",
    "HonestEstimate": "probfs.selection.result",
    "Judged": "probfs.selection.result",
    "SelectedFeature": "probfs.selection.result",
    "Selection": "probfs.selection.result",
    "Size": "probfs.selection.result",
    "SelectionSettings": "probfs.selection.settings",
}


def __getattr__(name: str) -> Any:
    # Imported when first used, so that `probfs --help` does not wait for numpy.
    if name not in __all__:
        raise AttributeError(f"module 'probfs' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "probfs.errors")), name)


def __dir__() -> list[str]:
    return sorted(__all__)
