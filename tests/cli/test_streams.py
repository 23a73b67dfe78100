"""Where results, notes and progress go: files, pipes, terminals, closed streams and full disks; loops that are compiled
on first use; and Ctrl-C.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import Mock, call

import pytest

from probfs.classifiers import compiling
from probfs.classifiers.naive_bayes import classifier
from probfs.classifiers.naive_bayes.rows import CompiledRows
from probfs.cli.streams import Reporter, deliver, reporting, tell
from probfs.errors import OutputError
from probfs.notes import NoteKind
from probfs.runtime.progress import COMPILING, Progress, report
from probfs.text import shown_bytes
from tests.support import ROOT, SAMPLES
from tests.support.commands import COMMUTE, PATIENCE, Run, run_in_terminal, run_process, run_shell_line
from tests.support.results import hostile_csv
from tests.support.tables import Write

KILN = "peak_temperature,cooling_rate,soak_minutes,humidity,weight,load,shelf,clay,cracked\n"


@pytest.mark.parametrize(
    ("line", "status", "out", "error"),
    [
        ("rank t.csv -qq --format json | head -1", 0, "{\n", ""),
        ("rank --help | true", 0, "", ""),
        ("rank t.csv -qq > /dev/full", 1, "", "standard output cannot be written: no space left on device"),
        ("--help > /dev/full", 1, "", "standard output cannot be written: no space left on device"),
        ("rank t.csv -qq >&-", 1, "", "standard output is closed"),
        ("rank t.csv --exclude person --target mode 2> /dev/full | head -c 13", 0, "rank,feature,", ""),
        ("select --folds 0 t.csv -qq --plot p.png | true && head -c 4 p.png | tail -c 3", 0, "PNG", ""),
        ("sample kiln --output /dev/stdout | head -1", 0, KILN, ""),
        ("sample kiln --output /dev/fd/1 | tail -c 1", 0, "\n", ""),
        ("sample kiln --output /dev/stderr 2>&1 > /dev/null | tail -c 1", 0, "\n", ""),
        *(
            (f"{words} --output t.csv < t.csv", 2, "", "--output: t.csv is an input; name another file")
            for words in ("rank -", "rank", "suggest")
        ),
    ],
)
def test_streams_may_close_fail_or_have_names(write: Write, line: str, status: int, out: str, error: str) -> None:
    path = write("t.csv", (SAMPLES / "commute.csv").read_text())
    result = run_shell_line(f"cd {path.parent} && probfs {line}")
    assert (result.returncode, result.stdout, result.stderr) == (
        status,
        out,
        f"probfs: error: {error}\n" if error else "",
    )
    assert path.read_text() == (SAMPLES / "commute.csv").read_text()


def test_without_a_command_there_is_help(run: Run) -> None:
    result = run()
    assert (result.returncode, result.stdout) == (2, "")
    assert "inspect" in result.stderr
    assert "error" not in result.stderr


@pytest.mark.parametrize(
    "words", ["rank t.csv", "select t.csv --folds 0 --names", "map t.csv --mapping m.toml", "sample kiln"]
)
def test_a_dash_is_standard_output(run_here: Run, write: Write, tmp_path: Path, words: str) -> None:
    write("t.csv", (SAMPLES / "kiln.csv").read_text())
    write("m.toml", "[columns]\n")
    plain, dashed = run_here(*words.split()), run_here(*words.split(), "--output", "-")
    assert (dashed.returncode, dashed.stdout, dashed.stderr) == (0, plain.stdout, plain.stderr)
    assert len(plain.stdout) > 20
    assert not (tmp_path / "-").exists()


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
    picture = run_in_terminal("rank", *COMMUTE, "--format", "png")
    assert "a terminal cannot show it; name a file with --output" in picture
    # Without an input there is help.
    assert "--score" in run_in_terminal("rank")
    assert "--fail-if" in run_in_terminal("compare", "-", "a.json")


def test_hostile_names_do_not_steer_a_terminal(run_here: Run, write: Write, tmp_path: Path) -> None:
    path, document = write("t.csv", hostile_csv()), tmp_path / "r.json"
    run_here("rank", path, "-q", "-o", document)
    shown = run_in_terminal("rank", path) + run_in_terminal("compare", document, document)
    assert "\x1b[31mred" not in shown
    assert "\\x1b[31mred" in shown


# Notes and progress

Capture = pytest.CaptureFixture[str]
ANNOUNCEMENT = "probfs: compiling loops for this machine, once (a few seconds)"


def test_off_a_terminal_there_is_no_progress_unless_it_is_asked_for_or_where_quiet_is(capsys: Capture) -> None:
    each: Any = (({}, "probfs: a\\x1b[31mb\n"), ({"quiet": 1, "progress": True}, ""), ({"quiet": 3}, ""))
    for options, said in each:
        with reporting(options) as reporter:
            reporter.note(NoteKind.CUT.note("a\x1b[31mb"))
            report("reading", 1, 2, "bytes")
        assert capsys.readouterr() == ("", said)
    with reporting({"progress": True}) as reporter:
        reporter.note(NoteKind.CUT.note("beside the bar"))
    assert "probfs: beside the bar" in capsys.readouterr().err


def test_each_stage_shows_what_it_counts_and_models_instead_of_columns() -> None:
    bar = Mock()
    bar.add_task.side_effect = count()
    reporter = Reporter(0, bar)
    for progress in (
        Progress("reading", 0, 3 << 20, "bytes"),
        Progress("reading", 1 << 20, 3 << 20, "bytes"),
        Progress("encoding columns"),
        Progress("ranking", 0, 3, "columns"),
        Progress("ranking", 1, 9, "models"),
        Progress("ranking", 1, 3, "columns"),
        Progress("ranking", 7, 9, "models"),
    ):
        reporter.hear(progress)
    reporter.show(Progress("figure2", 3, 4))
    assert bar.mock_calls == [
        call.add_task("starting", total=None, amount=""),
        *(call.remove_task(0), call.add_task("reading", total=3 << 20, completed=0, amount="0 bytes/3 MB")),
        call.update(1, total=3 << 20, completed=1 << 20, amount="1 MB/3 MB"),
        *(call.remove_task(1), call.add_task("encoding columns", total=None, completed=0, amount="")),
        *(call.remove_task(2), call.add_task("ranking", total=3, completed=0, amount="0/3 columns")),
        *(call.remove_task(3), call.add_task("ranking", total=9, completed=1, amount="1/9 models")),
        call.update(4, total=9, completed=7, amount="7/9 models"),
        *(call.remove_task(4), call.add_task("figure2", total=4, completed=3, amount="3/4")),
    ]


# Loops that are compiled on first use, or cannot be

FIRST_USE = """
import time
from probfs.classifiers import compiling
from probfs.classifiers.naive_bayes import classifier, rows
from probfs.cli import main

