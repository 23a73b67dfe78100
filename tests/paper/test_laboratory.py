"""What every experiment is given: runs, random numbers, ranks and margins."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.paper.claims import Claim, verdict
from probfs.paper.experiments.laboratory import Laboratory, generator, mean_and_margin, portions, ranks, records
from tests.support.experiments import idle_laboratory


def test_portions_hold_every_run_once() -> None:
    assert [run for part in portions(53) for run in part] == list(range(53))


def test_progress_counts_to_the_end() -> None:
    seen: list[tuple[int, int]] = []
    Laboratory("test", 1, 0, 1, lambda done, total: seen.append((done, total))).each(abs, [1, -2, 3])
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_random_numbers_depend_on_every_seed() -> None:
    draws = {seeds: generator(*seeds).random() for seeds in ((1, 2), (2, 1), (1, 3), (0, 2))}
    assert len(set(draws.values())) == 4
    assert generator(1, 2).random() == draws[1, 2]


def test_a_margin_is_student_s_and_wider_for_several_that_hold_together() -> None:
    mean, margin = mean_and_margin([1.0, 2.0, 3.0])
    assert mean == 2.0
    assert margin == pytest.approx(4.302653 / 3**0.5, rel=1e-6)
    assert mean_and_margin([1.0, 2.0, 3.0], together=4)[1] > margin
    assert mean_and_margin([1.0]) == (1.0, math.inf)


def test_data_classes_become_a_header_and_rows() -> None:
    claims = [Claim("e", "p", "s", "m", "holds", 1), Claim("e", "q", "s", "m", "undecided", 2)]
    header, rows = records(claims)
    assert header == ("experiment", "place", "says", "measured", "verdict", "runs")
    assert [row[1] for row in rows] == ["p", "q"]


def test_a_claim_belongs_to_its_experiment() -> None:
    claim = idle_laboratory("figure2", 7).claim("section 1", "so", "0.5", verdict(True))
    assert claim == Claim("figure2", "section 1", "so", "0.5", "holds", 7)
    assert verdict(False) == "does not hold"


@given(st.lists(st.integers(0, 4), min_size=1, max_size=8))
def test_ranks_share_their_places_and_add_up(scores: list[int]) -> None:
    places = ranks(scores)
    assert places.sum() == len(scores) * (len(scores) + 1) / 2
    for one, own in zip(scores, places, strict=True):
        assert own > sum(other > one for other in scores)
        assert own <= sum(other >= one for other in scores)
