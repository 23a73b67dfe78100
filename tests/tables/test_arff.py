"""ARFF as Weka, OpenML, liac-arff and people write it, and what is refused, with its line."""

from __future__ import annotations

import io
import time
from datetime import datetime

import arff
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.errors import DataError
from probfs.tables import arff as arff_reader
from probfs.tables.arff import read_arff
from probfs.tables.cells import Kind
from probfs.tables.opening import TableInput
from probfs.tables.table import NoRowsError, Table

Content = dict[str, list["str | None"]]
HEADER = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@attribute c string\n"
TWO_ROWS: Content = {"a": ["1", "2"], "b": ["x", "y"], "c": ["u", "v"]}
WEIGHTS = "t.arff: instance weights are ignored"


def _read(text: str | bytes) -> Table:
    data = text.encode() if isinstance(text, str) else text
    return read_arff(TableInput(io.BufferedReader(io.BytesIO(data)), "t.arff"))


def _content(table: Table) -> Content:
    texts = {name: [*column.values.to_pylist(), None] for name, column in table.columns.items()}
    return {name: [texts[name][code] for code in column.codes] for name, column in table.columns.items()}


def _lines(table: Table) -> list[int]:
    assert table.lines is not None
    return list(table.lines)


ODD_ARFF = """% a comment
@RELATION 'an odd one'

@attribute 'first name' {red, 'dark blue', "it's", '?'}  % trailing comment
@ATTRIBUTE\tsize\tREAL [0, 10]
@attribute when date "yyyy-MM-dd HH:mm"
@attribute note string
@attribute many { a,
   b,  % the second
   c }
@attribute Class {yes,no}
@data
red, 1, '2020-01-02 03:04', 'plain', a, yes %one
'dark blue',1.0,"2021-01-02 03:04",'a, b',b,no
% between
'it\\'s',?,?,'tab\\there', c ,yes
'?',+2.50,?,?,?,?
?,7,?,'100%',a,no, {0.5}
"""


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_arff_reads_what_weka_and_openml_write(end: str) -> None:
    table = _read("\ufeff" + ODD_ARFF.replace("\n", end))
    assert _content(table) == {
        "first name": ["red", "dark blue", "it's", "?", None],
        "size": ["1", "1", None, "2.5", "7"],
        "when": ["2020-01-02 03:04:00", "2021-01-02 03:04:00", None, None, None],
        "note": ["plain", "a, b", "tab\there", None, "100%"],
        "many": ["a", "b", "c", None, "a"],
        "Class": ["yes", "no", "yes", None, "no"],
    }
    assert table.columns["first name"].values.to_pylist() == ["red", "dark blue", "it's", "?"]
    assert table.columns["size"].cells.type == pa.float64()
    assert table.columns["when"].kind is Kind.DATE
    assert table.target_hint == ("Class", "the ARFF attribute of that name")
    assert table.notes == (WEIGHTS,)
    assert _lines(table) == [13, 14, 16, 17, 18]


def test_one_number_is_one_value_however_it_is_written() -> None:
    rows = ["1e15,p", "1000000000000000,q", "+1.50,p", "1.5,q", "-0,p", "0.0,q", "nan,p", "?,q", "007,p"]
    head = "@relation r\n@attribute a numeric\n@attribute y {p,q}\n@data\n"
    expected = ["1000000000000000"] * 2 + ["1.5"] * 2 + ["0"] * 2 + [None, None, "7"]
    assert _content(_read(head + "\n".join(rows) + "\n"))["a"] == expected
    assert _content(_read(head + "\n".join([*rows, "{1 q}"])))["a"] == [*expected, "0"]


