"""Where results go: files, pipes, terminals, closed streams and full disks; and names that steer terminals."""

from __future__ import annotations

import csv
import io
import os
import sys
from pathlib import Path

import pytest

from probfs.cli.streams import deliver, tell
from probfs.errors import OutputError
from tests.support import SAMPLES
from tests.support.commands import COMMUTE, Run, run_in_terminal, run_shell_line
from tests.support.results import HOSTILE_NAMES, hostile_csv
from tests.support.tables import Write


def test_a_closed_pipe_ends_quietly() -> None:
    result = run_shell_line(f"probfs rank {SAMPLES}/commute.csv -qq --format json | head -1")
    assert (result.returncode, result.stdout, result.stderr) == (0, "{\n", "")
    assert run_shell_line("probfs rank --help | true").stderr == ""


def test_a_picture_is_written_though_nobody_reads_the_result(tmp_path: Path) -> None:
    picture = tmp_path / "p.png"
    result = run_shell_line(f"probfs select --folds 0 {SAMPLES}/commute.csv -qq --plot {picture} | true")
    assert (result.returncode, result.stderr) == (0, "")
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("redirection", "status", "error"),
    [
        ("> /dev/full", 1, "probfs: error: standard output cannot be written: no space left on device\n"),
        (">&-", 1, "probfs: error: standard output is closed\n"),
        ("2> /dev/full", 0, ""),
    ],
)
def test_a_stream_that_fails_is_one_line_and_nothing_more(redirection: str, status: int, error: str) -> None:
    quiet = "-qq" if "2>" not in redirection else ""
    result = run_shell_line(f"probfs rank {SAMPLES}/commute.csv {quiet} {redirection}")
    assert (result.returncode, result.stderr) == (status, error)
    if "2>" in redirection:
        assert result.stdout.startswith("rank,feature")
        assert "target" not in result.stdout


@pytest.mark.parametrize(("path", "stream"), [("/dev/stdout", 0), ("/dev/fd/1", 0), ("/dev/stderr", 1)])
def test_a_stream_may_be_named_as_a_file(path: str, stream: int) -> None:
    result = run_shell_line(f"probfs sample kiln --output {path}")
    assert ((result.stdout, result.stderr)[stream]).endswith((SAMPLES / "kiln.csv").read_text()[-200:])


def test_help_on_a_full_disk_and_no_command_at_all(run: Run) -> None:
    result = run_shell_line("probfs --help > /dev/full")
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    result = run()
    assert (result.returncode, result.stdout) == (2, "")
    assert "inspect" in result.stderr
    assert "error" not in result.stderr


def test_an_output_that_is_standard_input_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes((SAMPLES / "commute.csv").read_bytes())
    for words in ("rank -", "rank", "suggest"):
        result = run_shell_line(f"probfs {words} --output {path} < {path}")
        assert (result.returncode, result.stderr.endswith("t.csv is an input; name another file\n")) == (2, True)
    assert path.read_bytes() == (SAMPLES / "commute.csv").read_bytes()


@pytest.mark.parametrize(
    "words",
    [
        "rank t.csv",
        "rank t.csv --format json",
        "select t.csv --folds 0",
        "select t.csv --folds 0 --names",
        "pairs t.csv",
        "compare r.json r.json",
        "map t.csv --mapping m.toml",
        "map t.csv --mapping m.toml --format arff",
        "suggest t.csv",
        "inspect t.csv",
        "generate weston --rows 3",
        "sample kiln",
    ],
)
def test_a_dash_is_standard_output(run_here: Run, write: Write, tmp_path: Path, words: str) -> None:
    write("t.csv", (SAMPLES / "kiln.csv").read_text())
    write("m.toml", "[columns]\n")
    run_here("rank", "t.csv", "-q", "--output", "r.json")
    plain, dashed = run_here(*words.split()), run_here(*words.split(), "--output", "-")
    assert (dashed.returncode, dashed.stdout, dashed.stderr) == (0, plain.stdout, plain.stderr)
    assert len(plain.stdout) > 20
    assert not (tmp_path / "-").exists()


def test_an_input_is_no_output_by_any_of_its_names(run_here: Run, write: Write, tmp_path: Path) -> None:
    data = write("t.csv", "a,y\nx,p\nz,q\nx,p\nz,q\n")
    (tmp_path / "link.csv").symlink_to(data)
    os.link(data, tmp_path / "hard.csv")
    for output, option in (("t.csv", "--output"), ("link.csv", "--reduced"), ("hard.csv", "--plot")):
        result = run_here("select", data, option, output)
        assert (result.returncode, result.stdout) == (2, "")
        assert result.stderr == f"probfs: error: {option}: {output} is an input; name another file\n"
    assert data.read_text().startswith("a,y\n")


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("--plot", "r.png", "--output", "r.png"), 2, "--plot: r.png is where the result goes; name another file"),
        (("--output", "no/r.csv"), 1, "no/r.csv: cannot be written: there is no folder"),
        (("--output", f"{'a' * 300}.csv"), 1, "aaaa"),
        (("--output", "."), 1, ".: is a directory; name a file in it"),
        (("--safe-csv", "--format", "json"), 2, "--safe-csv: the result is json, not CSV; leave the option out"),
        (("--output", "r.xyz"), 2, "--output: the ending '.xyz' gives no format; use .txt, .csv, .json, .md"),
    ],
)
def test_a_place_that_cannot_be_is_told_before_the_work(
    run_here: Run, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], status: int, message: str
) -> None:
    monkeypatch.setattr("probfs.api.calls.rank", None)
    result = run_here("rank", *COMMUTE, *words)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (status, "", 1)
    assert result.stderr.startswith(f"probfs: error: {message}")


def test_streams_that_were_never_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    tell("nobody hears this")
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(OutputError, match=r"^standard output is closed$"):
        deliver(b"lost")


def test_a_terminal_gets_a_table_with_bars_and_what_was_ranked() -> None:
    shown = " ".join(run_in_terminal("rank", *COMMUTE).split())
    assert "6 columns, 204 labelled and 36 unlabelled rows, target mode with 3 classes" in shown
    assert "48 of 204 rows wrong" in shown
    assert "████" in shown
    assert "rank,feature" not in shown
    assert "a terminal cannot show it; name a file with --output" in run_in_terminal(
        "rank", *COMMUTE, "--format", "png"
    )


def test_no_input_on_a_terminal_shows_the_help() -> None:
    assert "--score" in run_in_terminal("rank")
    assert "--fail-if" in run_in_terminal("compare", "-", "a.json")


def test_hostile_names_are_kept_in_data_and_escaped_for_eyes(run_here: Run, write: Write) -> None:
    path = write("t.csv", hostile_csv())
    rows = list(csv.DictReader(io.StringIO(run_here("rank", path).stdout)))
    assert {row["feature"] for row in rows} == set(HOSTILE_NAMES)
    for words in (("rank", "--format", "html"), ("rank", "--format", "table"), ("inspect", "--format", "markdown")):
        result = run_here(words[0], path, *words[1:])
        assert result.returncode == 0, result.stderr
        shown = result.stdout + result.stderr
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        assert "\\x1b[31mred" in result.stdout.replace("\\\\x1b\\[", "\\x1b[")
    assert "\x1b[31mred" not in run_in_terminal("rank", path)
