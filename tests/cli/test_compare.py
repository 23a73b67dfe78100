"""probfs compare: what it prints, conditions, mistakes, standard input. tests/comparison has what is compared."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import SAMPLES
from tests.support.commands import Run, modules_imported_by, run_in_terminal
from tests.support.results import HOSTILE_NAMES, as_version_2, ranking_document, write_document
from tests.support.tables import Write

CANCER = SAMPLES / "breast_cancer.csv"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return write_document(tmp_path / "old.json", ranking_document("abcdefgh"))


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return write_document(tmp_path / "new.json", as_version_2(ranking_document("bacdefxg")))


def test_a_renamed_column_of_a_table_is_named(run_here: Run, write: Write) -> None:
    assert run_here("rank", CANCER, "-q", "-o", "old.json").returncode == 0
    same = run_here("compare", "old.json", CANCER, "--format", "table", "-q")
    assert "Nothing changed. Of 9 columns: 9 stayed; scores are the same." in same.stdout
    renamed = write("renamed.csv", CANCER.read_text().replace("mitoses", "mitosis_count"))
    result = run_here("compare", "old.json", renamed, "--format", "table", "--fail-if", "spearman<1")
    assert result.returncode == 0
    assert "Probably renamed, by what they score: 'mitoses' is now 'mitosis_count'." in result.stdout


@pytest.mark.parametrize(
    ("conditions", "status", "said"),
    [
        (["spearman<0.8"], 0, []),
        (["Appeared >= 1"], 3, ["appeared >= 1 is true: appeared is 1"]),
        (["beyond>0"], 3, ["beyond > 0 counts as true: beyond is not known, as neither document has rank intervals"]),
    ],
)
def test_a_condition_that_is_true_is_status_3_once_the_result_is_written(
    run_here: Run, old: Path, new: Path, tmp_path: Path, conditions: list[str], status: int, said: list[str]
) -> None:
    options = [word for condition in conditions for word in ("--fail-if", condition)]
    result = run_here("compare", old, new, "--quiet", "-o", "c.csv", *options)
    assert result.returncode == status
    assert result.stderr.splitlines() == [f"probfs: failed: {line}" for line in said]
    assert (tmp_path / "c.csv").read_text().startswith("column,")


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["new.json", "--fail-if", "spearmen<1"], 2, "--fail-if: 'spearmen' is not a measure; choose from spearman, "),
        (["new.json", "--delimiter", ";"], 2, "--delimiter ;: both are JSON of probfs, and there is no table to read"),
        (["new.json", "--output", "new.json"], 2, "is an input"),
        ([], 2, "Missing argument 'NEW'"),
        (["other.json"], 1, "is 'probfs.\\x1b[31m/1', which is neither a ranking nor"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(
    run_here: Run, write: Write, old: Path, new: Path, arguments: list[str], status: int, says: str
) -> None:
    write("other.json", '{"schema": "probfs.\\u001b[31m/1"}')
    before = new.read_bytes()
    result = run_here("compare", old, *arguments)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (status, "", 1)
    assert says in result.stderr
    assert new.read_bytes() == before


def test_standard_input_is_a_document_or_a_table_and_an_early_reader_changes_no_status(old: Path, new: Path) -> None:
    def run_line(line: str) -> subprocess.CompletedProcess[str]:
        line = line.replace("probfs ", f"{sys.executable} -m probfs ")
        return subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)

    unchanged = "--fail-if 'changed>0'"
    assert run_line(f"cat {old} | probfs compare {old} - {unchanged}").returncode == 0
    ranked = old.parent / "ranked.json"
    table = f"probfs rank {CANCER} -q -o {ranked} && cat {CANCER} | probfs compare {ranked} - -q"
    assert run_line(f"{table} {unchanged}").returncode == 0
    substituted = run_line(f"probfs compare {old} <(cat {old}) {unchanged}")
    assert (substituted.returncode, substituted.stderr) == (0, "")
    assert run_line(f"probfs compare {old} {new} {unchanged} | true; echo ${{PIPESTATUS[0]}}").stdout == "3\n"


def test_hostile_names_are_escaped_for_eyes(tmp_path: Path) -> None:
    before = write_document(tmp_path / "a.json", ranking_document(HOSTILE_NAMES))
    after = write_document(tmp_path / "b.json", ranking_document(HOSTILE_NAMES[1:], target=HOSTILE_NAMES[1]))
    shown = run_in_terminal("compare", before, after)
    assert "\\x1b[31mred" in shown
    assert "\x1b[31mred" not in shown


def test_comparing_documents_imports_nothing_heavy(old: Path, new: Path) -> None:
    heavy = {"numpy", "pandas", "pyarrow", "sklearn", "scipy"}
    assert modules_imported_by("compare", old, new, "--format", "json").isdisjoint(heavy)
