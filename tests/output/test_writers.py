"""Documents in every format, with plain and with hostile names; PROBFS_SNAPSHOTS=write writes what is expected anew."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from rich.cells import cell_len

from probfs.columns.inspect import ColumnSummary, Inspection
from probfs.comparison.changes import compare_rankings
from probfs.notes import NoteKind
from probfs.output import documents, writers
from probfs.output.documents import Document
from probfs.output.writers import Presentation, csv_text, json_document, terminal_text
from probfs.paper.documents import Claim, claims_document, population_document
from probfs.paper.theory import PopulationScores
from probfs.text import is_unseen
from tests.support.comparisons import ranking_of, selection_of
from tests.support.hostile_names import HOSTILE_NAMES
from tests.support.results import make_large_selection, make_ranking

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


def make_document(kind: str, names: list[str]) -> Document:
    if kind == "ranking":
        return make_ranking(names).document()
    if kind == "uncertain":
        return make_ranking(names, uncertainty=True, score="signed").top(4).document()
    if kind == "selection":
        return make_large_selection(names).document()
    if kind == "comparison":
        intervals = {name: (rank, rank + 2) for rank, name in enumerate(names, 1)}
        old = ranking_of(names, intervals=intervals)
        return compare_rankings(old, ranking_of([*names[2:], names[0], "new"])).document()
    if kind == "verdicts":
        old = selection_of(dict.fromkeys(names, "keep"))
        return compare_rankings(old, selection_of(dict.fromkeys(names[::-1], "noise"))).document()
    if kind == "inspection":
        return documents.inspection_document(inspected(names))
    if kind == "claims":
        return claims_document(claimed(names), "1.0", {"runs": {"example": 1}, "seed": 0})
    return population_document("1.0", "j.csv", [PopulationScores(names[1], 0.15, 0.0495, 1 / 220)])


KINDS = ["ranking", "uncertain", "selection", "comparison", "verdicts", "inspection", "population", "claims"]


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_documents_are_written_as_before(kind: str, names: str, ending: str) -> None:
    expected = SNAPSHOTS / f"{kind}-{names}.{ending}"
    text = WRITERS[ending](make_document(kind, NAMES[names]), Presentation())
    if os.environ.get("PROBFS_SNAPSHOTS") == "write":
        expected.write_bytes(text.encode())
    assert text == expected.read_bytes().decode()


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("kind", KINDS)
def test_names_cannot_steer_a_terminal_in_any_format(kind: str, ending: str) -> None:
    names = [*HOSTILE_NAMES, "\x9b31m", "e" + "\u0301" * 9]
    text = WRITERS[ending](make_document(kind, names), Presentation(80))
    assert not [character for character in text.replace("\n", "") if is_unseen(character)]
    if ending == "json":
        assert json.loads(text) == json.loads(json_document(make_document(kind, names)))


@pytest.mark.parametrize("kind", ["ranking", "uncertain", "selection"])
def test_parquet_has_the_records_of_the_csv_and_the_rest_of_the_json(kind: str) -> None:
    document = make_document(kind, HOSTILE_NAMES)
    content = writers.parquet_bytes(document)
    table = pq.read_table(io.BytesIO(content))
    types = {"text": "string", "float64": "double", "Int64": "int64"}
    assert {own.name: str(own.type) for own in table.schema} == {
        name: types.get(dtype, dtype) for name, dtype in document.header.items()
    }
    assert [tuple(row.values()) for row in table.to_pylist()] == [tuple(record) for record in document.records()]
    rest = json.loads(json_document(document))
    del rest["features"]
    assert json.loads(pq.ParquetFile(io.BytesIO(content)).metadata.metadata[b"probfs"]) == rest
    empty = writers.parquet_bytes(replace(document, rows=[]))
    assert pq.read_table(io.BytesIO(empty)).schema.names == list(document.header)


def test_a_number_that_json_does_not_have_is_null() -> None:
    ranking = make_ranking("ab")
    infinite = replace(ranking, rounds=(replace(ranking.rounds[0], log_loss=float("inf")),))
    assert json.loads(infinite.to_json())["rounds"][0]["log_loss"] is None


def test_a_spreadsheet_takes_no_name_for_a_formula_where_that_is_asked_for() -> None:
    document = make_document("ranking", ["=1+1", "-3", "b"])
    safe = csv_text(document, Presentation(safe_csv=True)).splitlines()[1:]
    assert [row.split(",")[1] for row in safe] == ["'=1+1", "-3", "b"]
    assert "\n1,=1+1," in csv_text(document)


@pytest.mark.parametrize("kind", ["ranking", "uncertain", "selection", "comparison"])
def test_a_frame_has_the_types_of_the_header(kind: str) -> None:
    document = make_document(kind, NAMES["plain"])
    frame = writers.data_frame(document)
    assert list(frame) == list(document.header)
    known = {name: str(frame[name].dtype) for name, dtype in document.header.items() if dtype != "text"}
    assert known == {name: dtype for name, dtype in document.header.items() if dtype != "text"}


def shown(kind: str, width: int, names: list[str] = NAMES["plain"]) -> list[str]:
    return terminal_text(make_document(kind, names), Presentation(width)).splitlines()


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("kind", ["ranking", "selection", "comparison", "verdicts", "inspection", "population"])
def test_a_table_fits_the_terminal_and_loses_no_name(kind: str, width: int) -> None:
    names = [*NAMES["plain"], "a_very_long_name_that_has_to_be_folded_" * 2]
    lines = shown(kind, width, names)
    assert max(map(cell_len, lines)) <= max(width, 60 if kind == "inspection" else 0)
    assert kind == "population" or "age" in "".join(lines)


def test_a_narrow_terminal_shows_what_was_asked_for() -> None:
    uncertain = "\n".join(shown("uncertain", 80))
    assert "round" not in "\n".join(shown("ranking", 50))
    for asked in ("interval", "±", "in round 1", "gain", "≈ noise"):
        assert asked in uncertain
    assert "round" in "\n".join(shown("ranking", 100))
    too_narrow = shown("uncertain", 30)
    assert max(map(cell_len, too_narrow)) > 30
    assert "0.0050 ± 0.0100" in "\n".join(too_narrow)


def test_a_line_says_where_noise_begins_and_noise_above_it_is_marked() -> None:
    lines = terminal_text(make_ranking("abcdef").document()).splitlines()
    (line,) = [place for place, own in enumerate(lines) if own.startswith("── not told from noise (q > 0.1) ──")]
    assert [own.split()[1] for own in (lines[line - 1], lines[line + 1])] == ["c", "d"]
    assert "≈" not in "".join(lines)
    ranking = make_ranking("abcdef")
    told = replace(ranking.features[4], q=0.01)
    mixed = replace(ranking, features=(*ranking.features[:4], told, ranking.features[5]))
    text = terminal_text(mixed.document())
    assert [own.split()[1] for own in text.splitlines() if own.endswith("≈ noise")] == ["d"]
    assert text.index(" e ") < text.index("── not told") < text.index(" f ")
    # Of columns that are not listed nobody knows.
    assert "──" not in terminal_text(ranking.top(5).document())
    rbf = make_ranking("abcdef", classifier="svm", options={"kernel": "rbf"})
    assert "noise" not in terminal_text(rbf.document())


def test_colors_are_for_terminals() -> None:
    colored = terminal_text(make_document("claims", NAMES["plain"]), Presentation(100, color=True))
    assert "\x1b[32mholds" in colored
    assert "\x1b[31mdoes not hold" in colored
    assert "\x1b[2m" in terminal_text(make_document("ranking", NAMES["plain"]), Presentation(100, color=True))


def test_a_comparison_lists_the_best_fifty_columns_that_changed() -> None:
    names = [f"c{number}" for number in range(60)]
    document = compare_rankings(ranking_of(names), ranking_of(names[::-1])).document()
    lines = terminal_text(document, Presentation(100)).splitlines()
    assert lines[-1] == "… and 10 more columns that changed; --format csv lists all"
    assert len(csv_text(document).splitlines()) == 61
