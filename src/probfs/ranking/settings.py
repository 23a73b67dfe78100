"""How to rank: what the user chose, completed by defaults, and refused where it makes no sense."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from probfs.classifiers.estimates import DEFAULT_FOLDS, ESTIMATES, EstimateName
from probfs.classifiers.registry import CLASSIFIERS, find_specification
from probfs.classifiers.scores import SCORES
from probfs.classifiers.specification import (
    Specification,
    check_estimate,
    known_options,
    refuse_options_of_others,
)
from probfs.classifiers.value_types import Choice, ValueType, WholeNumber
from probfs.columns.limits import DEFAULT_MIN_CLASS, MOST_TARGET_CLASSES
from probfs.errors import UsageError
from probfs.text import option

ESTIMATE = Choice(tuple(ESTIMATES))
FOLDS = WholeNumber(2, metavar="K")
SEED = WholeNumber(0)
CUT_TARGET = WholeNumber(2, MOST_TARGET_CLASSES, "K")
MIN_CLASS = WholeNumber(1)


@dataclass(frozen=True)
class Settings:
    """How a table is ranked. The options of classifiers can be read as attributes too, as in ``settings.smoothing``."""

    classifier: str
    score: str
    estimate: EstimateName
    folds: int | None
    """For ``estimate="cv"``; None otherwise."""
    options: Mapping[str, Any] = field(hash=False)
    """The options of classifiers that results depend on; None for one that has no meaning for this classifier."""
    step: int | float | None
    """None without elimination."""
    eliminate: bool
    seed: int
    mapping: str | None = None
    count: str | None = None
    na: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    keep_identifiers: bool = False
    cut_target: int | None = None
    """Into how many classes a target of numbers is cut; None if it is not."""
    min_class: int = DEFAULT_MIN_CLASS
    """Rows of classes with fewer rows than this are dropped."""
    uncertainty: bool = False
    """Whether standard errors and rank intervals are measured."""
    resources: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """The classifier's own options that change only how the work is done, such as the number of processes."""
    estimator: str | None = None
    """The user's own estimator, in one line; None for a registered classifier."""
    own_specification: Specification | None = field(default=None, compare=False, repr=False)
    """Of the user's own estimator."""

    @property
    def specification(self) -> Specification:
        """What is known of the classifier before it is fitted."""
        return self.own_specification or CLASSIFIERS[self.classifier]

    def to_dict(self) -> dict[str, Any]:
        """The settings in the JSON: one flat mapping."""
        flat: dict[str, Any] = {}
        for own in fields(self):
            if own.name == "options":
                flat |= self.options
            elif own.name not in ("resources", "own_specification", "estimator"):
                flat[own.name] = getattr(self, own.name)
                if own.name == "classifier" and self.estimator is not None:
                    flat["estimator"] = self.estimator
        return flat

    def __getattr__(self, name: str) -> Any:
        # Not self.options: an object that is being unpickled does not have it yet.
        options = self.__dict__.get("options", {})
        if name not in options:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return options[name]


def choose_settings(
    *,
    classifier: Any,
    score: str,
    estimate: str | None,
    folds: int | None,
    step: int | float,
    eliminate: bool,
    seed: int,
    options: Mapping[str, Any],
    columns: Mapping[str, Any],
    uncertainty: bool = False,
) -> Settings:
    """Settings from parameters, None meaning that nothing was said.

    ``classifier`` is a name or a user's own estimator, ``options`` are the classifier's own, ``columns`` those that say
    which columns and cells are read.
    """
    specification = find_specification(classifier, options.get("categories"))
    own = not isinstance(classifier, str)
    options = options if own else {name: value for name, value in options.items() if name != "categories"}
    columns = {
        **columns,
        "cut_target": _check("cut_target", CUT_TARGET, columns.get("cut_target")),
        "min_class": _check("min_class", MIN_CLASS, columns.get("min_class")) or DEFAULT_MIN_CLASS,
    }
    chosen: EstimateName = _check("estimate", ESTIMATE, estimate) or specification.default_estimate
    check_estimate(specification, chosen)
    refuse_options_of_others(specification, options)
    folds = _check("folds", FOLDS, folds)
    if folds is not None and chosen != "cv":
        raise UsageError(f"{option('folds')} goes with {option('estimate', 'cv')} only")
    completed = specification.complete(options)
    unrecorded = {own.name for own in specification.options if not own.recorded}
    step = check_step(step)
    return Settings(
        classifier=specification.name,
        score=SCORES[score].name,
        estimate=chosen,
        folds=(folds or DEFAULT_FOLDS) if chosen == "cv" else None,
        options=_recorded(specification, completed),
        step=step if eliminate else None,
        eliminate=bool(eliminate),
        seed=_check("seed", SEED, seed) or 0,
        uncertainty=bool(uncertainty),
        resources={name: value for name, value in completed.items() if name in unrecorded},
        estimator=specification.description if own else None,
        own_specification=specification if own else None,
        **columns,
    )


def _recorded(specification: Specification, completed: Mapping[str, Any]) -> dict[str, Any]:
    """The options of all classifiers that results depend on, and those that only this classifier has."""
    known = {own.name: own for own, _ in known_options()}
    every = {**known, **{own.name: own for own in specification.options}}
    return {name: completed.get(name) for name, own in every.items() if own.recorded}


def check_step(step: Any) -> int | float:
    """A number of features, or a fraction of those that remain; numpy's numbers become Python's."""
    number = step.item() if getattr(step, "size", 0) == 1 else step
    if isinstance(number, int) and not isinstance(number, bool) and number >= 1:
        return number
    if isinstance(number, float) and 0 < number < 1:
        return number
    raise UsageError(f"{option('step')}: {step} is neither a whole number from 1 nor a fraction between 0 and 1")


def _check(name: str, kind: ValueType, value: Any) -> Any:
    try:
        return None if value is None else kind.check(value)
    except ValueError as error:
        raise UsageError(f"{option(name)}: {error}") from None
