"""The settings that only a selection has."""

from __future__ import annotations

import pytest

from probfs.api.options import FALSE_DISCOVERIES
from probfs.selection.settings import KEEP, NESTED_FOLDS
from tests.support.selections import make_settings


def test_the_settings_are_those_of_a_ranking_and_its_own() -> None:
    settings = make_settings(false_discoveries=0.2, keep=3, always=("a",), options={"smoothing": 2.0})
    assert settings.smoothing == 2.0
    flat = settings.to_dict()
    assert flat["smoothing"] == 2.0
    assert [flat[key] for key in ("classifier", "folds", "false_discoveries", "keep", "always")] == [
        "nb",
        10,
        0.2,
        3,
        ("a",),
    ]


@pytest.mark.parametrize("wrong", ["0", "-0.1", "1.1", "nan", "best"])
def test_a_share_of_false_discoveries_is_more_than_nothing_and_at_most_all(wrong: str) -> None:
    assert FALSE_DISCOVERIES.parse("1") == 1.0
    with pytest.raises(ValueError, match="is not a number from 1e-06 to 1"):
        FALSE_DISCOVERIES.parse(wrong)


def test_where_to_cut_is_a_word_or_a_number() -> None:
    assert [KEEP.parse(text) for text in ("best", "fewest", "most", "0")] == ["best", "fewest", "most", 0]
    for wrong in ("-1", "least"):
        with pytest.raises(ValueError, match="is neither best nor fewest nor most nor a whole number from 0 on"):
            KEEP.parse(wrong)


def test_there_are_no_folds_or_at_least_two() -> None:
    assert [NESTED_FOLDS.check(number) for number in (0, 2)] == [0, 2]
    with pytest.raises(ValueError, match=r"^1 is neither 0 \(none\) nor a whole number from 2 on$"):
        NESTED_FOLDS.check(1)
