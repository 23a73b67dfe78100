"""Object files are checked before LLVM is given one: in each format that there is a reader for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import llvmlite.binding as llvm
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.kernels.object_code import check_object_code, read_symbols
from probfs.kernels.object_parts import Symbol

ASSEMBLY = """
@table = internal constant [4 x double] [double 1.0, double 2.0, double 3.0, double 4.0]
@zeros = internal global [64 x double] zeroinitializer
declare double @log(double)
declare double @{other}(double)
define internal double @hidden(double %x) noinline {{
  %y = call double @{other}(double %x)
  ret double %y
}}
define double @wanted(double %x, i64 %i) {{
  %a = getelementptr [4 x double], [4 x double]* @table, i64 0, i64 %i
  %b = load double, double* %a
  %c = getelementptr [64 x double], [64 x double]* @zeros, i64 0, i64 %i
  store double %b, double* %c
  %y = call double @log(double %b)
  %z = call double @hidden(double %y)
  ret double %z
}}
"""
LINUX = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"]
MACOS = ["x86_64-apple-macosx11", "arm64-apple-macosx11"]
FORMATS = [*LINUX, *MACOS]


@cache
def object_code(triple: str, other: str = "log1p", more: str = "") -> bytes:
    """A function that calls ``log`` and, through a local function, another one."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(triple).create_target_machine()
    code: bytes = machine.emit_object(llvm.parse_assembly(ASSEMBLY.format(other=other) + more))
    return code


@pytest.mark.parametrize("triple", FORMATS)
def test_global_symbols_are_read_without_local_ones(triple: str) -> None:
    assert sorted(read_symbols(object_code(triple), triple)) == [
        Symbol("log", is_defined=False),
        Symbol("log1p", is_defined=False),
        Symbol("wanted", is_defined=True, is_code=True),
    ]


@pytest.mark.parametrize("triple", FORMATS)
def test_code_may_need_the_c_library_only(triple: str) -> None:
    check_object_code(object_code(triple), "wanted", triple)
    with pytest.raises(ValueError, match="does not define other"):
        check_object_code(object_code(triple), "other", triple)
    with pytest.raises(ValueError, match="does not define log"):
        check_object_code(object_code(triple), "log", triple)
    for foreign in ("NRT_decref", "system"):
        with pytest.raises(ValueError, match=f"needs {foreign}"):
            check_object_code(object_code(triple, foreign), "wanted", triple)


