"""Machine code that is made once and kept: by whom, where, and what happens when it is broken."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from probfs.classifiers.naive_bayes.classifier import NaiveBayes
from probfs.kernels import loader
from probfs.kernels.loops.numerics import exp
from tests.test_naive_bayes import random_dataset

PROGRAM = """
import sys
from pathlib import Path
from probfs.kernels import loader
loader._folders = lambda: [Path(folder) for folder in sys.argv[1:]]
loader.loop("two_class_move", "uint8")
print("numba" in sys.modules)
"""


def compiles(*folders: Path) -> bool:
    """Whether a new process that looks there for machine code has to make it."""
    arguments = [sys.executable, "-c", PROGRAM, *map(str, folders)]
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout == "True\n"


def test_what_was_compiled_is_loaded_without_numba(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    assert compiles(folder)
    (file,) = folder.iterdir()
    assert not compiles(folder)
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert compiles(folder), "a broken file must not be run"
    assert not compiles(folder)


def test_the_next_folder_is_used_where_the_first_cannot_be_written(tmp_path: Path) -> None:
    not_a_folder = tmp_path / "file"
    not_a_folder.touch()
    assert compiles(not_a_folder / "sub"), "nowhere to keep it"
    assert compiles(not_a_folder / "sub", tmp_path / "user")
    assert not compiles(not_a_folder / "sub", tmp_path / "user")


def test_the_users_folder_is_named_by_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if sys.platform == "linux":
        assert list(loader._folders())[-1] == tmp_path / "probfs"


def test_exp_is_as_good_as_the_librarys() -> None:
    numbers = -np.concatenate([np.random.default_rng(0).random(2_000) * 708, 10.0 ** -np.arange(0, 20.0), [0.0]])
    found = np.array([exp(x) for x in numbers])
    assert found == pytest.approx(np.exp(numbers), rel=5e-16, abs=0)
    assert exp(-709.0) == exp(-np.inf) == 0.0


@pytest.mark.parametrize("values", [300, 70_000])
def test_columns_of_many_values_have_loops_or_numpy(values: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = random_dataset(400, 3, values, 2, seed=0)
    plain = NaiveBayes(dataset, "loo", 0, 1.0, 0).score()
    monkeypatch.setattr("probfs.classifiers.naive_bayes.classifier.WORTH_COMPILING", 0)
    found = NaiveBayes(dataset, "loo", 0, 1.0, 0).score()
    assert found.s_s.to_floats() == pytest.approx(plain.s_s.to_floats(), rel=1e-12)
