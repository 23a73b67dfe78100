"""The classifiers, each a data class whose fields are its options.

The command line, the checks, the parameters of the scikit-learn selector, the manual and the JSON settings follow from
the fields. Help and completion import this module: a classifier imports what it is fitted with when it is fitted.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from probfs.classifiers.options import (
    REFITTED,
    Categories,
    Choice,
    Cost,
    EstimateName,
    Gamma,
    KernelName,
    Number,
    Option,
    RefittedModel,
    UnfittedClassifier,
    WholeNumber,
    check_value,
    setting,
)
from probfs.columns.choice import CUT_ABOVE, DEFAULT_BINS, MOST_BINS
from probfs.errors import UsageError
from probfs.text import counted, option

if TYPE_CHECKING:
    from probfs.classifiers.protocol import Classifier, FitRequest, HoldOutRequest
    from probfs.classifiers.refitting.models import Trainer
    from probfs.classifiers.row_odds import RowOdds
    from probfs.columns.dataset import Dataset

CLASSIFIERS: dict[str, UnfittedClassifier] = {}
"""Every classifier that has a name, by that name, with its defaults, in the order of help."""
USER_ESTIMATOR = "estimator"
"""The name of a user's estimator in settings."""
MOST_SEED = 2**32
"""Where scikit-learn's seeds end."""
_FORESTS = ("RandomForestClassifier", "ExtraTreesClassifier")
_ADDING_UP = (
    *("LogisticRegression", "LogisticRegressionCV", "LinearDiscriminantAnalysis", "SGDClassifier"),
    *("GaussianNB", "CategoricalNB", "BernoulliNB", "MultinomialNB", "ComplementNB"),
)
"""Estimators that add up the effects of single columns. Any other one, and any pipeline, may see columns together."""
Kind = TypeVar("Kind", bound=UnfittedClassifier)

bins_setting = partial(
    setting,
    DEFAULT_BINS,
    WholeNumber(2, MOST_BINS, "K"),
    f"intervals that a numeric column is cut into; if it is not mapped, and has more than {CUT_ABOVE} values.",
)
_cost = partial(
    setting,
    "scale",
    Number(1e-10, 1e10, "scale|NUMBER", ("scale",)),
    "cost of a row on the wrong side; less is smoother.",
    default_help="scale, which is 1 for rbf, and for linear and logistic 1 / the mean squared length of the table's "
    "standardised rows: 1 / 30 for 30 numeric columns",
)


def _registered(kind: type[Kind]) -> type[Kind]:
    """The same class, known by its name, and with its options in its docstring."""
    classifier = CLASSIFIERS[kind.name] = kind()
    description = classifier.description
    lines = [f"{description[:1].upper()}{description[1:]}.", "", "Parameters", "----------"]
    for name, declared in kind.options().items():
        values = [f'"{word}"' for word in getattr(declared.kind, "words", ())]
        if not isinstance(declared.kind, Choice):
            values.insert(0, "int" if isinstance(declared.kind, WholeNumber) else "float")
        default = declared.default_help or declared.default
        sentence = f"{declared.help[:1].upper()}{declared.help[1:]} Default: {default}."
        meaning = textwrap.fill(sentence, 100, initial_indent="    ", subsequent_indent="    ")
        lines += [f"{name} : {' or '.join(values)}", meaning]
    kind.__doc__ = "\n".join([*lines, ""])
    return kind


@_registered
@dataclass(frozen=True, repr=False, kw_only=True)
class NaiveBayes(UnfittedClassifier):
    name = "nb"
    description: ClassVar[str] = "Naive Bayes, which counts categories"
    summary: ClassVar[str] = "Naive Bayes"
    default_estimate = "loo"
    default_step = 1
    takes_numbers: ClassVar[bool] = False
    takes_blocks = True

    smoothing: float = setting(
        1.0,
        Number(1e-100, 1e100, "ALPHA", zero="the exact limit"),
        "number added to every count; 0 is the exact limit of less and less smoothing.",
    )
    shrink: Literal["auto", "on", "off"] = setting(
        "auto",
        Choice(("auto", "on", "off")),
        "whether to shrink log-odds towards 0; on does so by as much as chance alone moves them, auto in tables with "
        "so many columns for their rows that chance would make most rows look certain.",
    )
    bins: int = bins_setting()

    def load_ahead(self) -> None:
        from probfs.classifiers.compiling import load_loops_ahead

        load_loops_ahead()

    def require_memory(self, dataset: Dataset, estimate: EstimateName, folds: int) -> None:
        from probfs.classifiers.naive_bayes.classifier import require_memory_for

        require_memory_for(dataset, estimate, folds)

    def fit(self, request: FitRequest) -> Classifier:
        from probfs.classifiers.naive_bayes.classifier import FittedNaiveBayes

        return FittedNaiveBayes(request, self.smoothing, self.shrink)

    def hold_out(self, request: HoldOutRequest) -> RowOdds:
        from probfs.classifiers.naive_bayes.classifier import judge_held_out

        return judge_held_out(request, self.smoothing)


