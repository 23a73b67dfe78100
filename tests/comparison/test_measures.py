"""Rank correlations and overlaps, against scipy and against their definitions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.comparison.measures import (
    RBO_PERSISTENCE,
    kendall,
    rank_biased_overlap,
    spearman,
)

PERMUTATIONS = st.integers(2, 60).flatmap(lambda number: st.permutations(range(1, number + 1)))
LISTS = st.lists(st.sampled_from("abcdefghijklmnop"), min_size=1, max_size=16, unique=True)


@settings(max_examples=40)
@given(PERMUTATIONS)
def test_correlations_are_those_of_scipy(ranks: list[int]) -> None:
    from scipy.stats import kendalltau, spearmanr

    places = range(1, len(ranks) + 1)
    assert spearman(ranks) == pytest.approx(spearmanr(places, ranks).statistic, abs=1e-12)
    assert kendall(ranks) == pytest.approx(kendalltau(places, ranks, variant="b").statistic, abs=1e-12)


@settings(max_examples=40)
@given(LISTS, LISTS)
def test_rank_biased_overlap_is_what_the_paper_defines(old: list[str], new: list[str]) -> None:
    """Eq. 32, term by term."""
    shorter, longer = sorted((old, new), key=len)
    s, l, p = len(shorter), len(longer), RBO_PERSISTENCE  # noqa: E741  # the paper's letters
    x = [len(set(shorter[:depth]) & set(longer[:depth])) for depth in range(l + 1)]
    seen = sum(x[d] / d * p**d for d in range(1, l + 1))
    expected = sum(x[s] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    value = (1 - p) / p * (seen + expected) + ((x[l] - x[s]) / l + x[s] / s) * p**l
    found = rank_biased_overlap(old, new)
    assert found == pytest.approx(value, abs=1e-12)
    assert found == rank_biased_overlap(new, old)
    assert 0 <= found <= 1
