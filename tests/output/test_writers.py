"""Documents in every format, with plain and with hostile names; PROBFS_SNAPSHOTS=write writes what is expected anew."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from rich.cells import cell_len

from probfs.columns.inspect import ColumnSummary, Inspection
from probfs.comparison.changes import compare_rankings
from probfs.errors import UsageError
from probfs.interaction.pairs import Pair, Pairs
from probfs.notes import NoteKind
from probfs.output import writers
from probfs.output.documents import Document, inspection_document
from probfs.output.formats import DOCUMENT_FORMATS, RESULT_FORMATS
from probfs.output.writers import Presentation, csv_text, json_document, terminal_text
from probfs.paper.documents import Claim, claims_document, population_document
from probfs.paper.theory import PopulationScores
from probfs.ranking.result import Ranking
from probfs.selection.result import Selection
from probfs.text import command_line_language, is_unseen
from tests.conftest import SAMPLES, Run
from tests.support.results import HOSTILE_NAMES, make_large_selection, make_ranking, ranking_of, selection_of

SNAPSHOTS = Path(__file__).parent / "snapshots"
NAMES = {"plain": ["age", "income", "height", "colour", "zip", "weight"], "hostile": HOSTILE_NAMES}
WRITERS: dict[str, Callable[[Document, Presentation], str]] = {
    "txt": terminal_text,
    "csv": csv_text,
    "json": json_document,
    "md": writers.markdown_text,
}


def inspected(names: list[str]) -> Inspection:
    columns = (
        ColumnSummary(names[0], "number", 12, 3, "7", 4, "feature: cut into 5 intervals (12 numbers)"),
        ColumnSummary(
            names[1], "text", 200, 0, names[2] * 9, 1_000, "left out (identifier: a key)", "", ("identifier",)
        ),
        ColumnSummary(names[2], "text", 0, 200, None, 0, "feature", "'NA' missing", ("empty", "leakage? 99%")),
        ColumnSummary("y", "nominal", 2, 0, "no", 120, "target (the last column)"),
    )
    notes = (NoteKind.IDENTIFIER.note("left out", [names[1]]),)
    return Inspection("t.csv", "y", "the last column", 200, 5, {"no": 120, names[1]: 80}, columns, notes)


def claimed(names: list[str]) -> list[Claim]:
    return [
        Claim("example", "section 4.1", f"S_S({names[0]}) = 0.15", "0.15", "holds", 1),
        Claim("bound", f"eq. (9), {names[1]}", "S_A <= S_S", "1.2 > 1, " * 20, "does not hold", 20),
    ]


def paired(names: list[str]) -> Pairs:
    pairs = [Pair(names[0], name, 0.1 / place, 0.002 * place, 0.03 * place) for place, name in enumerate(names[1:], 1)]
    settings = {"bins": 5, "missing": "auto", "na": [], "include": [], "exclude": [], "min_class": 2}
    settings |= dict.fromkeys(("mapping", "count", "dates", "cut_target"))
    settings |= {"ignore_case": False, "keep_identifiers": False, "false_discoveries": 0.05, "seed": 0}
    return Pairs(tuple(pairs), make_ranking(names).input, settings, (), "1.0", tested=15)


RESULTS: dict[str, Callable[[list[str]], Ranking | Selection | Pairs]] = {
    "ranking": make_ranking,
    "uncertain": lambda names: make_ranking(names, uncertainty=True, score="signed").top(4),
    "selection": make_large_selection,
    "pairs": paired,
}


def make_document(kind: str, names: list[str]) -> Document:
    if kind in RESULTS:
        return RESULTS[kind](names).document()
    match kind:
        case "comparison":
            intervals = {name: (rank, rank + 2) for rank, name in enumerate(names, 1)}
            old = ranking_of(names, intervals=intervals)
            return compare_rankings(old, ranking_of([*names[2:], names[0], "new"])).document()
        case "verdicts":
            old = selection_of(dict.fromkeys(names, "keep"))
            return compare_rankings(old, selection_of(dict.fromkeys(names[::-1], "noise"))).document()
        case "inspection":
            return inspection_document(inspected(names))
        case "claims":
            return claims_document(claimed(names), "1.0", {"runs": {"example": 1}, "seed": 0})
    return population_document("1.0", "j.csv", [PopulationScores(names[1], 0.15, 0.0495, 1 / 220)])


KINDS = ["ranking", "uncertain", "selection", "comparison", "verdicts", "pairs", "inspection", "population", "claims"]


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_documents_are_written_as_before(kind: str, names: str, ending: str) -> None:
    assert_as_before(WRITERS[ending](make_document(kind, NAMES[names]), Presentation()), f"{kind}-{names}.{ending}")


@pytest.mark.parametrize("kind", RESULTS)
def test_pages_and_what_notebooks_and_figures_show_are_as_before(kind: str) -> None:
    result = RESULTS[kind]([*NAMES["plain"], "shoe size", "eyes", "pulse", "sleep"])
    page = re.sub('default-src.*?"', "", result.to_html())
    for name in ("report.css", "report.js"):
        page = page.replace((files("probfs.output") / "assets" / name).read_text("utf-8"), "")
    content = [page]
    if not isinstance(result, Pairs):
        drawing = result.drawing()
        axes = [(panel.is_logarithmic, panel.size_ticks, panel.value_ticks) for panel in drawing.panels]
        content += [result._repr_html_(), *map(str, drawing.bars), *map(str, axes)]
    assert_as_before("\n".join(content), f"{kind}.html")


def assert_as_before(text: str, name: str) -> None:
    expected = SNAPSHOTS / name
    if os.environ.get("PROBFS_SNAPSHOTS") == "write":
        expected.write_bytes(text.encode())
    assert text == expected.read_bytes().decode()


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


def shown(kind: str, width: int, names: list[str] = NAMES["plain"]) -> list[str]:
    return terminal_text(make_document(kind, names), Presentation(width)).splitlines()


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("kind", ["ranking", "selection", "comparison", "verdicts", "pairs", "inspection"])
def test_a_table_fits_the_terminal_and_loses_no_name(kind: str, width: int) -> None:
    lines = shown(kind, width, [*NAMES["plain"], "a_very_long_name_that_has_to_be_folded_" * 2])
    assert max(map(cell_len, lines)) <= max(width, 60 if kind == "inspection" else 0)
    assert "age" in "".join(lines)


def test_a_narrow_terminal_shows_what_was_asked_for() -> None:
    uncertain = "\n".join(shown("uncertain", 80))
    for asked in ("interval", "±", "in round 1", "gain", "≈ noise"):
        assert asked in uncertain
    assert "round" not in "\n".join(shown("ranking", 50))
    assert "round" in "\n".join(shown("ranking", 100))
    assert "0.0050 ± 0.0100" in "\n".join(shown("uncertain", 30))


def test_headings_and_names_are_folded_then_optional_columns_go() -> None:
    long = ["blood_pressure_at_rest_in_the_morning", *"bcdef"]
    columns = ("importance", "█", "gain", "round")
    for width, words, name in (
        (75, columns, "blood_pressure_at_rest_"),
        (61, columns, "blood_"),
        (60, columns[:3], "blood_pressure_at_"),
        (54, columns[:3], "blood_"),
        (53, ("importance", "gain"), "blood_pressure_at_rest_"),
        (40, ("importance", "gain"), "blood_"),
        (39, ("importance",), "blood_pressure_at_"),
        (24, ("importance",), "blood_"),
    ):
        text = "\n".join(shown("ranking", width, long)[3:])
        table = text[: text.index("── not told")]
        assert [word for word in columns if word in table] == list(words), width
        assert re.search(r"^ +1 +(\S+)", table, re.MULTILINE)[1] == name, width  # type: ignore[index]


def test_a_line_says_where_noise_begins_and_noise_above_it_is_marked() -> None:
    lines = terminal_text(make_ranking("abcdef").document()).splitlines()
    (line,) = [
        place
        for place, text in enumerate(lines)
        if text.startswith("── not told from noise (q > 0.1), in the order of p ─")
    ]
    assert [text.split()[1] for text in (lines[line - 1], lines[line + 1])] == ["c", "d"]
    assert "≈" not in "".join(lines)
    ranking = make_ranking("abcdef")
    told = replace(ranking.features[4], q=0.1)
    text = terminal_text(replace(ranking, features=(*ranking.features[:4], told, ranking.features[5])).document())
    assert [line.split()[1] for line in text.splitlines() if line.endswith("≈ noise")] == ["d"]
    assert text.index(" e ") < text.index("── not told") < text.index(" f ")
    noise = replace(ranking, features=tuple(replace(each, q=0.9) for each in ranking.features))
    lines = terminal_text(noise.document()).splitlines()
    (line,) = [place for place, text in enumerate(lines) if text.startswith("── not told")]
    assert (lines[line - 1].split()[:2], lines[line + 1].split()[:2]) == (["rank", "column"], ["1", "a"])
    # Of columns that are not listed nobody knows.
    assert "──" not in terminal_text(ranking.top(5).document())
    rbf = make_ranking("abcdef", classifier="svm", options={"kernel": "rbf"})
    assert "noise" not in terminal_text(rbf.document())


def test_colors_are_for_terminals() -> None:
    colored = terminal_text(make_document("claims", NAMES["plain"]), Presentation(100, color=True))
    assert "\x1b[32mholds" in colored
    assert "\x1b[31mdoes not hold" in colored
    assert "\x1b[2m" in terminal_text(make_document("ranking", NAMES["plain"]), Presentation(100, color=True))
    wide, tight = dict.fromkeys("abc", (1, 3)), {name: (rank, rank) for rank, name in enumerate("abc", 1)}
    for intervals, is_pale in ((wide, True), (tight, False)):
        moved = compare_rankings(ranking_of("abc", intervals=intervals), ranking_of("cba")).document()
        assert ("\x1b[2m" in terminal_text(moved, Presentation(100, color=True))) == is_pale


def test_a_comparison_lists_the_best_fifty_columns_that_changed() -> None:
    names = [f"c{number}" for number in range(60)]
    document = compare_rankings(ranking_of(names), ranking_of(names[::-1])).document()
    lines = terminal_text(document, Presentation(100)).splitlines()
    assert lines[-1] == "… and 10 more columns that changed; --format csv lists all"
    assert len(csv_text(document).splitlines()) == 61
    exactly = compare_rankings(ranking_of(names[:50]), ranking_of(names[49::-1])).document()
    assert "more column" not in terminal_text(exactly)


# Formats.


def test_the_name_decides_on_the_format_then_the_ending_then_the_place() -> None:
    for name, path, chosen in (
        (None, "R.MD", "markdown"),
        (None, "r.htm", "html"),
        (None, "/dev/stdout", "csv"),
        ("markdown", "r.csv", "markdown"),
    ):
        assert RESULT_FORMATS.choose(name, Path(path), False).name == chosen
    assert [RESULT_FORMATS.choose(None, None, terminal).name for terminal in (True, False)] == ["table", "csv"]
    shared = ("table", "csv", "json", "markdown")
    assert DOCUMENT_FORMATS.names() == shared
    assert RESULT_FORMATS.names() == (*shared, "parquet", "html", "png", "svg", "pdf")
    with pytest.raises(UsageError, match=r"^format=: 'xml' is not one of table, csv, json, markdown$"):
        DOCUMENT_FORMATS.choose("xml", None, False)
    for unknown in ("r.xyz", "r", "r.csv.gz", ".csv"):
        with command_line_language(), pytest.raises(UsageError, match=r"^--output: ") as caught:
            DOCUMENT_FORMATS.choose(None, Path(unknown), False)
        assert str(caught.value).endswith(" gives no format; use .txt, .csv, .json, .md, .markdown, or --format")


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