@pytest.mark.parametrize("triple", FORMATS)
@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ("define void @second() { ret void }", "also defines second"),
        ("define void @memcpy() { ret void }", "also defines memcpy"),
        ("@shared = global i64 7", "also defines shared"),
    ],
)
def test_code_defines_what_is_wanted_and_nothing_else(triple: str, more: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        check_object_code(object_code(triple, more=more), "wanted", triple)


@pytest.mark.parametrize("triple", FORMATS)
def test_data_is_no_function(triple: str) -> None:
    """Called, it would be executed."""
    with pytest.raises(ValueError, match="does not define shared"):
        check_object_code(object_code(triple, more="@shared = global i64 7"), "shared", triple)


@pytest.mark.parametrize("triple", FORMATS)
@pytest.mark.parametrize("other", [*FORMATS, "i686-unknown-linux-gnu", "s390x-unknown-linux-gnu", "ppc64le-linux-gnu"])
def test_code_for_other_machines_is_refused(triple: str, other: str) -> None:
    if triple == other:
        return
    with pytest.raises(ValueError, match=r"for another processor|unknown format"):
        check_object_code(object_code(triple), "wanted", other)


@pytest.mark.parametrize(
    ("triple", "more"),
    [
        # LLVM runs the resolver of an indirect function when it loads it.
        (LINUX[0], "define i8* @pick() { ret i8* null }\n@chosen = ifunc void (), i8* ()* @pick"),
        (LINUX[0], "@shared = common global i64 0"),
        (LINUX[0], "@shared = weak global i64 0"),
        (LINUX[0], "@own = internal thread_local global i64 5\ndefine i64* @second() { ret i64* @own }"),
        (
            LINUX[0],
            "define internal void @first() { ret void }\n@llvm.global_ctors = appending global "
            "[1 x { i32, void ()*, i8* }] [{ i32, void ()*, i8* } { i32 65535, void ()* @first, i8* null }]",
        ),
        (MACOS[1], "@shared = common global i64 0"),
        (
            MACOS[1],
            "define internal void @first() { ret void }\n@llvm.global_ctors = appending global "
            "[1 x { i32, void ()*, i8* }] [{ i32, void ()*, i8* } { i32 65535, void ()* @first, i8* null }]",
        ),
    ],
)
def test_symbols_and_sections_that_no_loop_has_are_refused(triple: str, more: str) -> None:
    with pytest.raises(ValueError, match="malformed"):
        check_object_code(object_code(triple, more=more), "wanted", triple)


@pytest.mark.parametrize("triple", FORMATS)
def test_truncated_code_is_refused(triple: str) -> None:
    code = object_code(triple)
    for size in range(len(code)):
        try:
            check_object_code(code[:size], "wanted", triple)
        except ValueError:
            continue
        assert not any(code[size:]), "only padding may be cut off"


def set_byte(code: bytes, place: int, value: int) -> bytes:
    return code[:place] + bytes([value]) + code[place + 1 :]


@pytest.mark.parametrize("triple", FORMATS)
@given(data=st.data())
def test_whatever_is_damaged_there_is_one_exception(triple: str, data: st.DataObject) -> None:
    code = object_code(triple)
    for _ in range(data.draw(st.integers(1, 4))):
        code = set_byte(code, data.draw(st.integers(0, len(code) - 1)), data.draw(st.integers(0, 255)))
    try:
        check_object_code(code, "wanted", triple)
    except ValueError:
        return
    # What passes has all of its tables within the file.
    assert {symbol.name for symbol in read_symbols(code, triple) if symbol.is_defined} == {"wanted"}


@pytest.mark.parametrize("triple", FORMATS)
@given(content=st.binary(max_size=300), keep=st.integers(0, 200))
def test_any_bytes_are_refused(triple: str, content: bytes, keep: int) -> None:
    with pytest.raises(ValueError, match="the object code"):
        check_object_code(object_code(triple)[:keep] + content, "wanted", triple)


def test_other_formats_are_refused() -> None:
    windows = object_code("x86_64-pc-windows-msvc")
    for code, triple in ((windows, "x86_64-pc-windows-msvc"), (windows, LINUX[0]), (b"", LINUX[0]), (b"", MACOS[0])):
        with pytest.raises(ValueError, match="unknown format"):
            check_object_code(code, "wanted", triple)


ELF_DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "another class": lambda code: set_byte(code, 4, 1),
    "another byte order": lambda code: set_byte(code, 5, 2),
    "a shared library": lambda code: set_byte(code, 16, 3),
    "another processor": lambda code: set_byte(code, 18, 40),
    "sections far away": lambda code: set_byte(code, 0x2F, 0x7F),
    "many sections": lambda code: set_byte(code, 0x3D, 0x7F),
    "names that are no section": lambda code: set_byte(code, 0x3F, 0x7F),
}


@pytest.mark.parametrize("damage", ELF_DAMAGE)
@pytest.mark.parametrize("triple", LINUX)
def test_damaged_headers_of_elf_are_refused(triple: str, damage: str) -> None:
    with pytest.raises(ValueError, match="malformed"):
        check_object_code(ELF_DAMAGE[damage](object_code(triple)), "wanted", triple)


MACH_O_DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "another processor": lambda code: set_byte(code, 4, 0x12),
    "a shared library": lambda code: set_byte(code, 12, 6),
    "many commands": lambda code: set_byte(code, 17, 1),
    "long commands": lambda code: set_byte(code, 22, 0xFF),
    "an unknown command": lambda code: set_byte(code, 32, 0x7E),
    "a command without an end": lambda code: set_byte(code, 36, 0),
}


@pytest.mark.parametrize("damage", MACH_O_DAMAGE)
@pytest.mark.parametrize("triple", MACOS)
def test_damaged_headers_of_mach_o_are_refused(triple: str, damage: str) -> None:
    with pytest.raises(ValueError, match="malformed"):
        check_object_code(MACH_O_DAMAGE[damage](object_code(triple)), "wanted", triple)
