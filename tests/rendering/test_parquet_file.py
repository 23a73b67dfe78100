"""Results as Parquet: the values of the CSV, typed, with the rest of the document beside them."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from probfs.ranking.result import Ranking
from probfs.rendering.formats import Presentation
from probfs.rendering.parquet_file import METADATA_KEY
from probfs.rendering.ranking_csv import CSV_HEADER
from probfs.rendering.ranking_formats import RANKING_FORMATS
from probfs.rendering.selection_csv import SELECTION_HEADER
from probfs.rendering.selection_formats import SELECTION_FORMATS
from probfs.selection.result import Selection
from tests.conftest import Run
from tests.support.commands import COMMUTE
from tests.support.results import AWKWARD_NAMES, make_large_selection, make_ranking
from tests.support.selections import make_selection


def parquet(result: Ranking | Selection) -> bytes:
    formats: Any = RANKING_FORMATS if isinstance(result, Ranking) else SELECTION_FORMATS
    content = formats["parquet"].render(result, Presentation())
    assert isinstance(content, bytes)
    return content


def read(result: Ranking | Selection) -> pa.Table:
    return pq.read_table(io.BytesIO(parquet(result)))


RESULTS: list[Ranking | Selection] = [
    make_ranking(AWKWARD_NAMES),
    make_ranking(AWKWARD_NAMES, uncertainty=True),
    make_ranking(["a", "b", "c"]).top(2),
    make_selection(),
    make_selection().top(1),
    make_large_selection(AWKWARD_NAMES),
]
NAMES = ["ranking", "uncertainty", "best-ranked", "selection", "best-selected", "large-selection"]


def test_columns_are_those_of_the_csv_with_types() -> None:
    ranking, selection = read(make_ranking(["a"])), read(make_selection())
    assert (tuple(ranking.column_names), tuple(selection.column_names)) == (CSV_HEADER, SELECTION_HEADER)
    types = {name: str(kind) for table in (selection, ranking) for name, kind in _typed(table)}
    others = {name: kind for name, kind in types.items() if kind != "double"}
    numbers = dict.fromkeys(("rank", "round", "rank_low", "rank_high", "folds"), "int64")
    assert others == {**numbers, "feature": "string", "verdict": "string", "instead": "string", "keep": "bool"}


def _typed(table: pa.Table) -> list[tuple[str, pa.DataType]]:
    return list(zip(table.schema.names, table.schema.types, strict=True))


@pytest.mark.parametrize("result", RESULTS, ids=NAMES)
def test_pandas_reads_the_frame_of_the_result(result: Ranking | Selection) -> None:
    frame = pd.read_parquet(io.BytesIO(parquet(result)))
    pd.testing.assert_frame_equal(frame, result.to_frame(), check_dtype=False, check_exact=True)


@pytest.mark.parametrize("result", RESULTS, ids=NAMES)
def test_values_are_those_of_the_csv_and_null_where_it_is_empty(result: Ranking | Selection) -> None:
    header, *rows = csv.reader(io.StringIO(result.to_csv(), newline=""))
    table = read(result)
    assert table.column_names == header
    assert [[_csv_cell(cell) for cell in row.values()] for row in table.to_pylist()] == rows


def _csv_cell(cell: object) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    return "" if cell is None else str(cell)


@pytest.mark.parametrize("result", RESULTS, ids=NAMES)
def test_the_metadata_is_the_document_without_its_features(result: Ranking | Selection) -> None:
    document = json.loads(result.to_json())
    del document["features"]
    metadata = read(result).schema.metadata
    assert list(metadata) == [METADATA_KEY.encode()]
    assert json.loads(metadata[METADATA_KEY.encode()]) == document


def test_infinity_is_a_number_of_the_table_and_null_in_the_metadata() -> None:
    ranking = make_ranking(["a", "b"])
    infinite = float("inf")
    endless = replace(
        ranking,
        features=tuple(replace(feature, s_s=infinite) for feature in ranking.features),
        rounds=tuple(replace(each, log_loss=infinite) for each in ranking.rounds),
    )
    table = read(endless)
    assert table.column("s_s").to_pylist() == [infinite, infinite]
    assert [each["log_loss"] for each in json.loads(table.schema.metadata[b"probfs"])["rounds"]] == [None, None]


def test_a_result_without_rows_has_its_columns() -> None:
    table = read(make_ranking(["a"]).top(0))
    assert (table.num_rows, tuple(table.column_names)) == (0, CSV_HEADER)
    assert table.schema.field("s_s").type == pa.float64()


@pytest.mark.parametrize("result", RESULTS, ids=NAMES)
def test_the_same_result_gives_the_same_bytes(result: Ranking | Selection) -> None:
    assert parquet(result) == parquet(replace(result))


@pytest.mark.parametrize("command", ["rank", "select"])
def test_the_ending_or_the_name_chooses_it_and_top_cuts_it(command: str, run_here: Run, tmp_path: Path) -> None:
    options = (*COMMUTE, "--quiet", "--top", 2)
    assert run_here(command, *options, "--output", "r.parquet").returncode == 0
    assert run_here(command, *options, "--output", "other", "--format", "parquet").returncode == 0
    assert (tmp_path / "r.parquet").read_bytes() == (tmp_path / "other").read_bytes()
    _, *rows = csv.reader(io.StringIO(run_here(command, *options, "--format", "csv").stdout))
    found = pq.read_table(tmp_path / "r.parquet").to_pylist()
    assert len(found) == 2
    assert [[_csv_cell(cell) for cell in row.values()] for row in found] == rows


@pytest.mark.parametrize("command", ["rank", "select"])
def test_a_terminal_is_spared_it_and_spreadsheets_have_no_part_in_it(
    command: str, run_here: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    guarded = run_here(command, *COMMUTE, "--output", "r.parquet", "--safe-csv")
    assert (guarded.returncode, guarded.stderr.count("\n")) == (2, 1)
    assert "--safe-csv: the result is parquet, not CSV" in guarded.stderr
    monkeypatch.setattr("probfs.cli.destination.stdout_is_terminal", lambda: True)
    shown = run_here(command, *COMMUTE, "--format", "parquet")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert "--format parquet: a terminal cannot show it; name a file with --output" in shown.stderr
