"""Random tables: with every kind of column and odd cells, wide ones, and ones in several files for both engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

import probfs
from probfs import Note, Ranking, Selection
from probfs.tables import table as table_module
from probfs.tables.frames import table_in_memory
from probfs.tables.table import Table

Random = np.random.Generator
Cells = list[str]
Maker = Callable[[Random, Cells], Any]
"""Makes cells beside the classes of their rows."""


def _chosen(*texts: str) -> Maker:
    return lambda random, labels: random.choice(texts, len(labels))


def _rising(random: Random, labels: Cells) -> Any:
    return np.cumsum(random.integers(1, int(random.choice([4, 30])), len(labels))) + 1000


def _separated(random: Random, labels: Cells) -> Cells:
    mark = str(random.choice([",", " ", "."]))
    return [f"{number:,}".replace(",", mark) for number in random.integers(1, 10**7, len(labels))]


def _days(random: Random, labels: Cells) -> Any:
    return np.datetime64("2020-01-01") + random.integers(0, 200, len(labels))


MAKERS: Mapping[str, Maker] = {
    "words": _chosen("red", "green", "blue", "NA", "é"),
    "digits": _chosen(*map(str, range(7))),
    "measured": lambda random, labels: random.normal(size=len(labels)).round(2),
    "half zero": lambda random, labels: random.normal(size=len(labels)).round(3) * random.integers(2, size=len(labels)),
    "counted": lambda random, labels: random.integers(-3, int(random.choice([2, 9, 200, 10**6])), len(labels)),
    "rank of class": lambda random, labels: [ord(own[0]) * 3 + random.integers(20) if own else 5 for own in labels],
    "keys": lambda random, labels: random.permutation(10**6)[: len(labels)] + 10**6,
    "case_id": lambda random, labels: [f"k{number}" for number in random.integers(0, 2 * len(labels), len(labels))],
    "numbered": lambda random, labels: np.arange(len(labels)) + len(labels) % 2,
    "rising": _rising,
    "separated": _separated,
    "commas": lambda random, labels: [f"{number:.2f}".replace(".", ",") for number in random.normal(size=len(labels))],
    "dates": _days,
    "postal codes": lambda random, labels: [f"{number:05}" for number in random.integers(0, 3000, len(labels))],
    "leak": lambda random, labels: [own if random.random() < 0.98 else "a" for own in labels],
    "leak by missing": lambda random, labels: [
        "" if own == "a" and random.random() < 0.97 else random.integers(9) for own in labels
    ],
    "constant": _chosen("1"),
    "empty": _chosen(""),
    "yes": _chosen("yes", "no", "?", ""),
}
RULES: Mapping[str, Sequence[str]] = {
    "words": (
        '{ groups = { warm = ["red"], cold = ["blue", "grey"] } }',
        '{ groups = { warm = ["red"] }, other = "no" }',
        '{ min_count = 9, other = "few" }',
        '"== red"',
        '\'in ["red", "blue"]\'',
        '{ missing = "value" }',
    ),
    "digits": ('"numeric"', '"category"', "{ cut = [2, 4] }", '"<= 3"', '"!= 3"', "{ min_count = 12 }"),
    "measured": ("{ quantiles = 3 }", "{ widths = 4 }", '"> 0"', '"numeric"', '{ cut = [-1, 0.5], missing = "value" }'),
    "half zero": ("{ quantiles = 4 }",),
    "rank of class": ("{ quantiles = 2 }",),
    "dates": ("{ cut = [2020-02-01, 2020-04-01] }", '"< 2020-03-01"', "{ quantiles = 3 }"),
    "leak by missing": ('{ missing = "value" }',),
    "yes": ('"category"',),
}
"""What a mapping may say of such columns."""
TARGET_RULES = (
    '{ groups = { first = ["a"] } }',
    '{ groups = { first = ["a"] }, other = "rest" }',
    '"== a"',
    '"category"',
)
ODD_COUNTS = ("", "NA", "x", "1.0", "1 234", "-9", "999999999999999")
ODD_CELLS = (
    *("", "", "NA", "-", "?", "inf", "-9", "-9.0", "x", "1e3", "007", "1,234", " 3", "3 ", "2020-01-01", "none"),
    *("1.0", "-0", "+1", "1e999", "1-2", ".5", "5.", "nan", "9007199254740993", "9007199254740992", "1e-400", "1e"),
)
MISSING_WORDS = ("NA", "NA", "NA", "nan", "?", "None", "n/a", "-", "--", ".", "..", "none", "na", "-9", "-9", "NA ")


def make_cells(random: Random, kind: str, labels: Cells) -> Cells:
    return [str(cell) for cell in MAKERS[kind](random, labels)]


# Tables in blocks of rows, and what a user says of them


@dataclass(frozen=True)
class Case:
    """Cells by column, rows at which the table is split, further rows without a class, and what the user says."""

    cells: dict[str, Cells]
    splits: tuple[int, ...]
    unlabelled: dict[str, Cells] | None
    mapping: str
    choice: dict[str, Any]
    decimal: str | None

    def blocks(self) -> list[dict[str, Cells]]:
        ends = pairwise((0, *self.splits, len(self.cells["y"])))
        return [{name: own[start:end] for name, own in self.cells.items()} for start, end in ends]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = draw(st.sampled_from([6, 25, 70]))
    kinds = draw(st.lists(st.sampled_from(sorted(MAKERS)), min_size=1, max_size=5, unique=True))
    cells, mapping = _features(random, kinds, rows)
    rules = mapping if draw(st.booleans()) else {}
    target = draw(st.sampled_from(["classes", "classes", "classes by a rule", "numbers"]))
    if target == "classes by a rule":
        rules["y"] = draw(st.sampled_from(TARGET_RULES))
    elif target == "numbers":
        cells["y"] = [str(number) for number in random.integers(0, 90, rows)]
    count = "n" if draw(st.booleans()) else None
    if draw(st.integers(0, 9)) == 9:
        cells["n"][draw(st.integers(0, rows - 1))] = draw(st.sampled_from(ODD_COUNTS))
    choice = {
        "target": "y",
        "count": count,
        "na": draw(st.sampled_from([(), (), ("-9",), ("auto",), ("none",), ("x", "b")])),
        "missing": draw(st.sampled_from(["skip", "auto", "value"])),
        "min_class": draw(st.sampled_from([1, 2, 4])),
        "keep_identifiers": draw(st.booleans()),
        "bins": draw(st.sampled_from([3, 5])),
        "cut_target": draw(st.sampled_from([3, 3, 3, None])) if target == "numbers" else None,
    }
    unlabelled = _features(random, kinds, 15)[0] if draw(st.booleans()) else None
    if unlabelled is not None and draw(st.integers(0, 4)) == 4:
        del unlabelled["y" if count is None else "n"]
    splits = sorted(draw(st.sets(st.integers(1, rows - 1), max_size=4)))
    # TOML has no key for a column that no rule speaks of.
    text = "[columns]\n" + "\n".join(f'"{name}" = {rule}' for name, rule in rules.items())
    return Case(cells, tuple(splits), unlabelled, text, choice, draw(st.sampled_from([None, None, ",", "."])))


def _features(random: Random, kinds: Sequence[str], rows: int) -> tuple[dict[str, Cells], dict[str, str]]:
    """Cells by column, and rules of a mapping for some of them."""
    labels = [str(text) for text in random.choice(["a", "b", "c", "rare", ""], rows, p=[0.4, 0.35, 0.13, 0.02, 0.1])]
    labels[:4] = ["a", "b", "b", "a"]
    cells = {"n": [str(number) for number in random.integers(0, 4, rows)]}
    mapping = {}
    for kind in kinds:
        cells[kind] = make_cells(random, kind, labels)
        if random.random() < 0.4:
            odd = [str(text) for text in random.choice(ODD_CELLS, 2)]
            for row in random.integers(0, rows, int(random.integers(1, 12))):
                cells[kind][row] = str(random.choice(odd))
        if kind in RULES and random.random() < 0.7:
            mapping[kind] = str(random.choice(RULES[kind]))
    return {**cells, "y": labels}, mapping


CATEGORIES = {"words": ["red", "blue", "green", "é"], "digits": ["5", "3", "1", "0", "2", "4", "6"]}
NUMBERS = ("measured", "half zero", "counted", "rank of class", "keys", "numbered", "rising", "n")


def as_frame(cells: dict[str, Cells]) -> Table:
    """A frame of typed columns: numbers and dates where all cells are, and categories for some words."""
    frame = pd.DataFrame({name: [cell or None for cell in own] for name, own in cells.items()}, dtype=object)
    for name in cells:
        if name in CATEGORIES:
            known = frame[name].where(frame[name].isin(CATEGORIES[name]), None)
            frame[name] = pd.Categorical(known, CATEGORIES[name], ordered=name == "digits")
        elif name in NUMBERS:
            frame[name] = pd.to_numeric(frame[name], errors="coerce").astype(np.float64)
        elif name == "dates":
            frame[name] = pd.to_datetime(frame[name], errors="coerce", format="%Y-%m-%d")
    return table_in_memory(frame, "data")


# Tables of more columns than rows, most of them numbers

MOST_ROWS = 29
WIDE_KINDS = (*["measured"] * 3, "counted", "half zero", "digits", "numbered", "keys", "rising", "words", "empty")


@contextmanager
def columns_together(wanted: bool) -> Iterator[None]:
    """All columns of numbers looked at as one matrix, or each alone."""
    with pytest.MonkeyPatch.context() as patch:
        if not wanted:
            patch.setattr(table_module, "_CELLS_AT_ONCE", 1)
        yield


@st.composite
def wide_tables(draw: st.DrawFn) -> pd.DataFrame:
    """Texts; ``n`` may count equal rows, and the last column is the class, of which some may be empty."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = draw(st.sampled_from([2, 5, 24, MOST_ROWS]))
    table: dict[str, Any] = {"n": random.integers(4, size=rows).astype(str)}
    for number in range(MOST_ROWS + 14):
        kind = WIDE_KINDS[number % len(WIDE_KINDS)]
        cells = np.array(make_cells(random, kind, [""] * rows), dtype=object)
        if random.random() < 0.3:
            places = random.integers(rows, size=int(random.integers(1, rows + 1)))
            cells[places] = random.choice(ODD_CELLS, len(places))
        elif random.random() < 0.4:
            # Words that mean missing, of one or two kinds, as files write them.
            words = random.choice(MISSING_WORDS, size=int(random.integers(1, 3)))
            gone = random.random(rows) < random.choice([0.1, 0.5, 0.95, 1])
            cells[gone] = random.choice(words, gone.sum())
        elif random.random() < 0.3:
            cells[random.random(rows) < 0.5] = ""
        table[f"{kind}{number}" if number % 7 else f"case{number}_id"] = cells
    labels = random.choice(["no", "yes"], size=rows)
    labels[:2] = "no", "yes"
    if draw(st.booleans()):
        labels[2:][random.random(rows - 2) < 0.3] = ""
    return pd.DataFrame({**table, "y": labels})


