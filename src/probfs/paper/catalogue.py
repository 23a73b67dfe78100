"""The tables that come along, the experiments that can be reproduced, and the tables that can be generated. Nothing
heavy is imported here: help needs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

SAMPLES = {
    "breast_cancer": "699 tumours, nine cell measures from 1 to 10; benign or malignant",
    "customers": "600 made-up customers of a service, with the faults of real tables; who left",
    "commute": "240 made-up answers about ways to work; three classes, some rows unlabelled",
    "kiln": "300 made-up firings of pots, seven measurements and the clay; cracked or not",
    "shop": "60 made-up customers of a shop, in cells as people write them; who left",
}
"""The tables that ``probfs sample`` writes."""


def sample_file(name: str) -> Path:
    """A file that comes along: a wheel has it inside of the package, a source tree beside it."""
    package = Path(__file__).resolve().parents[1]
    folders = (package / "sample_data", package.parents[1] / "sample_data")
    return next(path for folder in folders if (path := folder / name).exists())


@dataclass(frozen=True)
class Experiment:
    """The module of this package that has a function of the experiment's name, and how often it is repeated,
    by default and in a hurry. What is not random is done once.
    """

    module: str
    runs: int = 1
    quick: int = 1

    def repetitions(self, runs: int | None, quick: bool) -> int:
        """How often to repeat when the user asks for so many runs, or for a quick look."""
        if runs is None or self.runs == self.quick == 1:
            return self.quick if quick else self.runs
        return runs


EXPERIMENTS: Mapping[str, Experiment] = {
    "example": Experiment("exact_scores"),
    "bound": Experiment("exact_scores", 2_000, 300),
    "figure1": Experiment("exact_scores"),
    "figure2": Experiment("exact_scores"),
    "figure3": Experiment("estimates", 3, 1),
    "figure4": Experiment("estimates", 500, 20),
    "errors": Experiment("breast_cancer"),
    "table1": Experiment("breast_cancer", 20, 1),
    "pairs": Experiment("breast_cancer"),
    "equivalence": Experiment("breast_cancer", 30, 4),
    "misfit": Experiment("misfit", 120, 8),
}

Sampling = Literal["proportionate", "oversampling", "undersampling"]
SAMPLINGS: tuple[Sampling, ...] = get_args(Sampling)
WESTON_NOISE = 196

PROBLEMS: Mapping[str, Mapping[str, Any]] = {
    "xcp": {"c": 1.0, "p": 0.7, "balance": 0.5, "relevant": 1, "noise": 1},
    "weston": {"noise": WESTON_NOISE},
    "nominal": {"sampling": "proportionate"},
}
"""The problems that tables are drawn from, each with its options and their defaults."""