ROWS: dict[str, tuple[str, list[str]]] = {
    "blanks between values": ("1 x u\n  2   y  v \n", ["u", "v"]),
    "a comma after the last value": ("1,x,u,\n2,y,v , \n", ["u", "v"]),
    "comments and blank lines between rows": ("% a\n1,x,u\n\n  %b\n \t\n2,y,v\n%", ["u", "v"]),
    "comments behind rows": ("1,x,u % one, 'two\n2,y,'v'%two\n", ["u", "v"]),
    "weights": ("1,x,u {5}\n2 y v { 0.5 }, % twice\n", ["u", "v"]),
    "weights behind tabs and values": ("1\tx\tu\t{2}\n2,y,'v'{1}\n", ["u", "v"]),
    "sparse rows": ("{0 1, 2 u}\n{ 2 'v', 0 2,1 y }\n", ["u", "v"]),
    "sparse rows with weights": ("{0 1, 2 u}, {0.5}\n{0 2,1 y,2 v}{2},\n", ["u", "v"]),
    "sparse rows with long values": (
        "{0 1,2 abcdefghijkl}\n{0 2,1 y,2 'm n o p q r s'}\n",
        ["abcdefghijkl", "m n o p q r s"],
    ),
    "quoted question marks": ("1,x,'?'\n'2','y',\" ?\"\n", ["?", " ?"]),
    "blanks inside values": ("1,x,u u\n2,y,v, {3}\n", ["u u", "v"]),
    "blanks inside quotes": ("1,x,' u'\n2,y,' '\n", [" u", " "]),
    "percent signs and apostrophes inside values": ("1,x,it's\n2,y,100% % all\n", ["it's", "100%"]),
    "a quoted comma behind a blank": ("1 x 'u,u'\n2 y v\n", ["u,u", "v"]),
    "no-break spaces around values": ("1,\xa0x,u\xa0\n2,y,'v'\n", ["u", "v"]),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_rows_may_have(name: str, end: str) -> None:
    rows, texts = ROWS[name]
    table = _read((HEADER + "@data\n" + rows).replace("\n", end))
    assert _content(table) == {"a": ["1", "2"], "b": ["x", "y"], "c": texts}
    assert table.notes == ((WEIGHTS,) if "weights" in name or "{3}" in rows else ())


@pytest.mark.parametrize(
    "header",
    [
        "@attribute a real % c\n\n% c\n@attribute b {x, % c\n y}%c\n@ATTRIBUTE\tc\tSTRING %\n",
        "@attribute a INTEGER [0,\t9]\n@attribute b {x y 'z z'}\n@attribute c string\n",
        "@attribute a real\n@attribute b {New York, x, y}\n@attribute c string\n",
    ],
)
def test_declarations_may_have_blanks_commas_and_comments(header: str) -> None:
    assert _content(_read("@relation r\n" + header + "@data % 9,x,w\n1,x,u\n2,y,v\n")) == TWO_ROWS


def test_what_is_ignored_in_declarations_is_noted() -> None:
    header = "@attribute 'column 2' real [0,9] of years\n@attribute '' {x,y} {2}\n@attribute ' ' string\n"
    table = _read("@relation r\n" + header + "@data\n1,x,u\n2,y,v\n")
    assert _content(table) == dict(zip(["column 2", "column 2 (2)", "column 3"], TWO_ROWS.values(), strict=True))
    assert table.notes == (
        "t.arff: 2 attributes have no name, so named by position: 'column 2 (2)', 'column 3'",
        "t.arff: attribute 'column 2': 'of years' after the type is ignored",
        "t.arff: attribute '': '{2}' after the type is ignored",
    )


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (
            "@relation r\n@attribute a numeric\n@data\n{1 3}\n",
            4,
            "the sparse row is not {index value, …} with indices from 0 to 0, each once",
        ),
        ("@relation r\n@attribute 'a {x,y}\n@data\n", 2, "never closed"),
        ("@relation r\n@attribute a {x,y\n@attribute b real\n", 2, "the list of values is never closed with '}'"),
        ("@relation r\n@attribute a relational\n", 2, "type 'relational' is not one of numeric, string, date"),
        ("@relation r\n@attribute a real\n@data 1\n", 3, "something follows @data"),
        ("@relation r\n@data\n1\n", 2, "no @attribute comes before @data"),
        ("@relation r\n@attribute a real\n", 2, "has no @data line"),
        ("@relation r\n@attribute a {x,x}\n@data\n", 2, "declared twice"),
        ("@relation r\n@attribute a numeric\n@data\n", None, "no data rows"),
        ("@relation r\n@attribute a\n@data\n1\n", 2, "no type"),
        ("@relation r\n@attribute\n@data\n1\n", 2, "needs a name and a type"),
        ("hello\n", 1, "not an ARFF declaration"),
        ("@relation r\n@attribute a real\n@attribute b {x}\n@data\n1,'x'\n1,y\n2,x\n", 6, "'y' is not among"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(text: str, line: int | None, message: str) -> None:
    with pytest.raises(DataError) as caught:
        _read(text)
    assert message in str(caught.value)
    assert isinstance(caught.value, NoRowsError) == (message == "no data rows")
    assert (caught.value.source, caught.value.line) == ("t.arff", line)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1,x,u,v", "4 values, but 3 attributes are declared"),
        ("1,x,", "2 values, but 3 attributes are declared; a missing one is written ?"),
        (",1 x,u", "an empty value; a missing one is written ?"),
        ("1 x u {5} v", "values, but 3 attributes are declared"),
        ("1,x,'u''v", "a quote opens and is never closed"),
        ("{0 1 2}", "the sparse row is not {index value, …} with indices from 0 to 2, each once"),
        ("{0 1, 0 2}", "each once"),
        ("{3 1}", "each once"),
        ("{" + "9" * 5000 + " 1}", "each once"),
        ("{-1 1}", "each once"),
        ("{0 1, 2 u", "each once"),
        ("1_0,x,u", "'1_0' is not a number, as declared"),
        (r"1,x,'\q'", "has a backslash"),
    ],
)
def test_a_row_that_is_wrong_is_refused_with_its_line(row: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        _read(f"{HEADER}@data\n1,x,u\n% c\n{row}\n")
    assert message in str(caught.value)
    assert caught.value.line == 8


HOSTILE = [",", "' ", "{", "{0 ", "'\\", "', ", " {5}", "1 ", "\t"]


@pytest.mark.parametrize(
    "text",
    [f"{HEADER}@data\n{50_000 * piece},,%\n" for piece in HOSTILE]
    + [f"@relation r\n@attribute a {{{50_000 * piece}\n@data\n1\n" for piece in HOSTILE],
)
def test_a_hostile_line_is_refused_in_linear_time(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(DataError):
        _read(text)
    assert time.perf_counter() - start < 5


TEXTS = st.text(alphabet="abc ,'\"%?\\\té0", min_size=1, max_size=5)


@given(st.lists(st.tuples(TEXTS, st.integers(-99, 99), st.sampled_from(["p", "q r", "it's"])), min_size=1, max_size=8))
def test_dense_arff_equals_liac_arff(rows: list[tuple[str, int, str]]) -> None:
    document = {
        "relation": "r",
        "attributes": [("text", "STRING"), ("number", "INTEGER"), ("class", ["p", "q r", "it's"])],
        "data": [list(row) for row in rows],
    }
    text = arff.dumps(document)
    peer = [[None if cell is None else str(cell) for cell in row] for row in arff.loads(text)["data"]]
    assert [list(row) for row in zip(*_content(_read(text)).values(), strict=True)] == peer


VALUES = {
    "numeric": ["1", "2.5", "2.50", "-0", "1e2", "+7", "nan", "0", "?"],
    "{x,y,'z z'}": ["x", "y", "'z z'", "?"],
    "string": ["u", "'v w'", "'?'", "?", "x"],
}
DEFAULTS = {"numeric": "0", "{x,y,'z z'}": "x", "string": None}
MEANINGS = {"2.50": "2.5", "-0": "0", "1e2": "100", "+7": "7", "nan": None, "?": None}


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[dict[int, str]], list[bool]]:
    kinds = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=5))
    row = st.fixed_dictionaries({}, optional={place: st.sampled_from(VALUES[kind]) for place, kind in enumerate(kinds)})
    rows = draw(st.lists(row, min_size=1, max_size=6))
    return kinds, rows, [len(row) < len(kinds) or draw(st.booleans()) for row in rows]


