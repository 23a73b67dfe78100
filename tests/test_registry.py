"""Registries: entries by name, and unknown names with the choices listed."""

from __future__ import annotations

from typing import Any

import pytest

from probfs.classifiers.catalogue import CLASSIFIERS
from probfs.classifiers.scores import SCORES
from probfs.errors import UsageError
from probfs.output.formats import DOCUMENT_FORMATS, RESULT_FORMATS
from probfs.tables.formats import TABLE_FORMATS, is_writable
from probfs.text import command_line_language


@pytest.mark.parametrize(
    ("registry", "names"),
    [
        (CLASSIFIERS, ("nb", "svm", "logistic", "forest", "boosting")),
        (SCORES, ("absolute", "signed", "unlabeled")),
        (TABLE_FORMATS, ("csv", "tsv", "arff", "parquet", "feather", "jsonl", "excel")),
        (RESULT_FORMATS, ("table", "csv", "json", "markdown", "parquet", "html", "png", "svg", "pdf")),
        (DOCUMENT_FORMATS, ("table", "csv", "json", "markdown")),
    ],
    ids=["classifiers", "scores", "tables", "rankings", "inspections"],
)
def test_what_comes_with_probfs_is_registered_and_nothing_else_is_taken(registry: Any, names: tuple[str, ...]) -> None:
    assert registry.names() == tuple(entry.name for entry in registry) == names
    assert [registry[name].name for name in names] == list(names)
    for wrong in ("", "NB", "csv ", "a\x1b", None, 3, ["csv"]):
        with pytest.raises(UsageError, match=f"is not one of {', '.join(names)}$") as caught:
            registry[wrong]
        assert "\x1b" not in str(caught.value)


def test_an_unknown_name_is_told_in_the_caller_s_language() -> None:
    with command_line_language(), pytest.raises(UsageError, match=r"^--score: 'fir' is not one of absolute, "):
        SCORES["fir"]
    with pytest.raises(UsageError, match=r"^measure=: 'fir' is not one of absolute, "):
        SCORES.get("fir", "measure")


def test_what_does_not_suit_is_as_good_as_unknown() -> None:
    assert TABLE_FORMATS.get("csv", "format", is_writable).name == "csv"
    with pytest.raises(UsageError, match=r"'excel' is not one of csv, tsv, arff, parquet, feather, jsonl$"):
        TABLE_FORMATS.get("excel", "format", is_writable)
