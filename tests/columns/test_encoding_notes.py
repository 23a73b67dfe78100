"""Notes on features, from how many values labelled rows hold."""

from __future__ import annotations

import numpy as np

from probfs.columns.encoding_notes import notes_on_features, notes_on_unseen
from tests.support.prepared_tables import prepare_csv

CSV = "a,b,y\n" + "".join(f"{n},{n}.5,{'pq'[n % 2]}\n" for n in range(5))


def test_features_without_a_value_or_with_one_are_named() -> None:
    prepared = prepare_csv(CSV, target="y", include=["a", "b"])
    assert notes_on_features(prepared, {"a": 0, "b": 1})[-2:] == [
        "no value in any labelled row: 'a'",
        "the same value in every labelled row: 'b'",
    ]
    assert not any("the same value" in note for note in notes_on_features(prepared, {"b": 1}, told_by_missing={"b"}))


def test_whole_numbers_that_all_differ_may_name_rows_but_measurements_do_not() -> None:
    prepared = prepare_csv(CSV.replace("\n", "0\n").replace("y0", "y"), target="y")
    distinct = {"a": 5, "b": 5}
    told = {plan.name for plan in prepared.features if plan.identifier}
    unique = [note for note in notes_on_features(prepared, distinct) if note.startswith("a different value")]
    assert unique == [] or "'b'" not in unique[0]
    assert told or prepared.notes
    shifted = prepare_csv("a,y\n" + "".join(f"x{n},{'pq'[n % 2]}\n" for n in range(5)), target="y")
    (note,) = notes_on_features(shifted, {"a": 5})
    assert note == "a different value in every row (an identifier?): 'a'; exclude= leaves it out"
    assert notes_on_features(shifted, {"a": 5}, {"a": np.array([0.5])}) == [], "measured, with a fraction"


def test_most_cells_must_be_unseen_to_be_noted() -> None:
    assert notes_on_unseen({"a": 0.5, "b": 0.0}) == []
    (note,) = notes_on_unseen({"a": 0.5, "b": 0.51, "c": 1.0})
    assert note.endswith("so they count as missing: 'b', 'c'; are they written alike?")
