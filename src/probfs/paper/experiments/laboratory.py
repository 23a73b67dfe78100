"""What every experiment is given and gives back, and the tables, rankings and styles of figures that several need.

Figures read in black and white: every score has a line, a marker and a shade of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
from joblib import cpu_count

from probfs.api.calls import rank
from probfs.columns.prepare import apply_mapping
from probfs.paper.catalogue import sample_file
from probfs.paper.documents import Claim, Verdict
from probfs.ranking.inputs import InputRequest, read_prepared
from probfs.ranking.result import Ranking
from probfs.runtime.parallel import Workers
from probfs.tables.arrays import Floats, index_array
from probfs.tables.column import Column
from probfs.tables.reading import ReadOptions, read_table
from probfs.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Task = TypeVar("Task")
Result = TypeVar("Result")

TARGET = "class"
S_S: dict[str, Any] = {"color": "#a50026", "linestyle": "--", "marker": "s"}
S_A: dict[str, Any] = {"color": "#35978f", "linestyle": ":", "marker": "^"}
S_SU: dict[str, Any] = {"color": "#08306b", "linestyle": "-", "marker": "o"}
S_B = S_SU
STYLES = {"s_s": S_S, "s_a": S_A, "s_su": S_SU}
_IN_A_PORTION = 20


@dataclass(frozen=True, eq=False)
class Finding:
    """What came of an experiment: the claims as judged, the numbers behind them, and how to draw these."""

    claims: Sequence[Claim]
    header: Sequence[str]
    rows: Sequence[Sequence[object]]
    draw: Callable[[Figure], None]
    size: tuple[float, float] = (6.4, 4.0)
    """Of the figure, in inches."""


@dataclass(frozen=True)
class Laboratory:
    """How often to repeat, from which seed, and on how many cores."""

    experiment: str
    runs: int
    seed: int = 0
    jobs: int | None = None
    on_progress: Callable[[int, int], None] = lambda done, total: None

    def claim(self, place: str, says: str, measured: str, holds: bool | np.bool_ | Verdict) -> Claim:
        """A claim of this experiment, judged by a condition or by a verdict."""
        verdict: Verdict = holds if isinstance(holds, str) else "holds" if holds else "does not hold"
        return Claim(self.experiment, place, says, measured, verdict, self.runs)

    def each(self, work: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """The results of all tasks, in their order, whatever the number of cores."""
        results = []
        self.on_progress(0, len(tasks))
        for result in Workers(self.jobs or cpu_count(), len(tasks)).run(work, tasks):
            results.append(result)
            self.on_progress(len(results), len(tasks))
        return results


def generator(*seeds: int) -> np.random.Generator:
    """Random numbers that depend on all of the seeds, and on nothing else."""
    return np.random.default_rng(list(seeds))


def portions(runs: int) -> Iterator[range]:
    """Runs in portions large enough to be worth sending to another process."""
    for first in range(0, runs, _IN_A_PORTION):
        yield range(first, min(first + _IN_A_PORTION, runs))


def mean_and_margin(values: Iterable[float], together: int = 1) -> tuple[float, float]:
    """A mean and half the width of its 95 % interval, or of one among several that hold ``together`` (Bonferroni).

    >>> mean_and_margin([1.0, 1.0, 1.0])
    (1.0, 0.0)
    """
    from scipy.special import stdtrit

    array: Floats = np.fromiter(values, dtype=np.float64)
    if len(array) < 2:
        return float(array.mean()), np.inf
    student = float(stdtrit(len(array) - 1, 1 - 0.025 / together))
    return float(array.mean()), student * float(array.std(ddof=1)) / float(np.sqrt(len(array)))


def ranks(scores: Sequence[float]) -> Floats:
    """Each score's place, 1 for the highest; equal scores share the mean of their places.

    >>> ranks([0.2, 0.5, 0.2]).tolist()
    [2.5, 1.0, 2.5]
    """
    values = np.asarray(scores)
    higher = (values[None, :] > values[:, None]).sum(axis=1)
    equal = (values[None, :] == values[:, None]).sum(axis=1)
    return np.asarray(higher + (equal + 1) / 2)


def rank_plainly(table: Table, classifier: str = "nb", **options: Any) -> Ranking:
    """A ranking as in the paper, which knows neither shrinkage, nor tests of columns, nor values that stand for missing
    cells.

    What there is to note of a table drawn at random is nobody's business.
    """
    if classifier == "nb":
        options["shrink"] = "off"
    else:
        # Experiments are in processes of their own already.
        options["jobs"] = 1
    options = {"score": "absolute", "screen": False, "missing": "skip", **options}
    return rank(table, target=TARGET, classifier=classifier, on_note=lambda note: None, **options)


@cache
def breast_cancer() -> Table:
    """The nine measures and the class of 699 tumours."""
    table = read_table(sample_file("breast_cancer.csv"), ReadOptions())
    return table.only(table.columns.keys() - {"sample_id"})


@cache
def binarised_breast_cancer() -> Table:
    """The same as the yes/no attributes of section 5.3."""
    data, mapping = sample_file("breast_cancer.csv"), sample_file("breast_cancer.toml")
    table = apply_mapping(*read_prepared(InputRequest(data, mapping)))
    return Table(table.source, table.columns, table.rows)


def features_of(table: Table) -> list[str]:
    return [name for name in table.columns if name != TARGET]


def with_rows(table: Table, rows: npt.NDArray[np.intp], more: Mapping[str, Column] | None = None) -> Table:
    """Some rows of a table, in any order and any number of times, with further columns before the target."""
    taken = {
        name: replace(column, cells=column.cells.take(index_array(rows))) for name, column in table.columns.items()
    }
    target = taken.pop(TARGET)
    return Table(table.source, {**taken, **(more or {}), TARGET: target}, len(rows))
