"""The words that options take. Nothing heavy is imported here, so that help and completion are immediate."""

from __future__ import annotations

import os
from typing import Literal, TypeVar, get_args

from probfs.errors import UsageError

Classifier = Literal["nb"]
Score = Literal["absolute", "signed", "unlabeled"]
Estimate = Literal["loo", "resubstitution", "cv"]
TableFormat = Literal["csv", "tsv", "arff", "parquet"]
OutputFormat = Literal["table", "csv", "json", "markdown"]

TABLE_FORMATS: tuple[TableFormat, ...] = get_args(TableFormat)

TABLE_ENDINGS: dict[str, TableFormat] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".arff": "arff",
    ".parquet": "parquet",
    ".pq": "parquet",
}
OUTPUT_ENDINGS: dict[str, OutputFormat] = {
    ".csv": "csv",
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "table",
}

Format = TypeVar("Format", bound=str)


def format_by_ending(path: str | os.PathLike[str], endings: dict[str, Format], otherwise: Format) -> Format:
    """The format that a file's ending says; ``otherwise`` for what is no file, such as a pipe."""
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending in endings:
        return endings[ending]
    if os.path.exists(path) and not os.path.isfile(path):
        return otherwise
    says = f"the ending {ending!r}" if ending else "a name without an ending"
    raise UsageError(f"--output: {says} tells no format; use {', '.join(endings)}, or --format")


DEFAULT_BINS = 5
MOST_BINS = 10_000
DEFAULT_FOLDS = 10
