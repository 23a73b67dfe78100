"""How to rank or select: what the user chose, completed by defaults, and refused where it makes no sense."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from probfs.classifiers.catalogue import USER_ESTIMATOR, check_estimate, find_classifier, known_options
from probfs.classifiers.options import DEFAULT_FOLDS, EstimateName, UnfittedClassifier, WholeNumber
from probfs.columns.choice import DEFAULT_MIN_CLASS
from probfs.errors import UsageError
from probfs.text import option

Step = int | float | Literal["auto"]
"""How many features leave in a round: a number, a fraction of those that remain, or ``auto``."""
AUTO_STEP: Literal["auto"] = "auto"
TOP = WholeNumber(0, metavar="K")
DEFAULT_FALSE_DISCOVERIES = 0.1
KEEP = WholeNumber(0, metavar="best|fewest|most|N", words=("best", "fewest", "most"))
NESTED_FOLDS = WholeNumber(2, metavar="K", zero="none")
DEFAULT_KEEP: Literal["best"] = "best"
DEFAULT_NESTED_FOLDS = 10


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
    weight: str | None = None
    """The column that says how important a row is."""
    time: str | None = None
    """The column that says when rows came, by which they are ordered."""
    na: tuple[str, ...] = ()
    dates: str | None = None
    """Whether the day or the month comes first in dates; None where the columns showed it."""
    ignore_case: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    keep_identifiers: bool = False
    join: tuple[str, ...] = ()
    """Pairs of columns, each as ``a+b``, that are one column."""
    together: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Columns that are one feature together, by its name."""
    cut_target: int | None = None
    """Into how many classes a target of numbers is cut; None if it is not."""
    min_class: int = DEFAULT_MIN_CLASS
    """Rows of classes with fewer rows than this are dropped."""
    uncertainty: bool = False
    """Whether standard errors and rank intervals are measured."""
    screen: bool = False
    """Whether columns that cannot be told from noise, and repeats of others, leave first."""
    false_discoveries: float | None = None
    """The share of noise that is tolerated, on average, among the columns told from noise; 1 screens nothing. None if
    ``screen`` is off.
    """
    always: tuple[str, ...] = ()
    """The columns that are not tested, and leave only after all others."""

    def folds_of_estimate(self, rows: int) -> int | None:
        """The folds that score rows, of which there are so many."""
        # With times, folds replace leave-one-out although nobody asked for them.
        return self.folds if self.folds is None or self.time is None else min(self.folds, rows)

    @property
    def noise_above(self) -> float:
        """The q-value above which a column cannot be told from noise."""
        return DEFAULT_FALSE_DISCOVERIES if self.false_discoveries is None else self.false_discoveries

    def columns_of(self, features: Sequence[str]) -> tuple[str, ...]:
        """The columns of the table that features are, by name: the two of a pair, all of a group."""
        several = {pair: tuple(pair.split("+")) for pair in self.join} | dict(self.together)
        return tuple(column for feature in features for column in several.get(feature, (feature,)))

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
    classifier: Any = "nb",
    options: Mapping[str, Any] | None = None,
    score: str = "signed",
    estimate: EstimateName | None = None,
    folds: int | None = None,
    step: Step | None = None,
    eliminate: bool = True,
    seed: int = 0,
    screen: bool = True,
    false_discoveries: float | None = None,
    group: str | None = None,
    time: str | None = None,
    **others: Any,
) -> Settings:
    """Settings from keywords that were checked one by one, completed by defaults; None means that nothing was said.

    ``classifier`` and ``options`` are as for ``find_classifier``; ``others`` are further fields of the settings.
    """
    model = find_classifier(classifier, options).completed()
    if time and group:
        problem = "rows of a subject may be earlier and later than others"
        raise UsageError(f"{option('time')} does not go with {option('group')}: {problem}; keep one of the two")
    if time and estimate in ("resubstitution", "oob"):
        problem = f"{option('estimate', estimate)} judges rows by models that know later ones"
        raise UsageError(f"{problem}; with {option('time')}, use {option('estimate', 'cv')}")
    # Trees would judge rows by others of the same subject.
    default = "cv" if group and model.default_estimate == "oob" else model.default_estimate
    chosen = "cv" if time else estimate or default
    check_estimate(model, chosen)
    if group and chosen == "oob":
        problem = f"{option('estimate', 'oob')} judges rows by trees that know others of the same subject"
        raise UsageError(f"{problem}; with {option('group')}, use {option('estimate', 'cv')}")
    if folds is not None and chosen != "cv":
        raise UsageError(f"{option('folds')} goes with {option('estimate', 'cv')} only")
    if false_discoveries is not None and not screen:
        raise UsageError(f"{option('false_discoveries')} goes with {option('screen', True)} only")
    return Settings(
        model=model,
        score=score,
        estimate=chosen,
        folds=(folds or DEFAULT_FOLDS) if chosen == "cv" else None,
        step=(step or model.default_step) if eliminate else None,
        eliminate=eliminate,
        seed=seed,
        screen=screen,
        false_discoveries=(false_discoveries or DEFAULT_FALSE_DISCOVERIES) if screen else None,
        group=group,
        time=time,
        **others,
    )


# Selections


@dataclass(frozen=True)
class SelectionSettings(Settings):
    """How columns are selected. ``folds`` is the number of folds of the honest estimate; 0 if there is none."""

    keep: str | int = DEFAULT_KEEP
    """Where to cut: best, fewest, most, or the number of columns."""

    def folds_of_estimate(self, rows: int) -> int | None:
        return min(DEFAULT_FOLDS, rows) if self.estimate == "cv" else None

    def of_ranking(self) -> Settings:
        """The settings of the elimination, as those of a ranking."""
        own = {each.name: getattr(self, each.name) for each in fields(Settings)}
        return Settings(**{**own, "folds": DEFAULT_FOLDS if self.estimate == "cv" else None})


def choose_selection_settings(
    *,
    classifier: Any = "nb",
    options: Mapping[str, Any] | None = None,
    folds: int = DEFAULT_NESTED_FOLDS,
    keep: str | int = DEFAULT_KEEP,
    **others: Any,
) -> SelectionSettings:
    """Settings from keywords that were checked one by one, as for a ranking."""
    model = find_classifier(classifier, options)
    # Rows are judged by models that do not know them.
    judges_known_rows = model.default_estimate == "resubstitution"
    ranking = choose_settings(classifier=model, estimate="cv" if judges_known_rows else None, step=1, **others)
    return SelectionSettings(**{**vars(ranking), "folds": folds, "keep": keep})
