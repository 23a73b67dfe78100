"""What a figure of a selection shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import probfs
from probfs.rendering.figures.selection_figure import selection_drawing
from probfs.selection.result import Size
from tests.support.paths import SAMPLES
from tests.support.results import make_large_selection
from tests.support.selections import make_feature, make_selection


def test_verdicts_have_looks_and_reasons() -> None:
    rows = selection_drawing(make_selection()).bars.rows
    assert [(row.name, row.look, str(row.remark)) for row in rows] == [
        ("albumin", "strong", ""),
        ("albumin2", "hatched", "albumin says 96% of it"),
        ("age", "weak", "weak"),
        ("ward", "dim", "noise (q 0.62)"),
    ]
    assert [row.value for row in rows] == [0.08712, 0.08712 / 2, 0.08712 / 3, None]


@pytest.mark.parametrize(
    ("feature", "settings", "remark"),
    [
        (make_feature(2, "b", "weak", log_loss=None), {}, "copy of a dropped feature"),
        (make_feature(2, "b", "weak"), {"keep": 1}, "beyond the 1 asked for"),
        (make_feature(2, "b", "keep"), {"always": ("b",)}, "by request"),
        (make_feature(2, "b", "noise", q=None), {}, "noise"),
        (make_feature(2, "b", "redundant"), {}, "redundant"),
        (make_feature(2, "b", "redundant", log_loss=None, instead="a", explained=1.0), {}, "copy of a"),
    ],
)
def test_other_reasons(feature: probfs.SelectedFeature, settings: dict[str, Any], remark: str) -> None:
    selection = replace(make_selection(make_feature(1, "a", "keep"), feature, **settings), best_size=2)
    assert str(selection_drawing(selection).bars.rows[1].remark) == remark


def test_of_much_noise_only_examples_are_worth_showing() -> None:
    assert selection_drawing(make_large_selection([f"f{place}" for place in range(100)])).bars.telling == 80


def test_the_curve_has_its_cut_and_what_unseen_rows_say() -> None:
    selection = make_large_selection([f"f{place}" for place in range(20)], keep="fewest")
    curves = selection_drawing(selection).curves
    assert curves is not None
    loss, wrong = curves.panels
    assert loss.lines[0].points == tuple((own.features, own.log_loss) for own in selection.sizes)
    guessing = (0, (200 - max(selection.input.classes.values())) / 200)
    assert wrong.lines[0].points == (guessing, *((own.features, own.errors / 200) for own in selection.sizes[1:]))
    assert [(mark.features, mark.look) for mark in curves.marks] == [(4, "cut"), (12, "least")]
    honest = selection.honest
    assert honest is not None
    assert [(own.value, own.error, own.features) for own in loss.estimates] == [
        (honest.kept.log_loss, honest.kept.se, 4),
        (honest.all.log_loss, 0.0, None),
        (honest.none.log_loss, 0.0, None),
    ]
    assert [own.value for own in wrong.estimates] == [72 / 500, 75 / 500, honest.none.errors / 500]
    assert curves.labels[1:3] == ["keep 4 (the fewest within a standard error)", "least log-loss: 12 features"]


def test_without_folds_nothing_is_known_of_unseen_rows() -> None:
    curves = selection_drawing(replace(make_large_selection(list("abcdefgh")), honest=None)).curves
    assert curves is not None
    assert curves.panels[0].estimates == curves.panels[1].estimates == ()


def test_a_loss_of_no_features_that_dwarfs_the_others_is_left_out() -> None:
    selection = make_large_selection(list("abcdefgh"))
    sizes = tuple(Size(size, loss, 1.0, 9) for size, loss in enumerate([0.69, 0.2, 0.15, 0.1]))
    curves = selection_drawing(replace(selection, sizes=sizes)).curves
    assert curves is not None
    assert curves.least == 1
    assert len(curves.panels[0].estimates) == 2, "nor is the level of no features drawn"
    none_kept = selection_drawing(replace(selection, sizes=sizes, kept=())).curves
    assert none_kept is not None
    assert none_kept.least == 0


def test_where_all_is_noise_there_is_no_curve() -> None:
    selection = replace(make_selection(make_feature(1, "ward", "noise")), sizes=(Size(0, 0.69, None, 245),))
    assert selection_drawing(selection).curves is None


def test_a_real_selection_is_drawn_as_it_is() -> None:
    selection = probfs.select(SAMPLES / "commute.csv", target="mode", exclude=["person"], folds=3)
    drawing = selection_drawing(selection)
    assert [row.name for row in drawing.bars.rows] == [feature.feature for feature in selection.features]
    assert f"keep {len(selection.kept)} of 6 features" in drawing.title[1]
