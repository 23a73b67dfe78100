"""Columns that say something of rows: their subject, their weight or their time; what users meet."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import probfs
from tests.support.clusters import connect_here
from tests.support.tables import Write, prepare_frame


def of_subjects(subjects: int = 24, rows: int = 5) -> pd.DataFrame:
    """Rows of subjects, whose class is the subject's; ``x`` tells the class, ``z`` the subject."""
    random = np.random.default_rng(3)
    labels, offset = np.arange(subjects) % 2, random.normal(size=subjects)
    who = np.repeat(np.arange(subjects), rows)
    noise = random.normal(size=(3, len(who)))
    columns = {"x": 2 * labels[who] + noise[0], "z": offset[who] + 0.1 * noise[1], "n": noise[2].round(1)}
    return pd.DataFrame({**columns, "who": [f"s{place:02}" for place in who], "y": np.array(["p", "q"])[labels[who]]})


def weighted(rows: int = 240) -> pd.DataFrame:
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, rows)
    columns = {"x": labels + random.normal(size=rows), "k": random.integers(0, 4, rows), "n": random.normal(size=rows)}
    columns["t"] = np.where(random.random(rows) < 0.3, random.integers(0, 2, rows), labels)
    return pd.DataFrame({**columns, "w": random.lognormal(size=rows), "y": np.array(["p", "q"])[labels]})


def in_time(rows: int = 240) -> pd.DataFrame:
    """``then`` tells the class in the first half only, ``now`` in the second."""
    random = np.random.default_rng(0)
    labels, first = random.integers(0, 2, rows), np.arange(rows) < rows / 2
    then = np.where(first & (random.random(rows) < 0.95), labels, random.integers(0, 2, rows))
    now = np.where(~first & (random.random(rows) < 0.95), labels, random.integers(0, 2, rows))
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(rows) // 2, unit="D")
    frame = pd.DataFrame({"then": then, "now": now, "n": random.integers(0, 3, rows), "when": when})
    return frame.assign(y=np.array(["p", "q"])[labels])


def rank(frame: Any, **options: Any) -> probfs.Ranking:
    return probfs.rank(frame, **{"target": "y", **({"jobs": 1} if "classifier" in options else {}), **options})


def select(frame: pd.DataFrame, **options: Any) -> probfs.Selection:
    return probfs.select(frame, **{"target": "y", **options})


def honest(selection: probfs.Selection) -> Any:
    assert selection.honest is not None
    return selection.honest


def scores_of(ranking: probfs.Ranking) -> dict[str, tuple[Any, ...]]:
    return {own.feature: (own.s_s, own.s_a, own.p, own.q) for own in ranking.features}


def assert_same(ours: probfs.Ranking, theirs: probfs.Ranking) -> None:
    assert list(scores_of(ours)) == list(scores_of(theirs))
    for own, other in zip(scores_of(ours).values(), scores_of(theirs).values(), strict=True):
        assert own == pytest.approx(other, rel=1e-9, abs=1e-12)


def notes_of(ranking: probfs.Ranking, code: str) -> list[probfs.Note]:
    return [note for note in ranking.warnings if note.code == code]


# The same for all three


SMALL = {
    "group": of_subjects(12, 3).round(0),
    "weight": pd.concat(
        [half := weighted(60)[["k", "t", "w", "y"]].assign(w=lambda frame: frame["w"].round(0) + 0.5), half[:7]]
    ),
    "time": in_time(80),
}
ABOUT = {"group": "who", "weight": "w", "time": "when"}
MAKERS: dict[str, Callable[[], pd.DataFrame]] = {"group": of_subjects, "weight": weighted, "time": in_time}


@pytest.mark.parametrize("about", ABOUT)
@pytest.mark.parametrize(
    "options", [{}, {"estimate": "cv"}, {"classifier": "logistic"}, {"classifier": "svm", "estimate": "cv"}]
)
def test_the_order_and_the_repetition_of_rows_change_nothing(about: str, options: dict[str, Any]) -> None:
    frame, how = SMALL[about], {about: ABOUT[about], **options}
    first = rank(frame, **how)
    assert_same(rank(frame.sample(frac=1, random_state=3)[frame.columns[::-1]], **how), first)
    assert_same(rank(frame.groupby(list(frame.columns), as_index=False).size(), count="size", **how), first)


