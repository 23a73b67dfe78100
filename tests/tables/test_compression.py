"""Compressed files: the same table whatever they are compressed with, and limits that hold for all."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from probfs.errors import DataError
from probfs.tables.compression import COMPRESSIONS, UnpackedStream, compression_of
from probfs.tables.formats import TABLE_FORMATS, is_writable
from probfs.tables.readers import ReadOptions, read_table
from probfs.tables.writers import table_bytes
from tests.support.commands import Run
from tests.support.table_content import Write, read_bytes, read_csv_text, table_content

TEXT = b"a,y\n" + b"x,p\nz,q\n" * 1000


def compress_zstd(data: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(data))


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": compress_zstd,
}
ENDINGS = {compression.name: compression.ending for compression in COMPRESSIONS}
NAMES = pytest.mark.parametrize("name", COMPRESS)


@NAMES
def test_a_compressed_table_is_the_table(name: str) -> None:
    table = read_csv_text("a,y\n1,p\n,q\n")
    for table_format in filter(is_writable, TABLE_FORMATS):
        packed = COMPRESS[name](table_bytes(table, table_format.name))
        for file in (f"t{table_format.endings[0]}{ENDINGS[name]}", f"misnamed{table_format.endings[0]}"):
            assert table_content(read_bytes(packed, file)) == {"a": ["1", None], "y": ["p", "q"]}, file


@NAMES
def test_data_in_several_parts_is_read_to_the_end(name: str) -> None:
    packed = COMPRESS[name](TEXT[:3000]) + COMPRESS[name](TEXT[3000:])
    assert table_content(read_bytes(packed, "t.csv")) == table_content(read_csv_text(TEXT))


@NAMES
def test_standard_input_is_unpacked(name: str, run: Run) -> None:
    result = run("rank", "-", stdin=COMPRESS[name](TEXT))
    assert (result.returncode, result.stdout) == (0, run("rank", "-", stdin=TEXT).stdout), result.stderr


@NAMES
def test_empty_data_is_an_empty_file(name: str) -> None:
    with pytest.raises(DataError, match="is empty"):
        read_bytes(COMPRESS[name](b""), "t.csv")


@NAMES
def test_every_cut_and_every_flipped_byte_is_read_or_refused_in_one_line(name: str) -> None:
    packed = COMPRESS[name](TEXT)
    for length in range(len(packed) - 1, 12, -7):
        with pytest.raises(DataError, match=f"^t.csv: the {name} data ends too early; fetch or write the file again$"):
            unpack(packed[:length])
    for place in range(12, len(packed)):
        damaged = packed[:place] + bytes([packed[place] ^ 0x55]) + packed[place + 1 :]
        with contextlib.suppress(DataError):
            unpack(damaged)


def unpack(packed: bytes) -> bytes:
    compression = compression_of(packed)
    assert compression is not None
    with UnpackedStream(compression, io.BytesIO(packed), "t.csv", None) as stream:
        return b"".join(iter(lambda: stream.read(4096), b""))


@NAMES
def test_the_limit_on_unpacked_bytes_holds(name: str, write: Write) -> None:
    path = write("t.csv", COMPRESS[name](TEXT))
    read_table(path, ReadOptions(max_unpacked=len(TEXT)))
    with pytest.raises(DataError, match=rf"the first .* of its {name} data unpack to more than .* max_unpacked="):
        read_table(path, ReadOptions(max_unpacked=len(TEXT) - 1))


@NAMES
def test_a_bomb_is_refused_without_being_asked(name: str, write: Write) -> None:
    # In several parts, as packing so much of the same takes bzip2 long.
    path = write("t.csv", COMPRESS[name](b"a,y\n") + 68 * COMPRESS[name](b"0,0\n" * (1 << 18)))
    with pytest.raises(DataError, match=rf"of its {name} data unpack to more than 64"):
        read_table(path)


class BrokenFile(io.RawIOBase):
    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        raise OSError(5, "Input/output error")


@NAMES
def test_a_file_that_cannot_be_read_is_not_called_damaged(name: str) -> None:
    compression = next(compression for compression in COMPRESSIONS if compression.name == name)
    stream = UnpackedStream(compression, io.BufferedReader(BrokenFile()), "t.csv", None)
    with stream, pytest.raises(OSError, match="Input/output error"):
        stream.read(10)


def test_a_header_that_begins_like_bzip2_is_a_header() -> None:
    assert table_content(read_bytes(b"BZh9,y\n1,p\n", "t.csv")) == {"BZh9": ["1"], "y": ["p"]}


def test_what_was_compressed_by_other_tools_is_read(tmp_path: Path) -> None:
    tools = (("gzip", ".gz"), ("bzip2", ".bz2"), ("xz", ".xz"), ("zstd", ".zst"))
    for tool, ending in tools:
        path = tmp_path / f"{tool}.csv"
        path.write_bytes(TEXT)
        try:
            subprocess.run([tool, "-q", path], check=True, stdin=subprocess.DEVNULL)
        except FileNotFoundError:
            continue
        assert table_content(read_table(f"{path}{ending}")) == table_content(read_csv_text(TEXT)), tool


def test_the_list_of_compressions_is_light_to_import() -> None:
    program = "import sys, probfs.tables.compression; print(*({'lzma', 'bz2', 'pyarrow', 'numpy'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not result.stdout.strip()
