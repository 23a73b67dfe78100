"""How to rank: what the user chose, completed by defaults, and refused where it makes no sense."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from probfs.choices import (
    DEFAULT_BINS,
    DEFAULT_ESTIMATES,
    DEFAULT_FOLDS,
    DEFAULT_PERMUTATIONS,
    DEFAULT_SMOOTHING,
    MOST_BINS,
    MOST_PERMUTATIONS,
    Classifier,
    Estimate,
    Kernel,
    Removal,
    Score,
)
from probfs.errors import UsageError

LEAST_SMOOTHING, MOST_SMOOTHING = 1e-100, 1e100
LEAST_SCALE, MOST_SCALE = 1e-10, 1e10

Cost: TypeAlias = "float | Literal['scale']"
Gamma: TypeAlias = "float | Literal['scale', 'auto']"

_WHOLE = ("bins", "permutations", "jobs")
_CHOICES: Mapping[str, Any] = {
    "classifier": Classifier,
    "score": Score,
    "estimate": Estimate,
    "kernel": Kernel,
    "removal": Removal,
}
_DEFAULTS: Mapping[Classifier, Mapping[str, Any]] = {
    "nb": {"smoothing": DEFAULT_SMOOTHING, "bins": DEFAULT_BINS},
    "svm": {
        "kernel": "linear",
        "C": "scale",
        "gamma": "scale",
        "removal": "permute",
        "permutations": DEFAULT_PERMUTATIONS,
        "jobs": None,
    },
}
"""The options that one classifier has and the other has not, and what they are when nothing is said."""


@dataclass(frozen=True)
class Settings:
    """How a table is ranked; what has no meaning for the classifier is None."""

    classifier: Classifier
    score: Score
    estimate: Estimate
    folds: int | None
    smoothing: float | None
    bins: int | None
    kernel: Kernel | None
    C: Cost | None
    gamma: Gamma | None
    removal: Removal | None
    permutations: int | None
    step: int | float | None
    eliminate: bool
    seed: int
    mapping: str | None = None
    count: str | None = None
    na: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


def settle(
    *,
    classifier: Classifier,
    score: Score,
    estimate: Estimate | None,
    folds: int | None,
    step: int | float,
    eliminate: bool,
    seed: int,
    own: Mapping[str, Any],
    names: Mapping[str, Any],
) -> Settings:
    """Settings from options, None meaning that nothing was said.

    ``own`` are options that only some classifier has, ``names`` those that say what to read.
    """
    known = [name for defaults in _DEFAULTS.values() for name in defaults]
    if not own.keys() <= set(known):
        raise TypeError(f"no such options: {own.keys() - set(known)}")
    own = {name: own.get(name) for name in known}
    own = {name: _whole(name, value) if name in _WHOLE else value for name, value in own.items()}
    folds = _whole("folds", folds)
    _check_choices({"classifier": classifier, "score": score, "estimate": estimate, **own})
    chosen = estimate or DEFAULT_ESTIMATES[classifier]
    _check_combinations(classifier, chosen, folds, own)
    completed = {**dict.fromkeys(own), **_completed(classifier, own)}
    jobs = completed.pop("jobs")
    settings = Settings(
        classifier=classifier,
        score=score,
        estimate=chosen,
        folds=(folds or DEFAULT_FOLDS) if chosen == "cv" else None,
        step=step if eliminate else None,
        eliminate=bool(eliminate),
        seed=_whole("seed", seed) or 0,
        **completed,
        **names,
    )
    _check_numbers(settings, folds, step, jobs)
    return settings


def check_meaning(classifier: Classifier, own: Mapping[str, Any]) -> None:
    """Complain about an option that the classifier does not have."""
    for other, defaults in _DEFAULTS.items():
        given = [name for name in defaults if own.get(name) is not None]
        if other != classifier and given:
            raise UsageError(f"{_option(given[0])} goes with --classifier {other} only")


def _check_combinations(classifier: Classifier, estimate: Estimate, folds: int | None, own: Mapping[str, Any]) -> None:
    check_meaning(classifier, own)
    if folds is not None and estimate != "cv":
        raise UsageError("--folds goes with --estimate cv only")
    if own["gamma"] is not None and own["kernel"] != "rbf":
        raise UsageError("--gamma goes with --kernel rbf only")
    if own["permutations"] is not None and own["removal"] == "retrain":
        raise UsageError("--permutations goes with --removal permute only")


def _completed(classifier: Classifier, own: Mapping[str, Any]) -> dict[str, Any]:
    completed = {name: default if own[name] is None else own[name] for name, default in _DEFAULTS[classifier].items()}
    for name in {"C", "gamma", "smoothing"} & completed.keys():
        completed[name] = _number(name, completed[name])
    if completed.get("kernel") == "linear":
        completed["gamma"] = None
    if completed.get("removal") == "retrain":
        completed["permutations"] = None
    return completed


def _whole(name: str, value: Any) -> int | None:
    """A whole number of any kind as Python's own."""
    try:
        return None if value is None else operator.index(value)
    except TypeError:
        raise UsageError(f"{_option(name)}: {value!r} is not a whole number") from None


