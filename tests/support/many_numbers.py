"""Random tables of measurements in several Parquet files."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from probfs.cluster.counted_column import CountedColumn, condense
from probfs.cluster.summarized_column import SummarizedColumn, between_known_numbers
from probfs.tables.arrays import Floats, text_array
from probfs.tables.column import text_column
from probfs.tables.table import Table
from tests.support.split_numbers import SplitNumbers

KINDS = ("different", "tied", "zeros tell", "close", "wide", "nearly whole", "rare")


@st.composite
def measurements(draw: st.DrawFn) -> pd.DataFrame:
    """Numbers with missing cells, ties and frequent ones, classes in ``y``, none in some rows, and counts in ``n``."""
    rows, classes = draw(st.integers(8, 80)), draw(st.integers(2, 3))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = random.integers(0, classes, rows)
    columns: dict[str, Any] = {}
    for number in range(draw(st.integers(1, 3))):
        numbers = measured(random, labels, draw(st.sampled_from(KINDS)))
        numbers[random.random(rows) < draw(st.sampled_from([0.0, 0.1]))] = np.nan
        if draw(st.sampled_from([False, False, True])):
            numbers[labels == classes - 1] = np.nan
        columns[f"x{number}"] = numbers
    columns["word"] = random.choice(["a", "b", "c"], rows)
    columns["n"] = random.integers(0, 4, rows)
    names = np.array([f"class {label}" for label in range(classes)], dtype=object)[labels]
    if draw(st.booleans()):
        names[random.random(rows) < draw(st.sampled_from([0.2, 0.9]))] = None
    return pd.DataFrame({**columns, "y": names})


def measured(random: np.random.Generator, labels: np.ndarray[Any, Any], kind: str) -> np.ndarray[Any, Any]:
    """Numbers of a kind, related to some labels."""
    rows = len(labels)
    numbers = random.normal(labels * random.choice([0.0, 1.0]), 1.0)
    kinds: dict[str, np.ndarray[Any, Any]] = {
        "different": numbers,
        "tied": np.round(numbers, 1),
        "zeros tell": np.where((labels == 0) ^ (random.random(rows) < 0.02), 0.0, numbers),
        "close": 1.7e9 + np.round(numbers, 3),
        "wide": numbers * 10.0 ** random.integers(-300, 300, rows),
        "nearly whole": np.where(random.random(rows) < 0.1, numbers, np.arange(rows) * 7.0),
        "rare": np.where(random.random(rows) < 0.9, 2.0, numbers),
    }
    return kinds[kind]


def write_parts(frame: pd.DataFrame, cuts: Sequence[int], folder: Path) -> list[Path]:
    """The files of a table whose rows are parted at these places; of one without rows, too."""
    paths = []
    edges = [0, *sorted(min(cut, len(frame)) for cut in cuts), len(frame)]
    for number, (first, end) in enumerate(pairwise(edges)):
        paths.append(folder / f"part-{number}.parquet")
        frame.iloc[first:end].to_parquet(paths[-1], index=False)
    return paths


def summarized(numbers: Floats, known: Floats, labels: Sequence[str | None]) -> SummarizedColumn:
    """A column of which some numbers are known, beside a target with these labels."""
    column = summarized_table(numbers, known, labels).columns["a"]
    assert isinstance(column, SummarizedColumn)
    return column


def summarized_table(numbers: Floats, known: Floats, labels: Sequence[str | None]) -> Table:
    """A condensed table of the target ``y`` and the column ``a``."""
    texts = text_array(sorted({label for label in labels if label is not None}))
    codes = np.array([len(texts) if label is None else texts.to_pylist().index(label) for label in labels], np.uint8)
    columns = {"a": between_known_numbers("a", numbers, known), "y": text_column("y", codes, texts)}
    table = condense(Table("t.parquet", columns, len(numbers)), "y", None)
    classes = np.where(codes == len(texts), -1, codes.astype(np.int64))
    summary = SplitNumbers(numbers, classes, len(texts), None, (2,)).summary(3)
    column, target = table.columns["a"], table.columns["y"]
    assert isinstance(column, CountedColumn)
    own = SummarizedColumn.of(column, known, summary, target.codes < len(texts))
    return table.with_columns({"a": own})