@given(tables(), st.sampled_from([16 << 20, 16]), st.sampled_from([",", ", "]))
def test_cells_are_the_same_in_any_form_and_block(
    table: tuple[list[str], list[dict[int, str]], list[bool]], block: int, comma: str
) -> None:
    kinds, rows, sparse = table
    head = "@relation r\n" + "".join(f"@attribute a{place} {kind}\n" for place, kind in enumerate(kinds)) + "@data\n"
    lines = [
        "{" + comma.join(f"{place} {row[place]}" for place in row) + "}"
        if is_sparse
        else comma.join(row[place] for place in sorted(row))
        for row, is_sparse in zip(rows, sparse, strict=True)
    ]
    expected = {
        f"a{place}": [
            MEANINGS.get(row[place], row[place].strip("'")) if place in row else DEFAULTS[kind] for row in rows
        ]
        for place, kind in enumerate(kinds)
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arff_reader, "_BLOCK", block)
        found = _read(head + "\n".join(lines))
        patch.setattr(arff_reader._DataReader, "_read_plain", lambda *_: None)
        one_by_one = _read(head + "\n".join(lines))
    assert _content(found) == _content(one_by_one) == expected
    assert _lines(found) == list(range(len(kinds) + 3, len(kinds) + 3 + len(rows)))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("", "2020-01-02T15:04:00"),
        ("yyyy-MM-dd HH:mm", "2020-01-02 15:04"),
    ],
)
def test_declared_dates_are_dates(pattern: str, text: str) -> None:
    table = _read(f"@relation r\n@attribute e date \"{pattern}\"\n@attribute y {{a}}\n@data\n'{text}',a\n?,a\n")
    assert table.columns["e"].kind is Kind.DATE
    assert table.columns["e"].cells.to_pylist() == [datetime(2020, 1, 2, 15, 4), None]
    assert table.notes == ()


def test_a_date_attribute_needs_no_pattern() -> None:
    table = _read("@relation r\n@attribute e date\n@attribute y {a}\n@data\n2020-01-02T15:04:00,a\n")
    assert table.columns["e"].kind is Kind.DATE


@pytest.mark.parametrize(("pattern", "cell"), [("kk:mm", "24:00"), ("yyyy-MM-dd", "x y"), ("dd.MM.yyyy", "31.12.2020")])
def test_dates_that_are_not_understood_are_texts_with_a_warning(pattern: str, cell: str) -> None:
    table = _read(f"@relation r\n@attribute e date '{pattern}'\n@data\n'{cell}'\n")
    assert table.columns["e"].kind is Kind.TEXT
    (note,) = table.notes
    assert (note.code, note.columns) == ("date-format", ("e",))
    assert note.endswith("so they are texts")
