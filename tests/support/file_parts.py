"""Random tables written as several files, to be ranked by one engine and by another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from probfs import Ranking


@dataclass(frozen=True)
class SplitTable:
    """The folder of a table's files, and how to rank it."""

    folder: Path
    options: Mapping[str, Any] = field(default_factory=dict)


def write_split_table(folder: Path, seed: int) -> SplitTable:
    """A table of texts, whole numbers, measurements, missing cells and perhaps counts and unlabelled rows, in files of
    uneven size; how it is to be ranked depends on the seed, too.
    """
    random = np.random.default_rng(seed)
    rows, classes = int(random.integers(40, 400)), int(random.integers(2, 4))
    labels = np.concatenate([np.arange(classes).repeat(4), random.integers(0, classes, rows - 4 * classes)])
    random.shuffle(labels)
    frame = pd.DataFrame({name: _column(random, labels, kind) for name, kind in zip("abcdefgh", _KINDS, strict=True)})
    frame["y"] = np.array(["no", "yes", "perhaps"])[labels]
    options: dict[str, Any] = {"target": "y", "score": str(random.choice(["absolute", "signed"]))}
    if random.random() < 0.3:
        frame.loc[random.random(rows) < 0.2, "y"] = None
        options["score"] = "unlabeled"
    if random.random() < 0.4:
        frame["n"] = random.integers(0, 4, rows) + 1
        options["count"] = "n"
    # Folds are dealt out block by block, so estimates by them may differ.
    options |= {"estimate": "resubstitution"} if random.random() < 0.4 else {}
    options |= {"shrink": "on"} if random.random() < 0.3 else {}
    cuts = np.sort(random.integers(0, rows, int(random.integers(0, 5))))
    parquet = random.random() < 0.5
    folder.mkdir()
    for number, part in enumerate(np.split(np.arange(rows), cuts)):
        own = frame.iloc[part]
        if parquet:
            own.to_parquet(folder / f"part-{number}.parquet", index=False)
        elif len(own):
            own[list(random.permutation(own.columns))].to_csv(folder / f"part-{number}.csv", index=False)
    return SplitTable(folder, options)


_KINDS = ("text", "text", "whole", "whole", "measured", "measured", "noise", "sparse")


def _column(random: np.random.Generator, labels: np.ndarray[Any, Any], kind: str) -> Any:
    rows = len(labels)
    told = random.random(rows) < 0.4 * random.random()
    if kind in ("measured", "sparse"):
        numbers = np.round(random.normal(size=rows) + told * labels, 2)
        numbers[random.random(rows) < (0.5 if kind == "sparse" else 0.1 * random.random())] = np.nan
        return numbers
    if kind == "whole":
        return random.integers(0, 30, rows) + told * labels
    values = np.where(told, labels, random.integers(0, 5, rows))
    cells = np.array(["red", "green", "blue", "grey", "white"], dtype=object)[values]
    cells[random.random(rows) < 0.1 * random.random()] = None
    return cells


def assert_same_ranking(found: Ranking, expected: Ranking, *, p_within: float = 1e-9) -> None:
    """The same order, scores to within rounding, tests, rounds and warnings; p is close where numbers are very many."""
    assert [own.feature for own in found.features] == [own.feature for own in expected.features]
    for own, other in zip(found.features, expected.features, strict=True):
        assert own.round == other.round
        scale = max(abs(other.s_s), 1e-300)
        for name in ("s_s", "s_a", "s_su", "initial_s_s", "initial_s_a", "initial_s_su"):
            wanted = getattr(other, name)
            close = wanted if wanted is None else pytest.approx(wanted, rel=1e-12, abs=1e-12 * scale)
            assert getattr(own, name) == close
        assert (own.p, own.q) == pytest.approx((other.p, other.q), rel=p_within)
    for one, same in zip(found.rounds, expected.rounds, strict=True):
        assert (one.errors, one.removed, one.features) == (same.errors, same.removed, same.features)
        assert one.log_loss == pytest.approx(same.log_loss, rel=1e-12)
    assert found.warnings == expected.warnings
    assert found.input == expected.input