@_registered
@dataclass(frozen=True, repr=False, kw_only=True)
class SVM(RefittedModel):
    name = "svm"
    description: ClassVar[str] = "a Platt-scaled support vector machine, which takes numbers as they are"
    default_estimate = "resubstitution"
    training_rows_of_class = 2

    kernel: KernelName = setting(
        "linear",
        Choice(("linear", "rbf")),
        "the kernel; linear weighs the columns, rbf also sees how they act together.",
    )
    C: Cost = _cost()
    gamma: Gamma | None = setting(
        "scale",
        Number(1e-10, 1e10, "scale|auto|NUMBER", ("scale", "auto")),
        "how fast the kernel falls with squared distance.",
        default_help="scale, 1 / (columns * variance), each value of a category being a column; auto is 1 / columns",
        only_with=("kernel", "rbf"),
    )

    @property
    def title(self) -> str:
        return f"{'Linear' if self.kernel == 'linear' else 'RBF'} SVM, Platt-scaled"

    @property
    def sees_columns_together(self) -> bool:
        return self.kernel == "rbf"

    def trainer(self, dataset: Dataset, seed: int, estimate: EstimateName) -> Trainer:
        from probfs.classifiers.refitting.svm import SvmTrainer

        return SvmTrainer(dataset, self.C, self.in_effect()["gamma"])


@_registered
@dataclass(frozen=True, repr=False, kw_only=True)
class Logistic(RefittedModel):
    name = "logistic"
    description: ClassVar[str] = "logistic regression, which weighs columns"
    title: ClassVar[str] = "Logistic regression"

    C: Cost = _cost()

    def trainer(self, dataset: Dataset, seed: int, estimate: EstimateName) -> Trainer:
        from sklearn.linear_model import LogisticRegression

        from probfs.classifiers.refitting.estimators import EstimatorTrainer
        from probfs.classifiers.refitting.tables import choose_cost

        estimator = LogisticRegression(max_iter=1_000)
        trainer = EstimatorTrainer(dataset, estimator, "standardised", "the logistic regression", linear=True)
        estimator.set_params(C=choose_cost(self.C, trainer.encoder, dataset))
        return trainer


@dataclass(frozen=True, repr=False, kw_only=True)
class Trees(RefittedModel):
    """A classifier of trees, which see columns together."""

    sees_columns_together: ClassVar[bool] = True

    leaf: int | Literal["auto"] = setting(
        "auto",
        WholeNumber(1, None, "auto|N", ("auto",)),
        "fewest rows in a leaf; more is smoother.",
        default_help="auto, which is 5 for forest, and for boosting 20, or a twentieth of the rows where that is less",
    )
    depth: int | Literal["any"] = setting(
        "any",
        WholeNumber(1, None, "any|N", ("any",)),
        "greatest depth of a tree.",
        default_help="any number",
    )


@_registered
@dataclass(frozen=True, repr=False, kw_only=True)
class Forest(Trees):
    name = "forest"
    description: ClassVar[str] = "a random forest, which sees how columns act together"
    estimates: ClassVar[tuple[EstimateName, ...]] = (*REFITTED, "oob")

    trees: int = setting(100, WholeNumber(1, 100_000), "number of trees.")

    @property
    def title(self) -> str:
        return f"Forest of {counted(self.trees, 'tree')}"

    def trainer(self, dataset: Dataset, seed: int, estimate: EstimateName) -> Trainer:
        from joblib import cpu_count
        from sklearn.ensemble import RandomForestClassifier

        from probfs.classifiers.refitting.classifier import FEW_CELLS
        from probfs.classifiers.refitting.estimators import EstimatorTrainer

        is_small = len(dataset.labels) * len(dataset.features) < FEW_CELLS
        estimator = RandomForestClassifier(
            n_estimators=self.trees,
            min_samples_leaf=5 if self.leaf == "auto" else self.leaf,
            max_depth=None if self.depth == "any" else self.depth,
            random_state=seed % MOST_SEED,
            # In worker processes, which have a core each, this counts for nothing.
            n_jobs=self.jobs or (1 if is_small else cpu_count()),
        )
        return EstimatorTrainer(dataset, estimator, "onehot", "the forest", out_of_bag=estimate == "oob")


