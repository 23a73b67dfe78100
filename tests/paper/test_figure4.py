"""Figure 4: its claims, each of which can fail."""

from __future__ import annotations

import os

import numpy as np
import pytest

from probfs.paper.experiments import figure4
from tests.support.experiments import conduct, idle_laboratory, verdicts


@pytest.mark.slow
def test_figure_4_as_printed() -> None:
    """The order in the third trial at every size, and the steadiness of Ŝ_SU, over 500 runs."""
    claims = conduct("figure4", 500, jobs=os.cpu_count() or 1).claims
    held = verdicts(tuple(claim for claim in claims if claim.place.endswith("--smoothing 0")))
    assert held["Ŝ_SU is above Ŝ_A, and Ŝ_A above Ŝ_S"] == "holds"
    assert held["Ŝ_SU is far more robust to how the rows are sampled"] == "holds"
    assert held["Ŝ_A is less sensitive to how the rows are sampled than Ŝ_S"] == "holds"


def figure_4(**trials: list[list[float]]) -> dict[str, str]:
    """The verdicts for shares by trial, size and score, of two sizes."""
    shares = {
        "first": [[0.5, 0.5, 0.5], [0.9, 0.9, 0.9]],
        "second": [[0.6, 0.58, 0.5], [0.95, 0.94, 0.9]],
        "third": [[0.2, 0.3, 0.45], [0.6, 0.7, 0.85]],
        **trials,
    }
    share = np.array([shares["first"], shares["second"], shares["third"]])
    laboratory = idle_laboratory("figure4", 500)
    return verdicts(figure4.judge_claims(laboratory, share, "--smoothing 0"))


def test_figure_4_is_judged_by_its_counts() -> None:
    assert set(figure_4().values()) == {"holds"}


@pytest.mark.parametrize(
    ("trials", "broken"),
    [
        ({"first": [[0.5, 0.8, 0.5], [0.9, 0.9, 0.9]]}, "sampled proportionately, the three scores perform comparably"),
        (
            {"second": [[0.4, 0.58, 0.5], [0.95, 0.94, 0.9]]},
            "Ŝ_S and Ŝ_A find x1 more often than in the first trial",
        ),
        ({"second": [[0.6, 0.58, 0.8], [0.95, 0.94, 0.9]]}, "Ŝ_SU performs nearly as in the first trial"),
        (
            {"third": [[0.2, 0.3, 0.45], [0.6, 0.97, 0.98]]},
            "Ŝ_S and Ŝ_A find x1 less often than in either other trial",
        ),
        ({"third": [[0.3, 0.2, 0.45], [0.6, 0.7, 0.85]]}, "the degradation is greatest for Ŝ_S"),
        ({"third": [[0.05, 0.1, 0.2], [0.5, 0.6, 0.7]]}, "Ŝ_SU performs at approximately the same level as in the"),
        ({"third": [[0.2, 0.3, 0.45], [0.6, 0.7, 0.69]]}, "Ŝ_SU is above Ŝ_A, and Ŝ_A above Ŝ_S"),
        ({"third": [[0.1, 0.11, 0.45], [0.6, 0.8, 0.85]]}, "by how much Ŝ_SU outperforms the others does not depend"),
        ({"third": [[0.2, 0.3, 0.29], [0.6, 0.7, 0.5]]}, "Ŝ_SU is far more robust to how the rows are sampled"),
        ({"third": [[0.5, 0.1, 0.45], [0.6, 0.5, 0.85]]}, "Ŝ_A is less sensitive to how the rows are sampled than"),
    ],
)
def test_each_claim_of_figure_4_can_fail(trials: dict[str, list[list[float]]], broken: str) -> None:
    (says,) = [says for says in figure_4() if says.startswith(broken)]
    assert figure_4(**trials)[says] == "does not hold"
