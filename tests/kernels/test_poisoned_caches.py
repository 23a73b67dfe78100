"""Caches of object code that somebody poisoned, or that were damaged: never executed, never a crash, the ranking right.

Every ranking here is made by a process of its own, which keeps object code beside a package and in a user's folder of
its own. What it finds there would end it at once if it were executed.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from probfs.kernels import loader
from probfs.kernels.cache import CacheFolder
from probfs.kernels.object_code import check_object_code
from tests.support.kernels import ROOT, every_kernel

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes are those of POSIX")

LOOPS = ["gather_cells", "sift_features", "sum_two_class_changes", "update_two_class_rows"]
"""What a ranking of a small table with two classes runs."""
SYMBOLS = [f"{name}_uint8" for name in LOOPS]

PREPARE = """
import os, sys
from pathlib import Path
from probfs.kernels import cache, compiler, loader

place = Path(sys.argv[1])
cache.__file__ = str(place / "package" / "kernels" / "cache.py")
cache._user_cache = lambda: place / "cache"
compiled = []

def compile_kernel(kernel, code_dtype, symbol, machine):
    # As numba would, in a thousandth of the time.
    compiled.append(symbol)
    return (place / "compiled" / symbol).read_bytes()

compiler.compile_kernel = compile_kernel
"""
RANK = f"""{PREPARE}
from tests.support.datasets import random_dataset
from tests.support.eliminations import assert_same_rounds, eliminate_all

if "foreign" in sys.argv:
    fstat = os.fstat
    os.fstat = lambda number: os.stat_result([*fstat(number)[:4], 4242, *fstat(number)[5:]])
dataset = random_dataset(200, 8, 3, 2, seed=0)
rounds = eliminate_all(dataset, "loo", compiled=True)
assert_same_rounds(rounds, eliminate_all(dataset, "loo", compiled=False))
print(*sorted(compiled))
"""


def trap(symbol: str) -> bytes:
    """A well-formed object file with another function under a kernel's name: one that ends the process."""
    machine = loader._target_machine()
    code: bytes = machine.emit_object(
        llvm.parse_assembly(
            f"declare void @llvm.trap() nounwind\n"
            f"define void @{symbol}() nounwind {{ call void @llvm.trap()\n unreachable }}"
        )
    )
    check_object_code(code, symbol, llvm.get_process_triple())
    return code