@_registered
@dataclass(frozen=True, repr=False, kw_only=True)
class Boosting(Trees):
    name = "boosting"
    description: ClassVar[str] = "gradient boosting of trees, which sees them together too"
    title: ClassVar[str] = "Gradient boosting"

    iterations: int = setting(100, WholeNumber(1, 100_000), "number of trees, one added after the other.")
    learning_rate: float = setting(
        0.1, Number(1e-6, 1.0), "the learning rate: how much of each tree's prediction is added to the model."
    )

    def trainer(self, dataset: Dataset, seed: int, estimate: EstimateName) -> Trainer:
        from sklearn.ensemble import HistGradientBoostingClassifier

        from probfs.classifiers.refitting.estimators import EstimatorTrainer

        estimator = HistGradientBoostingClassifier(
            max_iter=self.iterations,
            learning_rate=self.learning_rate,
            min_samples_leaf=max(1, min(20, dataset.rows // 20)) if self.leaf == "auto" else self.leaf,
            max_depth=None if self.depth == "any" else self.depth,
            categorical_features=None,
            # Whether a model stops early would depend on the rows that it keeps for that.
            early_stopping=False,
            random_state=seed % MOST_SEED,
        )
        return EstimatorTrainer(dataset, estimator, "native", "the boosting")


@dataclass(frozen=True, repr=False, kw_only=True)
class UserEstimator(RefittedModel):
    """Any estimator or pipeline of scikit-learn's kind that has ``predict_proba``, as a classifier.

    One that was read from a document has only the estimator's repr and the options, and cannot be fitted.
    """

    name = USER_ESTIMATOR

    shown: str = ""
    """The estimator's repr in one line, by which two such classifiers are compared."""
    estimator: Any = field(default=None, compare=False, repr=False)
    categories: Categories | None = setting(
        None,
        Choice(("onehot", "codes", "frame")),
        "how columns reach the estimator.",
        default_help="frame where it holds a ColumnTransformer, codes where it counts categories, otherwise onehot",
    )
    bins: int | None = bins_setting(only_with=("categories", "codes"))

    def __post_init__(self) -> None:
        if self.estimator is not None:
            from probfs.classifiers.refitting import estimators

            object.__setattr__(self, "shown", estimators.check_estimator(self.estimator))
            if self.categories is None:
                object.__setattr__(self, "categories", estimators.choose_categories(self.estimator))
        super().__post_init__()

    @property
    def description(self) -> str:
        return self.shown

    @property
    def title(self) -> str:
        return self.shown.partition("(")[0]

    @property
    def estimates(self) -> tuple[EstimateName, ...]:
        draws_rows = self.title in _FORESTS and self.estimator is not None and self.estimator.bootstrap
        return (*REFITTED, "oob") if draws_rows and self.categories != "frame" else REFITTED

    @property
    def takes_numbers(self) -> bool:
        return self.categories != "codes"

    @property
    def sees_columns_together(self) -> bool:
        return self.title not in _ADDING_UP

    def check_columns(self, columns: Sequence[str], source: str) -> None:
        if self.estimator is None:
            raise UsageError(f"{self.shown} is an object of Python's, which no document holds")
        if self.categories == "frame":
            from probfs.classifiers.refitting.estimators import check_column_names

            check_column_names(self.estimator, columns, source)

    def trainer(self, dataset: Dataset, seed: int, estimate: EstimateName) -> Trainer:
        from probfs.classifiers.refitting.estimators import EstimatorTrainer, seeded, takes_missing

        encoding: Any = self.categories
        if encoding == "onehot" and not takes_missing(self.estimator):
            encoding = "filled"
        estimator = seeded(self.estimator, seed % MOST_SEED)
        return EstimatorTrainer(dataset, estimator, encoding, self.title, out_of_bag=estimate == "oob")


def find_classifier(classifier: Any, options: Mapping[str, Any] | None = None) -> UnfittedClassifier:
    """The classifier for a name, an object like ``NaiveBayes(smoothing=0.5)`` or a user's estimator.

    ``options`` go with a name or an estimator; an option that is None counts as not given.
    """
    given = {name: value for name, value in (options or {}).items() if value is not None}
    if isinstance(classifier, UnfittedClassifier):
        if given:
            name, kind = next(iter(given)), type(classifier).__name__
            raise UsageError(f"{option(name)} goes with a classifier's name; give it to {kind}({name}=…) itself")
        return classifier
    found: UnfittedClassifier
    if isinstance(classifier, str) or not (isinstance(classifier, type) or hasattr(classifier, "fit")):
        found = CLASSIFIERS[check_value("classifier", Choice(tuple(CLASSIFIERS)), classifier)]
    else:
        found = UserEstimator(estimator=classifier, categories=given.get("categories"))
    owners = {name: [option("classifier", owner) for owner in having] for name, _, having in known_options()}
    owners["categories"] = [f"an estimator given as {option('classifier')}"]
    for name in given:
        if name not in found.options():
            raise UsageError(f"{option(name)} goes with {' or '.join(owners[name])} only")
    return replace(found, **given)


def known_options() -> list[tuple[str, Option, tuple[str, ...]]]:
    """Every option of any classifier: its name, its declaration, and the names of the classifiers that have it."""
    owners: dict[str, list[str]] = {}
    for classifier in CLASSIFIERS.values():
        for name in classifier.options():
            owners.setdefault(name, []).append(classifier.name)
    return [(name, CLASSIFIERS[having[0]].options()[name], tuple(having)) for name, having in owners.items()]


def check_estimate(classifier: UnfittedClassifier, estimate: EstimateName) -> None:
    """Refuse an estimate that the classifier cannot make."""
    if estimate not in classifier.estimates:
        known = classifier.name in CLASSIFIERS
        who = option("classifier", classifier.name) if known else classifier.description
        choices = ", ".join(classifier.estimates)
        raise UsageError(f"{option('estimate', estimate)}: {who} has no such estimate; choose from {choices}")
