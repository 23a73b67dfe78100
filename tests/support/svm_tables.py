"""Tables for the tests of the SVM."""

from __future__ import annotations

import sys

import numpy as np

from probfs.columns.dataset import Dataset, Feature
from probfs.columns.folds import order_by_content
from probfs.tables.arrays import text_array
from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))
from workloads import weston  # the tables that the benchmarks measure

__all__ = ["random_dataset", "weston"]


def random_dataset(
    seed: int,
    rows: int,
    kinds: str,
    classes: int = 2,
    unlabelled: int = 0,
    counted: bool = False,
    gaps: float = 0.1,
    missing_is_value: bool = False,
) -> Dataset:
    """A table with a column for each letter of ``kinds``: continuous, few numbers (d), text, or always the same (s)."""
    generator = np.random.default_rng(seed)
    labels = np.sort(np.arange(rows) % classes)
    features = []
    for position, kind in enumerate(kinds):
        pull = generator.normal(size=classes)
        centre = np.concatenate([pull[labels], generator.normal(size=unlabelled)])
        values = centre + generator.normal(size=rows + unlabelled)
        if kind == "s":
            values = np.zeros_like(values)
        elif kind != "c":
            values = np.rint(values)
        numbers, codes = np.unique(values, return_inverse=True)
        codes[generator.random(len(codes)) < gaps] = len(numbers)
        labelled, others = codes[:rows].astype(np.uint16), codes[rows:].astype(np.uint16)
        texts = text_array([repr(number) for number in numbers.tolist()])
        if kind == "t":
            if missing_is_value:
                texts = text_array([*texts.to_pylist(), "(missing)"])
            others[~np.isin(others, labelled)] = len(texts)
            features.append(Feature(f"f{position}", texts, labelled, others, None, missing_is_value))
        else:
            features.append(Feature(f"f{position}", texts, labelled, others, numbers, missing_is_value))
    counts = generator.integers(1, 4, rows) if counted else np.ones(rows, dtype=np.int64)
    more = generator.integers(1, 4, unlabelled) if counted else np.ones(unlabelled, dtype=np.int64)
    dataset = Dataset(tuple(features), tuple("abcdef"[:classes]), labels, counts, more)
    return order_by_content(dataset, 0)
