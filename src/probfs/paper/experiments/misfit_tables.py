"""Tables whose classes do not follow from their columns in the way a classifier assumes.

Columns called relevant decide the class: its probability changes with them, all others given. Those called noise and
proxy do not, whatever they go along with. Others are there to mislead, and are not judged. Noise holds yes as often as
relevant columns do, but where it is said otherwise: a column that splits the rows in halves moves probabilities more by
chance than one that is nearly always no.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from probfs.paper.synthetic import labelled_table
from probfs.tables.arrays import Floats, Integers
from probfs.tables.table import Table

Problem = Callable[[int, np.random.Generator], Table]

RELEVANT = "relevant"
IRRELEVANT = ("noise", "proxy")

_WEIGHTS = (1.0, 0.7, 0.5, 0.35)


@dataclass(frozen=True)
class Misfit:
    """A way in which a classifier's assumption is wrong, or, for comparison, right."""

    name: str
    classifier: str
    what: str
    problem: Problem
    sizes: tuple[int, ...]
    fits: bool


MISFITS: list[Misfit] = []


def _misfit(classifier: str, what: str, *, fits: bool = False) -> Callable[[Problem], Problem]:
    """Register a problem, which is called as its function is."""
    sizes = (40, 200, 1_000) if classifier == "nb" else (60, 200)

    def register(problem: Problem) -> Problem:
        MISFITS.append(Misfit(problem.__name__.replace("_", " "), classifier, what, problem, sizes, fits))
        return problem

    return register


@_misfit("nb", "independent columns, as assumed", fits=True)
def fitting(rows: int, random: np.random.Generator) -> Table:
    relevant = _coins(rows, random, 4)
    return _sample(random, relevant, _weigh(relevant, _WEIGHTS), noise=10)


@_misfit("nb", "the same, the relevant columns being lopsided", fits=True)
def even_noise(rows: int, random: np.random.Generator) -> Table:
    relevant = _coins(rows, random, 4, 0.15)
    return _sample(random, relevant, _weigh(relevant, _WEIGHTS) + 1.8, noise=10)


@_misfit("nb", "the same, the noise being lopsided", fits=True)
def lopsided_noise(rows: int, random: np.random.Generator) -> Table:
    relevant = _coins(rows, random, 4)
    return _sample(random, relevant, _weigh(relevant, _WEIGHTS), noise=10, shares=(0.15,))


@_misfit("nb", "a relevant column that stands there six times")
def copies(rows: int, random: np.random.Generator) -> Table:
    """The strongest column stands in the table six times: each copy is counted as new evidence."""
    strongest, *relevant = every = _coins(rows, random, 4)
    more = {f"copy_{number + 1}": strongest for number in range(6)}
    return _sample(random, relevant, _weigh(every, (1.0, 0.6, 0.5, 0.4)), noise=10, more=more)


@_misfit("nb", "a noise column that stands there six times")
def copied_noise(rows: int, random: np.random.Generator) -> Table:
    """A column of noise stands in the table six times: what it says by chance is counted six times."""
    *relevant, copied = _coins(rows, random, 4)
    more = {f"noise_copy_{number + 1}": copied for number in range(6)}
    return _sample(random, relevant, _weigh(relevant, (0.8, 0.5, 0.35)), noise=4, more=more)


@_misfit("nb", "columns that follow relevant ones")
def proxies(rows: int, random: np.random.Generator) -> Table:
    """Each relevant column has two others that mostly follow it and add nothing to it."""
    relevant = _coins(rows, random, 3)
    more = _followers(relevant, rows, random)
    return _sample(random, relevant, _weigh(relevant, (1.2, 0.8, 0.5)), noise=4, more=more)


@_misfit("nb", "two columns that tell only together")
def parity(rows: int, random: np.random.Generator) -> Table:
    first, second, third = relevant = _coins(rows, random, 3)
    return _sample(random, relevant, _weigh([first ^ second, third], (1.5, 0.7)), noise=10)


@_misfit("nb", "three columns that tell only if all are yes")
def conjunction(rows: int, random: np.random.Generator) -> Table:
    first, second, third = relevant = _coins(rows, random, 3, 0.6)
    odds = np.where(first & second & third == 1, 1.7, -0.85)
    return _sample(random, relevant, odds, noise=10, shares=(0.6,))


