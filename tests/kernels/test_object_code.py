"""Symbols of object files, for each format that there is a reader for."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest

from probfs.kernels.object_code import Symbol, check_symbols, read_symbols

ASSEMBLY = """
declare double @log(double)
declare double @{other}(double)
define internal double @hidden(double %x) noinline {{
  %y = call double @{other}(double %x)
  ret double %y
}}
define double @wanted(double %x) {{
  %y = call double @log(double %x)
  %z = call double @hidden(double %y)
  ret double %z
}}
"""


def object_code(other: str, triple: str) -> bytes:
    """A function that calls ``log`` and, through a local function, another one."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(triple).create_target_machine()
    code: bytes = machine.emit_object(llvm.parse_assembly(ASSEMBLY.format(other=other)))
    return code


FORMATS = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-apple-macosx11", "arm64-apple-macosx11"]


@pytest.mark.parametrize("triple", FORMATS)
def test_global_symbols_are_read_without_local_ones(triple: str) -> None:
    symbols = set(read_symbols(object_code("log1p", triple)))
    assert symbols == {Symbol("wanted", True), Symbol("log", False), Symbol("log1p", False)}


@pytest.mark.parametrize("triple", FORMATS)
def test_code_may_need_the_c_library_only(triple: str) -> None:
    code = object_code("log1p", triple)
    check_symbols(code, "wanted")
    with pytest.raises(ValueError, match="does not define other"):
        check_symbols(code, "other")
    with pytest.raises(ValueError, match="does not define log"):
        check_symbols(code, "log")
    with pytest.raises(ValueError, match="needs NRT_decref"):
        check_symbols(object_code("NRT_decref", triple), "wanted")


@pytest.mark.parametrize("triple", [FORMATS[0], FORMATS[2]])
def test_damaged_code_is_refused(triple: str) -> None:
    code = object_code("log1p", triple)
    for size in [*range(0, len(code), 7), len(code) - 1]:
        try:
            check_symbols(code[:size], "wanted")
        except ValueError:
            continue
        # What is cut off is not part of any symbol.
        assert size > len(code) / 2


def test_other_formats_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown format"):
        check_symbols(object_code("log1p", "x86_64-pc-windows-msvc"), "wanted")
    with pytest.raises(ValueError, match="unknown format"):
        check_symbols(b"", "wanted")
