"""Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd

from tests.support.commands import PATIENCE


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
