"""Fixtures that tests of all packages share: running the command, and writing small files."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from hypothesis import settings

from probfs.cli import run as run_command
from probfs.output import writers
from tests.support import ROOT as ROOT
from tests.support import SAMPLES as SAMPLES
from tests.support.commands import Run as Run
from tests.support.commands import is_document, run_process, validate
from tests.support.tables import Write

# A shell starts background commands with Ctrl-C ignored, and what they start ignores it too.
signal.signal(signal.SIGINT, signal.default_int_handler)
settings.register_profile("probfs", deadline=None, max_examples=40)
settings.register_profile("thorough", deadline=None, max_examples=400)
settings.load_profile("probfs")


@pytest.fixture(scope="session", autouse=True)
def _documents_follow_their_schemas() -> Iterator[None]:
    """Hold every JSON document that a test makes against its schema; `run_process` does so for other processes."""

    def checked(content: Any, **options: Any) -> str:
        if "indent" in options and is_document(content):
            try:
                validate(content)
            except AssertionError as error:
                # Unlike an exception, nothing between here and the test can take it for a mistake of the user's.
                pytest.fail(str(error))
        return json.dumps(content, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writers, "json", SimpleNamespace(dumps=checked))
        yield


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run `probfs` as a process of its own, in the test's folder unless `cwd` names another."""
    return partial(run_process, cwd=tmp_path)


@pytest.fixture
def run_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `probfs` within this process, in the test's folder: a second faster than `run`, for what both show."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def runner(*arguments: object) -> subprocess.CompletedProcess[str]:
        words = [str(argument) for argument in arguments]
        capsys.readouterr()
        status = run_command(words)
        shown = capsys.readouterr()
        return subprocess.CompletedProcess(words, status, shown.out, shown.err)

    return runner


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test's folder, in which it also runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a small file and give its path."""

    def writer(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return writer


@pytest.fixture
def frame() -> pd.DataFrame:
    """Eight rows of two classes: a column that tells, one that does not, and a count."""
    return pd.DataFrame({"a": list("xxyyxxyx"), "b": list("uvuvuvuv"), "n": [1] * 8, "y": list("00110011")})
