"""Machine code of the ``loops``: made once, kept, and loaded without numba, which takes long to import.

It is kept where the package is, as Python keeps its own, or else in the user's cache; where neither can be written, it
is made anew each time. A file begins with a digest of what follows, so that a broken one is never run.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from probfs.errors import OutputError
from probfs.runtime.memory import free_memory
from probfs.runtime.output import write_whole

_TABLE = "CiiIi"
"""Codes, from one feature to the next, and how many rows; which features, and how many."""
_TWO_CLASSES = _TABLE + "IDiSDDD"
"""Where features' slots begin, the tables of slots, and how many slots; where rows look, their odds and counts."""
ARGUMENTS = {
    "two_class_move": _TWO_CLASSES + "idiiD",
    "two_class_sums": _TWO_CLASSES + "iiiiSDDDD",
    "two_class_sift": "CiiIiIIFIDDDiiiDDDDFFFDDI",
    "many_class_move": _TABLE + "IDiiDDDidIDiiD",
    "many_class_sums": _TABLE + "IDiiDiIDiiiiSDDDDD",
    "arrange": _TABLE + "IIIC",
    "split_cells": "BiiiiBUIUBI",
}
"""What each loop takes: C, S, I, F, D, B and U are addresses of codes, int32, int64, float, double, uint8 and uint64;
i and d are one int64 and one double.
"""

_NEEDED_TO_COMPILE = 1 << 30

Loop = Callable[..., None]

_CTYPES: dict[str, Any] = {"i": ctypes.c_int64, "d": ctypes.c_double}


@cache
def loop(name: str, codes: str) -> Loop:
    """A loop for codes of one type; its calls let go of the interpreter. Raises OSError where there can be none."""
    symbol = f"{name}_{codes}"
    machine = _machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(_object_code(name, codes, symbol, machine)))
    engine.finalize_object()
    function = ctypes.CFUNCTYPE(None, *[_CTYPES.get(letter, ctypes.c_void_p) for letter in ARGUMENTS[name]])
    loaded: Any = function(engine.get_function_address(symbol))
    # The code is freed with its engine.
    loaded.engine = engine
    return loaded  # type: ignore[no-any-return]  # ctypes knows no more of it


@cache
def _machine() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3, jit=True
    )


def _object_code(name: str, codes: str, symbol: str, machine: Any) -> bytes:
    file_name = f"{symbol}.{_fingerprint()}.o"
    folders = list(_folders())
    for folder in folders:
        with contextlib.suppress(OSError):
            digest, code = _split((folder / file_name).read_bytes())
            if digest == hashlib.sha256(code).digest():
                return code
    free = free_memory()
    if free is not None and free < _NEEDED_TO_COMPILE:
        # Not only would it fail: libraries that numba brings along try again and again.
        raise OSError("too little memory to compile in")
    from probfs.kernels import compiler

    code = compiler.object_code(name, codes, ARGUMENTS[name], symbol, machine)
    for folder in folders:
        with contextlib.suppress(OSError, OutputError):
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(folder / file_name, hashlib.sha256(code).digest() + code)
            break
    return code


def _split(content: bytes) -> tuple[bytes, bytes]:
    size = hashlib.sha256().digest_size
    return content[:size], content[size:]


def _folders() -> Iterator[Path]:
    """Where machine code is kept."""
    yield Path(__file__).parent / "__pycache__"
    with contextlib.suppress(RuntimeError):
        yield _user_cache() / "probfs"


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


@cache
def _fingerprint() -> str:
    """Of all that the machine code depends on: the loops, who compiles them, and the processor."""
    parts = (
        *(file.read_bytes() for file in sorted(Path(__file__).parent.rglob("*.py"))),
        llvmlite.__version__.encode(),
        llvm.get_host_cpu_name().encode(),
        llvm.get_host_cpu_features().flatten().encode(),
    )
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def address(array: np.ndarray[Any, Any]) -> int:
    """Where an array's items begin; they must stand without gaps."""
    assert array.flags.c_contiguous
    # As array.ctypes.data, in a third of the time.
    place: int = array.__array_interface__["data"][0]
    return place
