"""Rows that belong to subjects: left out together, never split by folds, and tested as one."""

from __future__ import annotations

import warnings
from dataclasses import replace
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import probfs
from probfs.classifiers.options import EstimateName
from probfs.classifiers.refitting.rows import TrainingRows, make_splits
from probfs.classifiers.refitting.svm import cut_into_pieces
from probfs.classifiers.row_odds import RowOdds
from probfs.columns.dataset import Dataset, merge_equal_rows
from probfs.columns.folds import deal_folds, order_by_content
from probfs.output.sentences import describe_model
from probfs.rows.blocks import EVERYTHING, Block, LocalBlocks, SampleSeries, deal_blocks
from tests.support import exact_naive_bayes as reference
from tests.support.datasets import assert_as_refits, dataset_of, fit_naive_bayes, problems
from tests.support.exact_naive_bayes import Problem
from tests.support.tables import prepare_frame

# Leave-one-subject-out, in closed form


@st.composite
def problems_of_subjects(draw: st.DrawFn) -> tuple[Problem, list[int]]:
    """Small tables, and the subject of each row; every class has rows of two subjects or more."""
    problem = draw(problems())
    subjects = draw(st.integers(2, 6))
    groups = draw(st.lists(st.integers(0, subjects - 1), min_size=len(problem.rows), max_size=len(problem.rows)))
    for label in range(problem.classes):
        # The first rows of a problem are two of each class.
        groups[2 * label + 1] = (groups[2 * label] + 1) % subjects
    return problem, groups


HOW = st.fixed_dictionaries(
    {
        "score": st.sampled_from(["absolute", "signed", "unlabeled"]),
        "smoothing": st.sampled_from([0.0, 0.5, 1.0]),
        "shrink": st.sampled_from(["off", "on"]),
        "compiled": st.booleans(),
        "merged": st.booleans(),
        "folds": st.sampled_from([None, None, 2, 3]),
    }
)


@settings(max_examples=100, deadline=None)
@given(problems_of_subjects(), HOW)
def test_leaving_a_subject_out_equals_exact_refits(drawn: tuple[Problem, list[int]], how: dict[str, Any]) -> None:
    problem, groups = drawn
    score = how["score"] if problem.unlabelled else "absolute"
    dataset = replace(dataset_of(problem), groups=np.array(groups))
    folds, smoothing = groups, how["smoothing"]
    if how["folds"] is not None:
        if how["folds"] > dataset.units:
            return
        dealt = deal_or_refuse(dataset, how["folds"], 7)
        if dealt is None:
            return
        folds = dealt.argmax(axis=0).tolist()
    expected = reference.eliminate(problem, score, "cv", Fraction(smoothing), 1, folds, how["shrink"])
    with patch("probfs.columns.dataset._ROWS_PER_COMBINATION", 0 if how["merged"] else 4):
        dataset = merge_equal_rows(dataset)
    estimate: EstimateName = "loo" if how["folds"] is None else "cv"
    options = {"shrink": how["shrink"], "compiled": how["compiled"]}
    classifier = fit_naive_bayes(dataset, estimate, how["folds"] or 0, smoothing, 7, **options)
    assert_as_refits(classifier, problem, score, expected)


def table(seed: int = 3, subjects: int = 24, rows: int = 5, signal: float = 2.0) -> pd.DataFrame:
    """Rows of subjects, whose class is the subject's; ``x`` tells the class, ``z`` the subject."""
    random = np.random.default_rng(seed)
    labels, offset = np.arange(subjects) % 2, random.normal(size=subjects)
    who = np.repeat(np.arange(subjects), rows)
    noise = random.normal(size=(3, len(who)))
    columns = {"x": signal * labels[who] + noise[0], "z": offset[who] + 0.1 * noise[1], "n": noise[2].round(1)}
    return pd.DataFrame({**columns, "who": [f"s{place:02}" for place in who], "y": np.array(["p", "q"])[labels[who]]})


def test_so_many_subjects_that_their_tables_are_too_large_are_left_out_in_ten_folds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("probfs.classifiers.naive_bayes.classifier._MOST_CELLS_LEFT_OUT", 100)
    ranking = probfs.rank(table(), target="y", group="who", screen=False)
    (note,) = (note for note in ranking.warnings if note.code == "subject-folds")
    assert note.startswith("leaving out one by one of 24 subjects would take tables of")
    by_folds = probfs.rank(table(), target="y", group="who", estimate="cv", screen=False)
    assert [own.s_a for own in ranking.features] == [own.s_a for own in by_folds.features]


