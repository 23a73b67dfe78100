"""Where to cut: the rules, by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from probfs.selection.cut import Compare, choose_size, find_best

from probfs.classifiers.row_odds import Moments
from probfs.selection.curve import CurvePoint

LOSSES = (0.7, 0.41, 0.402, 0.4, 0.4, 0.405, 0.5)
"""Of 0, 1, … 6 columns: the least with 3, and again with 4."""


def points(losses: tuple[float, ...] = LOSSES) -> list[CurvePoint]:
    return [CurvePoint(number, loss, 1.0, 0) for number, loss in enumerate(losses)]


def within(se: float) -> Compare:
    """A comparison in which every difference has the same standard error."""

    def compare(best: CurvePoint) -> Iterator[tuple[CurvePoint, Moments]]:
        for point in reversed(points()):
            yield point, Moments(2, point.log_loss - best.log_loss, 2 * se**2)

    return compare


@pytest.mark.parametrize(
    ("keep", "se", "size"),
    [
        ("best", 9.0, 3),
        ("fewest", 0.0, 3),
        ("fewest", 0.002, 2),
        ("fewest", 0.0101, 1),
        ("fewest", 1.0, 0),
        ("most", 0.0, 4),
        ("most", 0.006, 5),
        ("most", 1.0, 6),
    ],
)
def test_rules(keep: str, se: float, size: int) -> None:
    assert choose_size(points(), keep, 0, within(se)) == size


@pytest.mark.parametrize(("keep", "least", "size"), [(0, 0, 0), (2, 0, 2), (99, 0, 6), (1, 2, 2)])
def test_a_number_is_kept_as_far_as_there_are_columns(keep: int, least: int, size: int) -> None:
    assert choose_size(points(), keep, least, within(0.0)) == size


def test_columns_that_are_always_kept_limit_every_rule() -> None:
    assert choose_size(points(), "best", 4, within(0.0)) == 4
    assert choose_size(points(), "best", 5, within(0.0)) == 5
    assert choose_size(points(), "fewest", 2, within(1.0)) == 2


def test_losses_that_differ_by_rounding_are_equal() -> None:
    assert find_best(points((0.7, 0.4 + 1e-16, 0.4))).features == 1
    assert find_best(points((0.7, 0.4 + 1e-9, 0.4))).features == 2
    assert find_best(points((0.0, 0.0))).features == 0
