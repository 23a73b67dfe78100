"""Completion in shells, which call the command without arguments and read its standard output."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("probfs in", ["inspect"]),
        ("probfs rank --score ", ["absolute", "signed", "unlabeled"]),
        ("probfs rank --classifier s", ["svm"]),
        ("probfs rank --ker", ["--kernel"]),
        ("probfs rank t.csv --input-format ", ["csv", "tsv", "arff", "parquet", "feather", "jsonl", "excel"]),
        ("probfs generate ", ["xcp", "weston", "nominal"]),
    ],
)
def test_words_and_options_are_offered(typed: str, offered: list[str]) -> None:
    words = typed.split(" ")
    asked = {"_PROBFS_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    result = subprocess.run(
        [sys.executable, "-c", "from probfs.__main__ import main; main()"],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.stdout.split(), result.stderr) == (offered, "")