def test_standard_errors_are_those_of_subjects() -> None:
    """Rows that repeat their subject's loss say nothing more about it."""
    random = np.random.default_rng(0)
    values, who = random.normal(size=(1, 40)), np.repeat(np.arange(40), 5)
    once, repeated = RowOdds(values, np.ones(40), 0), RowOdds(values[:, who], np.ones(200), 0, subjects=who)
    assert repeated.moments(values[0, who]).se == pytest.approx(once.moments(values[0]).se)
    assert repeated.moments(values[0, who]).mean == pytest.approx(values.mean())


@pytest.mark.parametrize("options", [{}, {"classifier": "logistic", "permutations": 1}])
def test_the_estimate_on_unseen_rows_knows_the_subjects(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def se() -> float:
        selection = probfs.select(table(), target="y", group="who", folds=4, **options)
        assert selection.honest is not None
        return selection.honest.kept.se

    by_subject, moments = se(), RowOdds.moments
    monkeypatch.setattr(RowOdds, "moments", lambda own, values: moments(replace(own, subjects=None), values))
    assert by_subject != pytest.approx(se(), rel=0.1)


# Folds


@st.composite
def grouped_datasets(draw: st.DrawFn) -> Dataset:
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    problem, _ = draw(problems_of_subjects())
    copies = draw(st.integers(2, 5))
    dataset = dataset_of(problem)
    rows = np.tile(np.arange(len(problem.rows)), copies)
    repeated = dataset.take(rows, np.arange(len(dataset.unlabelled_counts)))
    groups = np.arange(copies).repeat(len(problem.rows)) * 2 + random.integers(0, 2, len(rows))
    return replace(repeated, groups=groups, counts=random.integers(1, 4, len(rows)))


@given(grouped_datasets(), st.integers(2, 4), st.integers(0, 9))
def test_no_fold_splits_a_subject(dataset: Dataset, folds: int, seed: int) -> None:
    assert dataset.groups is not None
    folds = min(folds, dataset.units)
    ordered = order_by_content(dataset, seed)
    assert ordered.rows == dataset.rows
    for rows in (dataset, ordered):
        dealt = deal_or_refuse(rows, folds, seed)
        if dealt is None:
            return
        np.testing.assert_array_equal(dealt.sum(axis=0), rows.counts)
        assert not subjects_split(dealt, rows.groups)
        block = deal_blocks(LocalBlocks(Block(rows)), EVERYTHING, folds, seed).here
        assert block is not None
        np.testing.assert_array_equal([block.copies(fold) for fold in range(folds)], dealt)
        for estimate in ("loo", "cv"):
            splits = [split for split in make_splits(rows, estimate, folds, seed) if split.left_out is not None]
            assert len(splits) == (folds if estimate == "cv" else dataset.units)
            copies = np.zeros((len(splits), len(rows.labels)), dtype=np.int64)
            for place, split in enumerate(splits):
                copies[place] = rows.counts - split.training_counts(rows.counts)
            assert not subjects_split(copies, rows.groups)
    training = TrainingRows.of(ordered.labels, ordered.counts, len(ordered.classes))
    assert ordered.groups is not None
    pieces = cut_into_pieces(training, ordered.groups[training.positions])
    assert pieces.weights.sum() == dataset.rows
    series = SampleSeries(3, 3, seed, with_unlabelled=False, starts=((0,) * len(dataset.classes),))
    samples = [counts for counts, _ in series.draw(Block(ordered))]
    for first, second in zip(samples[:6:2], samples[1:6:2], strict=True):
        np.testing.assert_array_equal(first + second, ordered.counts)
        assert not subjects_split(np.array([first, second]), ordered.groups)


def deal_or_refuse(dataset: Dataset, folds: int, seed: int) -> Any:
    """Folds of subjects, or None where a class would be lost without one of them."""
    refused = None
    try:
        return deal_folds(dataset, folds, seed)
    except probfs.ProbfsError as error:
        refused = str(error)
    assert "a fold would hold all of them" in refused
    return None


def subjects_split(dealt: Any, groups: Any) -> bool:
    """Whether rows of some subject are in several parts."""
    return any(np.count_nonzero(dealt[:, groups == subject].any(axis=1)) > 1 for subject in np.unique(groups))


@pytest.mark.parametrize("options", [{}, {"classifier": "logistic"}, {"classifier": "svm", "estimate": "cv"}])
def test_the_order_and_the_repetition_of_rows_change_nothing(options: dict[str, Any]) -> None:
    frame = table(subjects=12, rows=3).round(0)
    options = {"target": "y", "group": "who", "jobs": 1, **options} if options else {"target": "y", "group": "who"}
    first = probfs.rank(frame, **options)
    shuffled = probfs.rank(frame.sample(frac=1, random_state=3)[["y", "n", "who", "z", "x"]], **options)
    counted = frame.groupby(list(frame.columns), as_index=False).size()
    by_counts = probfs.rank(counted, count="size", **options)
    for other in (shuffled, by_counts):
        assert [own.feature for own in other.features] == [own.feature for own in first.features]
        assert [own.s_a for own in other.features] == pytest.approx([own.s_a for own in first.features], abs=1e-12)


# What users meet


def patients(seed: int, named: str = "patient", varied: bool = False) -> pd.DataFrame:
    """40 patients of ten rows each, and columns that have nothing to do with the class, some of them the patient's."""
    random = np.random.default_rng(seed)
    who = np.repeat(np.arange(40), 10)
    labels = (random.permutation(40) % 2)[who]
    labels = np.where(random.random(400) < 0.3, 1 - labels, labels) if varied else labels
    columns = {
        "visit": random.normal(size=400),
        "sensor": random.normal(size=40)[who] + 0.3 * random.normal(size=400),
        "height": random.normal(170, 10, size=40).round(1)[who],
        "blood": random.choice(["A", "B", "AB", "0"], 40)[who],
    }
    names = [f"P{place:03}" for place in who]
    return pd.DataFrame({named: names, **columns, "y": np.where(labels, "sick", "well")})


def independent(seed: int) -> pd.DataFrame:
    """Rows of their own, with keys, ages, regions, kinds and a strong column."""
    random = np.random.default_rng(seed)
    rows = int(random.integers(40, 600))
    labels = random.integers(0, int(random.integers(2, 4)), rows)
    strong = random.normal(size=rows) + 2.66 * labels
    columns = {
        "patient": random.permutation(rows) + 1000,
        "age": random.integers(20, 80, rows),
        "region": [f"r{place}" for place in random.integers(0, 25, rows)],
        "user_type": random.choice(["new", "old", "guest"], rows),
        "strong": strong,
        "rounded": strong.round(1),
    }
    return pd.DataFrame({**columns, "y": labels})


def warns_of_subjects(frame: pd.DataFrame, **options: Any) -> list[str]:
    return [note for note in prepare_frame(frame, target="y", **options).trust_notes if note.code == "subjects"]


def test_a_warning_names_the_option_where_rows_seem_to_belong_together() -> None:
    (note,) = warns_of_subjects(patients(0))
    assert note.startswith("several rows seem to belong to the same subject, by 'patient' (40 values in 400 rows)")
    assert "group=" in note
    (note,) = warns_of_subjects(patients(0, "code"))
    assert "'code' (40 values, nearly all of one class each)" in note
    assert warns_of_subjects(patients(0, "patient_id", varied=True)), "by its name alone, though it is left out"
    assert not warns_of_subjects(patients(0), group="patient")
    assert not warns_of_subjects(patients(0, "code", varied=True))
    assert not warns_of_subjects(independent(0))


@pytest.mark.slow
def test_how_often_that_is_said() -> None:
    for name in ("patient", "code"):
        found = sum(bool(warns_of_subjects(patients(seed, name))) for seed in range(100))
        print(f"subjects called {name}: {found} of 100")
        assert found >= 95
    assert not any(warns_of_subjects(independent(seed)) for seed in range(100))


@pytest.mark.slow
@pytest.mark.parametrize("varied", [False, True])
def test_how_often_something_is_kept_of_noise(varied: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options: dict[str, Any] = {"target": "y", "group": "patient", "folds": 0}
        kept = sum(bool(probfs.select(patients(seed, varied=varied), **options).kept) for seed in range(200))
        without = sum(
            bool(probfs.select(patients(seed, varied=varied), target="y", folds=0).kept) for seed in range(50)
        )
    print(f"varied {varied}: with group= {kept / 200:.3f}, without {without / 50:.2f}")
    assert kept / 200 <= 0.1


def test_the_column_of_subjects_is_never_ranked_and_stays_in_the_reduced_table() -> None:
    frame = table()
    for group in ("who", "y2"):
        named = frame.rename(columns={"who": group})
        assert "who" not in [own.feature for own in probfs.rank(named, target="y", group=group).features]
    selection = probfs.select(frame, target="y", group="who", folds=3)
    assert selection.reduced_columns == ("x", "y", "who")
    assert selection.settings.to_dict()["group"] == "who"
    assert probfs.Selection.from_json(selection.to_json()).settings.group == "who"
    assert probfs.select(frame, target="y", folds=0).features[0].feature != "x", "z recognizes subjects"


def test_a_row_without_a_subject_is_one_of_its_own() -> None:
    frame = table()
    unknown = frame.assign(who=frame["who"].where(np.arange(len(frame)) % 4 > 0))
    alone = frame.assign(who=np.where(np.arange(len(frame)) % 4 > 0, frame["who"], np.arange(len(frame)).astype(str)))
    first, second = (probfs.rank(one, target="y", group="who").features for one in (unknown, alone))
    assert [own.s_a for own in first] == [own.s_a for own in second]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"group": "whom"}, "group=: no column 'whom' in <frame>; did you mean 'who'?"),
        ({"group": "y"}, "column 'y' is the target and named by group="),
        ({"group": "n", "count": "n"}, "column 'n' is named by count= and named by group="),
        ({"group": "who", "include": ["x", "who"]}, "column 'who' is named by group= and named by include="),
        (
            {"group": "who", "mapping": {"columns": {"who": "category"}}},
            "column 'who' is named by group= and given a rule in mapping",
        ),
        ({"group": "same"}, "group=: all rows have the same value in 'same'"),
        ({"group": "half"}, "class 'p' has rows of one subject only, and leaving it out leaves none"),
        ({"group": "who", "estimate": "cv", "folds": 30}, "folds=30 is more than the 24 subjects"),
        ({"group": "who", "estimate": "oob", "classifier": "forest"}, 'estimate="oob" judges rows by trees that know'),
        ({"group": "half", "uncertainty": True}, "uncertainty=True needs 20 subjects, and there are 2"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(options: dict[str, Any], problem: str) -> None:
    frame = table().assign(same="s")
    frame["half"] = frame["y"]
    frame = frame[[*frame.columns.drop("y"), "y"]]
    if options["group"] != "half":
        frame = frame.drop(columns="half")
    with pytest.raises(probfs.ProbfsError) as refusal:
        probfs.rank(frame, target="y", **options)
    assert str(refusal.value).startswith(problem) or problem in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("option", ["group", "weight", "time"])
def test_a_cluster_refuses_what_says_something_of_rows(
    option: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.support.clusters import connect_here

    monkeypatch.setattr("probfs.cluster.connection.connect", connect_here)
    path = tmp_path / "t.csv"
    table().assign(n=range(120)).to_csv(path, index=False)
    about_rows: dict[str, Any] = {option: "n"}
    with pytest.raises(probfs.UsageError, match=f"{option}= goes with the rows of one machine"):
        probfs.rank(path, target="y", engine="dask", **about_rows)


def test_the_selector_takes_groups_and_scikit_learn_routes_them() -> None:
    frame = table()
    data, y, groups = frame[["x", "z", "n"]], frame["y"], frame["who"]
    plain = probfs.ProbabilisticSelector().fit(data, y, groups=groups)
    assert plain.get_feature_names_out().tolist() == ["x"]
    assert plain.selection_result_.settings.group == "groups"
    weights = np.where(np.arange(len(y)) % 2, 2, 0)
    weighted = probfs.ProbabilisticSelector().fit(data, y, sample_weight=weights, groups=groups)
    assert weighted.selection_result_.input.labelled_rows == len(y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        probfs.ProbabilisticSelector().fit(data, y, groups=[1, 2, 3])
    with config_context(enable_metadata_routing=True):
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import GroupKFold

        selector = probfs.ProbabilisticSelector().set_fit_request(groups=True)
        pipeline = make_pipeline(StandardScaler(), selector, LogisticRegression())
        found = cross_validate(
            pipeline, data, y, cv=GroupKFold(3), params={"groups": groups}, return_estimator=True, error_score="raise"
        )
        assert all(one[1].selection_result_.settings.group == "groups" for one in found["estimator"])


@pytest.mark.parametrize("options", [{}, {"uncertainty": True}])
def test_a_column_without_a_value_is_no_obstacle(options: dict[str, Any]) -> None:
    random = np.random.default_rng(0)
    table = pd.DataFrame({"a": random.integers(0, 3, 120), "subject": np.arange(120) // 4, "empty": np.nan})
    table["rare"] = ["q" if row < 4 else None for row in range(120)]
    table["y"] = random.integers(0, 2, 120)
    assert {one.feature for one in probfs.rank(table, target="y", group="subject", **options).features} >= {"a", "rare"}


def test_the_summary_says_by_what_rows_are_judged() -> None:
    frame = table().assign(day=range(120), w=[1, 2, 3] * 40)
    by_subject = probfs.rank(frame.drop(columns=["day", "w"]), target="y", group="who")
    assert describe_model(by_subject) == "Naive Bayes, leave-one-out of the subjects of who"
    shuffled = frame.drop(columns="who").sample(frac=1, random_state=0).assign(day=range(120))
    by_time = probfs.rank(shuffled, target="y", time="day", weight="w")
    assert describe_model(by_time) == "Naive Bayes, 10-fold cross-validation in the order of day, rows weighted by w"
