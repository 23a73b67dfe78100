"""Mach-O object files, the format of macOS: checked as a whole before LLVM, which trusts them, is given one."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
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

MAGIC = b"\xcf\xfa\xed\xfe"
MACHINES = {"x86_64": 0x01000007, "arm64": 0x0100000C, "aarch64": 0x0100000C}
"""Processors that loops are compiled for on macOS, as LLVM names them, and their numbers in Mach-O."""
_OBJECT_FILE = 1

_HEADER = struct.Struct("<4sIIIIIII")
_COMMAND = struct.Struct("<II")
_SEGMENT = struct.Struct("<II16sQQQQiiII")
_SECTION = struct.Struct("<16s16sQQIIIIIIII")
_SYMBOL_TABLE = struct.Struct("<IIIIII")
_SYMBOL = struct.Struct("<IBBHQ")
_RELOCATION = struct.Struct("<iI")

_SEGMENT_COMMAND, _SYMBOLS_COMMAND = 0x19, 0x2
_OTHER_COMMANDS = frozenset({0xB, 0x24, 0x29, 0x2D, 0x2E, 0x32})
"""Ranges of symbols, the version of the system, data in code, and hints for linkers."""
_ZERO_FILLED = 1
_SECTION_TYPES = frozenset({0, _ZERO_FILLED, 2, 3, 4, 11, 14})
"""Content, zeros, constants of several sizes, and merged content; nothing that is run on loading."""
_INSTRUCTIONS = 0x80000400

_EXTERNAL, _DEBUG, _KIND = 0x01, 0xE0, 0x0E
_UNDEFINED, _IN_SECTION = 0x0, 0xE
_ADDEND_RELOCATION = 10


class _Section(NamedTuple):
    name: bytes
    segment: bytes
    address: int
    size: int
    offset: int
    alignment: int
    relocations_at: int
    relocations: int
    flags: int
    reserved_1: int
    reserved_2: int
    reserved_3: int

    @property
    def size_in_file(self) -> int:
        return 0 if self.flags & 0xFF == _ZERO_FILLED else self.size


def read_mach_o_symbols(code: bytes, machine: int) -> Iterator[Symbol]:
    """The external symbols of a well-formed object file for this processor; ValueError where it is none."""
    ((magic, processor, _, file_type, commands, commands_size, _, _),) = unpack_records(
        _HEADER, code, 0, 1, "the header"
    )
    require(magic == MAGIC and processor == machine, "for another processor")
    require(file_type == _OBJECT_FILE, "not relocatable")
    sections: list[_Section] = []
    tables: list[tuple[int, int, int, int]] = []
    for command, content in _split_commands(slice_within(code, _HEADER.size, commands_size, "commands"), commands):
        if command == _SEGMENT_COMMAND:
            sections += _read_sections(code, content)
        elif command == _SYMBOLS_COMMAND:
            ((_, _, *table),) = unpack_records(_SYMBOL_TABLE, content, 0, 1, "the table of symbols")
            tables.append((table[0], table[1], table[2], table[3]))
        else:
            require(command in _OTHER_COMMANDS, "an unknown command")
    require(len(tables) == 1, "not one table of symbols")
    symbols_at, symbols, names_at, names_size = tables[0]
    for section in sections:
        _check_relocations(code, section, len(sections), symbols)
    names = slice_within(code, names_at, names_size, "names")
    entries = unpack_records(_SYMBOL, code, symbols_at, symbols, "symbols")
    yield from _read_table(entries, names, sections)


def _split_commands(commands: bytes, count: int) -> Iterator[tuple[int, bytes]]:
    at = 0
    for _ in range(count):
        ((command, size),) = unpack_records(_COMMAND, commands, at, 1, "a command")
        require(size >= _COMMAND.size and size % 8 == 0, "a command of an impossible size")
        yield command, slice_within(commands, at, size, "a command")
        at += size


def _read_sections(code: bytes, command: bytes) -> list[_Section]:
    ((*_, in_file_at, in_file_size, _, _, count, _),) = unpack_records(_SEGMENT, command, 0, 1, "a segment")
    slice_within(code, in_file_at, in_file_size, "a segment")
    sections = [_Section(*fields) for fields in unpack_records(_SECTION, command, _SEGMENT.size, count, "sections")]
    for section in sections:
        require(section.flags & 0xFF in _SECTION_TYPES, "a section of an unknown type")
        require(section.alignment < MAX_ALIGNMENT.bit_length(), "an impossible alignment")
        slice_within(code, section.offset, section.size_in_file, "a section")
        require(section.size <= max(MAX_EMPTY_SIZE, section.size_in_file), "a section that is too large")
    return sections


def _check_relocations(code: bytes, section: _Section, sections: int, symbols: int) -> None:
    entries = unpack_records(_RELOCATION, code, section.relocations_at, section.relocations, "relocations")
    for address, packed in entries:
        number, length, is_external, kind = packed & 0xFFFFFF, packed >> 25 & 3, packed >> 27 & 1, packed >> 28
        require(0 <= address <= section.size - (1 << length), "a relocation outside of its section")
        if kind != _ADDEND_RELOCATION:
            require(number < symbols if is_external else 0 < number <= sections, "an unknown relocation")


def _read_table(
    entries: Sequence[tuple[int, int, int, int, int]], names: bytes, sections: Sequence[_Section]
) -> Iterator[Symbol]:
    for name_offset, kind, place, _, value in entries:
        name = name_at(names, name_offset)
        is_defined = kind & _KIND == _IN_SECTION
        require(not kind & _DEBUG, "symbols for debugging")
        require(is_defined or (kind & _KIND == _UNDEFINED and not value), "a symbol of an unknown type")
        section = None
        if is_defined:
            require(0 < place <= len(sections), "a symbol of no section")
            section = sections[place - 1]
            require(0 <= value - section.address <= section.size, "a symbol outside of its section")
        if kind & _EXTERNAL:
            # Mach-O puts an underscore before every name of C; Apple's bzero has two more.
            spelled = name.removeprefix("_").removeprefix("__")
            yield Symbol(spelled, is_defined, section is not None and bool(section.flags & _INSTRUCTIONS))
