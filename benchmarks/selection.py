"""What `probfs select` keeps of tables whose truth is known, beside what users would run instead.

From the project's root, with the benchmark extra installed: python benchmarks/selection.py --seed 1 --draws 20. Every
draw is a new table, and all methods choose from the same one, in turns, in one process and without threads. Printed are
the means over draws of

- how many columns are kept, and how many of them are copies and noise;
- the log-loss, on fresh rows, of a logistic regression refitted on the kept columns, and by how much a peer's exceeds
  that of `select`, with the standard error of this paired difference;
- the seconds of choosing, and how many times as long as `select` a peer takes.

RFECV is scored by the log-loss, as it is judged here, and runs in two ways: on indicators, as users run it, where a
column is kept if any of its indicators is; and on whole columns, by the size of all weights of their indicators, which
needs an importance getter of one's own. Boruta grows its forests on codes, as trees need no indicators.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from boruta import BorutaPy
from scipy import stats
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFECV
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from threadpoolctl import threadpool_limits

import probfs

FRESH_ROWS = 5_000
MOST_VALUES = 5
RESHUFFLED = 0.15
"""The share of cells in which a copy differs from its column, up to chance."""
TARGET = "y"

Codes = npt.NDArray[np.intp]

HEADER = """\
| table | method | columns kept | copies | noise | log-loss | more than select | seconds | times select |
|---|---|---:|---:|---:|---:|---:|---:|---:|"""


@dataclass(frozen=True)
class Regime:
    """A kind of table: columns that tell the class, two copies of each of them or none, and noise."""

    name: str
    rows: int
    columns: int
    informative: tuple[int, int]
    """The fewest and the most."""
    copies: int = 0
    positive: float = 0.5
    strength: float = 0.65
    """How far the log-odds of values differ between the classes, as a standard deviation. Chosen on tables of seed 0,
    before any method ran, by what a regression on the telling columns alone loses there.
    """


REGIMES = (
    Regime("independent, 200 × 30", 200, 30, (5, 10)),
    Regime("copies, 500 × 50", 500, 50, (10, 10), copies=2),
    Regime("10 % positive, 500 × 50", 500, 50, (10, 10), positive=0.1),
)


@dataclass(frozen=True, eq=False)
class Draw:
    """A table and fresh rows of the same kind, as codes; the kind of each column."""

    codes: Codes
    labels: Codes
    rows: int
    kinds: tuple[str, ...]

    @property
    def known(self) -> tuple[Codes, Codes]:
        return self.codes[: self.rows], self.labels[: self.rows]

    @property
    def fresh(self) -> tuple[Codes, Codes]:
        return self.codes[self.rows :], self.labels[self.rows :]


def draw_table(regime: Regime, generator: np.random.Generator) -> Draw:
    """Independent columns given the class, of 2 to 5 values; copies of them; noise; in any order."""
    rows = regime.rows + FRESH_ROWS
    labels = (generator.random(rows) < regime.positive).astype(np.intp)
    telling = [
        draw_column(generator, labels, regime.strength)
        for _ in range(generator.integers(*regime.informative, endpoint=True))
    ]
    copies = [copy_noisily(generator, column) for column in telling for _ in range(regime.copies)]
    noise = [draw_column(generator, labels, strength=0.0) for _ in range(regime.columns - len(telling) - len(copies))]
    kinds = ["telling"] * len(telling) + ["copy"] * len(copies) + ["noise"] * len(noise)
    places = generator.permutation(regime.columns)
    codes = np.stack([*telling, *copies, *noise], axis=1)[:, places]
    return Draw(codes, labels, regime.rows, tuple(kinds[place] for place in places))


def draw_column(generator: np.random.Generator, labels: Codes, strength: float) -> Codes:
    """Values whose log-odds between the classes are normal numbers times the strength."""
    values = generator.integers(2, MOST_VALUES, endpoint=True)
    weights = generator.dirichlet(np.full(values, 3.0)) * np.exp(strength * generator.normal(size=(2, values)))
    cumulative = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    codes: Codes = (generator.random(len(labels))[:, None] > cumulative[labels, :-1]).sum(axis=1)
    return codes


def copy_noisily(generator: np.random.Generator, column: Codes) -> Codes:
    copy = column.copy()
    places = np.flatnonzero(generator.random(len(column)) < RESHUFFLED)
    copy[places] = copy[generator.permutation(places)]
    return copy


def by_select(codes: Codes, labels: Codes) -> list[int]:
    frame = as_frame(codes).assign(**{TARGET: np.where(labels, "yes", "no")})
    return [int(name[1:]) for name in probfs.select(frame, target=TARGET).kept]


def by_rfecv_of_indicators(codes: Codes, labels: Codes) -> list[int]:
    encoder = OneHotEncoder(sparse_output=False)
    indicators = encoder.fit_transform(codes)
    kept = RFECV(regression(), cv=5, scoring="neg_log_loss").fit(indicators, labels).support_
    columns = np.repeat(np.arange(codes.shape[1]), [len(own) for own in encoder.categories_])
    numbers: list[int] = np.unique(columns[kept]).tolist()
    return numbers


def by_rfecv_of_columns(codes: Codes, labels: Codes) -> list[int]:
    selector = RFECV(one_hot_regression(), cv=5, scoring="neg_log_loss", importance_getter=column_weights)
    return np.flatnonzero(selector.fit(codes, labels).support_).tolist()


def by_boruta(codes: Codes, labels: Codes) -> list[int]:
    forest = RandomForestClassifier(max_depth=5, class_weight="balanced")
    selector = BorutaPy(forest, n_estimators="auto", random_state=0)
    return np.flatnonzero(selector.fit(codes, labels).support_).tolist()


METHODS: dict[str, Callable[[Codes, Codes], list[int]]] = {
    "probfs select": by_select,
    "RFECV, indicators": by_rfecv_of_indicators,
    "RFECV, whole columns": by_rfecv_of_columns,
    "Boruta": by_boruta,
}


def as_frame(codes: Codes) -> pd.DataFrame:
    """Values as letters: codes would be taken for numbers."""
    letters = np.array(list("abcdefgh"))
    return pd.DataFrame({f"f{number}": letters[column] for number, column in enumerate(codes.T)})


def regression() -> LogisticRegression:
    return LogisticRegression(max_iter=2_000)


def one_hot_regression() -> Pipeline:
    return make_pipeline(OneHotEncoder(handle_unknown="ignore"), regression())


def column_weights(model: Any) -> npt.NDArray[np.float64]:
    """How large the weights of each column's indicators are together."""
    encoder, fitted = (step for _, step in model.steps)
    starts = np.cumsum([0, *(len(own) for own in encoder.categories_[:-1])])
    return np.sqrt(np.add.reduceat((fitted.coef_**2).sum(axis=0), starts))