@dataclass(frozen=True)
class Machine:
    """A place with a package and a user's cache, each of which has object code for the loops."""

    place: Path

    @property
    def own(self) -> CacheFolder:
        folder = self.place / "cache" / "probfs" / "kernels"
        return CacheFolder(folder, folder)

    @property
    def beside_package(self) -> CacheFolder:
        return CacheFolder(self.place / "package" / "kernels" / "__pycache__", self.own.path, is_shared=True)

    @property
    def folders(self) -> tuple[CacheFolder, CacheFolder]:
        return self.beside_package, self.own

    def files(self) -> list[tuple[CacheFolder, str, Path]]:
        """Each kernel's folder, symbol and file."""
        return [
            (folder, symbol, folder.path / f"{symbol}.{loader._fingerprint()}.o")
            for folder in self.folders
            for symbol in SYMBOLS
        ]

    def kept(self) -> dict[str, bytes]:
        """What a process would load, by symbol, from the first folder that has it."""
        found = {symbol: folder.read(file.name) for folder, symbol, file in reversed(self.files())}
        return {symbol: code for symbol, code in found.items() if code is not None}

    def run(self, program: str, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", program, str(self.place), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)

    def compiled_for_ranking(self, *words: str) -> list[str]:
        """The symbols that are compiled anew by a process that ranks, and gets it right."""
        result = self.run(RANK, *words)
        assert result.returncode == 0, result.stderr
        return result.stdout.split()


@pytest.fixture(scope="module")
def compiled_code() -> dict[str, bytes]:
    kernels = {kernel.name: kernel for kernel in every_kernel()}
    return {
        symbol: loader._object_code(kernels[name], "uint8", symbol) for name, symbol in zip(LOOPS, SYMBOLS, strict=True)
    }


@pytest.fixture
def machine(tmp_path: Path, compiled_code: dict[str, bytes]) -> Machine:
    """Everything is kept as it should be, but what is kept are traps."""
    (tmp_path / "compiled").mkdir()
    for symbol, code in compiled_code.items():
        (tmp_path / "compiled" / symbol).write_bytes(code)
    machine = Machine(tmp_path)
    for folder, symbol, file in machine.files():
        assert folder.write(file.name, trap(symbol))
    return machine


def test_a_trap_ends_the_process_that_executes_it(machine: Machine) -> None:
    """Otherwise nothing here would show anything."""
    assert machine.run(RANK).returncode < 0


def test_what_is_kept_rightly_is_not_compiled_again(machine: Machine, compiled_code: dict[str, bytes]) -> None:
    for folder, symbol, file in machine.files():
        assert folder.write(file.name, compiled_code[symbol])
    assert machine.compiled_for_ranking() == []


def digest(name: str, code: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\0" + code).digest()


FORGERIES: dict[str, Callable[[str, bytes], bytes]] = {
    "the earlier form": lambda _, code: hashlib.sha256(code).digest() + code,
    "a plain digest": lambda name, code: 2 * digest(name, code) + code,
    "a digest of the code": lambda _, code: 2 * hashlib.sha256(code).digest() + code,
    "no seal": lambda name, code: bytes(32) + digest(name, code) + code,
    "the seal of another key": lambda name, code: (
        hmac.digest(b"k" * 32, digest(name, code), "sha256") + digest(name, code) + code
    ),
    "nothing but code": lambda _, code: code,
    "nothing": lambda _, _code: b"",
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_poisoned_file_is_not_executed(machine: Machine, forgery: str, compiled_code: dict[str, bytes]) -> None:
    for _, symbol, file in machine.files():
        file.write_bytes(FORGERIES[forgery](file.name, trap(symbol)))
    assert machine.compiled_for_ranking() == SYMBOLS
    assert machine.kept() == compiled_code, "they were replaced"


def test_the_seal_of_one_file_is_not_that_of_another(machine: Machine) -> None:
    for folder, symbol, file in machine.files():
        assert folder.write(f"{symbol}.0123456789abcdef.o", trap(symbol))
        (folder.path / f"{symbol}.0123456789abcdef.o").replace(file)
    assert machine.compiled_for_ranking() == SYMBOLS


def test_a_file_that_others_can_write_to_is_not_executed(machine: Machine) -> None:
    for _, _, file in machine.files():
        file.chmod(0o666)
    assert machine.compiled_for_ranking() == SYMBOLS


@pytest.mark.parametrize("above", [0, 1])
def test_a_folder_that_others_can_write_to_is_not_used(machine: Machine, above: int) -> None:
    for _, _, file in machine.files():
        file.parents[above].chmod(0o777)
    before = {file: file.read_bytes() for _, _, file in machine.files()}
    assert machine.compiled_for_ranking() == SYMBOLS
    assert {file: file.read_bytes() for _, _, file in machine.files()} == before, "nothing is kept there either"


def test_what_another_user_owns_is_not_executed(machine: Machine) -> None:
    assert machine.compiled_for_ranking("foreign") == SYMBOLS


def test_a_link_to_a_file_is_not_executed(machine: Machine) -> None:
    elsewhere = machine.place / "elsewhere"
    elsewhere.mkdir(0o777)
    for number, (_, _, file) in enumerate(machine.files()):
        target = elsewhere / f"{number}.o"
        file.rename(target)
        file.symlink_to(target)
    assert machine.compiled_for_ranking() == SYMBOLS


def test_a_link_to_a_folder_where_others_write_is_not_followed(machine: Machine) -> None:
    elsewhere = machine.place / "elsewhere"
    elsewhere.mkdir()
    elsewhere.chmod(0o777)
    for number, folder in enumerate(machine.folders):
        folder.path.rename(elsewhere / str(number))
        folder.path.symlink_to(elsewhere / str(number))
    assert machine.compiled_for_ranking() == SYMBOLS


@pytest.mark.parametrize("kind", ["pipe", "folder", "loop"])
def test_what_is_no_file_is_not_waited_for(machine: Machine, kind: str, compiled_code: dict[str, bytes]) -> None:
    for _, _, file in machine.files():
        file.unlink()
        if kind == "pipe":
            os.mkfifo(file, 0o600)
        elif kind == "folder":
            file.mkdir(0o700)
        else:
            file.symlink_to(file)
    assert machine.compiled_for_ranking() == SYMBOLS
    # A folder cannot be replaced: the next place is tried, which has one as well.
    assert machine.kept() == ({} if kind == "folder" else compiled_code)


LOAD = f"""{PREPARE}
import numpy as np
from probfs.kernels.loops.sieve_scan import gather_cells
from probfs.kernels.loops.sieve_bounds import ROWS_PER_CHECK

(folder,) = [own for own in cache.cache_folders() if not own.is_shared]
loader.cache_folders = lambda: [folder]
file = folder.path / f"gather_cells_uint8.{{loader._fingerprint()}}.o"
code = (place / "compiled" / "gather_cells_uint8").read_bytes()
assert folder.write(file.name, code)
sealed = file.read_bytes()
random = np.random.default_rng(0)
rows, features = ROWS_PER_CHECK, np.array([3, 0, 2])
codes = random.integers(0, 20, (4, rows)).astype(np.uint8)
order, table, widths = random.permutation(rows), random.integers(0, 4, rows), np.full(4, 20)
expected = table * 20 + codes[features][:, order]

def load_and_run():
    "Whether the loop was compiled anew, once it has done what numpy does."
    gather_cells._loaded.clear()
    before = len(compiled)
    cells = np.zeros((1, 3, ROWS_PER_CHECK), dtype=np.uint8)
    gather_cells.bind(
        codes=codes, rows=rows, features=features, count=3, widths=widths, order=order, table=table, cells=cells
    )()
    assert (cells[0] == expected).all()
    return len(compiled) > before

assert not load_and_run()
"""
TRUNCATED = f"""{LOAD}
sizes = [*range(0, len(sealed), 64), len(sealed) - 1]
for size in sizes:
    file.write_bytes(sealed[:size])
    assert load_and_run(), size
    assert file.read_bytes() == sealed, "it was replaced"
for size in range(0, len(code), 64):
    # With a seal as it should be: the parts of the file are missing nevertheless.
    assert folder.write(file.name, code[:size])
    assert load_and_run(), size
print(len(sizes) > 30)
"""
FLIPPED = f"""{LOAD}
from hypothesis import given, settings, strategies as st

bits = st.integers(0, 8 * len(sealed) - 1)

@settings(max_examples=200, deadline=None, database=None)
@given(st.sets(bits, min_size=1, max_size=8))
def flip(flipped):
    content = bytearray(sealed)
    for bit in flipped:
        content[bit // 8] ^= 1 << bit % 8
    file.write_bytes(content)
    assert load_and_run()

flip()
print(True)
"""
SEALED_DAMAGE = f"""{LOAD}
# Symbols, relocations, names and sections come after the instructions, which are not run here.
tables_at = code.index(b"gather_cells_uint8") - 300
refused = 0
for bit in random.integers(8 * tables_at, 8 * len(code), 600).tolist():
    content = bytearray(code)
    content[bit // 8] ^= 1 << bit % 8
    assert folder.write(file.name, bytes(content))
    before = len(compiled)
    loader.load_kernel(gather_cells, "uint8")
    refused += len(compiled) > before
print(refused > 100)
"""


@pytest.mark.parametrize("program", [TRUNCATED, FLIPPED, SEALED_DAMAGE], ids=["truncated", "flipped", "sealed"])
def test_damaged_files_are_not_loaded(machine: Machine, program: str) -> None:
    """Cut off at every 64th byte, with bits changed anywhere, and, as nobody but the user could, with a right seal."""
    result = machine.run(program)
    assert (result.returncode, result.stdout) == (0, "True\n"), result.stderr
