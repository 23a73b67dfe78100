"""Bad input, faults and hostile data: one line that says what and where, the right status, and nothing lost."""

from __future__ import annotations

import gzip
import json
import random
import resource
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from probfs.cli import run as run_here
from probfs.runtime import memory
from tests.support.commands import PATIENCE, Run
from tests.support.hostile import GOOD, MISFITS, UNREADABLE, UNUSABLE, Case, Misfit
from tests.support.paths import SAMPLES

READING = {
    "rank": ["rank", "BAD"],
    "inspect": ["inspect", "BAD"],
    "suggest": ["suggest", "BAD"],
    "map": ["map", "BAD", "--mapping", "empty.toml"],
    "exact": ["exact", "BAD"],
    "unlabeled": ["rank", "good.csv", "--unlabeled", "BAD"],
}
Capture = pytest.CaptureFixture[str]


def errors(shown: str) -> list[str]:
    """The lines on standard error that are not notes, and those that are no line of ours at all."""
    return [
        line for line in shown.splitlines() if line.startswith("probfs: error: ") or not line.startswith("probfs: ")
    ]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", UNREADABLE, ids=lambda case: case.name)
def test_what_cannot_be_read_is_one_line(case: Case, here: Path, capsys: Capture) -> None:
    (here / "good.csv").write_bytes(GOOD)
    (here / "empty.toml").touch()
    case.make(here)
    start = time.process_time()
    # All commands read by the same readers, so that a few files are enough for the others.
    for words in READING.values() if case in UNREADABLE[:4] else [READING["rank"]]:
        status = run_here([case.file if word == "BAD" else word for word in words])
        shown, told = capsys.readouterr()
        assert (status, shown) == (1, "")
        (line,) = told.splitlines()
        assert line.startswith(f"probfs: error: {case.file}{case.place}: ")
        assert case.says in line
    assert time.process_time() - start < 20, "bounded, however slow the machine"


@pytest.mark.parametrize("case", UNUSABLE, ids=lambda case: case.name)
def test_a_column_that_cannot_be_ranked_is_named_by_whoever_uses_it(case: Case, here: Path, capsys: Capture) -> None:
    path = case.make(here)
    (here / "good.csv").write_bytes(GOOD)
    (here / "empty.toml").touch()
    (here / "drop.toml").write_text('drop = ["a"]\n')
    for words in (
        ["rank", path.name],
        ["rank", path.name, "--target", "a"],
        ["rank", path.name, "--count", "a"],
        ["rank", "good.csv", "--exclude", "b", "--unlabeled", path.name],
        ["exact", path.name],
        ["map", path.name, "--mapping", "empty.toml"],
    ):
        status = run_here(words)
        shown, told = capsys.readouterr()
        assert (status, shown) == (1, ""), words
        (line,) = errors(told)
        assert line.startswith(f"probfs: error: {case.file}: {case.says}"), words
        assert line.endswith("or leave it out"), words
    assert run_here(["inspect", path.name]) == 0
    assert f"rank would refuse this: {case.file}: {case.says}" in capsys.readouterr().err
    assert run_here(["map", path.name, "--mapping", "drop.toml", "--quiet"]) == 0
    assert capsys.readouterr().out.startswith("y\n")
    assert run_here(["rank", "good.csv", "--exclude", "a", "--exclude", "b", "--unlabeled", path.name]) == 1
    assert "no column is left to rank" in capsys.readouterr().err


@pytest.mark.parametrize("misfit", MISFITS, ids=lambda misfit: misfit.name)
def test_what_cannot_be_ranked_is_one_line(misfit: Misfit, here: Path, capsys: Capture) -> None:
    for name, content in misfit.files.items():
        (here / name).write_bytes(content)
    status = run_here(misfit.arguments.split())
    shown, told = capsys.readouterr()
    assert (status, shown) == (misfit.status, "")
    (line,) = errors(told)
    assert line.startswith(f"probfs: error: {misfit.line}")
    assert {name: (here / name).read_bytes() for name in misfit.files} == misfit.files


