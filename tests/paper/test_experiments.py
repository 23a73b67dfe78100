"""Experiments as a whole: what is not random holds, and results depend on the seed alone."""

from __future__ import annotations

import pytest

from tests.support.experiments import FEW_RUNS, conduct, verdicts


@pytest.mark.parametrize("name", ["example", "figure1", "figure2", "errors"])
def test_what_is_not_random_holds(name: str) -> None:
    for claim in conduct(name, 1).claims:
        assert claim.verdict == "holds", claim


def test_the_worst_pairs_hold_feature_9_but_not_by_errors_of_the_binarised_table() -> None:
    held = [claim.verdict for claim in conduct("pairs", 1).claims]
    assert held == ["holds", "holds", "does not hold", "holds"]


def test_bounds_and_identities_hold_on_random_distributions() -> None:
    assert {claim.verdict for claim in conduct("bound", 60).claims} == {"holds"}


def test_elimination_by_the_signed_score_is_elimination_by_absolute_loss() -> None:
    assert {claim.verdict for claim in conduct("equivalence", 4).claims} == {"holds"}


def test_a_wrong_number_would_be_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim is judged by the numbers: with other numbers it does not hold."""
    monkeypatch.setattr("probfs.paper.experiments.example._PAPER", {"x1": (0.16, 0.0495), "x2": (12 / 110, 0.0765)})
    judged_anew = verdicts(conduct("example", 1).claims)
    assert judged_anew["S_S(x1) = 0.15"] == "does not hold"
    assert judged_anew["S_A(x1) = 0.0495"] == "holds"


@pytest.mark.parametrize("name", ["figure4", "equivalence"])
def test_results_do_not_depend_on_the_number_of_processes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = conduct(name, FEW_RUNS[name])
    monkeypatch.setattr("probfs.runtime.parallel.SECONDS_WORTH_WORKERS", 0.0)
    shared = conduct(name, FEW_RUNS[name], jobs=2)
    assert shared.rows == alone.rows
    assert shared.claims == alone.claims
