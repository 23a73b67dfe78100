"""Random tables of every kind of column and of odd cells, split into blocks of rows, and what a user says of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from probfs.tables.frames import table_in_memory
from probfs.tables.table import Table

Random = np.random.Generator
Cells = list[str]


def _numbered(random: Random, labels: Cells) -> Cells:
    return [str(row + len(labels) % 2) for row in range(len(labels))]


def _rising(random: Random, labels: Cells) -> Cells:
    return [str(n) for n in np.cumsum(random.integers(1, int(random.choice([4, 30])), len(labels)) + 1000)]


def _separated(random: Random, labels: Cells) -> Cells:
    mark = str(random.choice([",", " ", "."]))
    return [f"{n:,}".replace(",", mark) for n in random.integers(1, 10**7, len(labels))]


def _decimal_commas(random: Random, labels: Cells) -> Cells:
    return [f"{n:.2f}".replace(".", ",") for n in random.normal(size=len(labels))]


def _dates(random: Random, labels: Cells) -> Cells:
    return [str(np.datetime64("2020-01-01") + int(day)) for day in random.integers(0, 200, len(labels))]


def _leak(random: Random, labels: Cells) -> Cells:
    return [label if random.random() < 0.98 else "a" for label in labels]


def _leak_by_missing(random: Random, labels: Cells) -> Cells:
    return ["" if label == "a" and random.random() < 0.97 else str(random.integers(9)) for label in labels]


def _chosen(*texts: str) -> Callable[[Random, Cells], Cells]:
    return lambda random, labels: [str(text) for text in random.choice(texts, len(labels))]


KINDS: dict[str, tuple[Callable[[Random, Cells], Cells], tuple[str, ...]]] = {
    "words": (
        _chosen("red", "green", "blue", "NA", "é"),
        (
            *(
                '{ groups = { warm = ["red"], cold = ["blue", "grey"] } }',
                '{ groups = { warm = ["red"] }, other = "no" }',
            ),
            *('{ min_count = 9, other = "few" }', '"== red"', '\'in ["red", "blue"]\'', '{ missing = "value" }'),
        ),
    ),
    "digits": (
        _chosen(*map(str, range(7))),
        ('"numeric"', '"category"', "{ cut = [2, 4] }", '"<= 3"', '"!= 3"', "{ min_count = 12 }"),
    ),
    "measured": (
        lambda random, labels: [str(n) for n in random.normal(size=len(labels)).round(2)],
        ("{ quantiles = 3 }", "{ widths = 4 }", '"> 0"', '"numeric"', '{ cut = [-1, 0.5], missing = "value" }'),
    ),
    "half zero": (
        lambda random, labels: [str(n) for n in (random.normal(size=len(labels)).round(3) * random.integers(2))],
        ("{ quantiles = 4 }",),
    ),
    "rank of class": (
        lambda random, labels: [str(ord(label[0]) * 3 + random.integers(20)) if label else "5" for label in labels],
        ("{ quantiles = 2 }",),
    ),
    "keys": (lambda random, labels: [str(n) for n in random.permutation(10**6)[: len(labels)] + 10**6], ()),
    "case_id": (lambda random, labels: [f"k{n}" for n in random.integers(0, 2 * len(labels), len(labels))], ()),
    "numbered": (_numbered, ()),
    "rising": (_rising, ()),
    "separated": (_separated, ()),
    "commas": (_decimal_commas, ()),
    "dates": (_dates, ("{ cut = [2020-02-01, 2020-04-01] }", '"< 2020-03-01"', "{ quantiles = 3 }")),
    "postal codes": (lambda random, labels: [f"{n:05}" for n in random.integers(0, 3000, len(labels))], ()),
    "leak": (_leak, ()),
    "leak by missing": (_leak_by_missing, ('{ missing = "value" }',)),
    "constant": (_chosen("1"), ()),
    "empty": (_chosen(""), ()),
    "yes": (_chosen("yes", "no", "?", ""), ('"category"',)),
}
TARGET_RULES = (
    '{ groups = { first = ["a"] } }',
    '{ groups = { first = ["a"] }, other = "rest" }',
    '"== a"',
    '"category"',
)
ODD_COUNTS = ("", "NA", "x", "1.0", "1 234", "-9", "999999999999999")
ODD_CELLS = ("", "", "NA", "-", "?", "inf", "-9", "-9.0", "x", "1e3", "007", "1,234", " 3", "2020-01-01", "none")


CATEGORIES = {"words": ["red", "blue", "green", "é"], "digits": ["5", "3", "1", "0", "2", "4", "6"]}
NUMBERS = ("measured", "half zero", "rank of class", "keys", "numbered", "rising", "n")


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
        ends = (*self.splits, len(self.cells["y"]))
        return [
            {name: own[start:end] for name, own in self.cells.items()}
            for start, end in zip((0, *self.splits), ends, strict=True)
        ]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = draw(st.sampled_from([6, 25, 70]))
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=5, unique=True))
    cells, mapping = _features(random, kinds, rows)
    rules = mapping if draw(st.booleans()) else {}
    target = draw(st.sampled_from(["classes", "classes", "classes by a rule", "numbers"]))
    if target == "classes by a rule":
        rules["y"] = draw(st.sampled_from(TARGET_RULES))
    elif target == "numbers":
        cells["y"] = [str(n) for n in random.integers(0, 90, rows)]
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
    cells: dict[str, Cells] = {"n": [str(n) for n in random.integers(0, 4, rows)]}
    mapping: dict[str, str] = {}
    for kind in kinds:
        make, rules = KINDS[kind]
        cells[kind] = make(random, labels)
        if random.random() < 0.4:
            odd = [str(text) for text in random.choice(ODD_CELLS, 2)]
            for row in random.integers(0, rows, int(random.integers(1, 12))):
                cells[kind][row] = str(random.choice(odd))
        if rules and random.random() < 0.7:
            mapping[kind] = str(random.choice(rules))
    cells["y"] = labels
    return cells, mapping


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
