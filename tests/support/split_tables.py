"""Random tables in several files, which two engines rank or select from, and what must be the same then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

import probfs
from probfs import Note, Ranking, Selection

_KINDS = ("text", "text", "whole", "whole", "measured", "measured", "noise", "sparse")
MEASURED_KINDS = ("different", "tied", "zeros tell", "close", "wide", "nearly whole", "rare")


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


def outcome(data: Any, **options: Any) -> tuple[Ranking, list[Note]] | str:
    """A ranking and its notes, or why there is none."""
    notes: list[Note] = []
    try:
        return probfs.rank(data, on_note=notes.append, report=True, **options), notes
    except probfs.ProbfsError as error:
        return str(error)


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


@st.composite
def measurements(draw: st.DrawFn) -> pd.DataFrame:
    """Numbers with missing cells, ties and frequent ones, classes in ``y``, none in some rows, and counts in ``n``."""
    rows, classes = draw(st.integers(8, 80)), draw(st.integers(2, 3))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = random.integers(0, classes, rows)
    columns: dict[str, Any] = {}
    for number in range(draw(st.integers(1, 3))):
        numbers = measured(random, labels, draw(st.sampled_from(MEASURED_KINDS)))
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