# Tables in several files, which two engines rank or select from, and what must be the same then


@dataclass(frozen=True)
class SplitTable:
    """The folder of a table's files, and how to rank it and to select from it."""

    folder: Path
    options: Mapping[str, Any]
    selecting: Mapping[str, Any]


def write_split_table(folder: Path, seed: int) -> SplitTable:
    """A table of texts, whole numbers, measurements, missing cells, and perhaps counts, unlabelled rows and near copies
    of columns, in files of uneven size; how it is to be ranked depends on the seed, too.
    """
    random = np.random.default_rng(seed)
    rows, classes = int(random.integers(40, 400)), int(random.integers(2, 4))
    labels = np.concatenate([np.arange(classes).repeat(4), random.integers(0, classes, rows - 4 * classes)])
    random.shuffle(labels)
    kinds = ("text", "text", "whole", "whole", "measured", "measured", "text", "sparse")
    frame = pd.DataFrame({name: _column(random, labels, kind) for name, kind in zip("abcdefgh", kinds, strict=True)})
    if random.random() < 0.5:
        # Another scale, other names, and a copy with a few cells changed, in rows that their content decides.
        frame.insert(0, "e_in_inches", frame["e"] / 2.54)
        frame.insert(0, "a_renamed", frame["a"].replace({"red": "rot", "green": "gruen", "blue": "blau"}))
        frame.insert(0, "c_nearly", frame["c"].where(frame["d"] % 7 != 0, 3))
    frame["y"] = np.array(["no", "yes", "perhaps"])[labels]
    options: dict[str, Any] = {"target": "y"} | ({"shrink": "on"} if random.random() < 0.3 else {})
    score = {"score": str(random.choice(["absolute", "signed"]))}
    if random.random() < 0.4:
        frame["n"] = random.integers(0, 4, rows) + 1
        options["count"] = "n"
    selecting = {
        **(options | score),
        "keep": random.choice(np.array(["best", "fewest", "most", 2], dtype=object)),
        "folds": int(random.choice([0, 2, 4])),
        "false_discoveries": float(random.choice([0.1, 0.5, 1.0])),
        "smoothing": float(random.choice([0.0, 1.0])),
        "always": ["d", "g"] if random.random() < 0.3 else [],
    }
    if random.random() < 0.3:
        frame.loc[random.random(rows) < 0.2, "y"] = None
        score = {"score": "unlabeled"}
    # Folds are dealt out block by block, so estimates by them may differ.
    options |= score | ({"estimate": "resubstitution"} if random.random() < 0.4 else {})
    cuts = np.sort(random.integers(0, rows, int(random.integers(0, 5))))
    parquet = random.random() < 0.5
    folder.mkdir()
    for number, part in enumerate(np.split(np.arange(rows), cuts)):
        own = frame.iloc[part]
        if parquet:
            own.to_parquet(folder / f"part-{number}.parquet", index=False)
        elif len(own):
            own[list(random.permutation(own.columns))].to_csv(folder / f"part-{number}.csv", index=False)
    return SplitTable(folder, options, selecting)


