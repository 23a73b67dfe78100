"""The JSON of a ranking, whose keys are a contract."""

from __future__ import annotations

import json
import math

import pytest

import probfs
from probfs.ranking.result import Ranking
from probfs.rendering.ranking_json import ranking_document, ranking_json
from tests.support.hostile_names import HOSTILE_NAMES
from tests.support.paths import SAMPLES


def test_the_keys_of_the_json_are_a_contract() -> None:
    ranking = probfs.rank(SAMPLES / "commute.csv", target="mode", exclude=["person"])
    document = json.loads(ranking.to_json())
    assert list(document) == ["schema", "version", "input", "settings", "features", "rounds", "warnings"]
    assert document["schema"] == "probfs.ranking/2"
    assert list(document["features"][0]) == [
        *("rank", "feature", "s_s", "s_a", "s_su", "round", "initial"),
        *("p", "q", "se_initial_s_s", "se_initial_s_a", "rank_low", "rank_high"),
    ]
    assert list(document["features"][0]["initial"]) == ["s_s", "s_a", "s_su"]
    assert list(document["rounds"][0]) == [
        "round",
        "features",
        "removed",
        "errors",
        "rows",
        "absolute_loss",
        "log_loss",
        "exponent",
        "cv_errors",
    ]
    assert document["rounds"][0]["cv_errors"] is None
    assert document["features"][0]["rank_low"] is None


def test_the_keys_of_the_input_are_a_contract_too(commute: Ranking) -> None:
    assert list(ranking_document(commute)["input"]) == [
        "source",
        "target",
        "target_reason",
        "classes",
        "labelled_rows",
        "unlabelled_rows",
        "unlabelled_sources",
        "features",
        "dropped_rows",
    ]


def test_an_infinite_loss_is_null_in_json() -> None:
    ranking = probfs.rank(SAMPLES / "breast_cancer.csv", target="class", exclude=["sample_id"], smoothing=0)
    assert math.isinf(ranking.rounds[0].log_loss)
    document = json.loads(ranking.to_json(), parse_constant=lambda text: pytest.fail(f"{text} in JSON"))
    assert document["rounds"][0]["log_loss"] is None


def test_names_are_kept(hostile_ranking: Ranking) -> None:
    document = json.loads(ranking_json(hostile_ranking))
    assert {feature["feature"] for feature in document["features"]} == set(HOSTILE_NAMES)
