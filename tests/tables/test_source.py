"""Files in other encodings and compressions, read or refused."""

from __future__ import annotations

import pytest

from probfs.errors import ProbfsError
from probfs.tables.readers import ReadOptions, read_table
from tests.support.table_content import Write, table_content


def test_line_ends_byte_order_marks_and_encodings(write: Write) -> None:
    expected = {"é": ["1", "3"], "y": ["2", "4"]}
    for text in (
        "é,y\n1,2\n3,4\n",
        "é,y\r\n1,2\r\n3,4",
        "é,y\r1,2\r3,4\r",
        "\ufeffé,y\n1,2\n3,4\n",
        "\n\né,y\n\n1,2\n3,4\n",
    ):
        assert table_content(read_table(write("t.csv", text))) == expected, repr(text)
    for encoding in ("latin-1", "utf-16", "cp1252"):
        data = "é,y\n1,2\n3,4\n".encode(encoding)
        assert table_content(read_table(write("t.csv", data), ReadOptions(encoding=encoding))) == expected
    with pytest.raises(ProbfsError, match="no encoding 'klingon'"):
        read_table(write("t.csv", "a,b\n1,2\n"), ReadOptions(encoding="klingon"))


@pytest.mark.parametrize("encoding", ["rot13", "hex", "zlib", "base64"])
def test_an_encoding_that_is_not_of_text_is_refused(write: Write, encoding: str) -> None:
    with pytest.raises(ProbfsError, match="no encoding"):
        read_table(write("t.csv", "a,b\n1,2\n"), ReadOptions(encoding=encoding))


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-le", "utf-16-be", "utf-7", "cp1252", "shift_jis"])
def test_encodings_of_text_are_read(encoding: str, write: Write) -> None:
    table = read_table(write("t.csv", "a,y\nx,p\nz,q\n".encode(encoding)), ReadOptions(encoding=encoding))
    assert list(table.columns) == ["a", "y"]
