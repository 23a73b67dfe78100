"""From a loop as it is written in Python to object code, by numba."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import llvmlite.binding as llvm
from numba import cfunc, njit, types

from probfs.kernels.kernel import CODES, HELPERS, Array, Function, Kernel, Kind, Matrix

_Namespaces = dict[int, dict[str, Any]]


def compile_kernel(kernel: Kernel, code_dtype: str, symbol: str, machine: Any) -> bytes:
    """A kernel for codes of one dtype, as object code that defines ``symbol`` and needs no numba to run."""
    signature = types.void(*(_numba_type(kind, code_dtype) for kind in kernel.parameters.values()))
    function = _with_compiled_helpers(kernel.function, {})
    compiled = cfunc(signature, fastmath=set(kernel.fast_math), error_model="numpy")(function)
    module = llvm.parse_assembly(compiled.inspect_llvm())
    for inner in (*module.functions, *module.global_variables):
        # Internal functions become part of the loop, and numba's handling of errors, which loops never raise, is then
        # seen to be dead code: nothing is left that needs numba, and nothing but the loop that others can see.
        if not inner.is_declaration and inner.name != compiled.native_name:
            inner.linkage = "internal"
    module.get_function(compiled.native_name).name = symbol
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


def _numba_type(kind: Kind, code_dtype: str) -> Any:
    item = getattr(types, code_dtype if kind.dtype == CODES else kind.dtype)
    if isinstance(kind, Array | Matrix):
        return types.CPointer(item)  # type: ignore[no-untyped-call]  # numba has few types
    return item


def _with_compiled_helpers(function: Function, namespaces: _Namespaces) -> Function:
    """The function with its helpers compiled: a copy that looks names up in a copy of its module.

    ``namespaces`` has the modules copied so far. The modules themselves stay plain Python.
    """
    module = function.__globals__
    namespace = namespaces.get(id(module))
    if namespace is None:
        namespace = namespaces[id(module)] = dict(module)
        for name, value in module.items():
            options = HELPERS.get(value) if isinstance(value, FunctionType) else None
            if options is not None:
                compile_helper = njit(
                    fastmath=set(options.fast_math),
                    error_model="numpy",
                    inline="always" if options.inline else "never",
                )
                namespace[name] = compile_helper(_with_compiled_helpers(value, namespaces))
    return FunctionType(function.__code__, namespace, function.__name__, function.__defaults__)
