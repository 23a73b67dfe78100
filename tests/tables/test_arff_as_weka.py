"""Forms of ARFF that Weka reads, each as a small file with the table it holds; and plain blocks against single rows."""

from __future__ import annotations

import io
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.errors import DataError
from probfs.tables.readers import arff as arff_reader
from probfs.tables.readers.arff import read_arff
from probfs.tables.source import Utf8Stream
from probfs.tables.table import Table
from tests.support.table_content import table_content

HEADER = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@attribute c string\n"
WEIGHTS = "t.arff: instance weights are ignored"
Content = dict[str, list["str | None"]]
TWO_ROWS: Content = {"a": ["1", "2"], "b": ["x", "y"], "c": ["u", "v"]}


@dataclass(frozen=True)
class Form:
    """A file that Weka reads, and the table that it holds."""

    name: str
    text: str
    content: Content
    notes: tuple[str, ...] = ()
    lines: tuple[int, ...] = (6, 7)


def _unnamed(names: str, noun: str = "attribute has no name") -> tuple[str, ...]:
    return (f"t.arff: {noun}, so named by position: {names}",)


NINE_FORMS = (
    Form("blanks separate values", HEADER + "@data\n1 x u\n  2   y  v \n", TWO_ROWS),
    Form("tabs and commas in one row", HEADER + "@data\n1\tx,u\n2,\ty \tv\n", TWO_ROWS),
    Form("a comma after the last value", HEADER + "@data\n1,x,u,\n2,y,v , \n", TWO_ROWS),
    Form("a row on the @data line", HEADER + "@data 1,x,u\n2,y,v\n", TWO_ROWS, lines=(5, 6)),
    Form(
        "an attribute with an empty name",
        "@relation r\n@attribute a numeric\n@attribute '' {x,y}\n@attribute c string\n@data\n1,x,u\n2,y,v\n",
        {"a": ["1", "2"], "column 2": ["x", "y"], "c": ["u", "v"]},
        _unnamed("'column 2'", "1 attribute has no name"),
    ),
    Form("a weight behind a blank", HEADER + "@data\n1,x,u {5}\n2 y v { 0.5 }, % twice\n", TWO_ROWS, (WEIGHTS,)),
    Form("sparse rows with weights", HEADER + "@data\n{0 1, 2 u}, {0.5}\n{0 2,1 y,2 v}{2},\n", TWO_ROWS, (WEIGHTS,)),
    Form("sparse rows without commas, or with no others", HEADER + "@data\n{0 1 2 u}\n{0,2,1,y,2,'v',}\n", TWO_ROWS),
    Form(
        "values declared with blanks between them",
        "@relation r\n@attribute a numeric\n@attribute b {x y 'z z'}\n@attribute c string\n@data\n1,x,u\n2,y,v\n",
        TWO_ROWS,
    ),
)  # fmt: skip
FURTHER_FORMS = (
    Form("a sparse row on the @data line", HEADER + "@DATA{0 1, 2 u}\n2,y,v\n", TWO_ROWS, lines=(5, 6)),
    Form("a comment on the @data line", HEADER + "@data % 9,x,w\n1,x,u\n2,y,v\n", TWO_ROWS),
    Form("a comment right behind @data", HEADER + "@data%9,x,w\n1,x,u\n2,y,v\n", TWO_ROWS),
    Form("a comma before the first value", HEADER + "@data\n,1,x,u\n, 2,y,v\n", TWO_ROWS),
    Form("two commas between values", HEADER + "@data\n1,,x,u\n2, ,y,,v\n", TWO_ROWS),
    Form("two commas, and blanks beside quotes", HEADER + "@data\n1 'x',,u\n'2'\t'y',,v {3}\n", TWO_ROWS, (WEIGHTS,)),
    Form("a comma before a sparse row", HEADER + "@data\n,{0 1,2 u}\n, {0 2 1 y 2 v}\n", TWO_ROWS),
    Form("a weight and then a comment", HEADER + "@data\n1,x,u,{5} % five\n2,y,v,{1}%one\n", TWO_ROWS, (WEIGHTS,)),
    Form("a weight right behind a value", HEADER + "@data\n1,x,u{5}\n2,y,'v'{1}\n", TWO_ROWS, (WEIGHTS,)),
    Form("a comma after a sparse row", HEADER + "@data\n{0 1, 2 u},\n{0 2,1 y,2 v} , % end\n", TWO_ROWS),
    Form("other control characters between values", HEADER + "@data\n1\x0bx\x0cu\n2\x01y\x1fv\n", TWO_ROWS),
    Form(
        "a comment right behind the last number",
        "@relation r\n@attribute b {x,y}\n@attribute a numeric\n@data\nx,1%one, two\ny,2% two\n",
        {"b": ["x", "y"], "a": ["1", "2"]},
        lines=(5, 6),
    ),
    Form(
        "commas in declarations",
        "@relation r\n@attribute a,numeric\n@attribute b, {x,y},\n@attribute,c string,\n@data\n1,x,u\n2,y,v\n",
        TWO_ROWS,
    ),
    Form(
        "words after a type",
        "@relation r\n@attribute a numeric of years\n@attribute b {x,y}\n@attribute c string\n@data\n1,x,u\n2,y,v\n",
        TWO_ROWS,
        ("t.arff: attribute 'a': 'of years' after the type is ignored",),
    ),
    Form(
        "blanks and commas between declared values",
        "@relation r\n@attribute a numeric\n@attribute b {w x, y}\n@attribute c string\n@data\n1,x,u\n2,y,v\n",
        TWO_ROWS,
    ),
    Form("octal codes and rarer escapes", HEADER + "@data\n1,x,'\\165'\n2,y,'\\v\\a\\7'\n",
         {"a": ["1", "2"], "b": ["x", "y"], "c": ["u", "\v\a\a"]}),
)  # fmt: skip
BEYOND_WEKA = (
    Form("blanks inside values between commas", HEADER + "@data\n1,x,New York\n2,y,Rio, {3}\n",
         TWO_ROWS | {"c": ["New York", "Rio"]}, (WEIGHTS,)),
    Form("blanks inside values, and a comma at the end", HEADER + "@data\n1,x,New York,\n2,y,v,\n",
         TWO_ROWS | {"c": ["New York", "v"]}),
    Form("tabs between values with blanks inside", HEADER + "@data\n1\tx\tNew York\n'2'\ty\tRio\t{3}\n",
         TWO_ROWS | {"c": ["New York", "Rio"]}, (WEIGHTS,)),
    Form("blanks inside declared values",
         "@relation r\n@attribute a {New York, Rio}\n@attribute b {Rio Grande}\n@data\nNew York,Rio Grande\nRio,?\n",
         {"a": ["New York", "Rio"], "b": ["Rio Grande", None]}, lines=(5, 6)),
    Form("a value in braces", HEADER + "@data\n1,x,{5}\n2,y,{v}, {5}\n", TWO_ROWS | {"c": ["{5}", "{v}"]}, (WEIGHTS,)),
    Form("a declared value in braces",
         "@relation r\n@attribute a numeric\n@attribute b {'{x}','{y}'}\n@data\n1,{x}\n2,{y},{7}\n",
         {"a": ["1", "2"], "b": ["{x}", "{y}"]}, (WEIGHTS,), lines=(5, 6)),
    Form("percent signs inside values", HEADER + "@data\n1,x,5%\n2,y,100% % all\n", TWO_ROWS | {"c": ["5%", "100%"]}),
    Form("an apostrophe inside a value", HEADER + "@data\n1,x,it's\n2,y,v\n", TWO_ROWS | {"c": ["it's", "v"]}),
    Form("sparse values with blanks inside", HEADER + "@data\n{0 1, 2 New York}\n{1 y, 0 2, 2 'v'}\n",
         TWO_ROWS | {"c": ["New York", "v"]}),
    Form("no-break spaces around values", HEADER + "@data\n1,\xa0x,u\xa0\n2,y,'v'\n", TWO_ROWS),
    Form("names that are taken", "@relation r\n@attribute 'column 2' numeric\n@attribute '' {x}\n@attribute ' ' {y}\n"
         "@data\n1,x,y\n", {"column 2": ["1"], "column 2 (2)": ["x"], "column 3": ["y"]},
         _unnamed("'column 2 (2)', 'column 3'", "2 attributes have no name"), lines=(6,)),
)  # fmt: skip
"""What Weka refuses, or reads otherwise than its writer meant."""


