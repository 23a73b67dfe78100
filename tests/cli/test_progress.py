"""Notes and progress on standard error, loops that are compiled on first use, and Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from probfs.classifiers import compiling
from probfs.classifiers.naive_bayes import classifier
from probfs.classifiers.naive_bayes.rows import CompiledRows
from probfs.cli.streams import Reporter, reporting
from probfs.notes import NoteKind
from probfs.runtime.progress import COMPILING, Progress, report
from probfs.text import shown_bytes
from tests.support import ROOT
from tests.support.commands import COMMUTE, PATIENCE, Run, run_in_terminal

Capture = pytest.CaptureFixture[str]
ANNOUNCEMENT = "probfs: compiling loops for this machine, once (a few seconds)"


@pytest.mark.parametrize(
    ("quiet", "said"),
    [(0, "probfs: a\\x1b[31mb\\nc\nprobfs: warning: leaks\n"), (1, "probfs: warning: leaks\n"), (2, ""), (3, "")],
)
def test_notes_are_lines_that_steer_nothing_and_quiet_hides_them(capsys: Capture, quiet: int, said: str) -> None:
    with reporting({"quiet": quiet, "progress": bool(quiet)}) as reporter:
        reporter.note(NoteKind.CUT.note("a\x1b[31mb\nc"))
        reporter.note(NoteKind.LEAKAGE.note("leaks"))
        report("reading", 1, 2, "bytes")
    assert capsys.readouterr() == ("", said)


def test_off_a_terminal_there_is_no_progress_unless_it_is_asked_for(capsys: Capture) -> None:
    with reporting({}):
        report("reading", 1, 2, "bytes")
    assert capsys.readouterr().err == ""
    with reporting({"progress": True}) as reporter:
        reporter.note(NoteKind.CUT.note("beside the bar"))
    assert "probfs: beside the bar" in capsys.readouterr().err


class Bar:
    """What the reporter tells a progress bar."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, int, int | None, str]] = []
        self._tasks: list[str] = []

    def add_task(self, description: str, total: int | None, completed: int = 0, amount: str = "") -> int:
        self._tasks.append(description)
        self.seen.append((description, completed, total, amount))
        return len(self._tasks) - 1

    def remove_task(self, number: int) -> None:
        assert number == len(self._tasks) - 1

    def update(self, number: int, *, total: int | None, completed: int, amount: str) -> None:
        self.seen.append((self._tasks[number], completed, total, amount))


def test_each_stage_shows_what_it_counts_and_models_instead_of_columns() -> None:
    bar = Bar()
    reporter = Reporter(0, bar)  # type: ignore[arg-type]  # all of a bar that is used
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
    assert bar.seen == [
        ("starting", 0, None, ""),
        ("reading", 0, 3 << 20, "0 bytes/3 MB"),
        ("reading", 1 << 20, 3 << 20, "1 MB/3 MB"),
        ("encoding columns", 0, None, ""),
        ("ranking", 0, 3, "0/3 columns"),
        ("ranking", 1, 9, "1/9 models"),
        ("ranking", 7, 9, "7/9 models"),
        ("figure2", 3, 4, "3/4"),
    ]


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


WITHOUT_NUMBA = """
import os, sys
from pathlib import Path

state, place = sys.argv.pop(1), Path(sys.argv.pop(1))
if state == "missing":
    sys.modules["numba"] = None
elif state == "broken":
    (place / "numba.py").write_text("raise OSError('cannot load the library\\\\nor anything')")
    sys.path.insert(0, str(place))
elif state == "disabled":
    os.environ["NUMBA_DISABLE_JIT"] = "1"
else:
    # Neither beside the code nor in the user's cache can anything be kept.
    from numba.core import caching

    for locator in caching.CacheImpl._locator_classes:
        locator.from_function = lambda *_: None

from probfs.classifiers.naive_bayes import classifier
from probfs.cli import main

classifier._CELLS_WORTH_COMPILING = 0
main()
"""
REASONS = {
    "missing": "import of numba halted; None in sys.modules",
    "broken": "cannot load the library",
    "disabled": "NUMBA_DISABLE_JIT is set",
    "no cache": "cannot cache function 'update': no locator available",
}
SELDOM = ("broken", "disabled", "no cache")


@pytest.mark.parametrize("state", ["missing", *(pytest.param(each, marks=pytest.mark.slow) for each in SELDOM)])
def test_numpy_does_the_work_without_numba_and_one_note_says_so(state: str, tmp_path: Path) -> None:
    shown, lines = run_program(WITHOUT_NUMBA, state, tmp_path, "rank", *COMMUTE)
    (told,) = [line for line in lines if "compiled loops" in line]
    assert told.startswith(f"probfs: compiled loops are not available ({REASONS[state]}")
    assert shown == run_program("from probfs.cli import main; main()", "rank", *COMMUTE)[0]


def test_an_interrupt_is_status_130_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    columns = {f"f{j:04}": [str((i * (j + 3)) % 3) for i in range(60)] for j in range(2500)}
    pd.DataFrame({**columns, "y": ["a", "b"] * 30}).to_csv(tmp_path / "wide.csv", index=False)
    (tmp_path / "r.csv").write_text("old")
    command = [sys.executable, "-m", "probfs", "rank", "wide.csv", "--output", "r.csv"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        # The first note comes once the table has been read; thousands of rounds follow.
        assert process.stderr.readline().startswith("probfs: ")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert errors.splitlines()[-1] == "probfs: interrupted"
    assert (tmp_path / "r.csv").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.csv", "wide.csv"]


@pytest.mark.parametrize("stage", ["reading", "fitting the classifier", COMPILING, "ranking"])
def test_every_stage_can_be_interrupted(
    stage: str, tmp_path: Path, run_here: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    hear = Reporter.hear

    def hear_and_interrupt(reporter: Reporter, progress: Progress) -> None:
        hear(reporter, progress)
        if progress.stage == stage:
            os.kill(os.getpid(), signal.SIGINT)

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
    assert not list(tmp_path.iterdir())


def test_an_interrupt_in_code_that_is_a_text_is_status_130_too(tmp_path: Path) -> None:
    """As there is in imports of scikit-learn: Python itself would end by the signal, as if nobody had caught it."""
    program = (
        "from probfs import cli\n\ndef run(arguments):\n    import joblib\n    try:\n"
        "        exec('raise KeyboardInterrupt')\n    except KeyboardInterrupt:\n        return 130\n\n"
        "cli.run = run\ncli.main()\n"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=PATIENCE, check=False).returncode == 130
