"""The q-values of Benjamini and Hochberg."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.screening.screen import q_values


def test_q_values_by_hand() -> None:
    # Sorted: .001·5/1, .02·5/2 = .05, .02·5/3 = .0333, .5·5/4 = .625, .6·5/5 = .6; each is the least from there on.
    q = q_values(np.array([0.5, 0.001, 0.02, 0.6, 0.02]))
    assert q == pytest.approx([0.6, 0.005, 0.1 / 3, 0.6, 0.1 / 3])


def test_one_column_has_its_p_as_q_and_no_column_has_none() -> None:
    assert q_values(np.array([0.03])).tolist() == [0.03]
    assert q_values(np.empty(0)).tolist() == []


@given(st.lists(st.sampled_from([0.0, 1e-5, 0.01, 0.04, 0.05, 0.3, 1.0]), min_size=1, max_size=12))
def test_the_discoveries_at_each_rate_are_those_of_the_step_up_procedure(p: list[float]) -> None:
    q = q_values(np.array(p))
    for rate in (0.01, 0.05, 0.1, 0.3):
        ranks = [k for k in range(1, len(p) + 1) if sorted(p)[k - 1] <= rate * k / len(p) * (1 + 1e-12)]
        limit = sorted(p)[max(ranks) - 1] if ranks else -1.0
        assert [one <= rate * (1 + 1e-12) for one in q] == [one <= limit for one in p]


@given(st.permutations([0.01, 0.02, 0.02, 0.5, 0.7, 1.0]))
def test_the_order_of_columns_does_not_matter(p: list[float]) -> None:
    by_p = dict(zip(p, q_values(np.array(p)).tolist(), strict=True))
    assert by_p == dict(zip(sorted(p), q_values(np.array(sorted(p))).tolist(), strict=True))
