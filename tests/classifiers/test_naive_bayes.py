"""Naive Bayes against refits in exact fractions, scikit-learn and the paper; what changes no ranking; shrinkage."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import probfs
from probfs.classifiers.naive_bayes.model import Shrinkage, ShrinkName
from probfs.classifiers.options import EstimateName
from probfs.columns.choice import ColumnChoice
from probfs.columns.dataset import Dataset, merge_equal_rows
from probfs.columns.encode import encode
from probfs.columns.folds import deal_folds
from probfs.columns.mapping import ColumnMapping
from probfs.columns.prepare import prepare
from probfs.columns.together import put_together
from probfs.tables.arrays import text_array
from probfs.tables.column import text_column
from probfs.tables.table import Table
from tests.conftest import SAMPLES
from tests.support import exact_naive_bayes as reference
from tests.support.datasets import (
    assert_as_refits,
    dataset_of,
    feature_of,
    fit_naive_bayes,
    frame_of,
    problems,
    random_dataset,
    two_valued_dataset,
)
from tests.support.exact_naive_bayes import Problem

CHOICES: tuple[ShrinkName, ...] = ("auto", "on", "off")
HOW = st.fixed_dictionaries(
    {
        "score": st.sampled_from(["absolute", "signed", "unlabeled"]),
        "estimate": st.sampled_from(["loo", "resubstitution", "cv"]),
        "smoothing": st.sampled_from([0.0, 0.5, 1.0]),
        "step": st.sampled_from([1, 2, 0.3]),
        "shrink": st.sampled_from(["off", "off", "on", "auto"]),
        "compiled": st.booleans(),
        "merged": st.booleans(),
        "missing_as_a_value": st.booleans(),
    }
)
PLAIN = {"step": 1, "shrink": "off", "compiled": False, "merged": False, "missing_as_a_value": False}


@settings(max_examples=120, deadline=None)
@given(problems(), HOW)
# A tie at score 0 between features that matter to no row, and a zero factor in every class.
@example(
    Problem(((0, 1), (0, 1), (1, 0), (1, 0)), (0, 0, 1, 1), (2, 2), 2),
    {"score": "signed", "estimate": "loo", "smoothing": 0.0, **PLAIN},
)
def test_order_scores_errors_and_losses_equal_exact_refits(problem: Problem, how: dict[str, Any]) -> None:
    estimate, smoothing, step, shrink = (how[name] for name in ("estimate", "smoothing", "step", "shrink"))
    score = "absolute" if how["score"] == "unlabeled" and not problem.unlabelled else how["score"]
    as_value = how["missing_as_a_value"]
    dataset = encoded_with_missing_as_a_value(problem) if as_value else dataset_of(problem)
    problem = problem.with_missing_as_a_value() if as_value else problem
    values = {column.name: column.values for column in dataset.ungrouped().features}
    assert values == dict(zip(problem.columns, problem.values, strict=True))
    folds = deal_folds(dataset, 3, 7).argmax(axis=0).tolist()
    exact_step = step if isinstance(step, int) else Fraction(str(step))
    expected = reference.eliminate(problem, score, estimate, Fraction(smoothing), exact_step, folds, shrink)
    with patch("probfs.columns.dataset._ROWS_PER_COMBINATION", 0 if how["merged"] else 4):
        dataset = merge_equal_rows(dataset)
    classifier = fit_naive_bayes(dataset, estimate, 3, smoothing, 7, shrink=shrink, compiled=how["compiled"])
    assert_as_refits(classifier, problem, score, expected, step)


def encoded_with_missing_as_a_value(problem: Problem) -> Dataset:
    """A problem as the encoder has it when it reads an ARFF file with all values declared and gaps in the cells."""
    columns = {}
    for j, (name, values) in enumerate(zip(problem.columns, problem.values, strict=True)):
        cells = [values if row[j] is None else row[j] for row in (*problem.rows, *problem.unlabelled)]
        texts = text_array([str(value) for value in range(values)])
        columns[name] = text_column(name, np.array(cells, np.uint8), texts, declared=texts)
    labels = np.array([*problem.labels, *([problem.classes] * len(problem.unlabelled))], np.uint8)
    classes = text_array([f"c{label}" for label in range(problem.classes)])
    columns["y"] = text_column("y", labels, classes, declared=classes)
    table = Table("t.arff", columns, len(labels))
    dataset, _ = encode(prepare(table, ColumnMapping(), ColumnChoice(target="y", missing="value")))
    return put_together(dataset, problem.groups)


@pytest.mark.parametrize(("mapping", "errors"), [(None, 23), ("breast_cancer.toml", 24)])
def test_breast_cancer_gives_the_errors_of_the_paper(mapping: str | None, errors: int) -> None:
    ranking = probfs.rank(
        SAMPLES / "breast_cancer.csv",
        target="class",
        mapping=SAMPLES / mapping if mapping else None,
        exclude=[] if mapping else ["sample_id"],
        smoothing=0,
    )
    assert (ranking.rounds[0].errors, ranking.rounds[0].rows) == (errors, 699)


@pytest.mark.parametrize("score", ["absolute", "signed"])
@pytest.mark.parametrize("estimate", ["loo", "resubstitution", "cv"])
@pytest.mark.parametrize("classes", [2, 3])
def test_order_of_rows_and_columns_and_merging_of_equal_rows_change_nothing(
    score: str, estimate: EstimateName, classes: int
) -> None:
    frame = frame_of(random_dataset(80, 4, 2, classes, seed=5))
    tally = Counter(frame.itertuples(index=False, name=None))
    merged = pd.DataFrame([(*row, count) for row, count in tally.items()], columns=[*frame.columns, "rows"])
    assert len(merged) < len(frame)
    expected = probfs.rank(frame, target="y", score=score, estimate=estimate).features
    for same in (frame.sample(frac=1, random_state=3), frame[["y", *reversed(frame.columns[:-1])]], merged):
        count = "rows" if "rows" in same else None
        found = probfs.rank(same, target="y", score=score, estimate=estimate, count=count).features
        assert [own.feature for own in found] == [own.feature for own in expected]
        for key in ("s_s", "s_a"):
            assert [getattr(own, key) for own in found] == pytest.approx(
                [getattr(own, key) for own in expected], rel=1e-9
            )


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("smoothing", [0.1, 0.3, 0.7, 1.0])
def test_factors_that_are_equal_but_for_rounding_give_exactly_zero(classes: int, smoothing: float) -> None:
    rows = [(value, label) for label in range(classes) for value in "uv" for _ in range(3 + 2 * label)]
    frame = pd.DataFrame({"z_even": [v for v, _ in rows], "a_same": "x", "y": [str(label) for _, label in rows]})
    ranking = probfs.rank(frame, target="y", smoothing=smoothing, estimate="resubstitution")
    assert [(f.feature, f.s_s, f.s_a) for f in ranking.features] == [("a_same", 0.0, 0.0), ("z_even", 0.0, 0.0)]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("classes", "columns"), [(2, 150), (2, 230), (3, 400)])
def test_columns_that_decide_the_class_together_leave_the_other_columns_behind(
    classes: int, columns: int, compiled: bool
) -> None:
    """Each of them by 3.7 nats, so that together no double is as small as the probability of another class."""
    noise = random_dataset(40 * classes, 1, 2, classes, seed=1)
    telling = [feature_of(f"t{number}", classes, noise.labels) for number in range(columns)]
    every = put_together(replace(noise, features=(*noise.features, *telling)), {"all": [own.name for own in telling]})
    found = fit_naive_bayes(every, "loo", 0, 1.0, 0, compiled=compiled).score()
    without = fit_naive_bayes(noise, "loo", 0, 1.0, 0).score()
    assert found.absolute_loss < 1e-100
    assert found.s_a[1] == pytest.approx(without.absolute_loss, rel=1e-9)
    assert found.s_s[1] == pytest.approx(without.absolute_loss, rel=1e-9)
    assert found.s_s[0] < 1e-100


def test_a_class_of_one_row_cannot_be_left_out() -> None:
    frame = pd.DataFrame({"a": list("xyxyx"), "y": list("00112")})
    with pytest.raises(probfs.DataError, match="class '2' has one row only"):
        probfs.rank(frame, target="y", min_class=1)
    assert probfs.rank(frame, target="y", estimate="resubstitution").features[0].feature == "a"


def shrinkage_of(dataset: Dataset, choice: ShrinkName, smoothing: float = 1.0) -> Shrinkage:
    return fit_naive_bayes(dataset, "loo", 0, smoothing, 0, shrink=choice)._shrinkage


@pytest.mark.parametrize(("features", "acts"), [(44, False), (46, True)])
def test_auto_shrinks_where_chance_moves_log_odds_by_more_than_3(features: int, acts: bool) -> None:
    """Two classes of 10 rows and 2 values without smoothing: τ² is 1/10 for each class and feature."""
    random = np.random.default_rng(0)
    codes = np.stack([random.permutation(np.arange(20) % 2) for _ in range(features)], axis=1)
    dataset = two_valued_dataset(codes, np.arange(20) // 10)
    assert [shrinkage_of(dataset, choice, 0.0).acts for choice in CHOICES] == [acts, True, False]
    assert shrinkage_of(dataset, "auto", 0.0).variance == pytest.approx(features / 5, rel=1e-14)


def test_the_exponent_is_held_until_a_twentieth_of_the_features_has_left() -> None:
    shrinkage = shrinkage_of(random_dataset(30, 100, 3, 2, seed=0), "on")
    exponents = []
    for left in range(99, 0, -1):
        shrinkage.follow(np.arange(left))
        exponents.append(shrinkage.exponent)
    # 100 features left a first exponent, 99 to 96 hold it; of fewer than 20, every one that leaves is a twentieth.
    assert [len(set(part)) for part in (exponents[:4], exponents[4:8], exponents[-18:])] == [1, 1, 18]
    assert exponents[4] > exponents[3]
    assert exponents == sorted(exponents)


def test_columns_that_say_nothing_leave_the_exponent_at_1() -> None:
    dataset = two_valued_dataset(np.full((6, 3), 2), np.arange(6) % 2)
    classifier = fit_naive_bayes(dataset, "loo", 0, 1.0, 0, shrink="on")
    assert classifier.score().exponent == 1.0
    assert classifier.notes == ()


def test_a_note_says_what_was_done_why_and_how_to_do_without() -> None:
    wide, tall = random_dataset(60, 300, 3, 2, seed=0), random_dataset(300, 5, 3, 2, seed=0)
    (note,) = fit_naive_bayes(wide, "loo", 0, 1.0, 0, shrink="auto").notes
    assert note == (
        "log-odds were shrunk, to 0.029 of their size in the first round, because chance alone would move them by "
        'about ±5.8; such probabilities rank well but are not calibrated (shrink="off" ranks without)'
    )
    assert fit_naive_bayes(tall, "loo", 0, 1.0, 0, shrink="auto").notes == ()
