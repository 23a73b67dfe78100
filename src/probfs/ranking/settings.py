"""How to rank: what the user chose, completed by defaults, and refused where it makes no sense."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from probfs.classifiers.catalogue import USER_ESTIMATOR, check_estimate, find_classifier, known_options
from probfs.classifiers.options import (
    DEFAULT_FOLDS,
    ESTIMATES,
    Choice,
    EstimateName,
    Number,
    ValueType,
    WholeNumber,
    check_value,
)
from probfs.classifiers.scores import SCORES
from probfs.classifiers.unfitted import UnfittedClassifier
from probfs.columns.choice import DEFAULT_MIN_CLASS, MOST_TARGET_CLASSES
from probfs.errors import UsageError
from probfs.text import option

ENGINES = ("local", "dask")
"""Where the work may be done, as users name it."""
Step = int | float | Literal["auto"]
"""How many features leave in a round: a number, a fraction of those that remain, or ``auto``."""
AUTO_STEP: Literal["auto"] = "auto"
ESTIMATE = Choice(tuple(ESTIMATES))
FOLDS = WholeNumber(2, metavar="K")
SEED = WholeNumber(0)
CUT_TARGET = WholeNumber(2, MOST_TARGET_CLASSES, "K")
MIN_CLASS = WholeNumber(1)
TOP = WholeNumber(0, metavar="K")
FALSE_DISCOVERIES = Number(1e-6, 1.0, "Q")
DEFAULT_FALSE_DISCOVERIES = 0.1


@dataclass(frozen=True)
class Settings:
    """How a table is ranked. The options of classifiers can be read as attributes too, as in ``settings.smoothing``."""

    model: UnfittedClassifier
    """The classifier with its options."""
    score: str
    estimate: EstimateName
    folds: int | None
    """For ``estimate="cv"``; None otherwise."""
    step: Step | None
    """None without elimination."""
    eliminate: bool
    seed: int
    mapping: str | None = None
    count: str | None = None
    group: str | None = None
    """The column that says which subject a row belongs to."""
    na: tuple[str, ...] = ()
    dates: str | None = None
    """Whether the day or the month comes first in dates; None where the columns showed it."""
    ignore_case: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    keep_identifiers: bool = False
    join: tuple[str, ...] = ()
    """Pairs of columns, each as ``a+b``, that are one column."""
    cut_target: int | None = None
    """Into how many classes a target of numbers is cut; None if it is not."""
    min_class: int = DEFAULT_MIN_CLASS
    """Rows of classes with fewer rows than this are dropped."""
    uncertainty: bool = False
    """Whether standard errors and rank intervals are measured."""
    screen: bool = False
    """Whether columns that cannot be told from noise, and repeats of others, leave first."""
    false_discoveries: float | None = None
    """The share of noise that is tolerated, on average, among the columns told from noise; 1 screens nothing, and None
    is said where nothing is screened.
    """
    always: tuple[str, ...] = ()
    """The columns that are neither tested nor eliminated before all others have left."""

    def folds_of_estimate(self, rows: int) -> int | None:
        """The folds that score rows, of which there are so many."""
        return self.folds

    @property
    def noise_above(self) -> float:
        """The q-value above which a column cannot be told from noise."""
        return DEFAULT_FALSE_DISCOVERIES if self.false_discoveries is None else self.false_discoveries

    @property
    def classifier(self) -> str:
        """The name of the classifier."""
        return self.model.name

    @property
    def options(self) -> dict[str, Any]:
        """The options of all classifiers that results depend on; None for one that has no meaning for this one."""
        known = {name: declared for name, declared, _ in known_options()} | self.model.options()
        values = self.model.in_effect()
        return {name: values.get(name) for name, declared in known.items() if declared.recorded}

    def to_dict(self) -> dict[str, Any]:
        """The settings in the JSON: one flat mapping."""
        flat: dict[str, Any] = {"classifier": self.classifier}
        if self.classifier == USER_ESTIMATOR:
            flat["estimator"] = self.model.description
        for each in fields(self)[1:]:
            flat[each.name] = getattr(self, each.name)
            if each.name == "folds":
                flat |= self.options
        return flat

    def __getattr__(self, name: str) -> Any:
        # An object that is being unpickled has no model yet.
        if "model" in self.__dict__ and name in self.options:
            return self.options[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def choose_settings(
    *,
    classifier: Any,
    score: str,
    estimate: str | None,
    folds: int | None,
    step: Step | None,
    eliminate: bool,
    seed: int,
    options: Mapping[str, Any],
    columns: Mapping[str, Any],
    uncertainty: bool = False,
    screen: bool = True,
    false_discoveries: float | None = None,
    always: Sequence[str] = (),
) -> Settings:
    """Settings from parameters, None meaning that nothing was said.

    ``classifier`` and ``options`` are as for ``find_classifier``, ``columns`` say which columns and cells are read.
    """
    model = find_classifier(classifier, options).completed()
    columns = {
        **columns,
        "cut_target": _check("cut_target", CUT_TARGET, columns.get("cut_target")),
        "min_class": _check("min_class", MIN_CLASS, columns.get("min_class")) or DEFAULT_MIN_CLASS,
    }
    default, group = model.default_estimate, columns.get("group")
    chosen: EstimateName = _check("estimate", ESTIMATE, estimate) or ("cv" if group and default == "oob" else default)
    check_estimate(model, chosen)
    if group and chosen == "oob":
        problem = f"{option('estimate', 'oob')} judges rows by trees that know others of the same subject"
        raise UsageError(f"{problem}; with {option('group')}, use {option('estimate', 'cv')}")
    folds = _check("folds", FOLDS, folds)
    if folds is not None and chosen != "cv":
        raise UsageError(f"{option('folds')} goes with {option('estimate', 'cv')} only")
    step = model.default_step if step is None else check_step(step)
    tolerated = _check("false_discoveries", FALSE_DISCOVERIES, false_discoveries)
    if tolerated is not None and not screen:
        raise UsageError(f"{option('false_discoveries')} goes with {option('screen', True)} only")
    return Settings(
        model=model,
        score=SCORES[score].name,
        estimate=chosen,
        folds=(folds or DEFAULT_FOLDS) if chosen == "cv" else None,
        step=step if eliminate else None,
        eliminate=bool(eliminate),
        seed=_check("seed", SEED, seed) or 0,
        uncertainty=bool(uncertainty),
        screen=bool(screen),
        false_discoveries=(tolerated or DEFAULT_FALSE_DISCOVERIES) if screen else None,
        always=tuple(always),
        **columns,
    )


def check_step(step: Any) -> Step:
    """A number of features, or a fraction of those that remain, or auto; numpy's numbers become Python's."""
    if isinstance(step, str) and step == AUTO_STEP:
        return AUTO_STEP
    number = step.item() if getattr(step, "size", 0) == 1 else step
    if isinstance(number, int) and not isinstance(number, bool) and number >= 1:
        return number
    if isinstance(number, float) and 0 < number < 1:
        return number
    choices = f"{AUTO_STEP} nor a whole number from 1 nor a fraction between 0 and 1"
    raise UsageError(f"{option('step')}: {step} is neither {choices}")


def _check(name: str, kind: ValueType, value: Any) -> Any:
    return None if value is None else check_value(name, kind, value)