def _read(text: str) -> Table:
    return read_arff(Utf8Stream(io.BytesIO(text.encode()), "utf-8", "t.arff"))


@pytest.mark.parametrize("form", NINE_FORMS + FURTHER_FORMS + BEYOND_WEKA, ids=lambda form: form.name)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_a_form_gives_its_table(form: Form, end: str) -> None:
    table = _read(form.text.replace("\n", end))
    assert table_content(table) == form.content
    assert table.notes == form.notes
    assert table.lines is not None
    assert tuple(table.lines.line(row) for row in range(table.rows)) == form.lines


def test_nine_forms_that_weka_reads_are_shown() -> None:
    assert len({form.name for form in NINE_FORMS}) == 9


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1 x", "2 values, but 3 attributes are declared"),
        ("1 x u v", "4 values, but 3 attributes are declared"),
        ("1\tx", "2 values, but 3 attributes are declared"),
        ("1,x", "2 values, but 3 attributes are declared"),
        ("1,x,u,v", "4 values, but 3 attributes are declared"),
        ("1 x {5}", "2 values, but 3 attributes are declared"),
        ("1,x,", "an empty value; a missing one is written ?"),
        ("1,,u", "an empty value; a missing one is written ?"),
        ("1 x,,u", "an empty value; a missing one is written ?"),
        (",1 x,u", "an empty value; a missing one is written ?"),
        ("1,x,\xa0", "an empty value; a missing one is written ?"),
        ("1 x u v {5}", "4 values, but 3 attributes are declared"),
        ("1 x u {5} v", "'{' after the last value is not understood"),
        ("'1' x", "2 values, but 3 attributes are declared"),
        ("'1' x 'u' v", "4 values, but 3 attributes are declared"),
        ("'1' x,u,v", "4 values, but 3 attributes are declared"),
        ("1,x,'u''v'", "follows a closing quote"),
        ("1,x,'u", "never closed"),
        ("1 x 'u", "never closed"),
        ("{0 1 2}", "'1 2' is not a number"),
        ("{0 1, 2}", "'2' does not fit"),
        ("{0 1, 0 2}", "index 0 stands twice in the row"),
        ("{0 1, 3 2}", "index 3 is out of range"),
        ("{0 1", "never closed with '}'"),
        ("{0 1 % }", "never closed with '}'"),
        ("{0 1} x", "'x' after the row is not understood"),
    ],
)
def test_a_row_that_is_wrong_is_refused_with_its_line(row: str, message: str) -> None:
    for text, line in ((f"@data\n1,x,u\n{row}\n", 7), (f"@data {row}\n1,x,u\n", 5)):
        with pytest.raises(DataError) as caught:
            _read(HEADER + text)
        assert message in str(caught.value)
        assert caught.value.line == line


