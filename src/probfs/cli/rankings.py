"""``probfs rank``, ``select``, ``pairs`` and ``compare``."""

from __future__ import annotations

import contextlib

import typer

from probfs.api.options import ENGINE, FILE, PAIRS, RANK, READING, SELECT, Argument, Kind, Option, panel
from probfs.classifiers.options import WholeNumber
from probfs.cli import options as opt
from probfs.cli.options import Given
from probfs.cli.streams import choose_destination, deliver, reporting, stdout_is_terminal, take_files, tell
from probfs.errors import DataError, UsageError
from probfs.notes import NoteKind
from probfs.output.formats import DOCUMENT_FORMATS, PAGE_FORMATS, RESULT_FORMATS
from probfs.text import printable, quoted

CONDITION_IS_TRUE = 3
"""The exit status when a condition of ``--fail-if`` is true."""
SHOWN = opt.TOP | opt.PLOT | opt.QUIET | opt.PROGRESS
RANKING_OUTPUT = opt.document_output(RESULT_FORMATS) | SHOWN


@opt.command(
    RANK | RANKING_OUTPUT | ENGINE,
    """
    probfs rank patients.csv
    probfs rank patients.csv --target outcome --top 10
    probfs rank survey.csv --unlabeled more.csv --score unlabeled
    probfs rank measurements.csv --classifier svm --kernel rbf
    probfs rank sales/ --target returned --exclude year
    zcat log.csv.gz | probfs rank - --format json > ranking.json
    """,
)
def rank(given: Given) -> None:
    files = take_files(given)
    destination = choose_destination(RESULT_FORMATS, given)
    top = given.pop("top", None)
    eliminate = not given.pop("no_eliminate", False)
    from probfs.api import calls

    with reporting(given) as reporter:
        report = destination.format == "html"
        ranking = calls.rank(files, **given, eliminate=eliminate, report=report, on_note=reporter.note)
    destination.write(ranking.top(top))


KEPT_OUTPUT = panel(
    "Output",
    reduced=Option("Write the table with only the kept columns.", FILE),
    names=Option("Print only the names of the kept columns."),
)
SELECTION_OUTPUT = opt.document_output(RESULT_FORMATS) | KEPT_OUTPUT | SHOWN


@opt.command(
    SELECT | SELECTION_OUTPUT | ENGINE,
    """
    probfs select patients.csv
    probfs select patients.csv --target outcome --reduced small.parquet
    probfs select patients.csv --keep fewest --always age,sex --format json
    probfs select patients.csv --names --quiet > kept.txt
    """,
)
def select(given: Given) -> None:
    files = take_files(given)
    output, reduced, safe_csv = given.get("output"), given.pop("reduced", None), given.get("safe_csv", False)
    names, top = given.pop("names", False), given.pop("top", None)
    if reduced is not None and given.get("engine") == "dask":
        raise UsageError("--reduced needs the table here, and with --engine dask only workers read it; leave out one")
    if names and ("format" in given or safe_csv):
        raise UsageError("--names: the result is a list of names; leave out --format and --safe-csv, or --names")
    # Names have no format.
    destination = choose_destination(RESULT_FORMATS, given, format="csv" if names else None)
    from probfs.api import calls
    from probfs.ranking.inputs import every_name
    from probfs.tables.formats import TABLE_FORMATS
    from probfs.tables.reading import ReadOptions, read_table
    from probfs.tables.writers import choose_table_format, table_bytes

    reduced_format = choose_table_format(reduced, None, "reduced", by_name=False)
    with reporting(given) as reporter:
        table = None
        if reduced is not None:
            # It is needed twice; otherwise mistakes in options are found before it is read.
            reading = {name: given.pop(name) for name in READING if name in given and name != "decimal"}
            # Formats of text get all cells as they are spelled.
            as_text = None if TABLE_FORMATS[reduced_format].typed else every_name
            table = read_table(files, ReadOptions(**reading, decimal=given.get("decimal"), as_text=as_text))
        report = destination.format == "html"
        selected = calls.select(table or files, **given, report=report, on_note=reporter.note)
        if names and not selected.kept:
            reporter.note(NoteKind.NOTHING_KEPT.note("no column is kept, so no name is printed"))
    if table is not None:
        small, target = table.only(selected.reduced_columns), selected.input.target
        deliver(table_bytes(small, reduced_format, target, safe=safe_csv), reduced)
    if not names:
        destination.write(selected.top(top))
        return
    destination.draw(selected.top(top))
    # One a line: as they are for programs, and escaped for a terminal.
    kept = selected.settings.columns_of(selected.kept[:top])
    if output is None and stdout_is_terminal():
        kept = tuple(map(printable, kept))
    for name in kept:
        if "\n" in name or "\r" in name:
            raise DataError(f"--names: the name {quoted(name)} is more than one line; use --format json")
    deliver("".join(f"{name}\n" for name in kept), output)


@opt.command(
    PAIRS
    | opt.document_output(PAGE_FORMATS)
    | panel("Output", top=Option("Show only the best K pairs.", WholeNumber(1, metavar="K")))
    | opt.QUIET
    | opt.PROGRESS,
    """
    probfs pairs patients.csv
    probfs pairs patients.csv --target outcome --top 20 --output pairs.html
    """,
)
def pairs(given: Given) -> None:
    files = take_files(given)
    destination = choose_destination(PAGE_FORMATS, given)
    top = given.pop("top", None)
    from probfs.api import calls

    with reporting(given) as reporter:
        found = calls.pairs(files, **given, on_note=reporter.note)
    destination.write(found.top(top))


COMPARED = panel(
    "Comparison",
    old=Argument("JSON of rank or select, or a table; - is stdin.", Kind("OLD"), required=True),
    new=Argument("What to compare it with.", Kind("NEW"), required=True),
    top=Option("First columns that overlap is measured on.", WholeNumber(1, metavar="K")),
    fail_if=Option("Exit with 3 if this is true, like 'spearman<0.8'.", Kind("CONDITION"), many=True),
)


@opt.command(
    COMPARED | READING | opt.document_output(DOCUMENT_FORMATS) | opt.QUIET | opt.PROGRESS,
    """
    probfs compare old.json new.json
    probfs compare old.json new.csv --fail-if 'spearman<0.8'
    probfs rank new.csv --format json | probfs compare old.json - --format json
    """,
)
def compare(given: Given) -> None:
    from probfs.comparison.measures import parse_condition

    old, new = (take_files({"data": [given.pop(side)]})[0] for side in ("old", "new"))
    conditions = [parse_condition(text) for text in given.pop("fail_if", ())]
    destination = choose_destination(DOCUMENT_FORMATS, given)
    from probfs.comparison import compare as compare_documents

    with reporting(given) as reporter:
        comparison = compare_documents(old, new, **given, on_note=reporter.note)
    measures = comparison.measures
    failed = [reason for condition in conditions if (reason := condition.explain(measures)) is not None]
    # A reader who has had enough of the result does not make a condition less true.
    with contextlib.suppress(typer.Exit):
        destination.write(comparison)
    for reason in failed:
        tell(f"probfs: failed: {printable(reason)}")
    if failed:
        raise typer.Exit(CONDITION_IS_TRUE)
