"""The first time that loops are needed on a machine: said before they are compiled, and only where notes go."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.support.commands import COMMUTE, PATIENCE, run_in_terminal
from tests.support.paths import ROOT

FIRST_USE = """
import sys
from types import ModuleType

from probfs.classifiers.naive_bayes import classifier
from probfs.cli import main
from probfs.kernels import loader

def compile_kernel(*arguments):
    raise RuntimeError("tried to compile")

compiler = ModuleType("probfs.kernels.compiler")
compiler.compile_kernel = compile_kernel
sys.modules[compiler.__name__] = compiler
# Loops are wanted for any table, and none were kept.
classifier._CELLS_WORTH_COMPILING = 0
loader.cache_folders = lambda: []
main()
"""
"""The command where every loop has to be compiled, which fails at once instead of taking seconds."""
ANNOUNCEMENT = "probfs: compiling loops for this machine, once (a few seconds)"
OUTCOME = "probfs: compiled loops are not available (tried to compile), so this took longer"


def rank_first(*arguments: object) -> tuple[str, list[str]]:
    """Standard output, and the lines of standard error."""
    command = [sys.executable, "-c", FIRST_USE, "rank", *map(str, (*COMMUTE, *arguments))]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE, check=True)
    return result.stdout, result.stderr.splitlines()


def test_a_line_on_standard_error_says_so_before_and_once() -> None:
    shown, told = rank_first()
    assert shown.startswith("rank,feature,")
    assert told.count(ANNOUNCEMENT) == 1
    assert told.index(ANNOUNCEMENT) < told.index(OUTCOME)
    assert rank_first("--quiet") == (shown, [])


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
        OUTCOME,
        "6 features, 204 labelled",
    )
    assert re.search(".*".join(map(re.escape, seen)), shown, re.DOTALL), shown
