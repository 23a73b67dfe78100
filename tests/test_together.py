"""Columns that are one feature together, as users name them; exact scores are tested with the classifiers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import probfs

COLOURS = ["colour_blue", "colour_green", "colour_red"]
COLOUR = {"colour": ["colour_*"]}


@pytest.fixture
def cars() -> pd.DataFrame:
    """0/1 columns of a category, two numbers that tell a little, of which one has gaps, and a column of noise."""
    random = np.random.default_rng(1)
    colour = random.choice(["red", "blue", "green"], 240)
    sold = (colour == "red") ^ (random.random(240) < 0.2)
    power, torque = random.normal(size=(2, 240)) + 0.8 * sold
    power[random.random(240) < 0.1] = np.nan
    frame = pd.get_dummies(pd.DataFrame({"colour": colour}), dtype=int)
    return frame.assign(power=power, torque=torque, doors=random.choice(["3", "5"], 240), sold=sold)


def scores(frame: pd.DataFrame, **options: Any) -> dict[str, tuple[float, ...]]:
    ranking = probfs.rank(frame, target="sold", on_note=lambda note: None, **options)
    return {own.feature: (own.s_s, own.s_a, own.initial_s_s, own.p or 0.0) for own in ranking.features}


@pytest.mark.parametrize("options", [{}, {"classifier": "logistic"}, {"classifier": "svm", "estimate": "cv"}])
def test_a_group_of_one_column_is_the_column_under_another_name(cars: pd.DataFrame, options: dict[str, Any]) -> None:
    alone = scores(cars, screen=False, **options)
    found = scores(cars, screen=False, together={"power!": "power", "sides": "doors"}, **options)
    names = {"power!": "power", "sides": "doors"}
    assert [names.get(name, name) for name in found] == list(alone)
    # Rows are shuffled alike, as the names sort alike.
    for name, own in found.items():
        assert own == pytest.approx(alone[names.get(name, name)], rel=1e-9, abs=1e-12)


def test_without_groups_the_order_is_as_before_and_documents_keep_them(cars: pd.DataFrame) -> None:
    assert scores(cars, together={}) == scores(cars)
    ranking = probfs.rank(cars, target="sold", together=COLOUR)
    assert ranking.settings.together == {"colour": tuple(COLOURS)}
    assert probfs.Ranking.from_json(ranking.to_json()).settings.together == {"colour": tuple(COLOURS)}
    assert probfs.compare(ranking, cars).measures["changed"] == 0
    assert "Taken as one: colour (" in ranking.to_html()


def test_all_columns_as_one_score_the_whole_model(cars: pd.DataFrame) -> None:
    (everything,) = probfs.rank(cars, target="sold", together={"all": "*"}, screen=False).features
    whole = probfs.rank(cars, target="sold", screen=False, eliminate=False).rounds[0]
    prior = cars["sold"].mean()
    without = 2 * prior * (1 - prior) * 240 / 239
    assert everything.s_a == pytest.approx(without - whole.absolute_loss)


def test_more_combinations_than_an_integer_numbers_are_one_feature_all_the_same(
    cars: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = {"all": ["power", "torque", "doors", "colour_*"]}
    expected = scores(cars, together=together)
    monkeypatch.setattr("probfs.columns.dataset._MOST_NUMBERED", 1_000)
    assert scores(cars, together=together) == expected


def test_p_is_the_smallest_of_the_columns_times_their_number_and_q_counts_features(cars: pd.DataFrame) -> None:
    options: dict[str, Any] = {"target": "sold", "screen": False}
    p = {own.feature: own.p for own in probfs.rank(cars, **options).features}
    engine = {"engine": ["power", "torque"], "others": ["doors", "colour_green"]}
    found = {own.feature: own for own in probfs.rank(cars, **options, together=engine).features}
    flat = probfs.rank(cars.assign(one="u", other="v"), **options, together={"flat": ["one", "other"]}).features
    assert next(own.p for own in flat if own.feature == "flat") == 1
    assert found["engine"].p == pytest.approx(2 * min(p["power"] or 1, p["torque"] or 1))
    assert found["others"].p == pytest.approx(min(1, 2 * min(p["doors"] or 1, p["colour_green"] or 1)))
    assert max(own.q or 0 for own in found.values()) <= 1
    assert found["colour_red"].q == pytest.approx(4 * (p["colour_red"] or 1))


def test_one_hot_columns_are_their_category_to_a_classifier_that_sees_them_so(cars: pd.DataFrame) -> None:
    options: dict[str, Any] = {"removal": "retrain", "estimate": "resubstitution", "screen": False}
    options["classifier"] = BernoulliNB()
    category = cars[COLOURS].idxmax(axis=1)
    as_category = cars.drop(columns=COLOURS).assign(colour=category)
    found, expected = (
        scores(frame.drop(columns=["power", "torque"]), together=together, **options)
        for frame, together in ((cars, COLOUR), (as_category, {}))
    )
    assert {name: own[:3] for name, own in found.items()} == {
        name: pytest.approx(own[:3], abs=1e-9) for name, own in expected.items()
    }


@pytest.mark.parametrize("removal", ["permute", "retrain"])
def test_a_pipeline_may_name_columns_that_leave_together(cars: pd.DataFrame, removal: str) -> None:
    encoder = ColumnTransformer([("texts", OneHotEncoder(), ["doors"])], remainder="passthrough")
    pipeline = make_pipeline(encoder, LogisticRegression())
    frame = cars.drop(columns="power").astype({"doors": str})
    frame["doors"] = frame["doors"] + " doors"
    together = {"colour": "colour_*", "rest": ["doors", "torque"]}
    found = scores(frame, classifier=pipeline, categories="frame", removal=removal, together=together)
    assert list(found) == ["colour", "rest"]
    assert all(own[0] > 0.02 for own in found.values())


def test_columns_together_are_never_nearly_the_same_as_a_column_or_redundant(cars: pd.DataFrame) -> None:
    shades = cars.assign(shade=cars[COLOURS].idxmax(axis=1))
    selection = probfs.select(shades, target="sold", together=COLOUR, folds=0, keep=1)
    verdicts = {own.feature: (own.verdict, own.instead) for own in selection.features}
    assert {verdicts["colour"], verdicts["shade"]} == {("keep", None), ("weak", None)}


def test_a_selector_gives_the_columns_of_a_group_one_rank(cars: pd.DataFrame) -> None:
    X, y = cars.drop(columns="sold"), cars["sold"]  # noqa: N806
    selector = probfs.ProbabilisticSelector(n_features_to_select=1, options={"together": COLOUR}).fit(X, y)
    assert selector.get_feature_names_out().tolist() == COLOURS
    assert selector.n_features_ == 3
    assert selector.ranking_[:3].tolist() == [1, 1, 1]
    assert sorted(selector.ranking_[3:]) == [2, 3, 4]
    assert len(set(selector.scores_[:3])) == 1


@pytest.mark.parametrize("classifier", ["nb", "logistic"])
@pytest.mark.parametrize("kind", [int, bool, str, float, lambda cells: cells.astype(bool).astype(str)])
def test_one_hot_columns_are_offered_as_one(cars: pd.DataFrame, kind: Any, classifier: str) -> None:
    heard: list[probfs.Note] = []
    # Written by pandas, truth values are True and False.
    cars[COLOURS] = kind(cars[COLOURS]) if not isinstance(kind, type) else cars[COLOURS].astype(kind)
    cars["doors_3"], cars["doors_5"] = (cars["doors"] == "3") * 1, (cars["doors"] == "5") * 1

    def offers(frame: pd.DataFrame, **options: Any) -> list[probfs.Note]:
        heard.clear()
        probfs.rank(frame, target="sold", classifier=classifier, eliminate=False, on_note=heard.append, **options)
        return [note for note in heard if note.code == "one-hot"]

    (note,) = offers(cars)
    assert note == (
        "0/1 columns that look like one category (exactly one is 1 in every row): 'doors_*' (2), 'colour_*' (3); "
        "together={'doors 2': 'doors_*'} ranks the first of these as one"
    )
    (note,) = offers(cars.drop(columns="doors"))
    assert "together={'doors': 'doors_*'} ranks" in note
    assert note.columns == ("doors_3", "doors_5", *COLOURS)
    (note,) = offers(cars, together={"doors?": "doors_*"})
    assert note.columns == tuple(COLOURS)
    (note,) = offers(cars.rename(columns=lambda name: name.replace("colour", "the_colour")), exclude=["doors_3"])
    assert note.columns == tuple(name.replace("colour", "the_colour") for name in COLOURS)
    for unlike in (
        cars.assign(colour_red="1", always_one=1),
        cars.rename(columns={"colour_red": "red"}),
        cars.assign(colour_red=0),
        cars.assign(colour_extra=cars["torque"]),
        cars.assign(colour_red=cars["colour_red"].where(np.arange(240) > 0)),
    ):
        assert [note.columns for note in offers(unlike)] == [("doors_3", "doors_5")]


def test_groups_must_be_a_dictionary_of_columns(cars: pd.DataFrame) -> None:
    mistakes: dict[str, Any] = {
        "'colour_*' is not a dictionary of groups": "colour_*",
        "no column of 'g' is ranked": {"g": []},
    }
    for problem, together in mistakes.items():
        with pytest.raises(probfs.ProbfsError, match=f"^together=: {re.escape(problem)}"):
            probfs.rank(cars, target="sold", together=together)
