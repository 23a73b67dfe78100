"""Ctrl-C."""

from __future__ import annotations

import os
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
from probfs.cli.reporter import Reporter
from probfs.runtime.progress import COMPILING, Progress
from tests.support.commands import COMMUTE, PATIENCE, Run


def test_an_interrupt_is_status_130_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    pd.DataFrame(
        {**{f"f{j:04}": [str((i * (j + 3)) % 3) for i in range(60)] for j in range(2500)}, "y": ["a", "b"] * 30}
    ).to_csv(tmp_path / "wide.csv", index=False)
    (tmp_path / "r.csv").write_text("old")
    command = [sys.executable, "-m", "probfs", "rank", "wide.csv", "--output", "r.csv"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        # The first note comes once the table has been read; thousands of rounds follow.
        first_note = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert first_note.startswith("probfs: ")
    assert "Traceback" not in errors
    assert errors.splitlines()[-1] == "probfs: interrupted"
    assert (tmp_path / "r.csv").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.csv", "wide.csv"]


@pytest.mark.parametrize("progress", ["--progress", "--no-progress"])
@pytest.mark.parametrize(
    "stage", ["reading", "preparing columns", "encoding columns", "fitting the classifier", COMPILING, "ranking"]
)
def test_every_stage_can_be_interrupted(
    stage: str, progress: str, tmp_path: Path, run_here: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    hear = Reporter.hear

    def hear_and_interrupt(reporter: Reporter, progress: Progress) -> None:
        hear(reporter, progress)
        heard.append(progress.stage)
        if progress.stage == stage:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Reporter, "hear", hear_and_interrupt)
    # Loops are wanted for any table, and none were kept.
    monkeypatch.setattr(classifier, "_CELLS_WORTH_COMPILING", 0)
    if stage == COMPILING:
        monkeypatch.setattr(compiling, "_SECONDS_OF_LOADING", 0.0)
        monkeypatch.setattr(CompiledRows, "compile", lambda rows: time.sleep(0.2))
    result = run_here("rank", *COMMUTE, progress, "--output", "r.csv")
    assert (result.returncode, result.stdout) == (130, "")
    assert result.stderr.endswith("probfs: interrupted\n")
    assert "Traceback" not in result.stderr
    assert heard[-1] == stage
    assert not list(tmp_path.iterdir())


INTERRUPTED_IMPORT = """
from probfs import cli

def run(arguments):
    import joblib
    try:
        exec("raise KeyboardInterrupt")
    except KeyboardInterrupt:
        return 130

cli.run = run
cli.main()
"""


def test_an_interrupt_in_code_that_is_a_text_is_status_130_too(tmp_path: Path) -> None:
    """As there is in imports of scikit-learn: Python itself would end by the signal, as if nobody had caught it."""
    (tmp_path / "interrupted.py").write_text(INTERRUPTED_IMPORT)
    command = [sys.executable, "-m", "interrupted"]
    assert subprocess.run(command, cwd=tmp_path, timeout=PATIENCE, check=False).returncode == 130