def _column(random: Random, labels: np.ndarray[Any, Any], kind: str) -> Any:
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


MEASURED_KINDS = ("different", "tied", "zeros tell", "close", "wide", "nearly whole", "rare")


def measured(random: Random, labels: np.ndarray[Any, Any], kind: str) -> np.ndarray[Any, Any]:
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


def write_parts(frame: pd.DataFrame, cuts: Sequence[int], folder: Path) -> list[Path]:
    """The files of a table whose rows are parted at these places; of one without rows, too."""
    paths = []
    edges = [0, *sorted(min(cut, len(frame)) for cut in cuts), len(frame)]
    for number, (first, end) in enumerate(pairwise(edges)):
        paths.append(folder / f"part-{number}.parquet")
        frame.iloc[first:end].to_parquet(paths[-1], index=False)
    return paths


def outcome(data: Any, **options: Any) -> tuple[Ranking, list[Note]] | str:
    """A ranking and its notes, or why there is none."""
    notes: list[Note] = []
    try:
        return probfs.rank(data, on_note=notes.append, report=True, **options), notes
    except probfs.ProbfsError as error:
        return str(error)


def assert_same_ranking(found: Ranking, expected: Ranking, *, p_within: float = 1e-9) -> None:
    """The same order, scores to within rounding, tests, rounds and warnings; p is close where numbers are very many."""
    assert [own.feature for own in found.features] == [own.feature for own in expected.features]
    for own, other in zip(found.features, expected.features, strict=True):
        assert own.round == other.round
        for name in ("s_s", "s_a", "s_su", "initial_s_s", "initial_s_a", "initial_s_su"):
            _assert_close(getattr(own, name), getattr(other, name), 1e-12, 1e-12 * abs(other.s_s))
        assert (own.p, own.q) == pytest.approx((other.p, other.q), rel=p_within)
    for one, same in zip(found.rounds, expected.rounds, strict=True):
        assert (one.errors, one.removed, one.features) == (same.errors, same.removed, same.features)
        assert one.log_loss == pytest.approx(same.log_loss, rel=1e-12)
    assert (found.warnings, found.input) == (expected.warnings, expected.input)


def assert_same_selection(found: Selection, expected: Selection) -> None:
    """The same columns, verdicts and warnings, and numbers to within rounding.

    Folds are dealt out block by block, so what is found by them may differ: of these, the same rows are judged.
    """
    assert (found.kept, found.best_size) == (expected.kept, expected.best_size)
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
    # How well the choice does on unseen rows depends on the folds, too.
    notes, others = ([note for note in one.warnings if note.code != "weak-choice"] for one in (found, expected))
    assert (notes, found.input) == (others, expected.input)


def _assert_close(found: float | None, expected: float | None, rel: float = 1e-9, within: float = 1e-13) -> None:
    assert found == (expected if expected is None else pytest.approx(expected, rel=rel, abs=within))
