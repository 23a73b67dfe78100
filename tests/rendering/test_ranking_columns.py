"""The cells of a ranking's tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probfs.rendering.ranking_columns import is_noise, meaning_of_marks, ranking_columns, shown_score
from probfs.text import is_unseen
from tests.support.results import awkward, make_ranking


def test_the_driving_score_stands_first() -> None:
    assert list(ranking_columns(make_ranking(["a"])))[:4] == ["rank", "feature", "Ŝ_S", "Ŝ_A"]
    assert list(ranking_columns(make_ranking(["a"], score="signed")))[:4] == ["rank", "feature", "Ŝ_A", "Ŝ_S"]


def test_columns_of_uncertainty_and_noise_are_there_where_they_are_known() -> None:
    plain = ranking_columns(make_ranking(["a", "b", "c"]))
    assert list(plain)[4:] == ["left in round"]
    assert meaning_of_marks(plain) == []
    more = ranking_columns(make_ranking(["a", "b", "c", "d"], uncertainty=True))
    assert more["rank interval (90%)"] == ["1-2", "1-4", "1-4", "2-4"]
    assert more["Ŝ_S in round 1"][0] == "0.0100 ± 0.0200"
    assert more[" "] == ["", "", "", "≈ noise"]
    assert len(meaning_of_marks(more)) == 2


def test_noise_is_what_the_rows_cannot_tell_from_it() -> None:
    ranking = make_ranking(["a"])
    (feature,) = ranking.features
    assert [is_noise(replace(feature, q=q), ranking) for q in (None, 0.1, 0.11)] == [False, False, True]


def test_names_are_printable() -> None:
    names = ranking_columns(make_ranking(awkward(20)))["feature"]
    assert not any(map(is_unseen, "".join(names)))


@pytest.mark.parametrize(
    ("value", "shown"), [(None, ""), (0.0, "0.0000"), (0.12345, "0.1235"), (-5e-4, "-5.00e-04"), (1e-9, "1.00e-09")]
)
def test_small_scores_are_powers_of_ten(value: float | None, shown: str) -> None:
    assert shown_score(value) == shown
