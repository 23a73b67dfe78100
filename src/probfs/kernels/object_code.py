"""Object files: whether LLVM can be given one.

LLVM trusts an object file: from a damaged one it reads beyond the end of the memory, and it ends the whole process when
code calls a function that nobody has. So every file is checked first, both before it is kept and before it is loaded:
its format, its processor, that all of its parts lie within it, and its symbols.
"""

from __future__ import annotations

from collections.abc import Iterator

from probfs.kernels import elf, mach_o
from probfs.kernels.object_parts import Symbol

ALLOWED_SYMBOLS = frozenset({"memcpy", "memmove", "memset", "bzero", "log", "log1p"})
"""Functions of the C library and its mathematics, which LLVM finds in every process that runs Python."""


def check_object_code(code: bytes, wanted: str, triple: str) -> None:
    """Refuse object code that is damaged or for other machines than LLVM's ``triple``, that defines anything but the
    function ``wanted``, or that needs more than the C library.
    """
    symbols = list(read_symbols(code, triple))
    if [symbol for symbol in symbols if symbol.name == wanted] != [Symbol(wanted, is_defined=True, is_code=True)]:
        raise ValueError(f"the object code does not define {wanted}")
    others = {symbol.name for symbol in symbols if symbol.is_defined} - {wanted}
    if others:
        raise ValueError(f"the object code also defines {', '.join(sorted(others))}")
    undefined = {symbol.name for symbol in symbols if not symbol.is_defined} - ALLOWED_SYMBOLS
    if undefined:
        raise ValueError(f"the object code needs {', '.join(sorted(undefined))}")


def read_symbols(code: bytes, triple: str) -> Iterator[Symbol]:
    """The global symbols of a well-formed object file for the machines of a triple, as C spells them."""
    processor, *system = triple.split("-")
    if "apple" in system:
        if code.startswith(mach_o.MAGIC) and processor in mach_o.MACHINES:
            return mach_o.read_mach_o_symbols(code, mach_o.MACHINES[processor])
    elif code.startswith(elf.MAGIC) and processor in elf.MACHINES:
        return elf.read_elf_symbols(code, elf.MACHINES[processor])
    raise ValueError("the object code has an unknown format")
