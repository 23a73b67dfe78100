"""``probfs exact``, ``generate`` and ``reproduce``."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probfs import __version__
from probfs.api.options import FILE, READING, SEED, Argument, Kind, Option, panel
from probfs.classifiers.options import Choice, Number, WholeNumber
from probfs.cli import options as opt
from probfs.cli.options import Given
from probfs.cli.streams import choose_destination, deliver, reporting, take_files
from probfs.errors import OutputError, UsageError
from probfs.notes import NoteKind
from probfs.output.formats import DOCUMENT_FORMATS
from probfs.paper.catalogue import EXPERIMENTS, PROBLEMS, SAMPLINGS
from probfs.runtime.progress import Progress, listening
from probfs.text import printable

if TYPE_CHECKING:
    from probfs.paper.documents import Claim

JOINT = panel("Table", joint=Argument("Cells with p and p_y; - is stdin.", Kind("JOINT..."), many=True))


@opt.command(
    JOINT | READING | opt.document_output(DOCUMENT_FORMATS) | opt.QUIET,
    """
    probfs exact joint.csv
    probfs exact joint.csv --format json
    """,
)
def exact(given: Given) -> None:
    files = take_files(given, "joint")
    destination = choose_destination(DOCUMENT_FORMATS, given)
    from probfs.paper.documents import population_document
    from probfs.paper.theory import joint_from_table, population_scores
    from probfs.ranking.inputs import every_name
    from probfs.tables.reading import ReadOptions, read_table

    with reporting(given, progress=False) as reporter:
        reading = ReadOptions(**opt.take(given, READING))
        table = read_table(files, replace(reading, as_text=every_name))
        for note in table.notes:
            reporter.note(note)
        distribution = joint_from_table(table, reading.decimal or ".")
    destination.write(population_document(__version__, table.source, population_scores(distribution)))


PROBLEM = panel(
    "Problem",
    problem=Argument("The problem to draw a table from.", Choice(tuple(PROBLEMS)), required=True),
    c=Option("xcp: how far a relevant column is shifted.", Number(0, 1e100, metavar="C"), 1),
    p=Option("xcp: share of rows in which it is shifted.", Number(0, 1, metavar="P"), 0.7),
    balance=Option("xcp: share of positive rows.", Number(0, 1, metavar="SHARE"), 0.5),
    relevant=Option("xcp: number of relevant columns.", WholeNumber(0, 100_000), 1),
    noise=Option("xcp (1), weston (196): columns of noise.", WholeNumber(0, 100_000)),
    sampling=Option("nominal: how rows are drawn.", Choice(SAMPLINGS), "proportionate"),
)
ROWS = panel(
    "Rows",
    rows=Option("Number of labelled rows.", WholeNumber(1, 10_000_000), 100),
    unlabeled_rows=Option("Number of rows without a class.", WholeNumber(0, 10_000_000), 0),
    unlabeled_output=Option("File for the rows without a class.", FILE),
    seed=Option("Seed; the same one draws the same table.", SEED, 0),
)


@opt.command(
    PROBLEM | ROWS | opt.TABLE_OUTPUT,
    """
    probfs generate weston --rows 100 --output weston.csv
    probfs generate xcp --p 0.7 --relevant 3 --noise 10 | probfs rank -
    probfs generate nominal --unlabeled-rows 1000 --output nominal.arff
    """,
)
def generate(given: Given) -> None:
    problem, output, unlabeled_output = given.pop("problem"), given.get("output"), given.get("unlabeled_output")
    chosen = opt.take(given, PROBLEM)
    for name in chosen:
        if name not in PROBLEMS[problem]:
            owners = " and ".join(other for other, options in PROBLEMS.items() if name in options)
            raise UsageError(f"--{name} goes with {owners} only")
    options = {**PROBLEMS[problem], **chosen}
    if problem == "xcp" and not options["relevant"] + options["noise"]:
        raise UsageError("--relevant and --noise: a table needs a column beside its class")
    if unlabeled_output is not None and not given.get("unlabeled_rows"):
        raise UsageError("--unlabeled-output: there is no unlabelled row; ask for some with --unlabeled-rows")
    from probfs.paper.synthetic import CLASS, draw_tables
    from probfs.tables.reading import join_tables
    from probfs.tables.writers import choose_table_format, table_bytes

    table_format = choose_table_format(output, given.get("format"))
    unlabeled_format = choose_table_format(unlabeled_output, given.get("format"), "unlabeled_output")
    rows, unlabeled_rows, seed = given.get("rows", 100), given.get("unlabeled_rows", 0), given.get("seed", 0)
    table, unlabelled = draw_tables(problem, rows, unlabeled_rows, seed, options)
    if unlabeled_output is not None:
        deliver(table_bytes(unlabelled, unlabeled_format), unlabeled_output)
    elif unlabeled_rows:
        table = join_tables([table, unlabelled], table.source)
    deliver(table_bytes(table, table_format, CLASS), output)


EXPERIMENT = panel(
    "Experiments",
    names=Argument("Which experiments. Default: all.", Choice((*EXPERIMENTS, "all")), many=True, metavar="[NAME]..."),
    runs=Option("Repetitions of random experiments. Default: by name.", WholeNumber(2, 1_000_000)),
    quick=Option("Few repetitions: a look in a minute."),
    seed=Option("Seed of all that is random.", SEED, 0),
    jobs=Option("Processes at a time. Default: one for each core.", WholeNumber(1, 10_000)),
)
CLAIMS = panel(
    "Output",
    format=Option("Format of the claims. Default: table or csv.", Choice(DOCUMENT_FORMATS)),
    output=Option("Folder for numbers, claims and figures.", Kind("DIR"), names=("--output", "-o")),
)


@opt.command(
    EXPERIMENT | CLAIMS | opt.QUIET | opt.PROGRESS,
    """
    probfs reproduce example figure2
    probfs reproduce --quick --output paper
    probfs reproduce misfit --runs 200 --format markdown > misfit.md
    """,
)
def reproduce(given: Given) -> None:
    names = given.get("names", ["all"])
    chosen = [name for name in EXPERIMENTS if name in names or "all" in names]
    runs, quick, seed = given.get("runs"), given.get("quick", False), given.get("seed", 0)
    if quick and runs is not None:
        raise UsageError("--quick chooses the number of runs; give it or --runs")
    folder = given.pop("output", None)
    if folder is not None:
        if not folder:
            raise UsageError("--output: is empty; name a folder, . for this one")
        # Made before the work, so that a wrong name is known in time.
        try:
            os.makedirs(folder, exist_ok=True)
            if not os.access(folder, os.W_OK | os.X_OK):
                raise PermissionError("permission denied")
        except OSError as error:
            problem = f"cannot be a folder to write to: {(error.strerror or str(error)).lower()}"
            raise OutputError(problem, source=printable(folder)) from error
    from probfs.paper.documents import claims_document
    from probfs.paper.laboratory import reproduce as conduct
    from probfs.paper.laboratory import write_finding

    destination = choose_destination(DOCUMENT_FORMATS, given)
    repeated = {name: EXPERIMENTS[name].repetitions(runs, quick) for name in chosen}
    claims: list[Claim] = []
    try:
        with reporting(given) as reporter, listening(reporter.announce_compiling):
            if any(number < EXPERIMENTS[name].runs for name, number in repeated.items()):
                message = "few runs: claims about random draws may hold or fail by chance"
                reporter.note(NoteKind.FEW_RUNS.note(message))

            def show(*step: Any) -> None:
                reporter.show(Progress(*step))

            found = conduct(chosen, runs=runs, quick=quick, seed=seed, jobs=given.get("jobs"), on_progress=show)
            for name, finding in found:
                claims += finding.claims
                if folder is not None:
                    written = write_finding(name, finding, Path(folder))
                    message = f"wrote {', '.join(printable(str(path)) for path in written)}"
                    reporter.note(NoteKind.WRITTEN.note(message))
    finally:
        # Also when it is interrupted: what has been found out by then took its time.
        if claims:
            destination.write(claims_document(claims, __version__, {"runs": repeated, "seed": seed}))
