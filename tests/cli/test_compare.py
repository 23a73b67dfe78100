"""probfs compare."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import Run, modules_imported_by, run_in_terminal
from tests.support.comparisons import as_version_2, ranking_document, selection_document, write_document
from tests.support.hostile_names import HOSTILE_NAMES
from tests.support.paths import SAMPLES
from tests.support.table_content import Write

CANCER = SAMPLES / "breast_cancer.csv"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return write_document(tmp_path / "old.json", ranking_document("abcdefgh"))


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return write_document(tmp_path / "new.json", as_version_2(ranking_document("bacdefxg")))


def test_a_ranking_against_itself_says_that_nothing_changed(run: Run, old: Path) -> None:
    result = run("compare", old, old, "--format", "table")
    assert (result.returncode, result.stderr) == (0, "")
    assert "Nothing changed: the same columns and ranks, and the same scores (8 columns)." in result.stdout


def test_shuffled_rows_change_nothing_and_a_renamed_column_is_named(
    run_here: Run, write: Write, tmp_path: Path
) -> None:
    header, *rows = CANCER.read_text().splitlines(keepends=True)
    random.Random(1).shuffle(rows)
    document = tmp_path / "old.json"
    assert run_here("rank", CANCER, "-q", "-o", document).returncode == 0
    shuffled = run_here("compare", document, write("shuffled.csv", header + "".join(rows)), "--format", "table", "-q")
    assert "Nothing changed: the same columns and ranks, and the same scores (9 columns)." in shuffled.stdout
    renamed = write("renamed.csv", header.replace("mitoses", "mitosis_count") + "".join(rows))
    result = run_here("compare", document, renamed, "--format", "table", "--fail-if", "spearman<1")
    assert result.returncode == 0
    assert "Probably renamed, by what they score: 'mitoses' is now 'mitosis_count'." in result.stdout
    assert "8 stayed" in result.stdout
    backwards = run_here("compare", renamed, document, "--format", "table", "-q")
    assert "'mitosis_count' is now 'mitoses'" in backwards.stdout


def test_selections_are_compared(run_here: Run, tmp_path: Path) -> None:
    before = write_document(tmp_path / "a.json", selection_document({"a": "keep", "b": "weak", "c": "noise"}))
    after = write_document(tmp_path / "b.json", selection_document({"a": "keep", "b": "keep", "c": "noise"}))
    result = run_here("compare", before, after, "--fail-if", "kept_changed>0", "--format", "table")
    assert result.returncode == 3
    assert "Kept: 1 before, 2 now; newly 'b'." in result.stdout
    assert "weak → keep" in result.stdout
    assert result.stderr == "probfs: failed: kept_changed > 0 is true: kept_changed is 1\n"


def test_csv_elsewhere_and_json_or_markdown_on_demand(run_here: Run, old: Path, new: Path, tmp_path: Path) -> None:
    assert run_here("compare", old, new).stdout.startswith("column,change,moved,")
    document = json.loads(run_here("compare", old, new, "--format", "json").stdout)
    assert (document["schema"], document["measures"]["appeared"]) == ("probfs.comparison/1", 1)
    assert run_here("compare", old, new, "-o", tmp_path / "c.md").returncode == 0
    assert "| b | rose |" in (tmp_path / "c.md").read_text()
    assert run_here("compare", old, new, "--top", "2", "--format", "json").stdout.count('"first": 2') == 1


@pytest.mark.parametrize(
    ("conditions", "status", "said"),
    [
        (["spearman<0.8"], 0, []),
        (["SPEARMAN>0.5"], 3, ["spearman > 0.5 is true: spearman is 0.964285714286"]),
        (
            ["spearman<0.8", "vanished>0", "Appeared >= 1"],
            3,
            ["vanished > 0 is true: vanished is 1", "appeared >= 1 is true: appeared is 1"],
        ),
        (["beyond>0"], 3, ["beyond > 0 counts as true: beyond is not known, as neither document has rank intervals"]),
    ],
)
def test_a_condition_that_is_true_is_status_3_once_the_result_is_written(
    run_here: Run, old: Path, new: Path, tmp_path: Path, conditions: list[str], status: int, said: list[str]
) -> None:
    options = [word for condition in conditions for word in ("--fail-if", condition)]
    result = run_here("compare", old, new, "--quiet", "-o", tmp_path / "c.csv", *options)
    assert result.returncode == status
    assert result.stderr.splitlines() == [f"probfs: failed: {line}" for line in said]
    assert (tmp_path / "c.csv").read_text().startswith("column,")


def test_a_reader_who_leaves_early_does_not_change_the_status(old: Path, new: Path) -> None:
    program = f"{sys.executable} -m probfs compare {old} {new} --fail-if 'changed>0' | true; echo ${{PIPESTATUS[0]}}"
    shown = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    assert shown.stdout == "3\n"


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["--fail-if", "spearmen<1"], 2, "--fail-if: 'spearmen' is no measure; choose from spearman, kendall, overlap"),
        (["--fail-if", "spearman"], 2, "in quotes, like 'spearman<0.8'"),
        (["--top", "0"], 2, "--top"),
        (["--delimiter", ";"], 2, "--delimiter ;: both are JSON of probfs, and there is no table to read"),
        (["--format", "xml"], 2, "--format"),
        (["--output", "new.json"], 2, "is an input"),
        (["--score", "signed"], 2, "No such option: --score, which belongs to rank, select"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(
    run_here: Run, old: Path, new: Path, arguments: list[str], status: int, says: str
) -> None:
    before = new.read_bytes()
    result = run_here("compare", old, new, *arguments)
    assert (result.returncode, result.stdout) == (status, "")
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("probfs: error: ")
    assert says in result.stderr
    assert new.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "bad.json: is empty"),
        ('{"schema": "probfs.ranking/1", ', "bad.json:1:32: is not JSON"),
        ('{"schema": "probfs.inspection/1"}', "bad.json: is 'probfs.inspection/1', which is neither a ranking nor"),
        ('{"schema": "probfs.ranking/9"}', "it reads up to probfs.ranking/2"),
        (f'{{"schema": "probfs.{chr(27)}[31m/1"}}', "bad.json:"),
        ('{"schema": "probfs.\\u001b[31m/1"}', "is 'probfs.\\x1b[31m/1', which"),
        ("[" * 200_000, "nested too deeply"),
    ],
)
def test_a_file_that_is_no_document_is_one_line(
    run_here: Run, write: Write, old: Path, content: str, says: str
) -> None:
    write("bad.json", content)
    for arguments in ((old, "bad.json"), ("bad.json", old)):
        result = run_here("compare", *arguments)
        assert (result.returncode, result.stdout) == (1, "")
        (line,) = result.stderr.splitlines()
        assert line.startswith("probfs: error: bad.json:")
        assert says in line
        assert "\x1b" not in line


def test_two_arguments_are_needed_and_two_tables_are_too_many(run_here: Run, old: Path) -> None:
    assert "Missing argument 'NEW'" in run_here("compare", old).stderr
    result = run_here("compare", "t.csv", "u.csv")
    assert (result.returncode, "are both tables" in result.stderr) == (2, True)


def test_standard_input_is_a_document_or_a_table(old: Path) -> None:
    def run_line(line: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)

    command = f"{sys.executable} -m probfs"
    assert run_line(f"cat {old} | {command} compare {old} - --fail-if 'changed>0'").returncode == 0
    ranked = old.parent / "ranked.json"
    table = f"{command} rank {CANCER} -q -o {ranked} && cat {CANCER} | {command} compare {ranked} - -q"
    assert run_line(f"{table} --fail-if 'changed>0'").returncode == 0
    assert run_line(f"cat {old} | {command} compare - - ").stderr.endswith(
        "read only once; name a file for the other\n"
    )
    substituted = run_line(f"{command} compare {old} <(cat {old}) --fail-if 'changed>0'")
    assert (substituted.returncode, substituted.stderr) == (0, "")


def test_hostile_names_are_kept_in_data_and_escaped_for_eyes(run_here: Run, tmp_path: Path) -> None:
    before = write_document(tmp_path / "a.json", ranking_document(HOSTILE_NAMES))
    after = write_document(tmp_path / "b.json", ranking_document(HOSTILE_NAMES[1:], target=HOSTILE_NAMES[1]))
    columns = json.loads(run_here("compare", before, after, "--format", "json").stdout)["columns"]
    assert {column["column"] for column in columns} == set(HOSTILE_NAMES)
    for chosen in ("table", "markdown"):
        result = run_here("compare", before, after, "--format", chosen)
        assert result.returncode == 0
        assert "\x1b" not in result.stdout + result.stderr
        assert "\u202e" not in result.stdout + result.stderr
    assert "\x1b[31mred" not in run_in_terminal("compare", before, after)


def test_warnings_go_to_standard_error_unless_quiet_is_said_twice(run_here: Run, old: Path, tmp_path: Path) -> None:
    other = write_document(tmp_path / "b.json", ranking_document("abcdefgh", settings={"score": "signed"}))
    warned = run_here("compare", old, other).stderr
    assert warned == f"probfs: warning: score: absolute in {old}, but signed in {other}; ranks are hard to compare\n"
    assert run_here("compare", old, other, "-q").stderr == warned
    assert run_here("compare", old, other, "-qq").stderr == ""


def test_comparing_documents_imports_nothing_heavy(old: Path, new: Path) -> None:
    for arguments in (("compare", "--help"), ("compare", old, new, "--format", "json")):
        assert modules_imported_by(*arguments).isdisjoint({"numpy", "pandas", "pyarrow", "sklearn", "scipy"})
