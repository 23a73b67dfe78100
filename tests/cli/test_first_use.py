"""The first time that loops are needed on a machine: said while they are compiled; and where they cannot be had."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import COMMUTE, PATIENCE, run_in_terminal
from tests.support.paths import ROOT

FIRST_USE = """
import os, sys, time
from probfs.classifiers import compiling
from probfs.classifiers.naive_bayes import classifier
from probfs.cli import main

# Loops are wanted for any table, and take long.
classifier._CELLS_WORTH_COMPILING = 0
compiling._SECONDS_OF_LOADING = 0.0
rows = __import__("probfs.classifiers.naive_bayes.rows", fromlist=["CompiledRows"]).CompiledRows
compile_rows = rows.compile
rows.compile = lambda self: (time.sleep(0.3), compile_rows(self))
main()
"""
ANNOUNCEMENT = "probfs: compiling loops for this machine, once (a few seconds)"


def rank(program: str, *arguments: object) -> tuple[str, list[str]]:
    """Standard output, and the lines of standard error."""
    command = [sys.executable, "-c", program, "rank", *map(str, (*COMMUTE, *arguments))]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE, check=True)
    return result.stdout, result.stderr.splitlines()


def test_a_line_on_standard_error_says_so_once() -> None:
    shown, told = rank(FIRST_USE)
    assert shown.startswith("rank,feature,")
    assert told.count(ANNOUNCEMENT) == 1
    assert rank(FIRST_USE, "--quiet") == (shown, [])


def test_on_a_terminal_every_stage_is_seen() -> None:
    shown = run_in_terminal("rank", *COMMUTE, program=("-c", FIRST_USE))
    size = COMMUTE[0].stat().st_size / 1024
    seen = (
        "reading",
        f"0.0/{size:.1f} KB",
        "preparing columns",
        "encoding columns",
        "fitting the classifier",
        ANNOUNCEMENT,
        "compiling loops",
        "0/6 features",
        "6 columns, 204 labelled",
    )
    assert re.search(".*".join(map(re.escape, seen)), shown, re.DOTALL), shown


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

    def none(*_):
        return None

    for locator in caching.CacheImpl._locator_classes:
        locator.from_function = none

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


@pytest.mark.parametrize("state", REASONS)
def test_numpy_does_the_work_without_numba_and_one_note_says_so(state: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT_NUMBA, state, str(tmp_path), "rank", *map(str, COMMUTE)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE, check=True)
    told = [line for line in result.stderr.splitlines() if "compiled loops" in line]
    assert len(told) == 1
    assert told[0].startswith(f"probfs: compiled loops are not available ({REASONS[state]}")
    assert told[0].endswith("), so this took longer")
    assert result.stdout == rank("from probfs.cli import main; main()")[0]
