"""Whether there are rows enough of every class for the SVM's probabilities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from probfs.classifiers.options import EstimateName
from probfs.classifiers.refitting.splits import Split
from probfs.columns.dataset import Dataset
from probfs.columns.folds import by_dropping_rare_classes
from probfs.errors import DataError
from probfs.text import option, quoted


def check_training_sizes(dataset: Dataset, splits: Sequence[Split], estimate: EstimateName) -> None:
    """Refuse a class with fewer than two training rows in some model, whose sigmoid could not be cross-validated."""
    most_held_out = np.zeros(len(dataset.classes))
    for split in splits:
        of_class = np.bincount(
            dataset.labels[split.held_out], weights=split.held_out_copies, minlength=len(dataset.classes)
        )
        most_held_out = np.maximum(most_held_out, of_class)
    for label, (name, rows) in enumerate(dataset.class_rows().items()):
        least = rows - int(most_held_out[label])
        if rows < 2:
            problem = f"class {quoted(name)} has one row only, and the SVM's probabilities need two or more"
            remedy = f"drop the row{by_dropping_rare_classes(dataset, 2)}, or use {option('classifier', 'nb')}"
            raise DataError(f"{problem}; {remedy}", source=dataset.source)
        if least < 2:
            chosen = option("estimate", estimate)
            problem = f"class {quoted(name)} has {rows} rows, of which {chosen} leaves {least} to train on"
            remedy = f"the SVM needs two: use {option('estimate', 'resubstitution')}"
            dropping = by_dropping_rare_classes(dataset, rows + 1)
            remedy += f", or drop the class{dropping}" if dropping else ""
            raise DataError(f"{problem}; {remedy}", source=dataset.source)
