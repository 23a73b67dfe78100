"""ELF object files, the format of Linux: checked as a whole before LLVM, which trusts them, is given one.

Only what LLVM writes for a loop is accepted: no code that is run on loading (indirect functions, constructors), no
thread-local, weak or common symbols, and no relocation that LLVM's loader does not know, at which it ends the process.
"""

from __future__ import annotations

import struct
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from probfs.kernels.object_parts import (
    MAX_ALIGNMENT,
    MAX_EMPTY_SIZE,
    Symbol,
    name_at,
    require,
    slice_within,
    unpack_records,
)

MAGIC = b"\x7fELF"
_CLASS_64_LITTLE_ENDIAN_VERSION_1 = b"\x02\x01\x01"
_RELOCATABLE = 1

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")

_NULL, _CONTENT, _SYMBOLS, _NAMES, _RELOCATIONS, _NOTE, _EMPTY = 0, 1, 2, 3, 4, 7, 8
_X86_UNWINDING, _ADDRESS_SIGNIFICANCE = 0x70000001, 0x6FFF4C03
_SECTION_TYPES = frozenset(
    {_NULL, _CONTENT, _SYMBOLS, _NAMES, _RELOCATIONS, _NOTE, _EMPTY, _X86_UNWINDING, _ADDRESS_SIGNIFICANCE}
)
_RUN_ON_LOADING = (".ctors", ".dtors", ".init", ".fini", ".preinit")
_EXECUTABLE, _THREAD_LOCAL, _COMPRESSED = 0x4, 0x400, 0x800

_UNDEFINED, _ABSOLUTE = 0, 0xFFF1
_LOCAL, _GLOBAL = 0, 1
_UNTYPED, _FUNCTION, _OF_FILE = 0, 2, 4


class Machine(NamedTuple):
    """A processor: its number in ELF, and how many bytes each kind of relocation changes."""

    number: int
    relocation_sizes: dict[int, int]


MACHINES = {
    "x86_64": Machine(62, {1: 8, 2: 4, 4: 4, 9: 4, 10: 4, 11: 4, 24: 8, 41: 4, 42: 4}),
    "aarch64": Machine(
        183,
        {257: 8, 258: 4, 260: 8, 261: 4}
        | dict.fromkeys((*range(263, 270), *range(273, 276), *range(277, 281), *range(282, 287), 299, 311, 312), 4),
    ),
}
"""Processors that loops are compiled for on Linux, as LLVM names them."""


class _Section(NamedTuple):
    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int

    @property
    def size_in_file(self) -> int:
        return 0 if self.type in (_NULL, _EMPTY) else self.size


def read_elf_symbols(code: bytes, machine: Machine) -> Iterator[Symbol]:
    """The global symbols of a well-formed object file for this processor; ValueError where it is none."""
    sections = _read_sections(code, machine)
    tables = [section for section in sections if section.type == _SYMBOLS]
    require(len(tables) == 1, "not one table of symbols")
    (table,) = tables
    entries = unpack_records(_SYMBOL, code, table.offset, _count_entries(table, _SYMBOL), "symbols")
    require(bool(entries) and not any(entries[0]), "a table of symbols without its first entry")
    # Neither the first entry nor the name of the source file stands for an address.
    with_address = {number for number, (_, _, _, place, _, _) in enumerate(entries) if number and place != _ABSOLUTE}
    for section in sections:
        if section.type == _RELOCATIONS:
            require(sections[section.link] is table, "relocations by an unknown table of symbols")
            _check_relocations(code, sections, section, with_address, machine)
    yield from _read_table(entries, _read_names(code, sections, table.link), sections, table.info)


def _read_sections(code: bytes, machine: Machine) -> list[_Section]:
    (header,) = unpack_records(_HEADER, code, 0, 1, "the header")
    identity, file_type, number, _, _, _, offset, _, size, _, segments, section_size, count, names = header
    require(identity[:7] == MAGIC + _CLASS_64_LITTLE_ENDIAN_VERSION_1, "not 64-bit and little-endian")
    require(number == machine.number, "for another processor")
    require(file_type == _RELOCATABLE and not segments, "not relocatable")
    require((size, section_size) == (_HEADER.size, _SECTION.size), "headers of another size")
    sections = [_Section(*fields) for fields in unpack_records(_SECTION, code, offset, count, "headers of sections")]
    require(0 < names < count and sections[0].type == _NULL, "no names of sections")
    texts = _read_names(code, sections, names)
    for section in sections:
        require(not name_at(texts, section.name).startswith(_RUN_ON_LOADING), "code that is run on loading")
        require(section.type in _SECTION_TYPES, "a section of an unknown type")
        require(not section.flags & (_THREAD_LOCAL | _COMPRESSED), "a thread-local or compressed section")
        alignment = section.alignment
        require(alignment <= MAX_ALIGNMENT and not alignment & (alignment - 1), "an impossible alignment")
        slice_within(code, section.offset, section.size_in_file, "a section")
        require(section.size <= max(MAX_EMPTY_SIZE, section.size_in_file), "a section that is too large")
        require(section.link < count, "a section linked to none")
    return sections


def _read_names(code: bytes, sections: Sequence[_Section], number: int) -> bytes:
    require(number < len(sections) and sections[number].type == _NAMES, "no table of names")
    section = sections[number]
    names = slice_within(code, section.offset, section.size, "names")
    require(names[:1] == names[-1:] == b"\0", "a table of names without an end")
    return names


def _count_entries(section: _Section, layout: struct.Struct) -> int:
    count, rest = divmod(section.size, layout.size)
    require(section.entry_size == layout.size and not rest, "a table with entries of another size")
    return count


def _read_table(
    entries: Sequence[tuple[int, ...]], names: bytes, sections: Sequence[_Section], locals_end: int
) -> Iterator[Symbol]:
    """The global symbols; local ones, which come first, are only checked."""
    for number, (name_offset, kind, _, place, value, size) in enumerate(entries[1:], 1):
        binding, symbol_type = kind >> 4, kind & 0xF
        name = name_at(names, name_offset)
        require(binding == (_LOCAL if number < locals_end else _GLOBAL), "a symbol that is neither local nor global")
        require(symbol_type <= (_OF_FILE if binding == _LOCAL else _FUNCTION), "a symbol of an unknown type")
        require((place == _ABSOLUTE) == (symbol_type == _OF_FILE), "a symbol at a fixed address")
        if place == _UNDEFINED:
            require(binding == _GLOBAL and symbol_type == _UNTYPED, "a symbol that ought to be defined")
        elif place != _ABSOLUTE:
            require(place < len(sections) and value + size <= sections[place].size, "a symbol outside of its section")
        if binding == _GLOBAL:
            is_code = bool(place) and symbol_type == _FUNCTION and bool(sections[place].flags & _EXECUTABLE)
            yield Symbol(name, place != _UNDEFINED, is_code)


def _check_relocations(
    code: bytes, sections: Sequence[_Section], section: _Section, symbols: Container[int], machine: Machine
) -> None:
    require(section.info < len(sections), "relocations of no section")
    target = sections[section.info]
    require(target.type in (_CONTENT, _X86_UNWINDING), "relocations of a section without content")
    count = _count_entries(section, _RELOCATION)
    for offset, kind, _ in unpack_records(_RELOCATION, code, section.offset, count, "relocations"):
        changed = machine.relocation_sizes.get(kind & 0xFFFFFFFF)
        require(changed is not None and kind >> 32 in symbols, "an unknown relocation")
        require(offset + (changed or 0) <= target.size, "a relocation outside of its section")
