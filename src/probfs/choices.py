"""The words that options take. Nothing heavy is imported here, so that help and completion are immediate."""

from __future__ import annotations

from typing import Literal, get_args

Classifier = Literal["nb", "svm"]
Kernel = Literal["linear", "rbf"]
Removal = Literal["permute", "retrain"]
Score = Literal["absolute", "signed", "unlabeled"]
Estimate = Literal["loo", "resubstitution", "cv"]
TableFormat = Literal["csv", "tsv", "arff", "parquet"]
OutputFormat = Literal["table", "csv", "json", "markdown"]
Problem = Literal["xcp", "weston", "nominal"]
Sampling = Literal["proportionate", "oversampling", "undersampling"]

ExperimentName = Literal[
    "example",
    "bound",
    "figure1",
    "figure2",
    "figure3",
    "figure4",
    "errors",
    "table1",
    "pairs",
    "equivalence",
    "misfit",
]

EXPERIMENTS: tuple[ExperimentName, ...] = get_args(ExperimentName)
PROBLEMS: tuple[Problem, ...] = get_args(Problem)
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

DEFAULT_SMOOTHING = 1.0
WESTON_NOISE = 196
DEFAULT_BINS = 5
MOST_BINS = 10_000
DEFAULT_FOLDS = 10
DEFAULT_PERMUTATIONS = 20
MOST_PERMUTATIONS = 10_000

DEFAULT_ESTIMATES: dict[Classifier, Estimate] = {"nb": "loo", "svm": "resubstitution"}