def test_a_weight_does_not_stand_in_for_a_missing_number() -> None:
    with pytest.raises(DataError, match="1 value, but 2 attributes"):
        _read("@relation r\n@attribute b {x,y}\n@attribute a numeric\n@data\nx,{5}\n")


def test_an_undeclared_value_is_refused_by_the_likelier_list() -> None:
    with pytest.raises(DataError, match="'z' is not among the declared values: 'New York', 'Rio'"):
        _read("@relation r\n@attribute a {New York, Rio}\n@data\nz\n")


@pytest.mark.parametrize("row", ["," * 50_000, "' " * 50_000, "{" * 50_000, "{0 " * 50_000, "1 " * 50_000 + ",,"])
def test_a_hostile_row_is_refused(row: str) -> None:
    with pytest.raises(DataError):
        _read(f"{HEADER}@data\n{row}\n")


# --- blocks of plain rows against single rows -------------------------------------------------------------------------

SEPARATORS = (",", ", ", " ", "\t", " \t ", ",\t", ",,")
CELLS = st.sampled_from(["1", "-2.50", "?", "x", "y", "New York", "a\xa0b", "\xa0x", "é", "1e3", "0", "00"])


@st.composite
def plain_files(draw: st.DrawFn) -> str:
    """Rows without quotes, braces and comments, most of them separated alike and complete."""
    width = draw(st.integers(1, 4))
    kinds = draw(
        st.lists(st.sampled_from(["string", "string", "numeric", "{x,y,New York}"]), min_size=width, max_size=width)
    )
    usual = draw(st.sampled_from(SEPARATORS))
    start, end = draw(st.sampled_from([("", ""), ("", ","), (" ", " "), ("", ", "), (",", "")]))
    line_end = draw(st.sampled_from(["\n", "\r\n"]))
    rows = []
    for _ in range(draw(st.integers(1, 6))):
        is_odd = draw(st.integers(0, 9)) == 9
        separator = draw(st.sampled_from(SEPARATORS)) if is_odd else usual
        cells = draw(st.lists(CELLS, min_size=width, max_size=width + (draw(st.integers(0, 19)) == 19)))
        rows.append(start + separator.join(cells) + end)
    head = "@relation r\n" + "".join(f"@attribute a{place} {kind}\n" for place, kind in enumerate(kinds))
    return head + "@data\n" + line_end.join(rows) + draw(st.sampled_from([line_end, ""]))


def _outcome(text: str) -> object:
    try:
        table = _read(text)
    except DataError as error:
        return str(error)
    values = {name: column.values.to_pylist() for name, column in table.columns.items()}
    assert table.lines is not None
    return table_content(table), values, table.notes, [table.lines.line(row) for row in range(table.rows)]


@given(plain_files())
def test_a_plain_block_holds_what_its_rows_hold(text: str) -> None:
    block = _outcome(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arff_reader._DataReader, "_read_plain", lambda *_: False)
        assert _outcome(text) == block


@pytest.mark.parametrize(
    ("separator", "end"), [(",", ""), (" ", ""), ("\t", ""), (", ", ""), (",", ","), (", ", " , ")]
)
def test_plain_blocks_are_not_read_row_by_row(separator: str, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arff_reader._DataReader, "_read_lines", None)
    rows = "".join(separator.join(row) + end + "\n" for row in (["1", "x", "u"], ["2", "y", "v"]))
    assert table_content(_read(HEADER + "@data\n" + rows)) == TWO_ROWS


def test_blanks_around_a_plain_value_make_no_other_value() -> None:
    table = _read(HEADER + "@data\n1,x,u\n 1,x, u\n1 , x,u \n")
    values = {name: column.values.to_pylist() for name, column in table.columns.items()}
    assert values == {"a": ["1"], "b": ["x", "y"], "c": ["u"]}
