"""Kernels are compiled once and then loaded, without numba; whatever goes wrong, numpy does the work."""

from __future__ import annotations

import os
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm
import pytest

from probfs.kernels import compiler, loader
from probfs.kernels.cache import CacheFolder
from probfs.kernels.kernel import Kernel
from probfs.kernels.loops.sieve_scan import gather_cells
from probfs.kernels.object_code import check_object_code
from probfs.kernels.unavailable import KernelUnavailable
from probfs.runtime.progress import COMPILING, Progress, listening
from tests.support.datasets import random_dataset
from tests.support.eliminations import assert_same_rounds, eliminate_all
from tests.support.kernels import every_kernel, every_variant, run_python


class Compilations:
    """Counts what is compiled while object code is kept in some folders."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self._compile = compiler.compile_kernel
        self.count = 0
        monkeypatch.setattr(compiler, "compile_kernel", self._count)

    def _count(self, *arguments: object) -> bytes:
        self.count += 1
        return self._compile(*arguments)  # type: ignore[arg-type]

    def keep_in(self, *folders: Path) -> None:
        """The last of the folders is the user's own."""
        self._monkeypatch.setattr(
            loader, "cache_folders", lambda: [CacheFolder(folder, folders[-1]) for folder in folders]
        )

    def of_loading(self, code_dtype: str = "uint8") -> int:
        """How many kernels have to be compiled to load one, the quickest to compile, as in a new process."""
        before = self.count
        loader.load_kernel(gather_cells, code_dtype)
        return self.count - before


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Compilations:
    counted = Compilations(monkeypatch)
    counted.keep_in(tmp_path / "probfs" / "kernels")
    return counted


@pytest.fixture
def unloaded_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels as in a process that has not loaded any."""
    for kernel in every_kernel():
        monkeypatch.setattr(kernel, "_loaded", {})


def test_compiling_is_reported_before_it_begins_and_only_then(compilations: Compilations) -> None:
    compiled_before: list[int] = []

    def hear(progress: Progress) -> None:
        assert progress == Progress(COMPILING)
        compiled_before.append(compilations.count)

    with listening(hear):
        assert compilations.of_loading() == 1
        assert compilations.of_loading() == 0
    assert compiled_before == [0]


def test_a_kernel_is_compiled_once_for_each_dtype_of_codes(compilations: Compilations) -> None:
    assert compilations.of_loading("uint8") == 1
    assert compilations.of_loading("uint16") == 1
    assert compilations.of_loading("uint8") == 0
    assert compilations.of_loading("uint16") == 0


def test_a_damaged_file_is_compiled_anew(compilations: Compilations, tmp_path: Path) -> None:
    assert compilations.of_loading() == 1
    (file,) = (tmp_path / "probfs" / "kernels").glob("*.o")
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert compilations.of_loading() == 1
    assert compilations.of_loading() == 0


def test_a_file_of_other_symbols_is_compiled_anew(compilations: Compilations, tmp_path: Path) -> None:
    """Its seal is right, but LLVM would end the process."""
    own = tmp_path / "probfs" / "kernels"
    folder = CacheFolder(own, own)
    compilations.of_loading("uint16")
    (other,) = own.glob("*.o")
    code = folder.read(other.name)
    assert code is not None
    assert folder.write(f"gather_cells_uint8.{loader._fingerprint()}.o", code)
    assert compilations.of_loading("uint8") == 1
    assert compilations.of_loading("uint8") == 0


def test_code_of_earlier_versions_is_removed_when_new_code_is_kept(compilations: Compilations, tmp_path: Path) -> None:
    old = tmp_path / "probfs" / "kernels" / "gather_cells_uint8.0123456789abcdef.o"
    assert compilations.of_loading("uint16") == 1
    old.touch()
    os.utime(old, (0, 0))
    assert compilations.of_loading("uint16") == 0
    assert old.exists(), "nothing new was kept"
    assert compilations.of_loading("uint8") == 1
    assert not old.exists()


def test_a_folder_that_others_can_write_to_is_passed_over(compilations: Compilations, tmp_path: Path) -> None:
    first, second = tmp_path / "probfs" / "kernels", tmp_path / "other" / "kernels"
    compilations.keep_in(first, second)
    assert compilations.of_loading() == 1
    assert list(first.glob("*.o"))
    first.chmod(0o777)
    assert compilations.of_loading() == 1, "what is in the first folder is not trusted"
    assert compilations.of_loading() == 0, "but what is in the second is"


def test_the_next_folder_is_used_where_the_first_cannot_be_written(compilations: Compilations, tmp_path: Path) -> None:
    not_a_folder = tmp_path / "file"
    not_a_folder.touch()
    compilations.keep_in(not_a_folder / "kernels")
    assert (compilations.of_loading(), compilations.of_loading()) == (1, 1), "nowhere to keep it"
    compilations.keep_in(not_a_folder / "kernels", tmp_path / "user" / "kernels")
    assert (compilations.of_loading(), compilations.of_loading()) == (1, 0)


@pytest.mark.parametrize("changed", ["_numba_version", "llvmlite"])
def test_another_compiler_compiles_anew(
    changed: str, compilations: Compilations, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert compilations.of_loading() == 1
    loader._fingerprint.cache_clear()
    if changed == "llvmlite":
        monkeypatch.setattr(llvmlite, "__version__", "0.0.0")
    else:
        monkeypatch.setattr(loader, changed, lambda: b"0.0.0")
    try:
        assert compilations.of_loading() == 1
    finally:
        loader._fingerprint.cache_clear()


def test_the_version_of_numba_is_read_from_its_file() -> None:
    import numba

    assert numba.__version__.encode() in loader._numba_version()


@pytest.mark.parametrize(("value", "is_disabled"), [("1", True), ("2", True), ("0", False), ("", False), ("x", False)])
def test_numba_can_be_disabled_also_where_loops_are_compiled(
    value: str, is_disabled: bool, compilations: Compilations, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As numba itself reads its variable."""
    compilations.of_loading()
    monkeypatch.setenv("NUMBA_DISABLE_JIT", value)
    monkeypatch.setattr(gather_cells, "_loaded", {})
    if is_disabled:
        with pytest.raises(KernelUnavailable, match="gather_cells: NUMBA_DISABLE_JIT is set"):
            gather_cells.load()
    else:
        gather_cells.load()


