"""Object files: which symbols they define and which they expect from elsewhere.

LLVM ends the whole process when it loads code that calls a function nobody has. So symbols are looked at first, both
before object code is kept and before it is loaded.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

ALLOWED_SYMBOLS = frozenset({"memcpy", "memmove", "memset", "bzero", "log", "log1p"})
"""Functions of the C library and its mathematics, which LLVM finds in every process that runs Python."""

_ELF_SYMBOL_TABLE = 2
_MACH_O_SYMBOL_TABLE = 2
_MACH_O_EXTERNAL, _MACH_O_DEBUG, _MACH_O_KIND = 0x01, 0xE0, 0x0E


class Symbol(NamedTuple):
    name: str
    is_defined: bool


def check_symbols(code: bytes, wanted: str) -> None:
    """Refuse object code that does not define ``wanted``, or needs more than the C library."""
    symbols = list(read_symbols(code))
    if wanted not in {symbol.name for symbol in symbols if symbol.is_defined}:
        raise ValueError(f"the object code does not define {wanted}")
    undefined = {symbol.name for symbol in symbols if not symbol.is_defined} - ALLOWED_SYMBOLS
    if undefined:
        raise ValueError(f"the object code needs {', '.join(sorted(undefined))}")


def read_symbols(code: bytes) -> Iterator[Symbol]:
    """The global symbols of a 64-bit little-endian ELF or Mach-O object file, as C spells them."""
    try:
        if code[:6] == b"\x7fELF\x02\x01":
            yield from _elf_symbols(code)
        elif code[:4] == b"\xcf\xfa\xed\xfe":
            yield from _mach_o_symbols(code)
        else:
            raise ValueError("the object code has an unknown format")
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise ValueError("the object code is malformed") from error


def _elf_symbols(code: bytes) -> Iterator[Symbol]:
    (sections_at,) = struct.unpack_from("<Q", code, 0x28)
    section_size, section_count = struct.unpack_from("<HH", code, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", code, sections_at + i * section_size) for i in range(section_count)]
    for _, section_type, _, _, offset, size, names_section, local_symbols, _, entry_size in headers:
        if section_type != _ELF_SYMBOL_TABLE:
            continue
        names_at = headers[names_section][4]
        # Local symbols come first, and are nobody else's business.
        for entry in range(local_symbols, size // entry_size):
            name_at, _, _, section = struct.unpack_from("<IBBH", code, offset + entry * entry_size)
            yield Symbol(_text_at(code, names_at + name_at), section != 0)


def _mach_o_symbols(code: bytes) -> Iterator[Symbol]:
    (command_count,) = struct.unpack_from("<I", code, 16)
    at = 32
    for _ in range(command_count):
        command, command_size = struct.unpack_from("<II", code, at)
        if command == _MACH_O_SYMBOL_TABLE:
            symbols_at, symbol_count, names_at, _ = struct.unpack_from("<IIII", code, at + 8)
            for number in range(symbol_count):
                name_at, kind, _, _, _ = struct.unpack_from("<IBBHQ", code, symbols_at + number * 16)
                if kind & _MACH_O_EXTERNAL and not kind & _MACH_O_DEBUG:
                    # Mach-O puts an underscore before every name of C; Apple's bzero has two more.
                    name = _text_at(code, names_at + name_at).removeprefix("_")
                    yield Symbol(name.removeprefix("__"), bool(kind & _MACH_O_KIND))
        at += command_size


def _text_at(code: bytes, start: int) -> str:
    end = code.find(b"\0", start)
    if end < 0:
        raise IndexError
    return code[start:end].decode()
