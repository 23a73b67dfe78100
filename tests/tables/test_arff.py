"""ARFF as Weka, OpenML, liac-arff and people write it. (What is refused: `tests/test_hostile.py`.)"""

from __future__ import annotations

from datetime import datetime
from functools import partial

import arff
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.tables import arff as arff_reader
from probfs.tables.cells import Kind
from tests.support.tables import lines_of, read_bytes, table_content

read = partial(read_bytes, name="t.arff")
HEADER = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@attribute c string\n@data\n"
WEIGHTS = "t.arff: instance weights are ignored"
every_line_end = pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])


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


@every_line_end
def test_arff_reads_what_weka_and_openml_write(end: str) -> None:
    table = read("\ufeff" + ODD_ARFF.replace("\n", end))
    assert table_content(table) == {
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
    assert lines_of(table) == [13, 14, 16, 17, 18]


def test_one_number_is_one_value_however_it_is_written() -> None:
    head = "@relation r\n@attribute a numeric\n@attribute y {p,q}\n@data\n"
    rows = "1e15,p\n1000000000000000,q\n+1.50,p\n1.5,q\n-0,p\n0.0,q\nnan,p\n?,q\n007,p\n"
    expected = ["1000000000000000"] * 2 + ["1.5"] * 2 + ["0"] * 2 + [None, None, "7"]
    assert table_content(read(head + rows))["a"] == expected
    assert table_content(read(head + rows + "{1 q}"))["a"] == [*expected, "0"], "row by row"


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
@every_line_end
def test_rows_may_have(name: str, end: str) -> None:
    rows, texts = ROWS[name]
    table = read((HEADER + rows).replace("\n", end))
    assert table_content(table) == {"a": ["1", "2"], "b": ["x", "y"], "c": texts}
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
    table = read(f"@relation r\n{header}@data % 9,x,w\n1,x,u\n2,y,v\n")
    assert table_content(table) == {"a": ["1", "2"], "b": ["x", "y"], "c": ["u", "v"]}


def test_what_is_ignored_in_declarations_is_noted() -> None:
    header = "@attribute 'column 2' real [0,9] of years\n@attribute '' {x,y} {2}\n@attribute ' ' string\n"
    table = read(f"@relation r\n{header}@data\n1,x,u\n2,y,v\n")
    assert table_content(table) == {"column 2": ["1", "2"], "column 2 (2)": ["x", "y"], "column 3": ["u", "v"]}
    assert table.notes == (
        "t.arff: 2 attributes have no name, so named by position: 'column 2 (2)', 'column 3'",
        "t.arff: attribute 'column 2': 'of years' after the type is ignored",
        "t.arff: attribute '': '{2}' after the type is ignored",
    )


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
    assert [list(row) for row in zip(*table_content(read(text)).values(), strict=True)] == peer


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
        found = read(head + "\n".join(lines))
        patch.setattr(arff_reader._DataReader, "_read_plain", lambda *_: None)
        one_by_one = read(head + "\n".join(lines))
    assert table_content(found) == table_content(one_by_one) == expected
    assert lines_of(found) == list(range(len(kinds) + 3, len(kinds) + 3 + len(rows)))


@pytest.mark.parametrize(
    ("pattern", "cell"),
    [
        ("", "2020-01-02T15:04:00"),
        ('""', "2020-01-02T15:04:00"),
        ('"yyyy-MM-dd HH:mm"', "2020-01-02 15:04"),
        ("yyyy-MM-dd'T'HH:mm:ss", "2020-01-02T15:04:00"),
    ],
)
def test_declared_dates_are_dates(pattern: str, cell: str) -> None:
    table = read(f"@relation r\n@attribute e date {pattern}\n@attribute y {{a}}\n@data\n'{cell}',a\n?,a\n")
    assert (table.columns["e"].kind, table.notes) == (Kind.DATE, ())
    assert table.columns["e"].cells.to_pylist() == [datetime(2020, 1, 2, 15, 4), None]


@pytest.mark.parametrize(("pattern", "cell"), [("kk:mm", "24:00"), ("yyyy-MM-dd", "x y"), ("dd.MM.yyyy", "31.12.2020")])
def test_dates_that_are_not_understood_are_texts_with_a_warning(pattern: str, cell: str) -> None:
    table = read(f"@relation r\n@attribute e date '{pattern}'\n@data\n'{cell}'\n")
    assert (table.columns["e"].kind, table_content(table)) == (Kind.TEXT, {"e": [cell]})
    problem = f"not all cells are ISO dates, as '{pattern}', so they are texts"
    assert [(note.code, note) for note in table.notes] == [("date-format", f"t.arff: column 'e': {problem}")]
