"""``probfs map``, ``suggest``, ``inspect`` and ``sample``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from probfs.api.options import CELLS, COLUMN_CLASSIFIER, COLUMNS, DATA, MAPPING, READING, Argument, panel
from probfs.classifiers.catalogue import find_classifier
from probfs.classifiers.options import Choice
from probfs.cli import options as opt
from probfs.cli.options import Given
from probfs.cli.streams import check_safe_csv, choose_destination, deliver, reporting, take_files
from probfs.columns.choice import DEFAULT_MIN_CLASS, ColumnChoice
from probfs.output.formats import DOCUMENT_FORMATS
from probfs.paper.catalogue import SAMPLES, sample_file

if TYPE_CHECKING:
    from probfs.ranking.inputs import InputRequest


def _request(given: Given, files: list[str], mapping: Any = None, **more: Any) -> InputRequest:
    """What is to be read, as for ``rank``."""
    from probfs.ranking.inputs import InputRequest, choose_columns
    from probfs.tables.reading import ReadOptions

    reading = ReadOptions(**opt.take(given, READING))
    said = opt.take(given, COLUMNS)
    model = find_classifier(given.pop("classifier", "nb"), opt.take(given, COLUMN_CLASSIFIER))
    choice = choose_columns(model, {"min_class": DEFAULT_MIN_CLASS, **said})
    return InputRequest(files, mapping, reading, choice, **more)


@opt.command(
    DATA
    | READING
    | CELLS
    | {"mapping": replace(MAPPING["mapping"], required=True)}
    | opt.TABLE_OUTPUT
    | opt.SAFE_CSV
    | opt.QUIET,
    """
    probfs map patients.csv --mapping patients.toml --output binarised.arff
    probfs map patients.csv --mapping patients.toml | csvstat
    """,
)
def map_(given: Given) -> None:
    files, mapping, output = take_files(given), given.pop("mapping"), given.pop("output", None)
    from probfs.columns.prepare import apply_mapping
    from probfs.ranking.inputs import InputRequest, read_prepared
    from probfs.tables.opening import ReadOptions
    from probfs.tables.writers import choose_table_format, table_bytes

    table_format, safe_csv = choose_table_format(output, given.get("format")), given.get("safe_csv", False)
    check_safe_csv(safe_csv, table_format)
    with reporting(given, progress=False) as reporter:
        reading, choice = ReadOptions(**opt.take(given, READING)), ColumnChoice(**opt.take(given, CELLS))
        request = InputRequest(files, mapping, reading, choice, keep_texts=True)
        prepared = read_prepared(request)
        for note in (prepared.target_note, *prepared.table.notes):
            reporter.note(note)
        table = apply_mapping(prepared)
    deliver(table_bytes(table, table_format, prepared.target.name, safe=safe_csv), output)


@opt.command(
    DATA | READING | CELLS | COLUMN_CLASSIFIER | opt.OUTPUT | opt.QUIET,
    """
    probfs suggest patients.csv > patients.toml
    probfs rank patients.csv --mapping patients.toml
    """,
)
def suggest(given: Given) -> None:
    files, output = take_files(given), given.pop("output", None)
    from probfs.columns.suggest import suggest_mapping
    from probfs.ranking.inputs import read_prepared

    classifier = given.get("classifier", "nb")
    with reporting(given, progress=False) as reporter:
        prepared = read_prepared(_request(given, files))
        for note in (prepared.target_note, *prepared.notes):
            reporter.note(note)
    deliver(suggest_mapping(prepared, classifier), output)


@opt.command(
    DATA | READING | COLUMNS | COLUMN_CLASSIFIER | opt.document_output(DOCUMENT_FORMATS) | opt.QUIET,
    """
    probfs inspect patients.csv
    probfs inspect patients.csv --mapping patients.toml --format json
    """,
)
def inspect(given: Given) -> None:
    files, mapping = take_files(given), given.pop("mapping", None)
    destination = choose_destination(DOCUMENT_FORMATS, given)
    from probfs.columns.inspect import inspect_table
    from probfs.output.documents import inspection_document
    from probfs.ranking.inputs import read_prepared

    with reporting(given, progress=False) as reporter:
        prepared = read_prepared(_request(given, files, mapping, every_column=True))
        reporter.note(prepared.target_note)
        inspection = inspect_table(prepared)
        for note in inspection.notes:
            reporter.note(note)
    destination.write(inspection_document(inspection))


@opt.command(
    panel("Table", name=Argument("Which table. Default: list them.", Choice(tuple(SAMPLES)), metavar="[NAME]"))
    | opt.OUTPUT,
    """
    probfs sample
    probfs sample breast_cancer > t.csv && probfs rank t.csv
    """,
)
def sample(given: Given) -> None:
    name, output = given.get("name"), given.get("output")
    if name is None:
        deliver("".join(f"{known:<14} {what}\n" for known, what in SAMPLES.items()), output)
        return
    deliver(sample_file(f"{name}.csv").read_bytes(), output)
