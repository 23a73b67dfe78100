"""A parameter that is no attribute, as the score of the selector is."""

from __future__ import annotations

import pickle

import pytest
from sklearn.base import clone

from probfs import ProbabilisticSelector


def test_the_score_is_a_parameter_and_no_method() -> None:
    selector = clone(ProbabilisticSelector(score="absolute"))
    assert selector.get_params()["score"] == "absolute"
    assert selector.set_params(score="signed").get_params()["score"] == "signed"
    assert "score='absolute'" in repr(ProbabilisticSelector(score="absolute"))
    assert pickle.loads(pickle.dumps(selector)).get_params() == selector.get_params()
    assert not hasattr(selector, "score")
    with pytest.raises(AttributeError, match=r"'score' is a parameter .* get_params\(\)\['score'\] reads it"):
        selector.score  # noqa: B018
