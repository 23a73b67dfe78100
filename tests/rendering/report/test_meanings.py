"""What scores and verdicts mean."""

from __future__ import annotations

import dataclasses

from probfs.classifiers.scores import ABSOLUTE, SCORES
from probfs.rendering.report.meanings import meaning_of_scores, meaning_of_verdicts


def test_every_score_has_a_meaning_and_one_from_elsewhere_is_passed_over() -> None:
    for score in SCORES:
        assert meaning_of_scores([score], "always").startswith(f"{score.symbol} is ")
    unknown = dataclasses.replace(ABSOLUTE, name="other", key="s_x", symbol="S_X")
    assert meaning_of_scores([unknown], "always") == ""
    assert meaning_of_scores([unknown, ABSOLUTE], "always") == meaning_of_scores([ABSOLUTE], "always")


def test_only_verdicts_that_were_given_are_explained() -> None:
    assert meaning_of_verdicts(["keep"]) == ""
    assert meaning_of_verdicts(["noise", "keep", "redundant"]).startswith(
        "Redundant features say what a kept one says; "
    )
