"""What a report says of the rounds."""

from __future__ import annotations

from probfs.ranking.story import StoryRound
from probfs.rendering.report.story_section import HELD_OUT, ModelOfRound, story_section

TOLD = (StoryRound(1, (0.3, 0.2, 0.15, 0.1, 0.05)), StoryRound(4, (0.3, 0.2)), StoryRound(5, (0.4,)))
MODELS = (ModelOfRound(5, 10, 100, 0.25), ModelOfRound(2, 12, 100, 0.3), ModelOfRound(1, 1, 100, 1e-5))
NAMES = ["a", "b", "c", "d", "e"]


def test_between_two_rounds_all_that_left_are_named_the_first_to_leave_first() -> None:
    section = story_section("Ŝ_S", TOLD, MODELS, 5, NAMES, 5)
    assert section is not None
    cells = {column.heading: list(column.cells) for column in section.table.columns}
    assert cells["then left"] == ["e, d, c", "b", "a"]
    assert cells["features"] == ["5", "2", "1"]
    assert cells["share wrong"] == ["10.0%", "12.0%", "1.0%"]
    assert section.table.caption.startswith("3 of the 5 rounds")
    assert section.sentences == [
        "Round 1 of 5: 5 features are left. The model gets 10 of 100 rows wrong (10.0%), log-loss 0.250. "
        "By round 4 e, d, c leave.",
        "Round 4 of 5: 2 features are left. The model gets 12 of 100 rows wrong (12.0%), log-loss 0.300. "
        "Then b leaves.",
        "Round 5 of 5: 1 feature is left. The model gets 1 of 100 rows wrong (1.0%), log-loss 1.0e-05. Then a leaves.",
    ]


def test_of_many_that_leave_a_few_are_named() -> None:
    names = [f"f{number}" for number in range(12)]
    told = (StoryRound(1, (0.1,) * 12), StoryRound(11, (0.2, 0.1)))
    models = (ModelOfRound(12, 0, 9, 0.1), ModelOfRound(2, 0, 9, 0.1))
    section = story_section("Ŝ_S", told, models, 12, names, 12)
    assert section is not None
    assert section.table.columns[-1].cells[0] == "f11, f10, f9 and 7 others"


def test_only_the_features_that_are_listed_have_scores() -> None:
    section = story_section("Ŝ_S", TOLD, MODELS, 5, NAMES, 2)
    assert section is not None
    assert [list(scores) for scores in section.scores] == [[0.3, 0.2], [0.3, 0.2], [0.4]]
    assert section.left == [5, 2, 1], "also those that are not listed"


def test_bars_are_scaled_by_all_features_that_are_left() -> None:
    told = (StoryRound(1, (0.3, -0.5, float("inf"))), StoryRound(2, (float("nan"),)))
    section = story_section("Ŝ_S", told, (ModelOfRound(3, 0, 9, 0.1), ModelOfRound(1, 0, 9, 0.1)), 2, NAMES[:3], 1)
    assert section is not None
    assert section.largest == [0.5, 0.0]


def test_rows_that_were_held_out_and_rows_trained_on_are_told_apart() -> None:
    section = story_section("Ŝ_S", TOLD, MODELS, 5, NAMES, 5, HELD_OUT)
    assert section is not None
    assert "10 of 100 held-out rows wrong (10.0%), log-loss 0.250 on training rows." in section.sentences[0]
    assert "how many held-out rows the model gets wrong, and its log-loss on the rows that it" in section.table.caption


def test_one_round_is_no_story() -> None:
    assert story_section("Ŝ_S", TOLD[:1], MODELS[:1], 1, NAMES, 5) is None
    assert story_section("Ŝ_S", (), (), 5, NAMES, 5) is None
