"""Simulated tables whose truth is known: how many discoveries are false, and how many relations are found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from probfs.screening.counting import NumberBlock
from probfs.screening.screen import q_values, screen
from probfs.tables.arrays import Floats, Integers
from tests.support.datasets import dataset_of_codes

RATE = 0.1
Random = np.random.Generator
Draw = Callable[[Random], tuple[Floats, int]]
"""The p-values of a table's columns, and how many of them are related: these come first."""


def noise_of(random: Random, rows: int, values: int, kind: str) -> Integers:
    if kind == "zipf":
        return np.minimum(random.zipf(1.5, rows), values) - 1
    return (random.random(rows) < 0.04).astype(np.int64) if kind == "lopsided" else random.integers(0, values, rows)


def categories(
    rows: int = 500,
    columns: int = 50,
    related: int = 10,
    values: int = 4,
    positive: tuple[float, ...] = (0.5, 0.5),
    noise: str = "even",
    copies: bool = False,
    strength: float = 0.8,
) -> Draw:
    def informative(random: Random, labels: Integers) -> Integers:
        """A column whose values have other probabilities in each class."""
        base = random.dirichlet(np.full(values, 3.0))
        odds = np.exp(strength * random.normal(size=(int(labels.max()) + 1, values)))
        shares = base * odds / (base * odds).sum(axis=1, keepdims=True)
        return np.array([random.choice(values, p=shares[label]) for label in labels.tolist()])

    def draw(random: Random) -> tuple[Floats, int]:
        labels = random.choice(len(positive), size=rows, p=positive)
        labels[: 2 * len(positive)] = np.repeat(np.arange(len(positive)), 2)
        found = [informative(random, labels) for _ in range(related)]
        if copies:
            found += [np.where(random.random(rows) < 0.15, random.permutation(x), x) for x in found]
        others = [noise_of(random, rows, values, noise) for _ in range(columns - len(found))]
        if noise == "correlated":
            shared = noise_of(random, rows, values, "even")
            others = [np.where(random.random(rows) < 0.7, shared, other) for other in others]
        return screen(dataset_of_codes([*found, *others], labels)), len(found)

    return draw


def numbers(rows: int, columns: int, related: int, classes: int, shift: float, zeros: float = 0.0) -> Draw:
    def draw(random: Random) -> tuple[Floats, int]:
        labels = random.permutation(np.arange(rows) % classes)
        cells = np.exp(random.normal(size=(columns, rows)))
        cells[:related] *= np.exp(shift * labels)
        cells[random.random(cells.shape) < zeros] = 0
        points = np.quantile(cells, [0.2, 0.4, 0.6, 0.8], axis=1, method="inverted_cdf")
        codes = sum((cells > point[:, None]).astype(np.int64) for point in points)
        return screen(dataset_of_codes(list(codes), labels), [NumberBlock(np.arange(columns), cells)]), related

    return draw


SETTINGS: dict[str, tuple[Draw, float]] = {
    "independent": (categories(), 0.95),
    "correlated noise": (categories(noise="correlated"), 0.95),
    "copies": (categories(copies=True), 0.95),
    "lopsided 4 %": (categories(noise="lopsided"), 0.95),
    "20 values": (categories(values=20), 0.95),
    "zipf, 30 values": (categories(values=30, noise="zipf"), 0.95),
    "50 rows, 20 columns": (categories(rows=50, columns=20, related=5, strength=1.2), 0.5),
    "10 % positive": (categories(positive=(0.9, 0.1)), 0.8),
    "500 columns": (categories(columns=500), 0.9),
    "200 rows, 2,000 columns": (categories(rows=200, columns=2000, related=20, strength=1.2), 0.8),
    "three classes": (categories(positive=(0.4, 0.4, 0.2)), 0.95),
    "numbers": (numbers(200, 50, 10, classes=2, shift=0.7), 0.9),
    "numbers, three classes": (numbers(200, 50, 10, classes=3, shift=0.5), 0.9),
    "numbers, mostly 0": (numbers(200, 50, 10, classes=2, shift=3.0, zeros=0.8), 0.0),
    "100 rows, 2,000 numbers": (numbers(100, 2000, 20, classes=2, shift=1.5), 0.9),
}
"""Draws of tables, and the least share of related columns to be found."""


@pytest.mark.parametrize(
    ("name", "tables", "most_false", "missed"),
    [
        *((name, 6, 0.3, 0.1) for name in ("independent", "numbers")),
        *(pytest.param(name, 24, 0.13, 0.0, marks=pytest.mark.slow) for name in SETTINGS),
    ],
)
def test_few_discoveries_are_false_and_many_relations_are_found(
    name: str, tables: int, most_false: float, missed: float
) -> None:
    draw, power = SETTINGS[name]
    false, found = [], []
    for seed in range(tables):
        p, related = draw(np.random.default_rng(seed))
        survivors = q_values(p) <= RATE
        false.append(survivors[related:].sum() / max(survivors.sum(), 1))
        found.append(survivors[:related].mean())
    print(f"{name}: false discoveries {np.mean(false):.3f}, power {np.mean(found):.3f}")
    assert np.mean(false) <= most_false
    assert np.mean(found) >= power - missed


NOTHING: dict[str, Draw] = {
    "independent": categories(rows=200, related=0),
    "20 values": categories(rows=100, related=0, values=20),
    "lopsided": categories(related=0, noise="lopsided"),
    "60 rows, 200 columns": categories(rows=60, columns=200, related=0),
    "zipf": categories(rows=200, related=0, values=30, noise="zipf"),
    "zipf, 10 % positive": categories(related=0, values=30, noise="zipf", positive=(0.9, 0.1)),
    "three classes": categories(rows=100, related=0, positive=(0.6, 0.3, 0.1)),
    "numbers": numbers(100, 200, 0, classes=2, shift=0),
    "numbers, five classes": numbers(40, 50, 0, classes=5, shift=0),
    "numbers, mostly 0": numbers(100, 200, 0, classes=2, shift=0, zeros=0.9),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTHING)
def test_where_nothing_is_related_a_table_seldom_has_a_survivor(name: str) -> None:
    tables = 200
    some = sum(bool((q_values(NOTHING[name](np.random.default_rng(seed))[0]) <= RATE).any()) for seed in range(tables))
    print(f"{name}: a survivor in {some / tables:.3f} of tables")
    assert some / tables <= 0.15
