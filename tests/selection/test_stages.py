"""probfs.select as a whole: what may not matter, what is refused, how it agrees with probfs.rank, and its result."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import probfs
from probfs import DataError, Selection, UsageError
from probfs.runtime.progress import Progress
from tests.support.results import make_feature, make_selection


def make_frame(rows: int = 120, seed: int = 0, classes: int = 2) -> pd.DataFrame:
    """Three columns that tell the class, a copy, numbers that do, missing cells, and noise."""
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(rows) % classes)
    columns: dict[str, Any] = {}
    for number, told in enumerate((0.5, 0.4, 0.3)):
        cells = random.integers(0, 3, rows)
        cells = np.where(random.random(rows) < told, y, cells)
        columns[f"good{number}"] = np.array(["a", "b", "c"])[cells]
    columns["copy"] = columns["good0"]
    columns["number"] = random.normal(size=rows).round(3) + y
    gaps = pd.Series(np.array(["u", "v"])[random.integers(0, 2, rows)])
    columns["gaps"] = gaps.mask(random.random(rows) < 0.2)
    for number in range(4):
        columns[f"noise{number}"] = random.integers(0, 4, rows).astype(str)
    return pd.DataFrame({**columns, "y": np.array(["no", "yes", "maybe"])[y]})


def content_of(selection: Selection) -> tuple[dict[Any, Any], dict[Any, float]]:
    """Everything that is found, numbers with decimals apart."""
    assert selection.honest is not None
    judged = {name: vars(own) for name, own in (("kept", selection.honest.kept), ("all", selection.honest.all))}
    parts: dict[Any, dict[str, Any]] = {**judged, **{own.feature: vars(own) for own in selection.features}}
    parts |= {own.features: vars(own) for own in selection.sizes}
    content = {(name, key): value for name, own in parts.items() for key, value in own.items()}
    floats = {place for place, value in content.items() if isinstance(value, float)}
    return {place: content[place] for place in content.keys() - floats}, {place: content[place] for place in floats}


@pytest.mark.parametrize("classes", [2, 3])
def test_neither_order_nor_how_rows_are_repeated_nor_unlabelled_rows_matter(classes: int) -> None:
    frame = make_frame(rows=90, classes=classes)
    counts = np.random.default_rng(5).integers(1, 4, len(frame))
    repeated = frame.loc[frame.index.repeat(counts)].reset_index(drop=True)
    unlabelled = pd.concat([repeated, frame.iloc[:30].assign(y=None, good1="c", number=99.0)], ignore_index=True)
    expected, numbers = content_of(probfs.select(repeated, target="y", folds=4))
    for same, count in (
        (repeated.sample(frac=1.0, random_state=1), None),
        (repeated[repeated.columns[::-1]], None),
        (frame.assign(n=counts), "n"),
        (unlabelled, None),
    ):
        found = probfs.select(same, target="y", folds=4, count=count)
        texts, others = content_of(found)
        assert texts == expected
        assert others == pytest.approx(numbers, rel=1e-8, abs=1e-12)
        assert found.input.unlabelled_rows == 30 * (same is unlabelled)


@pytest.mark.parametrize("classifier", ["nb", "svm"])
@pytest.mark.parametrize("score", ["signed", "absolute"])
def test_the_order_is_that_of_rank(classifier: str, score: str) -> None:
    frame = with_copies(make_frame(60))
    few: dict[str, Any] = {"classifier": classifier, "score": score, "target": "y"}
    selection = probfs.select(frame, folds=0, **few)
    # As the SVM's rows are judged by models that do not know them.
    estimate: dict[str, Any] = {"estimate": "cv"} if classifier == "svm" else {}
    expected = probfs.rank(frame, step=1, **estimate, **few)
    assert selection.ranking == replace(expected, warnings=selection.warnings)
    assert [own.feature for own in selection.features] == [own.feature for own in expected.features]
    assert [own.round for own in expected.features].count(1) > 4
    if classifier == "svm":
        rounds = [(own.features, own.errors, own.log_loss) for own in reversed(expected.rounds[1:])]
        assert [(own.features, own.errors, own.log_loss) for own in selection.sizes[1:]] == rounds


def test_the_elimination_is_the_ranking_of_the_columns_that_take_part() -> None:
    frame = with_copies(make_frame(60))
    ranking = probfs.rank(frame, target="y")
    survivors = [own.feature for own in ranking.features if own.round > 1]
    alone = probfs.rank(frame, target="y", include=survivors, screen=False)
    assert [own.feature for own in alone.features] == survivors
    assert ranking.rounds[1:] == tuple(replace(own, round=own.round + 1) for own in alone.rounds)
    first = probfs.rank(frame, target="y", screen=False, eliminate=False)
    assert replace(ranking.rounds[0], removed=()) == replace(first.rounds[0], removed=())


def test_what_is_related_is_kept_and_the_rest_is_not_unless_it_is_always_wanted() -> None:
    frame = make_frame(rows=400)
    selection = probfs.select(frame, target="y", folds=5)
    verdicts = {own.feature: own.verdict for own in selection.features}
    assert {"good0", "copy"} & set(selection.kept)
    assert {"good1", "number"} <= set(selection.kept)
    assert all(verdicts[f"noise{number}"] == "noise" for number in range(4))
    assert selection.honest is not None
    assert selection.honest.kept.log_loss < selection.honest.none.log_loss
    assert selection.input.features == 10
    always = probfs.select(frame, target="y", always="noise1,noise2", folds=3)
    assert {"noise1", "noise2"} == set(always.kept[:2])
    for own in always.features[:2]:
        assert (own.p, own.q, own.verdict, own.folds) == (None, None, "keep", 3)
    assert always.settings.always == ("noise1", "noise2")
    others = probfs.select(frame.drop(columns=["noise1", "noise2"]), target="y", folds=0).features
    tested = {own.feature: (own.p, own.q) for own in others}
    assert {own.feature: (own.p, own.q) for own in always.features[2:]} == tested, "as if the others were alone"


def test_a_number_of_columns() -> None:
    frame = make_frame()
    assert len(probfs.select(frame, target="y", keep=2, folds=0).kept) == 2
    many = probfs.select(frame, target="y", keep=10, folds=0)
    survivors = sum(own.verdict != "noise" for own in many.features) - 1
    assert len(many.kept) == survivors < 10
    problem = f"keep=10: only {survivors} columns (copies not counted) are told from noise"
    assert f"{problem}; false_discoveries=1 screens nothing" in many.warnings
    no_copies = probfs.select(frame.drop(columns="copy"), target="y", keep=9, folds=0).warnings
    assert f"keep=9: only {survivors} columns are told from noise; false_discoveries=1 screens nothing" in no_copies


def with_copies(frame: pd.DataFrame) -> pd.DataFrame:
    """More copies: recoded, on another scale, and with the same missing cells."""
    recoded = frame["good1"].map({"a": "x", "b": "m", "c": "a"})
    scaled, gaps = frame["number"] / 2.54, frame["gaps"]
    return frame.assign(recoded=recoded, inches=scaled, gaps2=gaps).sort_index(axis=1)


@pytest.mark.parametrize("change", [lambda frame: frame, lambda frame: frame[frame.columns[::-1]]])
def test_of_copies_one_takes_part(change: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    frame = make_frame(rows=400)
    plain = probfs.select(frame.drop(columns="copy"), target="y", folds=3, false_discoveries=0.5)
    copied = probfs.select(change(with_copies(frame)), target="y", folds=3, false_discoveries=0.5)
    names = {"copy": "good0", "inches": "number"}
    assert [names.get(name, name) for name in copied.kept] == list(plain.kept)
    np.testing.assert_allclose([own.log_loss for own in copied.sizes], [own.log_loss for own in plain.sizes], rtol=1e-9)
    repeated = [own for own in copied.features if own.verdict == "redundant" and own.explained == 1]
    assert {own.feature: own.instead for own in repeated} == {"good0": "copy", "recoded": "good1", "number": "inches"}
    for own in repeated:
        assert (own.keep, own.s_s, own.s_a, own.log_loss, own.folds) == (False, None, None, None, 0)
    places = [own.rank for own in repeated]
    assert places == [*range(len(copied.sizes), len(copied.sizes) + 3)], "after the eliminated, before noise"


def test_a_copy_that_is_always_kept_stands_for_the_others_and_all_are_judged_as_the_one_that_takes_part() -> None:
    frame = with_copies(make_frame(rows=400))
    selection = probfs.select(frame, target="y", always="recoded", folds=2)
    assert "recoded" in selection.kept
    assert {own.feature: own.instead for own in selection.features}["good1"] == "recoded"
    both = probfs.select(frame, target="y", always="recoded,good1", folds=0)
    assert {"recoded", "good1"} <= set(both.kept)
    one = probfs.select(frame, target="y", keep=1, folds=0)
    judged = {own.feature: own for own in one.features}
    assert one.kept == ("copy",)
    assert judged["recoded"].verdict == judged["good1"].verdict == "weak"
    assert (judged["recoded"].instead, judged["good1"].instead) == ("good1", None)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"keep": 11}, "keep=11 is more than the 10 columns of <frame> that can be kept; name fewer"),
        ({"keep": 1, "always": ["good0", "good1"]}, "keep=1 is fewer than the columns of always="),
        ({"always": "goood1"}, "always=: no column 'goood1' in <frame>; did you mean 'good1'"),
        ({"always": "y"}, "always=: 'y' is the target column; name other columns"),
        ({"always": "copy", "exclude": "copy"}, r"always=: 'copy' is left out \(exclude=\); name other columns"),
        ({"include": ""}, "include=: the name is empty; name a column, or leave the option out"),
    ],
)
def test_mistakes_are_one_line(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        probfs.select(make_frame(), target="y", **wrong)


def test_a_class_of_too_few_rows_for_folds_is_refused_or_has_fewer_folds() -> None:
    def with_rare_class(rows: int) -> pd.DataFrame:
        frame = make_frame()
        return frame.assign(y=np.where(np.arange(len(frame)) < rows, "rare", frame["y"]))

    problem = "class 'rare' has 2 rows only, too few to hold some out; use folds=0, or drop the class with min_class=3"
    with pytest.raises(DataError, match=problem):
        probfs.select(with_rare_class(2), target="y")
    with pytest.raises(DataError, match=r"class 'rare' has one row only, too few to hold some out; drop the class "):
        probfs.select(with_rare_class(1), target="y", folds=0, min_class=1)
    assert len(probfs.select(with_rare_class(2), target="y", folds=0).input.classes) == 3
    assert len(probfs.select(with_rare_class(2), target="y", min_class=3, folds=3).input.classes) == 2
    with pytest.raises(DataError, match=r"class 'rare' has 3 rows only, .* with min_class=4$"):
        probfs.select(with_rare_class(3), target="y", folds=2)
    assert probfs.select(with_rare_class(3), target="y", folds=3).honest is not None
    # The SVM needs two rows of a class for each fold that it judges its own rows by.
    svm: dict[str, Any] = {"target": "y", "classifier": "svm", "permutations": 2, "include": ["number"]}
    with pytest.raises(DataError, match=r"'rare' has 3 rows only, .* use folds=0, or drop the class with min_class=5"):
        probfs.select(with_rare_class(3), folds=3, **svm)
    assert probfs.select(with_rare_class(3), folds=0, **svm).input.classes["rare"] == 3
    subjects = with_rare_class(3).assign(who=np.arange(120) // 3)
    with pytest.raises(DataError, match=r"'rare' has rows of one subject only, .*; drop the class with min_class=4$"):
        probfs.select(subjects, target="y", group="who")
    for rows, folds in ((8, 4), (20, 10)):
        selection = probfs.select(make_frame(rows=rows), target="y", bins=2)
        assert selection.honest is not None
        assert selection.honest.folds == folds
        said = f"the choice is judged in {folds} folds, as classes have few rows"
        assert (said in selection.warnings) == (folds < 10)


def test_notes_are_told_as_they_arise() -> None:
    told: list[str] = []
    selection = probfs.select(make_frame(), target="y", keep=10, folds=0, on_note=told.append)
    assert told[0].startswith("target: y")
    assert tuple(told[1:]) == selection.warnings != ()


def test_an_identifier_that_is_always_wanted_is_told_how_to_be_had() -> None:
    frame = make_frame().assign(key=[f"k{number:04}" for number in range(120)])
    with pytest.raises(UsageError, match=r"'key' is left out .*keep_identifiers=True or include=$"):
        probfs.select(frame[["key", *make_frame().columns]], target="y", always="key")


def test_noise_of_equal_p_is_in_the_order_of_names_though_sums_are_rounded() -> None:
    random = np.random.default_rng(0)
    names = [f"c{number:03}" for number in random.permutation(200)]
    frame = pd.DataFrame(random.integers(3, size=(40, 200)).astype(str), columns=names)
    selection = probfs.select(frame, ["a"] * 19 + ["b"] * 21, folds=0)
    assert {feature.verdict for feature in selection.features} == {"noise"}
    assert (selection.kept, len(selection.sizes)) == ((), 1)
    noise = [(round(feature.p or 0, 12), feature.feature) for feature in selection.features]
    assert noise == sorted(noise)


# The selection: frozen, cut to the best, written as it is, and a frame reduced by it


def test_the_selection_is_frozen_cut_to_the_best_and_written_as_it_is(tmp_path: Path) -> None:
    selection = make_selection()
    with pytest.raises(dataclasses.FrozenInstanceError):
        selection.version = "2"  # type: ignore[misc]  # the point of the test
    assert selection.to_csv(tmp_path / "s.csv") == (tmp_path / "s.csv").read_text()
    assert selection.to_json(tmp_path / "s.json") == (tmp_path / "s.json").read_text()
    assert json.loads(selection.to_json()) == json.loads(json.dumps(selection.to_dict()))
    best = selection.top(3).top(1)
    assert (best.features, best.unlisted) == (selection.features[:1], selection.features[1:])
    assert (best.kept, best.sizes) == (selection.kept, selection.sizes)
    assert selection.top(None) is selection
    assert selection.top(99).features == selection.features


def test_a_frame_is_reduced_to_what_is_kept_and_new_rows_need_neither_target_nor_count() -> None:
    selection = make_selection(make_feature(1, "7", "keep"), make_feature(2, "b", "keep"), count="n")
    frame = pd.DataFrame([[1, "x", 2, None, 3]] * 3, columns=["n", "b", "out", "outcome", 7], index=[5, 3, 4])
    pd.testing.assert_frame_equal(selection.reduced(frame), frame[["n", "b", "outcome", 7]])
    assert selection.reduced(frame[["out", 7, "b"]]).columns.tolist() == [7, "b"]
    with pytest.raises(probfs.UsageError, match="it has no column 'albumin'; did you mean 'albumins'"):
        make_selection().reduced(pd.DataFrame({"albumins": [1], "outcome": [1]}))


# The support vector machine and other estimators, judged by cross-validation: no temperature


@pytest.mark.parametrize(
    ("classifier", "options"),
    [
        ("svm", {"kernel": "rbf", "permutations": 5}),
        ("forest", {"trees": 5, "permutations": 3, "jobs": 3}),
        (DecisionTreeClassifier(max_depth=3), {"permutations": 3}),
    ],
    ids=["svm", "forest", "estimator"],
)
def test_columns_that_tell_only_together_are_kept_and_none_is_tested(
    classifier: Any, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    fit, jobs = RandomForestClassifier.fit, set()

    def recording_fit(self: Any, *cells: Any, **more: Any) -> Any:
        jobs.add(self.n_jobs)
        return fit(self, *cells, **more)

    monkeypatch.setattr(RandomForestClassifier, "fit", recording_fit)
    one, other = np.random.default_rng(3).integers(0, 2, (2, 80))
    noise = np.random.default_rng(4).integers(0, 3, 80)
    frame = pd.DataFrame({"noise": noise, "one": one, "other": other}).astype(str).assign(sick=one ^ other)
    with threadpool_limits(1):
        selection = probfs.select(frame, target="sick", classifier=classifier, folds=2, **options)
    assert set(selection.kept) == {"one", "other"}
    assert selection.honest is not None
    assert selection.honest.kept.errors < 0.2 * selection.honest.kept.rows
    assert {own.verdict for own in selection.features} <= {"keep", "weak", "redundant"}
    document = json.loads(selection.to_json())
    assert [own["temperature"] for own in document["sizes"]] == [None] * 4
    assert [(own["p"], own["q"]) for own in document["features"]] == [(None, None)] * 3
    assert document["settings"]["estimate"] == "cv"
    assert jobs == ({3} if classifier == "forest" else set()), "of the models of the folds, too"


def test_a_dropped_number_is_redundant_where_a_kept_one_says_the_same_by_intervals() -> None:
    random = np.random.default_rng(0)
    first, second, noise = (random.normal(size=60).round(3) for _ in range(3))
    sick = first + second + random.normal(size=60) / 2 > 0
    copy = (first + random.normal(size=60) / 3).round(3)
    frame = pd.DataFrame({"first": first, "second": second, "copy": copy, "noise": noise, "sick": sick})
    heard: list[Progress] = []
    selection = probfs.select(frame, target="sick", classifier="svm", permutations=5, folds=0, on_progress=heard.append)
    verdicts = {own.feature: own.verdict for own in selection.features}
    assert (verdicts["noise"], verdicts["second"]) == ("noise", "keep")
    assert {verdicts["first"], verdicts["copy"]} == {"keep", "redundant"}
    models = [(own.done, own.total) for own in heard if own.unit == "models"]
    assert models[-1] == (33, 33)


def test_a_linear_model_tests_columns_first() -> None:
    generator = np.random.default_rng(0)
    sick = np.arange(60) % 2
    frame = pd.DataFrame(
        {"dose": generator.normal(size=60) + 2 * sick, "noise": generator.normal(size=60), "sick": sick}
    )
    for classifier in ("logistic", GaussianNB()):
        selection = probfs.select(frame, target="sick", classifier=classifier, folds=0)
        assert selection.kept == ("dose",)
        assert selection.settings.model.default_estimate == "cv"
