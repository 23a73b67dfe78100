"""Files of odd cells, which a worker reads without knowing what other files hold, are ranked as by one process."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

import probfs
from probfs import Ranking
from probfs.cluster import connection
from probfs.notes import Note
from probfs.tables.opening import ReadOptions
from tests.support.file_parts import assert_same_ranking
from tests.support.in_process_cluster import connect_here
from tests.support.split_tables import Case, Cells, as_frame, cases

Files = Sequence[dict[str, Cells]]


def write_csv(folder: Path, files: Files) -> Path:
    folder.mkdir()
    for number, cells in enumerate(files):
        with (folder / f"{number}.csv").open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(cells)
            writer.writerows(zip(*cells.values(), strict=True))
    return folder


def write_parquet(folder: Path, files: Files) -> Path:
    folder.mkdir()
    for number, cells in enumerate(files):
        pq.write_table(as_frame(cells, ReadOptions()).arrow, folder / f"{number}.parquet")
    return folder


def outcome(data: Path, **options: Any) -> tuple[Ranking, list[Note]] | str:
    """A ranking and its notes, or why there is none."""
    notes: list[Note] = []
    try:
        return probfs.rank(data, on_note=notes.append, report=True, **options), notes
    except probfs.ProbfsError as error:
        return str(error)


@pytest.mark.parametrize("write", [write_csv, write_parquet])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=cases())
def test_both_engines_do_the_same(
    write: Callable[[Path, Files], Path], case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "connect", connect_here)
    with tempfile.TemporaryDirectory() as folder:
        data, mapping = write(Path(folder, "table"), case.blocks()), Path(folder, "mapping.toml")
        mapping.write_text(case.mapping)
        options = {**case.choice, "mapping": mapping, "decimal": case.decimal, "na": list(case.choice["na"])}
        if case.unlabelled is not None:
            # An infinite number makes texts of a further file's column; only a cluster knows that they are numbers.
            further = {name: [cell.replace("inf", "") for cell in own] for name, own in case.unlabelled.items()}
            options["unlabeled"] = write(Path(folder, "further"), [further])
        found, wanted = outcome(data, engine="dask", **options), outcome(data, **options)
        # Of several errors, a cluster finds those of the table itself first.
        alone = outcome(data, **{**options, "unlabeled": None})
    if isinstance(found, str) or isinstance(wanted, str):
        assert found == (alone if isinstance(alone, str) else wanted)
        return
    assert_same_ranking(found[0], wanted[0])
    assert found[1] == wanted[1]
    backgrounds = found[0].background, wanted[0].background
    assert backgrounds[0] is not None
    assert backgrounds[1] is not None
    assert backgrounds[0].inspection == backgrounds[1].inspection
    assert backgrounds[0].intervals == backgrounds[1].intervals
