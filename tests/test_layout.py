"""Tests are found where one looks: each module has a test module of its name, in the folder of its package."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.paths import ROOT

PACKAGES = (
    *("", "api", "cli", "cluster", "columns", "comparison"),
    *("ranking", "rendering", "rendering/figures", "rendering/report", "screening", "selection"),
)
TESTED_ELSEWHERE = {
    "__main__": "cli/test_interrupts",
    "api/arguments": "test_api",
    "api/ranking": "test_api",
    "api/selecting": "selection/test_stages",
    "cluster/blocks": "cluster/test_connection",
    "cluster/cluster_rows": "cluster/test_store",
    "cluster/local_processes": "cluster/test_connection",
    "cluster/coded_rows": "cluster/test_store",
    "cluster/fold_cells": "cluster/test_fold_numbers",
    "cluster/selection_rows": "cluster/test_selection",
    "cluster/tasks": "cluster/test_engine",
    "columns/limits": "columns/test_roles",
    "ranking/engine": "cluster/test_engine",
    "ranking/engine_names": "api/test_engines",
    "selection/engine": "selection/test_stages",
    "rendering/ranking_formats": "rendering/test_formats",
    "rendering/selection_formats": "rendering/test_formats",
    "rendering/comparison_formats": "rendering/test_formats",
}
"""Modules of constants, or of a few lines that only join others."""


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package or "probfs")
def test_every_module_has_a_test_module_of_its_name(package: str) -> None:
    folder = ROOT / "src" / "probfs" / package
    modules = [path.stem for path in folder.glob("*.py") if path.stem != "__init__"]
    assert modules
    for module in modules:
        name = str(Path(package, module))
        home = ROOT / "tests" / TESTED_ELSEWHERE.get(name, str(Path(package, f"test_{module}")))
        assert home.with_suffix(".py").exists(), f"{name} has no {home.relative_to(ROOT)}.py"


def test_every_folder_of_tests_is_a_package() -> None:
    for path in (ROOT / "tests").rglob("test_*.py"):
        assert (path.parent / "__init__.py").exists(), path.parent
