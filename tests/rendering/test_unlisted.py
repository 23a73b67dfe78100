"""What is said of features that are not listed."""

from __future__ import annotations

import math
from dataclasses import replace

from probfs.rendering.unlisted import rest_of_ranking, rest_of_selection
from tests.support.results import make_large_selection, make_ranking

NAMES = [f"feature_{place}" for place in range(1_500)]


def test_the_largest_score_that_is_not_listed_is_said() -> None:
    ranking = make_ranking(NAMES)
    assert rest_of_ranking(ranking, 40) == f"… 1,460 more, none above {0.4 / 41:.4f}"
    late = replace(ranking.features[-1], s_s=0.35)
    assert rest_of_ranking(replace(ranking, features=(*ranking.features[:-1], late)), 40).endswith("none above 0.3500")
    assert rest_of_ranking(ranking, 1_500) == ""


def test_a_ranking_cut_to_its_best_knows_only_how_many_others_there_are() -> None:
    ranking = make_ranking(NAMES).top(10)
    assert rest_of_ranking(ranking, 10) == "… 1,490 more"
    assert rest_of_ranking(ranking, 5) == "… 1,495 more"


def test_scores_that_are_not_finite_are_not_the_largest() -> None:
    ranking = make_ranking(NAMES[:3])
    features = (ranking.features[0], *(replace(own, s_s=math.nan) for own in ranking.features[1:]))
    assert rest_of_ranking(replace(ranking, features=features), 1) == "… 2 more"


def test_verdicts_that_are_not_listed_are_counted() -> None:
    selection = make_large_selection(NAMES[:50])
    assert rest_of_selection(selection, 5) == (
        f"… 45 more (5 kept, 20 redundant, 10 weak, 10 noise), none above {0.08712 / 6:.4f}"
    )
    assert rest_of_selection(selection.top(8), 5) == rest_of_selection(selection, 5)
    assert rest_of_selection(selection, 45) == "… 5 more (5 noise)"
    assert rest_of_selection(selection, 50) == ""