def _number(name: str, value: Any) -> Any:
    """A number of any kind as Python's own; words are left as they are."""
    try:
        return value if isinstance(value, str) else float(value)
    except (TypeError, ValueError):
        raise UsageError(f"{_option(name)}: {value!r} is not a number") from None


def _check_choices(options: Mapping[str, Any]) -> None:
    for name, choice in _CHOICES.items():
        value = options[name]
        wanted = name in ("classifier", "score")
        if (wanted or value is not None) and value not in get_args(choice):
            raise UsageError(f"{_option(name)}: {value!r} is not one of {', '.join(get_args(choice))}")


def _check_numbers(settings: Settings, folds: int | None, step: int | float, jobs: int | None) -> None:
    if folds is not None and folds < 2:
        raise UsageError(f"--folds: {folds} is too few; 2 or more")
    smoothing = settings.smoothing
    if smoothing is not None and not _fits_smoothing(smoothing):
        allowed = f"0 (the exact limit) nor from {LEAST_SMOOTHING} to {MOST_SMOOTHING}"
        raise UsageError(f"--smoothing: {smoothing} is neither {allowed}")
    if not isinstance(step, (int, float)) or isinstance(step, bool) or not _fits(step):
        raise UsageError(f"--step: {step} is neither a whole number from 1 nor a fraction between 0 and 1")
    _check_scale("--C", settings.C, ("scale",))
    _check_scale("--gamma", settings.gamma, ("scale", "auto"))
    for option, number, least, most in (
        ("--bins", settings.bins, 2, MOST_BINS),
        ("--permutations", settings.permutations, 1, MOST_PERMUTATIONS),
        ("--jobs", jobs, 1, math.inf),
        ("--seed", settings.seed, 0, math.inf),
    ):
        if number is not None and not least <= number <= most:
            allowed = f"{least} or more" if most == math.inf else f"{least} to {most}"
            raise UsageError(f"{option}: {number} is out of range; {allowed}")


def _fits_smoothing(smoothing: Any) -> bool:
    return not isinstance(smoothing, str) and (smoothing == 0 or LEAST_SMOOTHING <= smoothing <= MOST_SMOOTHING)


def _fits(step: int | float) -> bool:
    return step >= 1 if isinstance(step, int) else 0 < step < 1


def _check_scale(option: str, value: Any, words: tuple[str, ...]) -> None:
    if value is None or value in words:
        return
    if isinstance(value, str) or not LEAST_SCALE <= value <= MOST_SCALE:
        allowed = f"a number from {LEAST_SCALE:g} to {MOST_SCALE:g}"
        raise UsageError(f"{option}: {value!r} is neither {' nor '.join(words)} nor {allowed}")


def _option(name: str) -> str:
    return f"--{name}"
