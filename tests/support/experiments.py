"""Conducting an experiment of the paper, and its claims by what they say."""

from __future__ import annotations

from collections.abc import Iterable

from probfs.paper import experiments
from probfs.paper.claims import Claim
from probfs.paper.experiments.laboratory import Finding, Laboratory

FEW_RUNS = {"bound": 20, "figure4": 3, "table1": 2, "equivalence": 2, "misfit": 2, "figure3": 1}
"""Enough repetitions to see that an experiment works, not to judge anything."""


def conduct(name: str, runs: int, jobs: int = 1) -> Finding:
    """Conduct one experiment."""
    ((_, finding),) = experiments.reproduce([name], runs=runs, jobs=jobs)
    return finding


def idle_laboratory(experiment: str, runs: int) -> Laboratory:
    """A laboratory for judging numbers that no experiment found."""
    return Laboratory(experiment, runs, 0, 1, lambda done, total: None)


def verdicts(claims: Iterable[Claim]) -> dict[str, str]:
    """The verdict on each statement."""
    return {claim.says: claim.verdict for claim in claims}
