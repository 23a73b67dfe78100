"""The table of a selection for people: verdicts, reasons and narrow terminals."""

from __future__ import annotations

from collections import Counter

import pytest
from rich.cells import cell_len

from probfs.rendering.formats import Presentation
from probfs.rendering.selection_summary import selection_sentences
from probfs.rendering.selection_table import selection_table
from probfs.text import is_unseen
from tests.support.hostile_names import HOSTILE_NAMES
from tests.support.selections import make_feature, make_hostile_selection, make_selection


def test_every_feature_has_its_verdict_and_the_reason() -> None:
    selection = make_selection()
    assert selection_table(selection, Presentation()) == "\n".join(
        [
            *selection_sentences(selection),
            "",
            "rank  feature   verdict       Ŝ_A  log-loss  folds  why",
            "   1  albumin   keep       0.0871     0.510     10",
            "   2  albumin2  redundant  0.0436     0.520      1  albumin says 96% of it",
            "   3  age       weak       0.0290     0.530      1  adds too little",
            "   4  ward      noise           -         -      0  q 0.62",
            "",
        ]
    )


def test_the_score_that_decided_is_shown() -> None:
    header, first = selection_table(make_selection(score="absolute"), Presentation()).splitlines()[-5:-3]
    assert "Ŝ_S" in header
    assert "0.1000" in first


def test_columns_that_were_asked_for_say_so() -> None:
    features = make_feature(1, "a", "keep"), make_feature(2, "b", "keep")
    *_, first, second = selection_table(make_selection(*features, always=("b",)), Presentation()).splitlines()
    assert not first.endswith("by request")
    assert second.endswith("by request")


def test_without_an_honest_estimate_there_are_no_folds() -> None:
    features = make_feature(1, "a", "keep", folds=None), make_feature(2, "b", "noise", folds=None)
    shown = selection_table(make_selection(*features, honest=None, folds=0), Presentation())
    assert shown.splitlines()[-3].split() == ["rank", "feature", "verdict", "Ŝ_A", "log-loss", "why"]
    assert "None" not in shown


def test_a_feature_that_was_never_tested_has_no_q() -> None:
    shown = selection_table(make_selection(make_feature(1, "a", "weak", p=None, q=None)), Presentation())
    assert "None" not in shown


@pytest.mark.parametrize("width", [40, 50, 60, 80])
def test_a_narrow_terminal_keeps_names_verdicts_and_reasons(width: int) -> None:
    selection = make_selection()
    lines = selection_table(selection, Presentation(width)).splitlines()
    assert max(map(len, lines)) <= width
    for feature in selection.features:
        assert any(f" {feature.feature} " in line and f" {feature.verdict}" in line for line in lines)
    assert any("albumin says" in line for line in lines), "folded where it must be"
    assert any("q 0.62" in line for line in lines)


def test_numbers_leave_a_narrow_terminal_one_by_one() -> None:
    headers = [
        next(line for line in selection_table(make_selection(), Presentation(width)).splitlines() if "verdict" in line)
        for width in (74, 73, 63, 56)
    ]
    assert [sorted({"log-loss", "folds", "Ŝ_A"} & {*header.split()}) for header in headers] == [
        ["folds", "log-loss", "Ŝ_A"],
        ["folds", "Ŝ_A"],
        ["Ŝ_A"],
        [],
    ]


@pytest.mark.parametrize("width", range(40, 90, 7))
def test_long_names_and_reasons_are_folded_and_no_letter_is_lost(width: int) -> None:
    names = ["cell_shape_uniformity", "epithelial_cell_size", "x" * 70]
    twin = make_feature(2, names[1], "redundant", instead=names[0], explained=0.5)
    selection = make_selection(make_feature(1, names[0], "keep"), twin, make_feature(3, names[2], "weak"))
    lines = selection_table(selection, Presentation(width)).splitlines()
    assert max(map(cell_len, lines)) <= width
    rows = lines[next(number for number, line in enumerate(lines) if line.startswith("rank ")) + 1 :]
    cells = "".join([*names, "keep", "redundant", "weak", f"{names[0]} says of it", "adds too little"])
    shown = Counter(letter for letter in "".join(rows) if letter.isalpha())
    assert shown == Counter(letter for letter in cells if letter.isalpha())


def test_noise_is_dim_on_a_terminal_only() -> None:
    colored = selection_table(make_selection(), Presentation(80, color=True)).splitlines()
    dim = [line for line in colored if "\x1b[2m" in line]
    assert len(dim) == 1
    assert "ward" in dim[0]
    assert "\x1b" not in selection_table(make_selection(), Presentation(80))


def test_what_is_not_listed_is_counted() -> None:
    assert selection_table(make_selection().top(3), Presentation()).splitlines()[-1] == "… and 1 more"
    assert "more" not in selection_table(make_selection(), Presentation()).splitlines()[-1]


def test_names_cannot_steer_the_terminal() -> None:
    shown = selection_table(make_hostile_selection(["a\x1b[31mred", *HOSTILE_NAMES]), Presentation())
    assert not any(map(is_unseen, shown.replace("\n", "")))
    assert "[/x]" in shown
    assert "new\\nline" in shown
    assert "a\\x1b[31mred says 100% of it" in shown
