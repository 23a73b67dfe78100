"""From object code to a function that can be called, by LLVM and without numba."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from probfs.kernels.cache import cache_folders
from probfs.kernels.kernel import Array, Function, Kernel, Matrix
from probfs.kernels.object_code import check_object_code
from probfs.runtime.memory import free_memory
from probfs.runtime.progress import COMPILING, report

_MEMORY_TO_COMPILE = 1 << 30
_SCALAR_TYPES = {"int64": ctypes.c_int64, "float64": ctypes.c_double}


def load_kernel(kernel: Kernel, code_dtype: str) -> Function:
    """A kernel's machine code for codes of one dtype; its calls release the interpreter lock."""
    _require_compiled_code_is_wanted()
    symbol = f"{kernel.name}_{code_dtype}" if kernel.has_codes else kernel.name
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(_object_code(kernel, code_dtype, symbol)))
    engine.finalize_object()
    types: list[Any] = [
        ctypes.c_void_p if isinstance(kind, Array | Matrix) else _SCALAR_TYPES[kind.dtype]
        for kind in kernel.parameters.values()
    ]
    function: Any = ctypes.CFUNCTYPE(None, *types)(engine.get_function_address(symbol))
    # The machine code is freed with its engine.
    function.engine = engine
    return function  # type: ignore[no-any-return]  # ctypes knows no more of it


def _require_compiled_code_is_wanted() -> None:
    """Whoever turns numba's compiler off wants to run Python, also where the loops were compiled before."""
    with contextlib.suppress(ValueError):
        # numba, too, ignores what is not a number.
        if int(os.environ.get("NUMBA_DISABLE_JIT", "0")):
            raise RuntimeError("NUMBA_DISABLE_JIT is set")


def _target_machine() -> Any:
    """This processor; a new object each time, because an engine owns, and frees, the one that it is created with."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3, jit=True
    )


def _object_code(kernel: Kernel, code_dtype: str, symbol: str) -> bytes:
    """Object code that defines ``symbol``: kept from an earlier run, or else compiled and kept for the next."""
    file_name = f"{symbol}.{_fingerprint()}.o"
    triple = llvm.get_process_triple()
    for folder in cache_folders():
        kept = folder.read(file_name)
        if kept is not None:
            with contextlib.suppress(ValueError):
                check_object_code(kept, symbol, triple)
                return kept
    free = free_memory()
    if free is not None and free < _MEMORY_TO_COMPILE:
        # It would not only fail: libraries that numba imports would try again and again.
        raise MemoryError("too little memory to compile in")
    from probfs.kernels.compiler import compile_kernel

    report(COMPILING)
    code = compile_kernel(kernel, code_dtype, symbol, _target_machine())
    check_object_code(code, symbol, triple)
    for folder in cache_folders():
        if folder.write(file_name, code):
            folder.remove_outdated(file_name)
            break
    return code


@cache
def _fingerprint() -> str:
    """A digest of everything that object code depends on: the loops, the compiler and the processor."""
    parts = (
        *(file.read_bytes() for file in sorted(Path(__file__).parent.rglob("*.py"))),
        _numba_version(),
        llvmlite.__version__.encode(),
        llvm.get_host_cpu_name().encode(),
        llvm.get_host_cpu_features().flatten().encode(),
    )
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def _numba_version() -> bytes:
    """The file in which numba states its version: reading it takes a tenth of a millisecond, importing numba 350 of
    them, and asking importlib.metadata 12.
    """
    spec = PathFinder.find_spec("numba")
    for folder in (spec.submodule_search_locations if spec else None) or []:
        with contextlib.suppress(OSError):
            return (Path(folder) / "_version.py").read_bytes()
    return b""