# --- limits -----------------------------------------------------------------------------------------------------------


def test_a_bomb_may_go_off_if_that_is_meant(here: Path, capsys: Capture) -> None:
    (here / "zeros.csv.gz").write_bytes(gzip.compress(b"a,y\n" + b"0,p\n" * 1_000_000 + b"0,q\n0,q\n"))
    assert run_here(["inspect", "zeros.csv.gz", "--format", "csv"]) == 0, "four megabytes are honest"
    capsys.readouterr()
    for allowed, status in (("100K", 1), ("1G", 0)):
        assert run_here(["inspect", "zeros.csv.gz", "--format", "csv", "--max-unpacked", allowed]) == status
    assert "unpack to more than 100 KB" in capsys.readouterr().err


def test_a_column_of_too_many_values_is_named(here: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.columns.dataset.MOST_VALUES", 4)
    (here / "t.csv").write_text("a,y\n" + "".join(f"v{i},{i % 2}\n" for i in range(5)))
    assert run_here(["rank", "t.csv"]) == 1
    (line,) = errors(capsys.readouterr().err)
    assert line.startswith(
        "probfs: error: t.csv: column 'a' has 5 different values, more than the 4 that are counted; "
    )


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_what_does_not_fit_the_memory_is_refused_beforehand(
    name: str, here: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "big.csv").write_bytes(GOOD + GOOD.split(b"\n", 1)[1] * 40_000)
    (here / "empty.toml").touch()
    assert run_here(["map", "big.csv", "--mapping", "empty.toml", "--output", name]) == 0
    monkeypatch.setattr(memory, "free_memory", lambda: 100_000)
    capsys.readouterr()
    assert run_here(["rank", name]) == 1
    (line,) = errors(capsys.readouterr().err)
    assert line.startswith(f"probfs: error: {name}: ")
    assert "of memory, and 97.7 KB is free; rank fewer columns" in line


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space")
def test_under_a_limit_of_memory_there_is_one_line(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_bytes(GOOD + GOOD.split(b"\n", 1)[1] * 200_000)
    for megabytes in (400, 700):
        result = subprocess.run(
            [sys.executable, "-m", "probfs", "rank", str(table), "--quiet"],
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=partial(resource.setrlimit, resource.RLIMIT_AS, (megabytes << 20, megabytes << 20)),
        )
        if result.returncode:
            assert result.returncode == 1
            assert "Traceback" not in result.stderr
            assert len(errors(result.stderr)) == 1


# --- hostile names ----------------------------------------------------------------------------------------------------

FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "＝1"]


def test_a_spreadsheet_is_guarded_against_formulas(here: Path, capsys: Capture) -> None:
    names = [*FORMULAS, "-1.5", "plain"]
    header = ",".join('"' + name.replace('"', '""') + '"' for name in [*names, "y"])
    (here / "t.csv").write_text(header + "\n" + "".join(f"{'=x,' * 7}{i % 2}\n" for i in range(6)))
    (here / "empty.toml").touch()
    for command in (["rank"], ["inspect"], ["map", "--mapping", "empty.toml"]):
        for safe in (False, True):
            assert run_here([*command, "t.csv", "--format", "csv", *(["--safe-csv"] if safe else [])]) == 0
            shown = capsys.readouterr().out
            for name in FORMULAS:
                assert f"'{name}" in shown if safe else f"'{name}" not in shown
            assert "'-1.5" not in shown
            assert "'plain" not in shown
            assert ("'=x" in shown) == (safe and command[0] != "rank")
    assert run_here(["rank", "t.csv", "--format", "json"]) == 0
    kept = [feature["feature"] for feature in json.loads(capsys.readouterr().out)["features"]]
    assert sorted(kept) == sorted(names)


# --- real files -------------------------------------------------------------------------------------------------------


# --- faults while writing ---------------------------------------------------------------------------------------------


def killed_while_writing(folder: Path, number: signal.Signals, delay: float) -> str:
    """What is at the output after a kill: the old file or the new one; anything else fails."""
    output = folder / "ranking.json"
    output.write_text("old")
    command = [sys.executable, "-m", "probfs", "rank", str(SAMPLES / "breast_cancer.csv"), "--output", str(output)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(delay)
    process.send_signal(number)
    shown, told = process.communicate(timeout=PATIENCE)
    content = output.read_text()
    assert [path.name for path in folder.iterdir()] == [output.name], "litter"
    assert not shown
    # Before its first line Python itself may still complain of Ctrl-C.
    if process.returncode not in (-signal.SIGTERM, -signal.SIGINT, 1):
        assert not errors(told)
    if content == "old":
        assert process.returncode in (128 + number, -number, 1)
        return "old"
    assert len(json.loads(content)["features"]) == 9
    return "new"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_kill_leaves_the_old_file_or_the_new(number: signal.Signals, tmp_path: Path) -> None:
    for delay in (0.3, 0.6):
        killed_while_writing(tmp_path, number, delay)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_kill_at_any_moment_leaves_the_old_file_or_the_new(number: signal.Signals, tmp_path: Path) -> None:
    start = time.perf_counter()
    assert killed_while_writing(tmp_path, number, 30) == "new"
    whole = min(time.perf_counter() - start, 1.5)
    moments = random.Random(number)
    outcomes = [killed_while_writing(tmp_path, number, moments.uniform(0.1, whole)) for _ in range(50)]
    print(f"{number.name}: old {outcomes.count('old')}, new {outcomes.count('new')}")
    assert outcomes.count("old")


def small_files_only() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def test_a_full_disk_keeps_the_old_file(tmp_path: Path, run: Run) -> None:
    """A file size limit stands for the full disk: a write fails half-way, as it does there."""
    output = tmp_path / "ranking.json"
    output.write_text("old")
    result = subprocess.run(
        [
            sys.executable,
            "-m",
            "probfs",
            "rank",
            str(SAMPLES / "breast_cancer.csv"),
            "--output",
            str(output),
            "--quiet",
        ],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=small_files_only,
    )
    assert result.returncode == 1
    assert errors(result.stderr) == [f"probfs: error: {output}: cannot be written: file too large"]
    assert output.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == [output.name]


@pytest.mark.parametrize(
    "command",
    [
        ["rank", "t.csv"],
        ["inspect", "t.csv"],
        ["suggest", "t.csv"],
        ["map", "t.csv", "--mapping", "empty.toml"],
        ["exact", "joint.csv"],
        ["generate", "xcp"],
    ],
    ids=lambda command: command[0],
)
def test_every_command_writes_whole_or_not_at_all(command: list[str], here: Path, capsys: Capture) -> None:
    (here / "t.csv").write_bytes(GOOD)
    (here / "empty.toml").touch()
    (here / "joint.csv").write_bytes((SAMPLES / "joint.csv").read_bytes())
    ending = "toml" if command[0] == "suggest" else "csv"
    output, link = here / f"out.{ending}", here / f"link.{ending}"
    output.write_text("old")
    output.chmod(0o640)
    link.symlink_to(output)
    before = {path.name for path in here.iterdir()}
    assert run_here([*command, "--output", link.name]) == 0
    assert output.read_text() != "old"
    assert output.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()
    assert {path.name for path in here.iterdir()} == before
    capsys.readouterr()
    assert run_here([*command, "--output", "/dev/full", "--format", ending] if ending == "csv" else
                    [*command, "--output", "/dev/full"]) == 1  # fmt: skip
    shown, told = capsys.readouterr()
    assert errors(told) == ["probfs: error: /dev/full: cannot be written: no space left on device"]
    assert not shown
    for bad, reason in (
        ("no/where.csv", "no/where.csv: cannot be written: there is no folder"),
        (".", ".: is a directory"),
    ):
        assert run_here([*command, "--output", bad]) == 1
        assert errors(capsys.readouterr().err)[0].startswith(f"probfs: error: {reason}")
