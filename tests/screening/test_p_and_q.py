"""p and q: those of a plain implementation, and rates over tables whose truth is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency, false_discovery_control, gamma, kruskal, rankdata

import probfs
from probfs.ranking.result import Ranking
from probfs.screening.counting import RankedNumbers
from probfs.screening.screen import q_values, screen
from probfs.tables.arrays import Floats, Integers
from tests.support.datasets import dataset_of_codes


def table(seed: int, classes: int = 2, rows: int = 240) -> pd.DataFrame:
    """Columns of few values, of different numbers, of numbers that repeat and of few numbers, some of them related to
    the class, with missing cells.
    """
    random = np.random.default_rng(seed)
    labels = random.integers(0, classes, rows)
    columns = {}
    for number in range(4):
        related = random.random(rows) < 0.1 * number
        columns[f"few{number}"] = np.array(["a", "b", "c"])[np.where(related, labels, random.integers(0, 3, rows))]
        numbers = random.normal(size=rows) + 0.2 * number * labels
        numbers[random.random(rows) < 0.1] = np.nan
        columns |= {f"number{number}": numbers.round(2), f"tied{number}": (5 * numbers).round()}
        columns[f"scale{number}"] = numbers.round()
    return pd.DataFrame({**columns, "y": np.array(["p", "q", "r"])[labels]})


def tail(relation: float, rows: int, ranks: tuple[int, int], squares: tuple[float, float]) -> float:
    """The gamma law of Dawson's moments, from the ranks of both projections and the sums of their squared diagonals."""
    w = [(rows * square - rank**2) / (rows - 2) for rank, square in zip(ranks, squares, strict=True)]
    v = [rank * (rows - 1 - rank) / (rows - 1) for rank in ranks]
    mean = ranks[0] * ranks[1] / (rows - 1)
    variance = 2 * (v[0] - w[0]) * (v[1] - w[1]) / (rows * (rows - 3)) + w[0] * w[1] / (rows - 1)
    return float(gamma.sf(relation * (1 - 1e-9), mean**2 / variance, scale=variance / mean))


def group_squares(groups: pd.Series) -> float:
    """Σ A_ii² of the centred projection onto groups."""
    sizes = groups.value_counts().to_numpy()
    return float((sizes * (1 / sizes - 1 / len(groups)) ** 2).sum())


def p_of_values(values: pd.Series, labels: pd.Series) -> float:
    statistic = chi2_contingency(pd.crosstab(values, labels), correction=False).statistic
    ranks = values.nunique() - 1, labels.nunique() - 1
    return tail(statistic / len(values), len(values), ranks, (group_squares(values), group_squares(labels)))


def p_of_numbers(numbers: pd.Series, labels: pd.Series) -> float:
    statistic = kruskal(*(numbers[labels == label] for label in labels.unique())).statistic
    scores = rankdata(numbers) - (len(numbers) + 1) / 2
    square = float((scores**4).sum() / (scores**2).sum() ** 2)
    rows = len(numbers)
    return tail(statistic / (rows - 1), rows, (1, labels.nunique() - 1), (square, group_squares(labels)))


def plain_p(frame: pd.DataFrame, name: str, measured: bool) -> float:
    """By values, by numbers, or the smaller of both times two."""
    present = frame[frame[name].notna()]
    if name.startswith("few"):
        return p_of_values(present[name], present["y"])
    p = p_of_numbers(present[name], present["y"])
    if measured:
        return p
    wanted = np.arange(1, 5) * len(present) / 5
    points = np.sort(present[name])[np.ceil(wanted).astype(int) - 1]
    cut = pd.Series(np.searchsorted(np.unique(points), present[name]), index=present.index)
    return min(1, 2 * min(p, p_of_values(present[name] if present[name].nunique() <= 20 else cut, present["y"])))


def p_by_name(ranking: Ranking) -> dict[str, float | None]:
    return {feature.feature: feature.p for feature in ranking.features}


