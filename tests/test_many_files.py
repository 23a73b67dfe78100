"""Many files are one table for every command: how rows are split into files, and in which order, changes nothing."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import probfs
from probfs.tables.frames import table_in_memory
from probfs.tables.writers import table_bytes
from tests.support.random_tables import assert_same_ranking, measurements, outcome
from tests.support.tables import Write


def write_file(frame: pd.DataFrame, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(table_bytes(table_in_memory(frame, "data"), path.suffix[1:], "y"))


@pytest.mark.parametrize("ending", ["csv", "parquet", "arff", "jsonl"])
@settings(max_examples=settings().max_examples // 4)
@given(
    frame=measurements(),
    seed=st.integers(0, 2**32 - 1),
    count=st.sampled_from([None, "n"]),
    score=st.sampled_from(["absolute", "signed", "unlabeled"]),
)
def test_many_files_rank_as_one(ending: str, frame: pd.DataFrame, seed: int, count: str | None, score: str) -> None:
    random = np.random.default_rng(seed)
    # Numbers that rise from row to row may be identifiers.
    frame = frame.iloc[random.permutation(len(frame))]
    order, cuts = random.permutation(len(frame)), np.sort(random.integers(1, len(frame), 3)).tolist()
    options: dict[str, Any] = {"target": "y", "count": count, "score": score, "keep_identifiers": True}
    with TemporaryDirectory() as name:
        write_file(frame, Path(name, f"one.{ending}"))
        for place, (first, end) in enumerate(pairwise([0, *dict.fromkeys(cuts), len(frame)])):
            # The order of the first file's columns is that of the table, and so of names in notes.
            part = frame[random.permutation(frame.columns)] if place else frame
            write_file(part.iloc[order[first:end]], Path(name, "parts", f"{place}.{ending}"))
        one, many = (outcome(Path(name, path), **options) for path in (f"one.{ending}", "parts"))
    if isinstance(one, str) or isinstance(many, str):
        # Behind the name of the file, or of all.
        assert str(one).split(": ")[-1] == str(many).split(": ")[-1]
    else:
        assert_same_ranking(replace(many[0], input=one[0].input), one[0])
        assert many[1] == one[1]


def test_unlabelled_rows_may_be_many_files_too(write: Write, tmp_path: Path) -> None:
    labelled = write("labelled.csv", "a,b,y\n" + "x,u,0\nx,v,0\nz,u,1\nz,v,1\n" * 3)
    (tmp_path / "more").mkdir()
    whole = write("more.csv", "a,b\nx,u\nx,v\nz,u\nz,u\nx,u\nz,v\n")
    write("more/1.csv", "a,b\nx,u\nx,v\n")
    write("more/2.csv", "b,a\nu,z\nu,z\nu,x\nv,z\n")
    one, *others = (
        probfs.rank(labelled, target="y", score="unlabeled", unlabeled=more)
        for more in (whole, tmp_path / "more", [f"{tmp_path}/more/*.csv"])
    )
    for other in others:
        assert_same_ranking(replace(other, input=one.input), one)
    assert len(probfs.rank(labelled, target="y", unlabeled=[whole, whole]).input.unlabelled_sources) == 2


def test_a_list_of_frames_is_no_table() -> None:
    with pytest.raises(probfs.UsageError, match=r"^data must be a path, .*, not a list of DataFrame; only paths may"):
        probfs.rank([pd.DataFrame({"a": [1]})], target="a")  # type: ignore[list-item]
