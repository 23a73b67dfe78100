"""Standard streams: pipes, closed streams and full disks."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from probfs.cli.streams import print_bytes, stdout_is_terminal, tell
from probfs.errors import OutputError
from tests.support.commands import Run, run_shell_line
from tests.support.paths import SAMPLES


def test_a_closed_pipe_ends_quietly() -> None:
    result = run_shell_line(f"probfs rank {SAMPLES}/commute.csv -qq --format json | head -1")
    assert (result.returncode, result.stdout, result.stderr) == (0, "{\n", "")


def test_output_may_be_a_pipe() -> None:
    for command in ("rank", f"map --mapping {SAMPLES}/breast_cancer.toml"):
        line = f"probfs {command} {SAMPLES}/breast_cancer.csv -qq --output /dev/stdout | cat"
        result = run_shell_line(line)
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.count("\n") > 9


@pytest.mark.parametrize(
    ("redirection", "status", "error"),
    [
        ("> /dev/full", 1, "probfs: error: standard output cannot be written: no space left on device\n"),
        (">&-", 1, "probfs: error: standard output is closed\n"),
        ("2>&-", 0, ""),
        ("2> /dev/full", 0, ""),
        ("| true", 0, ""),
    ],
)
def test_a_stream_that_fails_is_one_line_and_nothing_more(redirection: str, status: int, error: str) -> None:
    quiet = "-qq" if "2>" not in redirection else ""
    result = run_shell_line(f"probfs rank {SAMPLES}/commute.csv {quiet} {redirection}")
    assert (result.returncode, result.stderr) == (status, error)
    if "2>" in redirection:
        assert result.stdout.startswith("rank,feature")
        assert "target" not in result.stdout


def test_help_on_a_full_disk_and_no_command_at_all(run: Run) -> None:
    result = run_shell_line("probfs --help > /dev/full")
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    result = run()
    assert (result.returncode, result.stdout) == (2, "")
    assert "inspect" in result.stderr
    assert "error" not in result.stderr


def test_standard_output_that_is_appended_to_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("keep\n")
    line = f"probfs rank {SAMPLES}/commute.csv --quiet --format csv --output /dev/stdout >> {path}"
    assert run_shell_line(line).returncode == 0
    assert path.read_text().startswith("keep\nrank,feature")


def test_an_output_that_is_standard_input_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes((SAMPLES / "commute.csv").read_bytes())
    assert run_shell_line(f"probfs rank - --output {path} < {path}").returncode == 2
    assert path.read_bytes() == (SAMPLES / "commute.csv").read_bytes()


@pytest.mark.parametrize("delay", [False, True])
def test_a_format_is_recognised_however_a_pipe_brings_it(delay: bool) -> None:
    arff = (SAMPLES / "breast_cancer.arff").read_bytes()
    arff = b"% " + b"c" * 60_000 + b"\n" + arff
    command = [sys.executable, "-m", "probfs", "rank", "-", "--quiet", "--top", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        if delay:
            process.stdin.write(arff[:1])
            process.stdin.flush()
            time.sleep(0.5)
        shown, _ = process.communicate(arff[1:] if delay else arff)
    assert process.returncode == 0
    assert shown.startswith(b"rank,feature")


def test_nobody_to_tell_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    tell("nobody hears this")


def test_a_closed_standard_output_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert not stdout_is_terminal()
    with pytest.raises(OutputError, match=r"^standard output is closed$"):
        print_bytes(b"lost")
