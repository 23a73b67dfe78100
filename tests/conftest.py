"""What the tests share: running the command as a user does, and small tables."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

collect_ignore = ["fuzz_with_atheris.py"]
"""It needs what is no dependency."""

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "sample_data"

settings.register_profile("probfs", deadline=None)
settings.load_profile("probfs")

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run `probfs` with arguments in a folder of its own."""

    def runner(
        *arguments: object, stdin: bytes | None = None, cwd: Path = tmp_path
    ) -> subprocess.CompletedProcess[str]:
        result = subprocess.run(
            [sys.executable, "-W", "error", "-m", "probfs", *map(str, arguments)],
            input=b"" if stdin is None else stdin,
            capture_output=True,
            cwd=cwd,
            env={**os.environ, "COLUMNS": "100"},
            timeout=120,
            check=False,
        )
        return subprocess.CompletedProcess(
            result.args, result.returncode, result.stdout.decode(), result.stderr.decode()
        )

    return runner


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Write a small file and give its path."""

    def writer(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return writer
