"""``probfs reproduce``; what it does stands in ``COMMANDS``, with the other commands."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from probfs import __version__
from probfs.cli import options as opt
from probfs.cli import parsers
from probfs.cli.bundles import Bundle
from probfs.cli.destination import choose_destination
from probfs.cli.reporter import reporting
from probfs.errors import OutputError, UsageError
from probfs.notes import NoteKind
from probfs.paper.catalogue import EXPERIMENTS
from probfs.paper.rendering.claims import CLAIM_FORMATS, Reproduction
from probfs.runtime.progress import listening
from probfs.text import did_you_mean, printable, quoted

if TYPE_CHECKING:
    from probfs.paper.claims import Claim

EXAMPLES = """Examples:

probfs reproduce example figure2

probfs reproduce --quick --output paper

probfs reproduce misfit --runs 200 --output paper --format markdown > misfit.md
"""

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME]...",
        help=f"What to reproduce: {', '.join(EXPERIMENTS)}, or all, which is the default.",
        show_default=False,
        autocompletion=lambda: [*EXPERIMENTS, "all"],
    ),
]
Folder = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="DIR",
        help="A folder for the numbers and claims (CSV) and the figures (PNG and SVG) of each; made if there is none. "
        "Without it nothing is written.",
        show_default=False,
    ),
]
Runs = Annotated[
    int | None,
    opt.parsed(
        parsers.whole_number(2, 1_000_000),
        "N",
        "How often what is random is repeated: distributions (bound), sets of tables (figure3, table1), tables of "
        "each size (figure4) or kind (misfit), tables (equivalence). Default: what suits each, 500 for figure4.",
    ),
]
Quick = Annotated[bool, typer.Option("--quick", help="Few repetitions: a look in a minute, not a verdict.")]
Seed = Annotated[int, opt.parsed(parsers.whole_number(0), "N", "The seed of all that is random.", show_default=True)]
Jobs = Annotated[
    int | None,
    opt.parsed(parsers.whole_number(1, 10_000), "N", "How many processes work at a time. Default: one for each core."),
]


@dataclass(frozen=True)
class ClaimsFormat(Bundle):
    format: str | None = None

    @classmethod
    def registered(cls) -> Mapping[str, Any]:
        help_text = "The format of the claims. Default: a table on a terminal and CSV elsewhere."
        return {"format": opt.choice(CLAIM_FORMATS.names(), help_text)}


def reproduce(
    result: ClaimsFormat,
    names: Names = None,
    output: Folder = None,
    runs: Runs = None,
    quick: Quick = False,
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: opt.Quiet = 0,
    progress: opt.Progress = None,
) -> None:
    chosen = _chosen(names or [])
    if quick and runs is not None:
        raise UsageError("--quick chooses the number of runs; give it or --runs")
    folder = _folder(output)
    from probfs.paper import experiments

    destination = choose_destination(CLAIM_FORMATS, result.format, None)
    repeated = {name: EXPERIMENTS[name].repetitions(runs, quick) for name in chosen}
    claims: list[Claim] = []
    try:
        with reporting(quiet, progress) as reporter, listening(reporter.announce_compiling):
            if any(number < EXPERIMENTS[name].runs for name, number in repeated.items()):
                message = "few runs: what is said of random draws may hold, or fail to, by chance"
                reporter.note(NoteKind.FEW_RUNS.note(message))
            found = experiments.reproduce(
                chosen, runs=runs, quick=quick, seed=seed, jobs=jobs, on_progress=reporter.step_done
            )
            for name, finding in found:
                claims += finding.claims
                if folder is not None:
                    written = experiments.write_finding(name, finding, folder)
                    message = f"wrote {', '.join(printable(str(path)) for path in written)}"
                    reporter.note(NoteKind.WRITTEN.note(message))
    finally:
        # Also when it is interrupted: what has been found out by then took its time.
        if claims:
            destination.write(Reproduction(__version__, {"runs": repeated, "seed": seed}, claims))


def _chosen(names: list[str]) -> tuple[str, ...]:
    """The experiments asked for, each once, in the paper's order."""
    for name in names:
        if name not in (*EXPERIMENTS, "all"):
            raise UsageError(f"no experiment {quoted(name)}{did_you_mean(name, (*EXPERIMENTS, 'all'))}")
    if not names or "all" in names:
        return tuple(EXPERIMENTS)
    return tuple(name for name in EXPERIMENTS if name in names)


def _folder(output: str | None) -> Path | None:
    """The folder, made before the work so that a wrong name is known in time."""
    if output is None:
        return None
    if not output:
        raise UsageError("--output: is empty; name a folder, . for this one")
    folder = Path(output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"cannot be made a folder: {(error.strerror or str(error)).lower()}"
        raise OutputError(problem, source=printable(output)) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError("cannot be written to: permission denied", source=printable(output))
    return folder
