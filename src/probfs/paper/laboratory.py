"""What every experiment is given and gives back, and the rankings and styles of figures that several need.

Figures read in black and white: every score has a line, a marker and a shade of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from joblib import cpu_count

from probfs.api.calls import rank
from probfs.output.figure import figure_bytes, file_style
from probfs.output.writers import csv_text
from probfs.paper.catalogue import EXPERIMENTS
from probfs.paper.documents import Claim, Verdict, claims_document
from probfs.paper.synthetic import CLASS
from probfs.ranking.result import Ranking
from probfs.runtime.output import write_whole
from probfs.runtime.parallel import Workers
from probfs.tables.table import Table
from probfs.text import delimited

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Task = TypeVar("Task")
Result = TypeVar("Result")

STYLES: dict[str, dict[str, Any]] = {
    "s_s": {"color": "#a50026", "linestyle": "--", "marker": "s"},
    "s_a": {"color": "#35978f", "linestyle": ":", "marker": "^"},
    "s_su": {"color": "#08306b", "linestyle": "-", "marker": "o"},
}


@dataclass(frozen=True, eq=False)
class Finding:
    """What came of an experiment: the numbers behind the claims, how to draw these, and the claims as judged."""

    header: Sequence[str]
    rows: Sequence[Sequence[object]]
    draw: Callable[[Figure], None]
    size: tuple[float, float] = (6.4, 4.0)
    """Of the figure, in inches."""
    claims: Sequence[Claim] = ()


@dataclass(frozen=True)
class Laboratory:
    """How often to repeat, from which seed, and on how many cores; and the claims that were judged."""

    experiment: str
    runs: int
    seed: int = 0
    jobs: int | None = None
    on_progress: Callable[[int, int], None] = lambda done, total: None
    claims: list[Claim] = field(default_factory=list)
    setting: str = ""
    """Under which the following claims are judged, if under several."""

    def claim(self, place: str, says: str, measured: str, holds: bool | np.bool_ | Verdict) -> None:
        """Judge a claim of this experiment by a condition or by a verdict."""
        verdict: Verdict = holds if isinstance(holds, str) else "holds" if holds else "does not hold"
        where = f"{place}, {self.setting}" if self.setting else place
        self.claims.append(Claim(self.experiment, where, says, measured, verdict, self.runs))

    def each(self, work: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """The results of all tasks, in their order, whatever the number of cores."""
        results = []
        self.on_progress(0, len(tasks))
        for result in Workers(self.jobs or cpu_count(), len(tasks)).run(work, tasks):
            results.append(result)
            self.on_progress(len(results), len(tasks))
        return results


def rank_plainly(table: Table, classifier: str = "nb", **options: Any) -> Ranking:
    """A ranking as in the paper, which knows neither shrinkage, nor tests of columns, nor values that stand for missing
    cells; what there is to note of a table drawn at random is nobody's business.
    """
    # Experiments are in processes of their own already.
    own: dict[str, Any] = {"shrink": "off"} if classifier == "nb" else {"jobs": 1}
    options = {"score": "absolute", "screen": False, "missing": "skip", **own, **options}
    return rank(table, target=CLASS, classifier=classifier, on_note=lambda note: None, **options)


def first_scores(ranking: Ranking, key: str) -> dict[str, float]:
    """What each column scores in the first round, with all columns in the model."""
    return {feature.feature: getattr(feature, f"initial_{key}") for feature in ranking.features}


def reproduce(
    names: Sequence[str] = tuple(EXPERIMENTS),
    *,
    runs: int | None = None,
    quick: bool = False,
    seed: int = 0,
    jobs: int | None = None,
    on_progress: Callable[[str, int, int], None] = lambda name, done, total: None,
) -> Iterator[tuple[str, Finding]]:
    """Conduct experiments one after the other; ``runs`` is how often each that is random is repeated."""
    for name in names:
        experiment = EXPERIMENTS[name]
        # Imported by name, so that one experiment does not wait for what another needs.
        conduct = getattr(import_module(f"probfs.paper.{experiment.module}"), name)
        laboratory = Laboratory(name, experiment.repetitions(runs, quick), seed, jobs, partial(on_progress, name))
        finding: Finding = conduct(laboratory)
        yield name, replace(finding, claims=laboratory.claims)


def write_finding(name: str, finding: Finding, folder: Path) -> list[Path]:
    """The numbers and the claims as CSV, and the figure as PNG and SVG."""
    written = {
        f"{name}.csv": delimited([finding.header, *finding.rows]).encode(),
        f"{name}_claims.csv": csv_text(claims_document(finding.claims)).encode(),
    }
    with file_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=finding.size, layout="constrained")
        finding.draw(figure)
        written |= {f"{name}.{ending}": figure_bytes(figure, ending) for ending in ("png", "svg")}
    for each, content in written.items():
        write_whole(folder / each, content)
    return [folder / each for each in written]
