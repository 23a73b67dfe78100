"""The prediction that the paper left open, and the tables it is put to the test on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from probfs.paper.experiments.misfit import Case, Draw, join_verdicts, judge_claims, share_found
from probfs.paper.experiments.misfit_tables import IRRELEVANT, MISFITS, RELEVANT
from tests.support.experiments import idle_laboratory


def test_relevant_before_irrelevant_is_counted_in_pairs() -> None:
    assert share_found(["relevant_1", "relevant_2", "noise_1", "proxy_1"]) == 1
    assert share_found(["noise_1", "proxy_1", "relevant_1"]) == 0
    assert share_found(["noise_1", "copy_1", "relevant_1", "proxy_1"]) == 0.5


def case(*gains: float, rows: int = 40, number: int = -1) -> Case:
    """A case whose draws rank all right by Ŝ_S but for what Ŝ_A gains."""
    draws = [Draw(0.5, 0.5 + gain, 0.5, 0.5, 0.5, 0.5) for gain in gains]
    return Case(MISFITS[number], rows, draws)


def test_an_interval_decides_and_few_draws_do_not() -> None:
    assert case(*[0.1, 0.12] * 10).verdict() == "holds"
    assert case(*[-0.1, -0.12] * 10).verdict() == "does not hold"
    assert case(*[-0.2, 0.21] * 10).verdict() == "undecided"
    assert case(0.1, 0.1, 0.1).verdict() == "undecided"
    # One interval of 95 % would exclude 0 here; one of many that hold together does not.
    assert case(*[0.0] * 15, *[0.1] * 5).verdict() == "undecided"


def test_verdicts_together_are_the_worst_of_them() -> None:
    assert join_verdicts(["holds", "undecided"]) == "holds"
    assert join_verdicts(["holds", "does not hold", "undecided"]) == "does not hold"
    assert join_verdicts(["undecided"]) == "undecided"


def test_the_third_prediction_is_judged_by_its_cases() -> None:
    laboratory = idle_laboratory("misfit", 20)
    better, worse = [0.1, 0.12] * 10, [-0.1, -0.12] * 10
    claims = judge_claims(laboratory, [case(*better, rows=60), case(*worse, rows=200), case(*better, number=0)])
    overall, *_, last, controls = claims
    assert overall.verdict == last.verdict == "does not hold"
    assert "of 2 cases Ŝ_A is better in 1 (steps and bends 60) and worse in 1 (steps and bends 200)" in overall.measured
    # A control in which one score is better says that they are not alike.
    assert controls.verdict == "does not hold"
    assert judge_claims(laboratory, [case(*better, rows=60)])[0].verdict == "holds"


@pytest.mark.parametrize("misfit", MISFITS, ids=lambda misfit: misfit.name)
def test_only_relevant_columns_of_a_misfit_change_the_class(misfit: Any) -> None:
    """Within each combination of the relevant columns, the irrelevant ones say nothing about the class."""
    sample = misfit.problem(60_000, np.random.default_rng(5))
    names = list(sample.columns)
    assert any(name.startswith(RELEVANT) for name in names)
    if misfit.classifier == "svm":
        relevant = [(sample.columns[name] > 0).astype(int) for name in names if name.startswith(RELEVANT)]
    else:
        deciding = [name for name in names if name.startswith((RELEVANT, "copy"))]
        relevant = [(sample.columns[name] == "yes").astype(int) for name in deciding]
    group = np.ravel_multi_index(tuple(relevant), (2,) * len(relevant))
    totals = np.bincount(group, minlength=2 ** len(relevant))
    share = np.bincount(group, sample.positive, minlength=len(totals)) / np.maximum(totals, 1)
    if misfit.classifier == "nb":
        # And each relevant column does, with the others as they are.
        grid, rows = share.reshape((2,) * len(relevant)), totals.reshape((2,) * len(relevant))
        for axis, name in enumerate(name for name in deciding if name.startswith(RELEVANT)):
            seen = rows.min(axis=axis) > 300
            assert np.abs(np.diff(grid, axis=axis).squeeze(axis))[seen].max() > 0.05, name
    surprise = sample.positive - share[group]
    for name in names:
        if name.startswith(IRRELEVANT):
            cells = sample.columns[name]
            other = (cells > 0 if misfit.classifier == "svm" else cells == "yes").astype(float)
            within = other - (np.bincount(group, other) / np.maximum(np.bincount(group), 1))[group]
            assert abs(np.corrcoef(surprise, within)[0, 1]) < 0.02, name