@dataclass
class Measured:
    """Of one method, for every draw."""

    kinds: list[list[str]] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def judge(self, choose: Callable[[Codes, Codes], list[int]], draw: Draw) -> None:
        start = time.perf_counter()
        kept = choose(*draw.known)
        self.seconds.append(time.perf_counter() - start)
        self.kinds.append([draw.kinds[place] for place in kept])
        self.losses.append(fresh_loss(draw, kept))

    def count(self, kind: str) -> float:
        return float(np.mean([own.count(kind) for own in self.kinds]))


def fresh_loss(draw: Draw, kept: list[int]) -> float:
    """Of a logistic regression on the kept columns, or of the class shares where none is kept."""
    model = one_hot_regression() if kept else DummyClassifier()
    (codes, labels), (fresh_codes, fresh_labels) = draw.known, draw.fresh
    model.fit(codes[:, kept], labels)
    return float(log_loss(fresh_labels, model.predict_proba(fresh_codes[:, kept])))


def compare(regime: Regime, seed: int, draws: int) -> dict[str, Measured]:
    measured = {name: Measured() for name in METHODS}
    for number in range(draws):
        draw = draw_table(regime, np.random.default_rng([seed, number]))
        for name, choose in METHODS.items():
            measured[name].judge(choose, draw)
    return measured


def table_lines(name: str, measured: dict[str, Measured]) -> list[str]:
    own, *_ = measured.values()
    lines = []
    for method, each in measured.items():
        kept = np.mean([len(kinds) for kinds in each.kinds])
        more = np.subtract(each.losses, own.losses)
        cells = [
            name,
            method,
            f"{kept:.1f}",
            f"{each.count('copy'):.1f}",
            f"{each.count('noise'):.1f}",
            f"{np.mean(each.losses):.3f}",
            "" if each is own else f"{more.mean():+.3f} ± {stats.sem(more):.3f}",
            f"{np.mean(each.seconds):.2f}",
            "" if each is own else f"{np.sum(each.seconds) / np.sum(own.seconds):.0f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1, help="seed of the tables")
    parser.add_argument("--draws", type=int, default=20, help="how many tables of each kind")
    parser.add_argument("--only", default="", help="only kinds of table whose name contains this")
    arguments = parser.parse_args()
    print(HEADER)
    for regime in REGIMES:
        if arguments.only in regime.name:
            # On matrices of this size, threads wait for each other longer than they work.
            with threadpool_limits(1):
                measured = compare(regime, arguments.seed, arguments.draws)
            print("\n".join(table_lines(regime.name, measured)), flush=True)


if __name__ == "__main__":
    main()