@pytest.mark.usefixtures("unloaded_kernels")
@pytest.mark.parametrize("failure", ["compiler", "symbols", "memory", "disabled"])
def test_where_kernels_fail_numpy_does_the_work(
    failure: str, compilations: Compilations, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object) -> bytes:
        raise SystemError("numba is broken")

    if failure == "compiler":
        monkeypatch.setattr(compiler, "compile_kernel", fail)
    elif failure == "symbols":
        # As if numba left a call to its own runtime in the code.
        monkeypatch.setattr("probfs.kernels.object_code.ALLOWED_SYMBOLS", frozenset())
    elif failure == "disabled":
        monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    else:
        monkeypatch.setattr(loader, "free_memory", lambda: 1 << 20)
    dataset = random_dataset(200, 6, 3, 2, seed=0)
    with pytest.raises(KernelUnavailable):
        gather_cells.load()
    compiled = eliminate_all(dataset, "loo", compiled=True)
    assert_same_rounds(compiled, eliminate_all(dataset, "loo", compiled=False), exactly=True)
    assert not any(file.name.startswith("gather") for file in tmp_path.rglob("*.o")), "nothing untrustworthy is kept"


@pytest.mark.parametrize(("kernel", "code_dtype"), every_variant(), ids=lambda value: getattr(value, "name", value))
def test_the_object_code_of_every_kernel_needs_the_c_library_only(kernel: Kernel, code_dtype: str) -> None:
    kernel.load(code_dtype)
    symbol = f"{kernel.name}_{code_dtype}" if kernel.has_codes else kernel.name
    check_object_code(loader._object_code(kernel, code_dtype, symbol), symbol, llvm.get_process_triple())


WITHOUT_NUMBA = """
import sys
from importlib.abc import MetaPathFinder

class NoNumba(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] == "numba":
            raise ImportError("numba is not to be imported")

sys.meta_path.insert(0, NoNumba())

import numpy as np
from probfs.classifiers.naive_bayes.sieve import Sieve
from probfs.kernels.kernel import BoundKernel
from probfs.classifiers.tempered_sums import compile_sums, sum_losses
from probfs.tables.readers.cell_splitter import _split_block
from tests.support.datasets import random_dataset
from tests.support.eliminations import assert_same_rounds, eliminate_all
from tests.support.row_odds import random_odds

loops = set()
call = BoundKernel.__call__

def record(self, **varying):
    dtypes = [str(getattr(value, "dtype", "")) for value in self._kept]
    loops.add((self._name, next((dtype for dtype in dtypes if dtype in ("uint8", "uint16")), "uint8")))
    call(self, **varying)

BoundKernel.__call__ = record
for classes in (2, 3):
    for values in (4, 300):
        dataset = random_dataset(400, 10, values, classes, seed=values)
        compiled = eliminate_all(dataset, "loo", compiled=True)
        assert_same_rounds(compiled, eliminate_all(dataset, "loo", compiled=False))
split = _split_block(b"a,b\\nc,d\\n", 2, ord(","))
assert split.to_pydict() == {"0": ["a", "c"], "1": ["b", "d"]}
odds = random_odds(0, 50, 3, 1.0, 0.3, zeros=False)
np.testing.assert_allclose(compile_sums(odds, 0.01)(0.5), sum_losses(odds, 0.01, 0.5))
assert "numba" not in sys.modules
print(sorted(loops))
"""


def test_every_kernel_runs_in_a_process_that_cannot_import_numba() -> None:
    for kernel, code_dtype in every_variant():
        kernel.load(code_dtype)
    expected = sorted((kernel.name, code_dtype) for kernel, code_dtype in every_variant())
    assert run_python(WITHOUT_NUMBA) == f"{expected}\n"


def test_declaring_kernels_imports_neither_numba_nor_llvm() -> None:
    declare = "import sys; from tests.support.kernels import every_kernel; every_kernel()"
    assert run_python(f"{declare}; print({{'numba', 'llvmlite'}} & set(sys.modules))") == "set()\n"


def test_plain_python_loops_stay_plain_when_they_are_compiled() -> None:
    from probfs.kernels.loops import numerics

    gather_cells.load()
    assert type(numerics.exp).__module__ == "builtins"
