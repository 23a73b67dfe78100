"""Start-up: a command imports only what it needs."""

from __future__ import annotations

import pytest

from tests.support.commands import COMMUTE, modules_imported_by


@pytest.mark.parametrize(
    "arguments", [("--help",), ("rank", "--help"), ("select", "--help"), ("--version",), ("suggest", "-h")]
)
def test_help_imports_neither_pandas_nor_numpy(arguments: tuple[str, ...]) -> None:
    assert modules_imported_by(*arguments).isdisjoint(
        {"pandas", "numpy", "pyarrow", "sklearn", "scipy", "matplotlib", "jinja2"}
    )


@pytest.mark.parametrize("chosen", ["csv", "table", "json", "markdown"])
def test_ranking_imports_no_scikit_learn_scipy_or_matplotlib(chosen: str) -> None:
    loaded = modules_imported_by("rank", *COMMUTE, "--format", chosen)
    assert loaded.isdisjoint({"sklearn", "scipy", "matplotlib", "pandas", "jinja2"})


def test_a_report_imports_no_scikit_learn() -> None:
    assert modules_imported_by("rank", *COMMUTE, "--format", "html").isdisjoint({"sklearn", "pandas"})