# Loops are wanted for any table, and take long.
classifier._CELLS_WORTH_COMPILING = 0
compiling._SECONDS_OF_LOADING = 0.0
compile_rows = rows.CompiledRows.compile
rows.CompiledRows.compile = lambda self: (time.sleep(0.3), compile_rows(self))
main()
"""


def run_program(program: str, *arguments: object) -> tuple[str, list[str]]:
    """Standard output, and the lines of standard error."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE, check=True)
    return result.stdout, result.stderr.splitlines()


def test_compiling_is_announced_once_and_every_stage_is_seen_on_a_terminal() -> None:
    shown, told = run_program(FIRST_USE, "rank", *COMMUTE)
    assert shown.startswith("rank,feature,")
    assert told.count(ANNOUNCEMENT) == 1
    assert run_program(FIRST_USE, "rank", *COMMUTE, "--quiet") == (shown, [])
    seen = (
        "reading",
        f"0 bytes/{shown_bytes(COMMUTE[0].stat().st_size)}",
        "preparing columns",
        "encoding columns",
        "fitting the classifier",
        ANNOUNCEMENT,
        "compiling loops",
        "0/6 columns",
        "6 columns, 204 labelled",
    )
    terminal = run_in_terminal("rank", *COMMUTE, program=("-c", FIRST_USE))
    assert re.search(".*".join(map(re.escape, seen)), terminal, re.DOTALL), terminal


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("sys.modules['numba'] = None", "import of numba halted; None in sys.modules"),
        ("os.environ['NUMBA_DISABLE_JIT'] = '1'", "NUMBA_DISABLE_JIT is set"),
    ],
)
def test_numpy_does_the_work_without_numba_and_one_note_says_so(program: str, reason: str) -> None:
    program = f"import os, sys\n{program}\n" + FIRST_USE.partition("compiling._SECONDS")[0] + "main()"
    shown, lines = run_program(program, "rank", *COMMUTE)
    (told,) = [line for line in lines if "compiled loops" in line]
    assert told == f"probfs: compiled loops are not available ({reason}), so this took longer"
    assert shown == run_process("rank", *COMMUTE).stdout


# Ctrl-C


@pytest.mark.parametrize("stage", ["reading", "fitting the classifier", COMPILING, "ranking"])
def test_every_stage_can_be_interrupted(
    stage: str, tmp_path: Path, run_here: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    hear = Reporter.hear

    def hear_and_interrupt(reporter: Reporter, progress: Progress) -> None:
        hear(reporter, progress)
        if progress.stage == stage:
            os.kill(os.getpid(), signal.SIGINT)

    (tmp_path / "r.csv").write_text("old")
    monkeypatch.setattr(Reporter, "hear", hear_and_interrupt)
    # Loops are wanted for any table, and none were kept.
    monkeypatch.setattr(classifier, "_CELLS_WORTH_COMPILING", 0)
    if stage == COMPILING:
        monkeypatch.setattr(compiling, "_SECONDS_OF_LOADING", 0.0)
        monkeypatch.setattr(CompiledRows, "compile", lambda rows: time.sleep(0.2))
    result = run_here("rank", *COMMUTE, "--progress", "--output", "r.csv")
    assert (result.returncode, result.stdout) == (130, "")
    assert result.stderr.endswith("probfs: interrupted\n")
    assert "Traceback" not in result.stderr
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("r.csv", "old")]


WITH_SIGNALS = """
import os, signal, sys

at_first, *sent = sys.argv.pop(1).split(",")
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, getattr(signal, at_first))

from probfs.cli import main
from probfs.cli.streams import Reporter

Reporter.hear = lambda *_: [os.kill(os.getpid(), getattr(signal, name)) for name in sent]
main()
"""


@pytest.mark.parametrize(
    ("signals", "status"), [("SIG_IGN,SIGINT,SIGTERM", 0), ("SIG_DFL,SIGINT", 130), ("SIG_DFL,SIGTERM", 143)]
)
def test_signals_end_the_work_but_not_where_they_are_ignored_as_in_the_background(
    tmp_path: Path, signals: str, status: int
) -> None:
    command = [sys.executable, "-c", WITH_SIGNALS, signals, "rank", *map(str, COMMUTE), "--output", "r.csv"]
    assert subprocess.run(command, cwd=tmp_path, check=False, timeout=PATIENCE).returncode == status
    assert [path.name for path in tmp_path.iterdir()] == ([] if status else ["r.csv"])
