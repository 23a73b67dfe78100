"""What every experiment is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt
from joblib import cpu_count

from probfs.paper.claims import Claim, Verdict
from probfs.runtime.parallel import Workers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Task = TypeVar("Task")
Result = TypeVar("Result")

Progress = Callable[[int, int], None]

IN_A_PORTION = 20


@dataclass(frozen=True, eq=False)
class Finding:
    """What came of an experiment: the claims as judged, the numbers behind them, and how to draw these."""

    claims: tuple[Claim, ...]
    header: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    draw: Callable[[Figure], None]
    size: tuple[float, float] = (6.4, 4.0)
    """Of the figure, in inches."""


class Laboratory:
    """How often to repeat, from which seed, and on how many cores."""

    def __init__(self, experiment: str, runs: int, seed: int, jobs: int | None, on_progress: Progress) -> None:
        self.experiment = experiment
        self.runs = runs
        self.seed = seed
        self._jobs = jobs or cpu_count()
        self._on_progress = on_progress

    def claim(self, place: str, says: str, measured: str, verdict: Verdict) -> Claim:
        return Claim(self.experiment, place, says, measured, verdict, self.runs)

    def each(self, work: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """The results of all tasks, in their order, whatever the number of cores."""
        results = []
        self._on_progress(0, len(tasks))
        for result in Workers(self._jobs, len(tasks)).run(work, tasks):
            results.append(result)
            self._on_progress(len(results), len(tasks))
        return results


def generator(*seeds: int) -> np.random.Generator:
    """Random numbers that depend on all of the seeds, and on nothing else."""
    return np.random.default_rng(list(seeds))


def portions(runs: int) -> Iterator[range]:
    """Runs in portions large enough to be worth sending to another process."""
    for first in range(0, runs, IN_A_PORTION):
        yield range(first, min(first + IN_A_PORTION, runs))


def records(items: Sequence[object]) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]:
    """Data classes of one kind as a header and rows."""
    header = tuple(field.name for field in fields(items[0]))  # type: ignore[arg-type]  # they are data classes
    return header, tuple(tuple(getattr(item, name) for name in header) for item in items)


def mean_and_margin(values: Iterable[float], together: int = 1) -> tuple[float, float]:
    """A mean and half the width of its 95 % interval, or of one among several that hold ``together`` (Bonferroni).

    >>> mean_and_margin([1.0, 1.0, 1.0])
    (1.0, 0.0)
    """
    from scipy.special import stdtrit

    array: npt.NDArray[np.float64] = np.fromiter(values, dtype=np.float64)
    if len(array) < 2:
        return float(array.mean()), np.inf
    student = float(stdtrit(len(array) - 1, 1 - 0.025 / together))
    return float(array.mean()), student * float(array.std(ddof=1)) / float(np.sqrt(len(array)))


def ranks(scores: Sequence[float]) -> npt.NDArray[np.float64]:
    """Each score's place, 1 for the highest; equal scores share the mean of their places.

    >>> ranks([0.2, 0.5, 0.2]).tolist()
    [2.5, 1.0, 2.5]
    """
    values = np.asarray(scores)
    higher = (values[None, :] > values[:, None]).sum(axis=1)
    equal = (values[None, :] == values[:, None]).sum(axis=1)
    return np.asarray(higher + (equal + 1) / 2)
