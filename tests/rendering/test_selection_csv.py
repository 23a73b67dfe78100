"""The CSV of a selection, whose header is a contract."""

from __future__ import annotations

import csv
import io

from probfs.rendering.selection_csv import SELECTION_HEADER, selection_csv, selection_rows
from tests.support.hostile_names import HOSTILE_NAMES
from tests.support.selections import make_hostile_selection, make_selection


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_header_is_a_contract() -> None:
    header = "rank,feature,keep,verdict,p,q,s_s,s_a,log_loss,folds,instead,explained"
    assert ",".join(SELECTION_HEADER) == header
    assert selection_csv(make_selection()).splitlines()[0] == header


def test_every_digit_is_written_and_nothing_where_there_is_nothing() -> None:
    selection = make_selection()
    rows = read(selection_csv(selection))
    assert [row["keep"] for row in rows] == ["true", "false", "false", "false"]
    assert [row["verdict"] for row in rows] == ["keep", "redundant", "weak", "noise"]
    assert [float(row["q"]) for row in rows] == [feature.q for feature in selection.features]
    assert float(rows[2]["s_a"]) == selection.features[2].s_a
    assert (rows[1]["instead"], rows[1]["explained"], rows[0]["instead"]) == ("albumin", "0.957", "")
    assert (rows[3]["s_s"], rows[3]["log_loss"], rows[3]["folds"]) == ("", "", "0")
    assert selection_rows(selection)[0][:4] == (1, "albumin", True, "keep")


def test_names_are_kept_and_guarded_only_when_asked() -> None:
    names = [HOSTILE_NAMES[0], "b", "c"]
    selection = make_hostile_selection(names)
    rows = read(selection_csv(selection))
    assert [row["feature"] for row in rows] == names
    assert rows[2]["instead"] == names[0]
    guarded = read(selection_csv(selection, safe=True))
    assert (guarded[0]["feature"], guarded[2]["instead"]) == (f"'{names[0]}", f"'{names[0]}")
