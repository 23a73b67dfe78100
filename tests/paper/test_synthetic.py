"""The paper's random tables are drawn as it says."""

from __future__ import annotations

import numpy as np
import pytest

from probfs.paper import synthetic
from probfs.paper.catalogue import PROBLEMS, Sampling
from probfs.paper.synthetic import Sample
from probfs.tables.cells import Kind
from tests.support.table_content import table_content


@pytest.mark.parametrize(
    ("sampling", "first"),
    [
        ("proportionate", (1 / 4, 1 / 2, 1 / 4)),
        ("oversampling", (1 / 3, 1 / 3, 1 / 3)),
        ("undersampling", (1 / 8, 3 / 4, 1 / 8)),
    ],
)
def test_nominal_is_drawn_as_section_5_2_says(sampling: Sampling, first: tuple[float, ...]) -> None:
    sample = synthetic.nominal(200_000, np.random.default_rng(0), sampling=sampling)
    shares = [first, (1 / 4, 1 / 2, 1 / 4), (1 / 3, 1 / 3, 1 / 3), (1 / 3, 1 / 6, 1 / 2), (1 / 2, 1 / 4, 1 / 4)]
    for column, expected in zip(sample.columns.values(), shares, strict=True):
        assert [float(np.mean(column == letter)) for letter in "abc"] == pytest.approx(expected, abs=0.005)
    for letter, positive in (("a", 1 / 4), ("b", 1 / 2), ("c", 3 / 4)):
        assert sample.positive[sample.columns["x1"] == letter].mean() == pytest.approx(positive, abs=0.01)
        assert sample.positive[sample.columns["x2"] == letter].mean() == pytest.approx(0.5, abs=0.01)


def test_xcp_is_drawn_as_footnote_1_says() -> None:
    random = np.random.default_rng(0)
    sample = synthetic.shifted_columns(100_000, random, c=2.0, p=0.6, relevant=1, noise=1, balance=0.3)
    assert sample.positive.sum() == 30_000
    signed = np.where(sample.positive, 1, -1) * sample.columns["relevant_1"]
    assert signed.mean() == pytest.approx(2.0 * 0.6, abs=0.02)
    assert signed.var() == pytest.approx(1 + 4 * 0.6 * 0.4, abs=0.03)
    assert sample.columns["noise_001"].mean() == pytest.approx(0, abs=0.02)


def test_weston_is_drawn_as_it_was_published() -> None:
    sample = synthetic.weston(100_000, np.random.default_rng(0), noise=1)
    assert sample.positive.sum() == 50_000
    signs = np.where(sample.positive, 1, -1)
    for number, share in zip(range(1, 7), (0.7, 0.7, 0.7, 0.3, 0.3, 0.3), strict=True):
        shift = (number - 1) % 3 + 1
        assert (signs * sample.columns[f"relevant_{number}"]).mean() == pytest.approx(share * shift, abs=0.03)
    assert sample.columns["noise_001"].var() == pytest.approx(20, rel=0.03)


def a_sample() -> Sample:
    columns = {"x": np.array([0.5, -1.0, 2.0]), "k": np.array(["b", "a", "b"])}
    return Sample(columns, np.array([True, False, True]), ("a", "b", "c"))


def test_a_sample_is_a_table_with_its_class_last() -> None:
    table = a_sample().labelled()
    assert table_content(table) == {
        "x": ["0.5", "-1", "2"],
        "k": ["b", "a", "b"],
        "class": ["positive", "negative", "positive"],
    }
    assert table.columns["x"].kind is Kind.NUMBER
    declared = table.columns["k"].declared
    assert declared is not None
    assert declared.to_pylist() == ["a", "b", "c"]


def test_further_rows_have_no_class() -> None:
    sample = a_sample()
    assert list(sample.unlabelled().columns) == ["x", "k"]
    both = sample.followed_by(sample)
    assert table_content(both)["class"] == ["positive", "negative", "positive", None, None, None]
    assert table_content(both)["x"] == ["0.5", "-1", "2"] * 2


def test_unlabelled_rows_are_drawn_from_the_population_whatever_the_sampling() -> None:
    _, unlabelled = synthetic.draw_sample("nominal", 10, 100_000, 0, {"sampling": "undersampling"})
    assert float(np.mean(unlabelled.columns["x1"] == "b")) == pytest.approx(1 / 2, abs=0.01)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_problem_is_drawn_with_its_defaults(problem: str) -> None:
    labelled, unlabelled = synthetic.draw_sample(problem, 10, 4, 0, PROBLEMS[problem])
    assert (labelled.rows, unlabelled.rows) == (10, 4)
    assert list(labelled.columns) == list(unlabelled.columns)
