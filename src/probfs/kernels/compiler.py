"""From a loop as it is written in Python to machine code, by numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from numba import cfunc, types

from probfs.kernels.loops.cells import split_cells
from probfs.kernels.loops.many_classes import many_class_move, many_class_sums
from probfs.kernels.loops.numerics import CARELESS
from probfs.kernels.loops.sifting import arrange, two_class_sift
from probfs.kernels.loops.two_class import two_class_move, two_class_sums

Function = Callable[..., Any]

_ITEMS = {
    "B": types.uint8,
    "F": types.float32,
    "U": types.uint64,
    "S": types.int32,
    "I": types.int64,
    "D": types.float64,
}


def object_code(name: str, codes: str, arguments: str, symbol: str, machine: Any) -> bytes:
    """One of the loops, for codes of one type, to be found as ``symbol``; ``loader`` says what the arguments mean."""
    items = {**_ITEMS, "C": getattr(types, codes)}
    signature = types.void(
        *(
            types.CPointer(items[letter]) if letter.isupper() else items[letter.upper()]  # type: ignore[no-untyped-call]
            for letter in arguments
        )
    )
    fastmath, function = _LOOPS[name]
    compiled = cfunc(signature, fastmath=fastmath, error_model="numpy")(function)
    module = llvm.parse_assembly(compiled.inspect_llvm())
    for inner in module.functions:
        # What only the loop itself calls becomes part of it, and numba's handling of errors, of which there are none
        # here, is seen to be of no use: nothing is left that needs numba.
        if not inner.is_declaration and inner.name != compiled.native_name:
            inner.linkage = "internal"
    module.get_function(compiled.native_name).name = symbol
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


_LOOPS: dict[str, tuple[set[str], Function]] = {
    "two_class_move": (set(), two_class_move),
    "two_class_sums": (CARELESS, two_class_sums),
    "two_class_sift": (CARELESS, two_class_sift),
    "many_class_move": (set(), many_class_move),
    "many_class_sums": (CARELESS, many_class_sums),
    "arrange": (set(), arrange),
    "split_cells": (set(), split_cells),
}