@pytest.mark.parametrize(
    ("about", "code", "many"),
    [
        ("group", "subject-folds", "24 subjects"),
        ("weight", "weight-folds", "rows of 240 different weights and classes"),
    ],
)
def test_too_many_to_be_left_out_one_by_one_are_left_out_in_ten_folds(
    about: str, code: str, many: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, how = MAKERS[about](), {about: ABOUT[about], "screen": False}
    one_by_one = rank(frame, **how)
    monkeypatch.setattr("probfs.classifiers.naive_bayes.classifier._MOST_CELLS_LEFT_OUT", 100)
    ranking = rank(frame, **how)
    (note,) = notes_of(ranking, code)
    assert note.startswith(f"leaving out one by one of {many} would take tables of")
    assert scores_of(ranking) == scores_of(rank(frame, estimate="cv", **how)) != scores_of(one_by_one)


TREE = DecisionTreeClassifier(max_depth=2)


@pytest.mark.parametrize("classifier", [KNeighborsClassifier(), make_pipeline(TREE)])
def test_a_classifier_that_takes_no_weights_is_refused(classifier: Any) -> None:
    with pytest.raises(probfs.UsageError, match=f"^weight=: the fit of {type(classifier).__name__} takes"):
        rank(weighted(), weight="w", classifier=classifier)


def test_a_cluster_refuses_what_says_something_of_rows(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probfs.cluster.connection.connect", connect_here)
    path = write("t.csv", of_subjects().assign(n=range(120)).to_csv(index=False))
    for about in ABOUT:
        with pytest.raises(probfs.UsageError, match=f"{about}= goes with the rows of one machine"):
            rank(path, engine="dask", **{about: "n"})
    with pytest.raises(probfs.UsageError, match=r"^together=.* needs all rows in one place"):
        rank(path, engine="dask", together={"g": "x,z"})


def test_the_selector_takes_subjects_and_weights_and_scikit_learn_routes_them() -> None:
    frame = of_subjects()
    data, y, groups = frame[["x", "z", "n"]], frame["y"], frame["who"]
    plain = probfs.ProbabilisticSelector().fit(data, y, groups=groups)
    assert plain.get_feature_names_out().tolist() == ["x"]
    assert plain.selection_result_.settings.group == "groups"
    both = probfs.ProbabilisticSelector().fit(data, y, sample_weight=np.arange(120) % 2 * 2, groups=groups)
    assert both.selection_result_.input.labelled_rows == 120
    with config_context(enable_metadata_routing=True):
        selector = probfs.ProbabilisticSelector().set_fit_request(groups=True)
        pipeline = make_pipeline(StandardScaler(), selector, LogisticRegression())
        routed: dict[str, Any] = {"params": {"groups": groups}, "return_estimator": True, "error_score": "raise"}
        found = cross_validate(pipeline, data, y, cv=GroupKFold(3), **routed)
        assert all(one[1].selection_result_.settings.group == "groups" for one in found["estimator"])
    frame = weighted()
    data, y, weights = frame[["x", "k", "n", "t"]], frame["y"], frame["w"]
    some = weights.where(np.arange(240) % 3 > 0, 0.0)
    for given, option, rows in ((weights, "weight", 240), (some, "weight", 160), (np.arange(240) % 3, "count", 240)):
        fitted = probfs.ProbabilisticSelector().fit(data, y, sample_weight=given)
        by_column = select(frame.assign(w=given), **{option: "w"})
        assert fitted.get_feature_names_out().tolist() == sorted(by_column.kept, key=list(data.columns).index)
        assert getattr(fitted.selection_result_.settings, option) == "sample_weight"
        assert (fitted.selection_result_.input.labelled_rows, fitted.selection_result_.input.unlabelled_rows) == (
            rows,
            0,
        )


# Subjects


def test_a_row_without_a_subject_is_one_of_its_own() -> None:
    frame, known = of_subjects(), np.arange(120) % 4 > 0
    unknown = frame.assign(who=frame["who"].where(known))
    alone = frame.assign(who=np.where(known, frame["who"], np.arange(120).astype(str)))
    assert scores_of(rank(unknown, group="who")) == scores_of(rank(alone, group="who"))
    assert select(frame, folds=0).features[0].feature != "x", "z recognizes subjects"


@pytest.mark.parametrize("options", [{}, {"uncertainty": True}])
def test_a_column_without_a_value_is_no_obstacle(options: dict[str, Any]) -> None:
    random = np.random.default_rng(0)
    table = pd.DataFrame({"a": random.integers(0, 3, 120), "subject": np.arange(120) // 4, "empty": np.nan})
    table["rare"] = ["q" if row < 4 else None for row in range(120)]
    table["y"] = random.integers(0, 2, 120)
    assert set(scores_of(rank(table, group="subject", **options))) >= {"a", "rare"}


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
    return pd.DataFrame({named: [f"P{one:03}" for one in who], **columns, "y": np.where(labels, "sick", "well")})


def independent(seed: int) -> pd.DataFrame:
    """Rows of their own, with keys, ages, regions, kinds and a strong column."""
    random = np.random.default_rng(seed)
    rows = int(random.integers(40, 600))
    labels = random.integers(0, int(random.integers(2, 4)), rows)
    strong = random.normal(size=rows) + 2.66 * labels
    columns: dict[str, Any] = {"patient": random.permutation(rows) + 1000, "age": random.integers(20, 80, rows)}
    columns |= {"region": [f"r{place}" for place in random.integers(0, 25, rows)], "strong": strong}
    columns |= {"user_type": random.choice(["new", "old", "guest"], rows), "rounded": strong.round(1)}
    return pd.DataFrame({**columns, "y": labels})


def warnings_of_subjects(frame: pd.DataFrame, **options: Any) -> list[str]:
    return [note for note in prepare_frame(frame, target="y", **options).trust_notes if note.code == "subjects"]


@pytest.mark.slow
def test_how_often_that_is_said() -> None:
    for name in ("patient", "code"):
        assert sum(bool(warnings_of_subjects(patients(seed, name))) for seed in range(100)) >= 95
    assert not any(warnings_of_subjects(independent(seed)) for seed in range(100))


@pytest.mark.slow
@pytest.mark.parametrize("varied", [False, True])
def test_how_often_something_is_kept_of_noise(varied: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kept = [bool(select(patients(seed, varied=varied), group="patient", folds=0).kept) for seed in range(200)]
        without = [bool(select(patients(seed, varied=varied), folds=0).kept) for seed in range(50)]
    print(f"varied {varied}: with group= {np.mean(kept):.3f}, without {np.mean(without):.2f}")
    assert np.mean(kept) <= 0.1


# Weights


@pytest.mark.parametrize("options", [{}, {"estimate": "cv"}, {"classifier": "logistic"}, {"group": "t"}])
def test_only_proportions_of_weights_count(options: dict[str, Any]) -> None:
    frame = weighted()
    first = rank(frame, weight="w", **options)
    for factor in (3.7, 1e-200, 1e200):
        assert_same(rank(frame.assign(w=frame["w"] * factor), weight="w", **options), first)
    equal, plain = rank(frame.assign(w=2.5), weight="w", **options), rank(frame.drop(columns="w"), **options)
    assert (scores_of(equal), equal.rounds) == (scores_of(plain), plain.rounds)


def test_a_row_of_weight_0_might_as_well_not_be_there() -> None:
    zeros = weighted().assign(w=lambda frame: np.where(frame.index % 3, frame["w"], 0.0))
    ranking = rank(zeros, weight="w")
    assert scores_of(ranking) == scores_of(rank(zeros[zeros["w"] > 0], weight="w"))
    assert ranking.input.labelled_rows == 160
    rare = zeros.assign(y=np.where(zeros["w"] > 0, zeros["y"], "r"))
    assert set(rank(rare, weight="w").input.classes) == {"p", "q"}


@pytest.mark.parametrize("classifier", ["logistic", "svm", "forest", "boosting", TREE])
def test_refitted_classifiers_are_given_weights(classifier: Any) -> None:
    frame = weighted()[["t", "k", "y"]]
    # Of two opposite halves, the heavier one is believed.
    frame["t"] = np.where(np.arange(240) < 120, frame["y"] == "p", frame["y"] == "q").astype(int)
    for heavy in (0, 1):
        frame["w"] = np.where((np.arange(240) < 120) == heavy, 9.0, 1.0)
        ranking = rank(frame, classifier=classifier, weight="w", estimate="resubstitution", screen=False)
        assert ranking.features[0].feature == "t"
        assert ranking.rounds[0].errors == pytest.approx(120, abs=12)
        assert ranking.rounds[0].absolute_loss < 0.35


def test_a_rare_number_that_tells_the_class_is_told_from_noise() -> None:
    random, rare = np.random.default_rng(0), np.arange(400) < 16
    frame = pd.DataFrame({"x": (rare | (random.random(400) < 0.02)) * 1.0, "w": random.uniform(0.8, 1.2, 400)})
    frame["y"] = np.where(rare, "rare", "other")
    (feature,) = rank(frame, weight="w", classifier="logistic", permutations=1).features
    assert feature.p is not None
    assert feature.p < 1e-3


def test_one_row_of_nearly_all_weight_is_no_failure() -> None:
    frame = weighted()
    frame.loc[0, "w"] = 1e6
    assert min(size.log_loss for size in select(frame, weight="w", folds=0).sizes) >= 0


@pytest.mark.slow
@pytest.mark.parametrize("balanced", [False, True])
def test_how_often_noise_is_called_related(balanced: bool) -> None:
    p = []
    for seed in range(200):
        random = np.random.default_rng(seed)
        labels = (random.random(300) < 0.3).astype(int)
        frame = pd.DataFrame({"c": random.integers(0, 4, 300), "x": random.normal(size=300), "y": labels})
        frame["w"] = np.where(labels, 0.7, 0.3) if balanced else random.lognormal(size=300)
        p += [own.p for own in rank(frame, weight="w", keep_identifiers=True).features]
    assert np.mean(np.array(p) <= 0.05) <= 0.08


# Times


@pytest.mark.parametrize("classifier", ["nb", "logistic", "svm", LogisticRegression()])
def test_rows_are_judged_by_earlier_ones(classifier: Any) -> None:
    how: dict[str, Any] = {} if classifier == "nb" else {"classifier": classifier, "jobs": 1}
    by_time = rank(in_time(), time="when", folds=4, **how)
    assert (by_time.settings.estimate, by_time.settings.folds, by_time.settings.time) == ("cv", 4, "when")
    assert set(scores_of(by_time)) == {"then", "now", "n"}
    # What was true then is believed too long.
    shuffled = rank(in_time().drop(columns="when"), estimate="cv", **how)
    assert by_time.rounds[0].errors / 180 > shuffled.rounds[0].errors / 240 + 0.05
    # However little earlier rows weigh beside later ones, a model that knows no others learns as much from them.
    how |= {"weight": "w", "time": "when", "folds": 2, **({"shrink": "off"} if classifier == "nb" else {})}
    frames = [in_time(80).assign(w=np.where(np.arange(80) < 40, early, 1) * ([1, 3] * 40)) for early in (0.1, 1e-5)]
    flat, steep = (rank(frame, screen=False, **how) for frame in frames)
    assert flat.rounds[0].rows == 40
    assert [own.errors for own in flat.rounds] == [own.errors for own in steep.rounds]
    assert {name: own[0] for name, own in scores_of(flat).items()} == pytest.approx(
        {name: own[0] for name, own in scores_of(steep).items()}, rel=1e-6
    )
    one, two = (honest(select(frame, false_discoveries=1, keep=2, **how)) for frame in frames)
    assert (one.kept.log_loss, one.all.log_loss) == pytest.approx((two.kept.log_loss, two.all.log_loss), rel=1e-6)


def test_how_times_are_written_changes_nothing() -> None:
    frame = in_time(80)
    days, first = (frame["when"] - frame["when"][0]).dt.days, scores_of(rank(frame, time="when"))
    for when in (days, frame["when"].dt.strftime("%d.%m.%Y"), days**3 / 7):
        assert scores_of(rank(frame.assign(when=when), time="when")) == first
    # Few times are times, too.
    months = np.arange(80) // 10
    first = scores_of(rank(frame.assign(when=months), time="when"))
    for form in ("2024-{:02}", "2024-{:02}-01", "2024-{:02}-01 00:00", "20.{:02}.2024"):
        assert scores_of(rank(frame.assign(when=[form.format(n + 1) for n in months]), time="when")) == first, form


def test_a_choice_is_made_from_earlier_rows_and_judged_on_later_ones() -> None:
    frame = in_time()
    # The last rows decide nothing before they are judged.
    other = frame.assign(then=np.where(np.arange(240) < 230, frame["then"], 1 - frame["then"]))
    selection, two = (select(one, time="when", folds=4) for one in (frame, other))
    assert honest(two).none == honest(selection).none
    assert (honest(selection).folds, honest(selection).kept.rows) == (3, 180)
    without = honest(select(frame.drop(columns="when"), folds=4))
    assert honest(selection).kept.log_loss > without.kept.log_loss + 0.05
    assert max(own.folds or 0 for own in selection.features) <= 3
