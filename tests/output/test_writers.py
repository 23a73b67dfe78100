"""Documents in every format, with plain and with hostile names."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from rich.cells import cell_len

import probfs
from probfs.comparison.changes import compare_rankings
from probfs.errors import UsageError
from probfs.interaction.pairs import Pairs
from probfs.output import writers
from probfs.output.documents import Document
from probfs.output.drawings import round_values
from probfs.output.formats import DOCUMENT_FORMATS, RESULT_FORMATS, choose_format
from probfs.output.writers import Presentation, csv_text, json_document, terminal_text
from probfs.paper.documents import Claim, claims_document
from probfs.ranking.result import Ranking
from probfs.selection.result import Selection
from probfs.text import command_line_language, is_unseen
from tests.conftest import SAMPLES, Run
from tests.support.results import (
    HOSTILE_NAMES,
    assert_as_before,
    make_large_selection,
    make_ranking,
    ranking_of,
    selection_of,
)

PLAIN = ["age", "income", "height", "colour", "zip", "weight"]
WRITERS: dict[str, Callable[[Document, Presentation], str]] = {
    "txt": terminal_text,
    "csv": csv_text,
    "json": json_document,
    "md": writers.markdown_text,
}


def find_pairs(names: list[str]) -> Pairs:
    """Pairs of columns, of which the first two tell the class together."""
    random = np.random.default_rng(0)
    cells = random.integers(0, 2, (200, len(names)))
    return probfs.pairs(cells, np.array(["no", "yes"])[cells[:, 0] ^ cells[:, 1]], feature_names=names)


RESULTS: dict[str, Callable[[list[str]], Ranking | Selection | Pairs]] = {
    "ranking": make_ranking,
    "uncertain": lambda names: make_ranking(names, uncertainty=True, score="signed").top(4),
    "selection": make_large_selection,
    "pairs": find_pairs,
}
KINDS = [*RESULTS, "comparison", "verdicts"]


def make_document(kind: str, names: list[str]) -> Document:
    if kind == "comparison":
        intervals = {name: (rank, rank + 2) for rank, name in enumerate(names, 1)}
        old = ranking_of(names, intervals=intervals)
        return compare_rankings(old, ranking_of([*names[2:], names[0], "new"])).document()
    if kind == "verdicts":
        old = selection_of(dict.fromkeys(names, "keep"))
        return compare_rankings(old, selection_of(dict.fromkeys(names[::-1], "noise"))).document()
    return RESULTS[kind](names).document()


@pytest.mark.parametrize("kind", RESULTS)
def test_pages_and_what_notebooks_and_figures_show_are_as_before(kind: str) -> None:
    result = RESULTS[kind]([*PLAIN, "shoe size", "eyes", "pulse", "sleep"])
    page = re.sub('default-src.*?"', "", result.to_html())
    for name in ("report.css", "report.js"):
        page = page.replace((files("probfs.output") / "assets" / name).read_text("utf-8"), "")
    content = [page]
    if not isinstance(result, Pairs):
        drawing = result.drawing()
        axes = [(panel.is_logarithmic, panel.size_ticks, round_values(*panel.value_range)) for panel in drawing.panels]
        content += [result._repr_html_(), *map(str, drawing.bars), *map(str, axes)]
    assert_as_before("\n".join(content), f"{kind}.html")


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("kind", KINDS)
def test_names_cannot_steer_a_terminal_in_any_format(kind: str, ending: str) -> None:
    document = make_document(kind, [*HOSTILE_NAMES, "\x9b31m", "e" + "\u0301" * 9])
    text = WRITERS[ending](document, Presentation(80))
    assert not [character for character in text.replace("\n", "") if is_unseen(character)]
    if ending == "json":
        assert json.loads(text) == json.loads(json_document(document))


@pytest.mark.parametrize("kind", ["uncertain", "selection", "pairs", "comparison"])
def test_frames_and_parquet_have_the_records_of_the_csv_and_its_types(kind: str) -> None:
    document = make_document(kind, HOSTILE_NAMES)
    content = writers.parquet_bytes(document)
    table = pq.read_table(io.BytesIO(content))
    types = {"text": "string", "float64": "double", "Int64": "int64", "boolean": "bool"}
    assert {each.name: str(each.type) for each in table.schema} == {
        name: types.get(dtype, dtype) for name, dtype in document.header.items()
    }
    assert [tuple(row.values()) for row in table.to_pylist()] == document.records()
    rest = json.loads(json_document(document))
    rest.pop("features", None)
    assert json.loads(pq.ParquetFile(io.BytesIO(content)).metadata.metadata[b"probfs"]) == rest
    empty = writers.parquet_bytes(replace(document, rows=[]))
    assert pq.read_table(io.BytesIO(empty)).schema.names == list(document.header)
    frame = writers.data_frame(document)
    known = {name: str(frame[name].dtype) for name, dtype in document.header.items() if dtype != "text"}
    assert known == {name: dtype for name, dtype in document.header.items() if dtype != "text"}


def test_a_number_that_json_does_not_have_is_null() -> None:
    ranking = make_ranking("ab")
    infinite = replace(ranking, rounds=(replace(ranking.rounds[0], log_loss=float("inf")),))
    assert json.loads(infinite.to_json())["rounds"][0]["log_loss"] is None


def test_a_spreadsheet_takes_no_name_for_a_formula_where_that_is_asked_for() -> None:
    document = make_document("ranking", ["=1+1", "-3", "b"])
    safe = csv_text(document, Presentation(safe_csv=True)).splitlines()[1:]
    assert [row.split(",")[1] for row in safe] == ["'=1+1", "-3", "b"]
    assert "\n1,=1+1," in csv_text(document)


# Tables for people.


def shown(document: Document, width: int | None = None, color: bool = False) -> str:
    return terminal_text(document, Presentation(width, color=color))


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("kind", ["ranking", "selection", "pairs", "comparison", "verdicts"])
def test_a_table_fits_the_terminal_and_loses_no_name(kind: str, width: int) -> None:
    long = "a_very_long_name_that_has_to_be_folded_" * 2
    lines = shown(make_document(kind, [*PLAIN, long]), width).splitlines()
    assert max(map(cell_len, lines)) <= width
    assert "age" in "".join(lines)


@pytest.mark.parametrize(
    ("width", "number", "name"),
    [
        (75, 4, "blood_pressure_at_rest_"),
        (61, 4, "blood_"),
        (60, 3, "blood_pressure_at_"),
        (54, 3, "blood_"),
        (53, 2, "blood_pressure_at_rest_"),
        (40, 2, "blood_"),
        (39, 1, "blood_pressure_at_"),
        (24, 1, "blood_"),
    ],
)
def test_headings_and_names_are_folded_then_optional_columns_go(width: int, number: int, name: str) -> None:
    text = shown(make_document("ranking", ["blood_pressure_at_rest_in_the_morning", *"bcdef"]), width)
    table = "\n".join(text[: text.index("── not told")].splitlines()[3:])
    columns = ["importance", "gain", "█", "round"]
    assert {word for word in columns if word in table} == set(columns[:number])
    assert re.findall(r"^ +1 +(\S+)", table, re.MULTILINE) == [name]
    # Nothing goes that was asked for.
    assert "0.0050 ± 0.0100" in shown(make_document("uncertain", PLAIN), 30)


def test_columns_go_in_the_order_in_which_they_matter_least() -> None:
    ranking = make_ranking("ab")
    features = tuple(replace(feature, s_su=0.1) for feature in ranking.features)
    document = replace(ranking, features=features, input=replace(ranking.input, unlabelled_rows=3)).document()
    gone: list[str] = []
    for width in range(120, 10, -1):
        table = shown(document, width).partition("80.")[2].partition("To decide")[0]
        gone += [word for word in ("gain", "unlabelled", "round", "█") if word not in table and word not in gone]
    assert gone == ["round", "█", "unlabelled", "gain"]


def test_a_line_says_where_noise_begins_and_noise_above_it_is_marked() -> None:
    ranking = make_ranking("abcdef")

    def line_and_marks(qs: list[float], ranking: Ranking = ranking) -> tuple[str, str]:
        """The columns above the line, and those that are marked."""
        features = [replace(feature, q=q) for feature, q in zip(ranking.features, qs, strict=True)]
        text = shown(replace(ranking, features=tuple(features)).document())
        line = "── not told from noise (q > 0.1), in the order of p ─"
        above, found, _ = text.partition(line)
        marked = re.findall(r"^ +\d +(\w) .*≈ noise$", text, re.MULTILINE)
        return "".join(re.findall(r"^ +\d +(\w) ", above, re.MULTILINE)) if found else "no line", "".join(marked)

    assert line_and_marks([0.0, 0.0, 0.1, 0.11, 0.5, 0.5]) == ("abc", "")
    assert line_and_marks([0.0, 0.0, 0.0, 0.5, 0.1, 0.5]) == ("abcde", "d")
    assert line_and_marks([0.9] * 6) == ("", "")
    assert line_and_marks([0.0] * 6) == ("no line", "")
    # Of columns that are not listed nobody knows; and what several columns tell together is not tested.
    assert line_and_marks([0.0] * 3 + [0.5] * 2, ranking.top(5)) == ("no line", "de")
    rbf = make_ranking("abcdef", classifier="svm", options={"kernel": "rbf"})
    assert line_and_marks([0.5] * 6, rbf) == ("no line", "")


def test_colors_are_for_terminals() -> None:
    claims = [Claim("bound", "eq. (9)", "1", "1", "holds", 1), Claim("bound", "eq. (9)", "1", "2", "does not hold", 1)]
    told = shown(claims_document(claims), 100, color=True)
    assert ("\x1b[32mholds" in told, "\x1b[31mdoes not hold" in told) == (True, True)
    assert "\x1b[2m" in shown(make_document("ranking", PLAIN), 100, color=True)
    for interval, is_pale in (((0, 2), True), ((0, 0), False)):
        intervals = {name: (rank + interval[0], rank + interval[1]) for rank, name in enumerate("abc", 1)}
        moved = compare_rankings(ranking_of("abc", intervals=intervals), ranking_of("cba")).document()
        assert ("\x1b[2m" in shown(moved, 100, color=True)) == is_pale


def test_a_comparison_lists_the_best_fifty_columns_that_changed() -> None:
    names = [f"c{number}" for number in range(60)]
    document = compare_rankings(ranking_of(names), ranking_of(names[::-1])).document()
    assert shown(document, 100).splitlines()[-1] == "… and 10 more columns that changed; --format csv lists all"
    assert len(csv_text(document).splitlines()) == 61
    exactly = compare_rankings(ranking_of(names[:50]), ranking_of(names[49::-1])).document()
    assert "more column" not in shown(exactly)


# Formats.


@pytest.mark.parametrize(
    ("name", "path", "chosen"),
    [
        (None, "R.MD", "markdown"),
        (None, "r.htm", "html"),
        (None, "/dev/stdout", "csv"),
        ("markdown", "r.csv", "markdown"),
        (None, None, "csv"),
    ],
)
def test_the_name_decides_on_the_format_then_the_ending_then_the_place(
    name: str | None, path: str | None, chosen: str
) -> None:
    assert choose_format(RESULT_FORMATS, name, path, False) == chosen
    assert choose_format(RESULT_FORMATS, name, path, True) == (chosen if name or path else "table")


@pytest.mark.parametrize("unknown", ["r.xyz", "r", "r.csv.gz", ".csv", "r.html"])
def test_an_ending_that_gives_no_format_is_refused(unknown: str) -> None:
    with command_line_language(), pytest.raises(UsageError, match=r"^--output: ") as caught:
        choose_format(DOCUMENT_FORMATS, None, Path(unknown), False)
    assert str(caught.value).endswith(" names no known format; use .txt, .csv, .json, .md, .markdown, or --format")


@pytest.mark.parametrize("command", ["rank", "select"])
def test_every_format_is_written_and_pictures_beside_it(command: str, run_here: Run, tmp_path: Path) -> None:
    table = (command, SAMPLES / "commute.csv", "--exclude", "person", "--quiet")
    beginnings = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "parquet": b"PAR1", "html": b"<!DOCTYPE"}
    for name, beginning in beginnings.items():
        result = run_here(*table, "--output", f"result.{name}")
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
        assert (tmp_path / f"result.{name}").read_bytes().startswith(beginning)
    beside = run_here(*table, "--format", "csv", "--plot", "other.svg")
    assert beside.stdout.startswith("rank,feature,")
    assert (tmp_path / "other.svg").read_bytes() == (tmp_path / "result.svg").read_bytes()