@pytest.mark.parametrize(("seed", "classes"), [(0, 2), (1, 3), (2, 3), (3, 2)])
def test_p_and_q_are_those_of_a_plain_implementation(seed: int, classes: int) -> None:
    frame = table(seed, classes)
    ranking = probfs.rank(frame, target="y", missing="skip")
    expected = {name: plain_p(frame, name, measured=False) for name in frame.columns.drop("y")}
    assert p_by_name(ranking) == pytest.approx(expected, rel=1e-6)
    q = false_discovery_control([feature.p for feature in ranking.features])
    assert [feature.q for feature in ranking.features] == pytest.approx(q.tolist())
    known = {feature.feature: feature.q or 0 for feature in ranking.features}
    level = sorted(set(known.values()))[-2]
    screened = probfs.rank(frame, target="y", missing="skip", false_discoveries=level)
    told = {feature.feature for feature in screened.features if feature.round > 1 or feature.instead}
    assert told == {name for name, q_value in known.items() if q_value <= level} != set(known)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_svm_s_numbers_are_tested_as_they_are(kernel: str) -> None:
    frame = table(4, rows=120)
    ranking = probfs.rank(frame, target="y", classifier="svm", kernel=kernel, missing="skip", eliminate=False)
    expected = {name: plain_p(frame, name, measured=True) for name in frame.columns.drop("y")}
    assert p_by_name(ranking) == pytest.approx(expected, rel=1e-6)


def test_cells_that_are_missing_in_one_class_tell_as_a_value_does() -> None:
    random = np.random.default_rng(3)
    frame = pd.DataFrame({"a": random.normal(size=100), "y": ["p", "q"] * 50})
    frame.loc[(frame.y == "q") & (random.random(100) < 0.5), "a"] = np.nan
    for classifier in ("nb", "svm"):
        chosen: dict[str, Any] = {"target": "y", "classifier": classifier, "eliminate": False}
        skipped, told = (probfs.rank(frame, missing=how, **chosen).features[0].p for how in ("skip", "value"))
        assert (told or 0) < 1e-5 < 0.05 < (skipped or 0)


def test_counted_rows_are_repeated_rows_and_no_order_matters() -> None:
    random = np.random.default_rng(6)
    frame = table(6, classes=3, rows=90)
    counts = random.integers(0, 4, 90)
    repeated = frame.loc[np.repeat(np.arange(90), counts)]
    shuffled = repeated.sample(frac=1, random_state=1)[["number2", "few1", *frame.columns.drop(["number2", "few1"])]]
    # The quantiles of number columns, too, are those of the repeated rows.
    found = [
        probfs.rank(frame.assign(n=counts), target="y", count="n"),
        probfs.rank(repeated, target="y"),
        probfs.rank(shuffled, target="y"),
    ]
    first, *others = [{(own.feature, key): getattr(own, key) for own in one.features for key in "pq"} for one in found]
    assert others == [pytest.approx(first, rel=1e-9)] * 2


def test_unlabelled_rows_are_kept_out_of_the_test() -> None:
    frame = table(7)
    more = table(8).assign(y=None)
    assert p_by_name(probfs.rank(pd.concat([frame, more]), target="y")) == p_by_name(probfs.rank(frame, target="y"))


def test_of_subjects_999_tables_are_drawn_unless_that_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each p that ten drawn tables reach is a number of them."""
    random = np.random.default_rng(5)
    frame = pd.DataFrame({f"x{number}": random.integers(0, 3, 300).astype(str) for number in range(6)})
    frame = frame.assign(
        number=random.normal(size=300), y=random.permutation(np.arange(300) % 2), who=np.arange(300) // 3
    )
    for draws in (999, 199):
        found = [feature.p for feature in probfs.rank(frame, target="y", group="who", screen=False).features]
        of_draws = [p * (draws + 1) for p in found if p is not None and 20 / 200 < p < 1]
        assert of_draws
        assert of_draws == pytest.approx(np.round(of_draws), abs=1e-9)
        assert any(round(hits) % 5 for hits in of_draws) or draws == 199, "as fine as a thousand tables"
        monkeypatch.setattr("probfs.screening.subjects._MOST_WORK", 1000)


# Simulated tables whose truth is known: how many discoveries are false, and how many relations are found


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
        return screen(
            dataset_of_codes(list(codes), labels), [RankedNumbers.of_matrix(np.arange(columns), cells)]
        ), related

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