@_misfit("nb", "labels that are coin tosses in 70 % of the rows")
def label_noise(rows: int, random: np.random.Generator) -> Table:
    """In seven rows of ten, which one column marks, the class is a coin toss; the others follow three columns."""
    relevant, odds = _tossed(rows, random)
    return _sample(random, relevant, odds, noise=12, shares=(0.5, 0.5, 0.5, 0.7))


@_misfit("nb", "coin tosses, and columns that follow relevant ones")
def noisy_proxies(rows: int, random: np.random.Generator) -> Table:
    """Coin tosses in seven rows of ten, and columns that follow the relevant ones everywhere: where the probability is
    a half, the model is wrong, and wrong about columns that do not matter.
    """
    relevant, odds = _tossed(rows, random)
    more = _followers(relevant[:-1], rows, random)
    return _sample(random, relevant, odds, noise=4, shares=(0.5, 0.5, 0.5, 0.7), more=more)


@_misfit("svm", "squares and products under a linear SVM")
def bowl(rows: int, random: np.random.Generator) -> Table:
    """The class depends on how far a column is from the middle, and on the product of two others; one is linear."""
    a, b, c, d = relevant = list(random.normal(size=(4, rows)))
    return _sample(random, relevant, 2.0 * (a**2 - 0.9) + 0.8 * b + 1.2 * c * d, noise=4, shares=())


@_misfit("svm", "a bend and a step under a linear SVM")
def steps_and_bends(rows: int, random: np.random.Generator) -> Table:
    """A bend whose middle is off the centre, a steep step, and a straight line: linear only in part."""
    a, b, c = relevant = list(random.normal(size=(3, rows)))
    odds = 2.5 * ((a - 0.5) ** 2 - 1) + 1.5 * np.tanh(3 * b - 1.5) + 0.5 * c
    return _sample(random, relevant, odds, noise=5, shares=())


def _coins(rows: int, random: np.random.Generator, number: int, share: float = 0.5) -> list[Integers]:
    """Columns of 0 and 1, of which 1 has this share."""
    return [(random.random(rows) < share).astype(np.int64) for _ in range(number)]


def _tossed(rows: int, random: np.random.Generator) -> tuple[list[Integers], Floats]:
    """Three relevant columns and a last one that marks where the class is a coin toss; and the log-odds."""
    (where,) = _coins(rows, random, 1, 0.7)
    relevant = _coins(rows, random, 3)
    return [*relevant, where], np.where(where == 1, 0.0, _weigh(relevant, (2.0, 1.2, 0.8)))


def _followers(leaders: Sequence[Integers], rows: int, random: np.random.Generator) -> dict[str, Integers]:
    """Two columns for each of these that hold the same in some nine rows of ten."""
    followers = [
        np.where(random.random(rows) < 0.8, leader, _coins(rows, random, 1)[0]) for leader in leaders for _ in range(2)
    ]
    return {f"proxy_{number}": follower for number, follower in enumerate(followers, 1)}


def _weigh(columns: Sequence[Integers], weights: Sequence[float]) -> Floats:
    """Log-odds of the positive class: each column speaks for or against it with its weight."""
    return np.asarray(np.asarray(weights) @ (2.0 * np.array(columns) - 1))


def _sample(
    random: np.random.Generator,
    relevant: Sequence[Any],
    odds: Floats,
    *,
    noise: int,
    shares: Sequence[float] = (0.5,),
    more: Mapping[str, Integers] | None = None,
) -> Table:
    """Relevant columns, others, and noise, of which yes has these shares in turn; without shares, all are numbers."""
    rows = len(odds)
    columns = {f"{RELEVANT}_{number}": column for number, column in enumerate(relevant, 1)} | dict(more or {})
    for number in range(noise):
        share = shares[number % len(shares)] if shares else None
        cells = random.normal(size=rows) if share is None else _coins(rows, random, 1, share)[0]
        columns[f"noise_{number + 1:02}"] = cells
    positive = random.random(rows) < 1 / (1 + np.exp(-odds))
    return labelled_table(columns, positive, ("no", "yes") if shares else ())
