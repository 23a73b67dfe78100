"""Tables in several files from which columns are selected by one engine and by another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from probfs import Selection
from tests.support.file_parts import SplitTable, write_split_table


def write_split_candidates(folder: Path, seed: int) -> SplitTable:
    """A random table, often with copies of its columns, and how to select from it."""
    random = np.random.default_rng([seed, 1])
    table = write_split_table(folder, seed)
    if random.random() < 0.7:
        for file in folder.iterdir():
            _add_copies(file)
    given = {name: value for name, value in table.options.items() if name not in ("estimate", "folds", "score")}
    keep: Any = random.choice(np.array(["best", "fewest", "most", 2], dtype=object))
    options: dict[str, Any] = {**given, "keep": keep, "folds": int(random.choice([0, 2, 4]))}
    options["false_discoveries"] = float(random.choice([0.1, 0.5, 1.0]))
    options["score"] = str(random.choice(["absolute", "signed"]))
    options["smoothing"] = float(random.choice([0.0, 1.0]))
    if random.random() < 0.3:
        options["always"] = ["d", "g"]
    return SplitTable(folder, options)


def _add_copies(file: Path) -> None:
    """Another scale, other names, and a copy with a few cells changed, in rows that their content decides."""
    parquet = file.suffix == ".parquet"
    frame = pd.read_parquet(file) if parquet else pd.read_csv(file)
    frame.insert(0, "e_in_inches", frame["e"] / 2.54)
    frame.insert(0, "a_renamed", frame["a"].map({"red": "rot", "green": "gruen", "blue": "blau"}).fillna(frame["a"]))
    frame.insert(0, "c_nearly", frame["c"].where(frame["d"] % 7 != 0, 3))
    if parquet:
        frame.to_parquet(file, index=False)
    else:
        frame.to_csv(file, index=False)


def assert_same_selection(found: Selection, expected: Selection) -> None:
    """The same columns, verdicts and warnings, and numbers to within rounding.

    Folds are dealt out block by block, so what is found by them may differ: of these, the same rows are judged.
    """
    assert found.kept == expected.kept
    assert found.best_size == expected.best_size
    for own, other in zip(found.features, expected.features, strict=True):
        for name in ("feature", "rank", "keep", "verdict", "instead"):
            assert getattr(own, name) == getattr(other, name)
        for name in ("p", "q", "s_s", "s_a", "log_loss", "explained"):
            _assert_close(getattr(own, name), getattr(other, name))
    for size, same in zip(found.sizes, expected.sizes, strict=True):
        assert (size.features, size.errors) == (same.features, same.errors)
        _assert_close(size.log_loss, same.log_loss)
        _assert_close(size.temperature, same.temperature)
    assert (found.honest is None) == (expected.honest is None)
    if found.honest is not None and expected.honest is not None:
        assert found.honest.folds == expected.honest.folds
        assert found.honest.none.rows == expected.honest.none.rows
        # What no column tells is known without folds, but for a row or so that a fold has more of a class.
        assert found.honest.none.log_loss == pytest.approx(expected.honest.none.log_loss, rel=0.02)
    assert found.warnings == expected.warnings
    assert found.input == expected.input


def _assert_close(found: float | None, expected: float | None) -> None:
    assert found == (expected if expected is None else pytest.approx(expected, rel=1e-9, abs=1e-13))
