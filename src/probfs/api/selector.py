"""The scikit-learn selector. Importing this module imports scikit-learn, so ``probfs`` does so when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from joblib import effective_n_jobs
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from probfs.api.arguments import warn_of
from probfs.api.calls import rank, select
from probfs.api.options import CLASSIFIER
from probfs.api.training_table import (
    TrainingTable,
    column_names,
    is_frame,
    is_pandas,
    training_table,
    unlabelled_table,
    unmasked,
)
from probfs.classifiers.catalogue import CLASSIFIERS, find_classifier
from probfs.classifiers.options import UnfittedClassifier, WholeNumber, check_value
from probfs.classifiers.scores import SCORES
from probfs.columns.choice import ABOUT_ROWS, DEFAULT_MIN_CLASS
from probfs.errors import UsageError
from probfs.notes import NoteKind
from probfs.ranking.result import Ranking
from probfs.text import counted, listed, option

AUTO = "auto"
FOR_AUTO = ("keep", "min_features_to_select")
"""Parameters that have a meaning only where the number of columns is found."""
FOR_A_NUMBER = ("estimate", "step")
"""Parameters that have a meaning only where the number of columns is given."""
_REFUSED = ("data", "y", "target", *ABOUT_ROWS, "seed", "jobs", "feature_names", "unlabeled", "join")
"""Keywords of ``rank`` that the selector fills in, or that have no meaning for it: a pair is not a column of X."""


class ProbabilisticSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Select the columns whose absence changes a classifier's class probabilities the most.

    ``probfs.select`` (``n_features_to_select="auto"``) or ``probfs.rank`` (a number) as an estimator of scikit-learn,
    for pipelines and grid searches. X may be a matrix, or a data frame with numbers, texts, categories and missing
    cells as they are.

    Parameters
    ----------
    classifier : str, classifier or estimator, default="nb"
        The classifier whose probabilities are used: the name of one that comes with probfs, such as ``"nb"``, Naive
        Bayes, and ``"svm"``, an object such as ``probfs.NaiveBayes(smoothing=0.5)``, or whatever else ``probfs.rank``
        takes. ``set_params`` and grid searches reach its options as ``classifier__smoothing`` and so on; a name then
        becomes such an object.
    score : {"signed", "absolute", "unlabeled"}, default="signed"
        The score that decides which column leaves: Ŝ_A finds a small sufficient set, Ŝ_S all relevant columns, and
        Ŝ_SU, which goes with a number of columns, needs unlabelled rows. As scikit-learn takes what is called ``score``
        for a method, it is read by ``get_params()["score"]``.
    n_features_to_select : "auto", int or float, default="auto"
        How many columns to keep: as many as ``probfs.select`` finds, this number, or this fraction of all columns. If
        fewer can be ranked, all of them are kept, with a warning.
    min_features_to_select : int, default: 1
        For ``"auto"``: the least number of columns to keep. If fewer are told from noise, the best of the others are
        kept too, with a warning; 0 may keep none, with which most steps of a pipeline cannot go on.
    keep : {"best", "fewest", "most"} or int, default: "best"
        For ``"auto"``: how many columns to keep, as for ``probfs.select``.
    false_discoveries : float, default: 0.1
        The share of noise that is tolerated, on average, among the columns told from noise; the others are ranked last,
        and not kept by ``"auto"``. 1 screens nothing.
    estimate, step : optional
        For a number: which model scores a row, and how many columns leave in a round, as for ``probfs.rank``.
    folds : int, default: 10 for estimate="cv", 0 for "auto"
        For a number, the folds of ``estimate="cv"``. For ``"auto"``, in how many folds the choice is repeated and
        judged on unseen rows, for ``selection_result_.honest``; cross-validating a pipeline judges all of its steps.
    min_class : int, default: 2, or 3 for ``"svm"`` and ``"auto"``
        Rows of classes with fewer rows than this are not learned from, with a warning. By default, as few as the
        classifier can do with.
    keep_identifiers : bool, default=False
        Whether columns that look like identifiers, such as row numbers, take part. They are left out otherwise, with a
        warning.
    unlabeled_value : object, default=None
        The value of y in rows without a class, -1 by scikit-learn's convention, or NaN; None if all rows have one.
    options : dict, default=None
        Further keywords of ``probfs.rank`` or, for ``"auto"``, ``probfs.select``: ``{"na": "none"}``,
        ``{"always": ["age"]}``, and options of a classifier that is given by its name: ``{"smoothing": 0.5}``. With
        ``{"together": {"colour": ["colour_*"]}}``, columns are kept or dropped together, and count as one.
    n_jobs : int, default=None
        How many processes fit models at a time: 1 unless a ``joblib.parallel_config`` says otherwise, all cores for -1.
        A classifier that is an object with ``jobs`` of its own keeps them. Results do not depend on it, and Naive
        Bayes, which fits no models, does not need it.
    random_state : int, RandomState instance or None, default=None
        The seed of folds, shuffles and drawn tables. None is 0: the same X and y always give the same columns.

    Attributes
    ----------
    support_ : ndarray of bool
        Which columns are kept.
    ranking_ : ndarray of int
        The rank of each column, 1 for the best. Columns that are one together have the same rank; those that were left
        out come last.
    scores_ : ndarray of float
        The score of each column in the round in which it left; NaN for one that was left out.
    n_features_ : int
        How many columns are kept.
    n_features_in_, feature_names_in_
        The number of columns of X, and their names if they are all texts.
    classes_ : ndarray
        The classes in y.
    ranking_result_ : probfs.Ranking
        Every round of the elimination.
    selection_result_ : probfs.Selection
        For ``"auto"``: a verdict on every column, and what each number of columns achieves.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> from probfs import ProbabilisticSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> pipeline = make_pipeline(ProbabilisticSelector(n_features_to_select=2), GaussianNB()).fit(X, y)
    >>> pipeline[0].get_feature_names_out()
    array(['petal length (cm)', 'petal width (cm)'], dtype=object)
    """

    def __init__(
        self,
        classifier: Any = "nb",
        *,
        score: str = "signed",
        n_features_to_select: Literal["auto"] | int | float = "auto",
        min_features_to_select: int | None = None,
        keep: Literal["best", "fewest", "most"] | int | None = None,
        false_discoveries: float | None = None,
        estimate: str | None = None,
        folds: int | None = None,
        step: int | float | Literal["auto"] | None = None,
        min_class: int | None = None,
        keep_identifiers: bool = False,
        unlabeled_value: Any = None,
        options: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        given = locals()
        for name in self._get_param_names():
            setattr(self, name, given[name])

    @property
    def score(self) -> Any:
        """Nothing: to scikit-learn, whatever has an attribute of this name can judge predictions."""
        raise AttributeError("'score' is a parameter, not a method; get_params()['score'] reads it")

    @score.setter
    def score(self, value: Any) -> None:
        self.__dict__["score"] = value

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters by their names; with ``deep``, also those of the classifier, as ``classifier__smoothing``."""
        parameters = {name: vars(self)[name] for name in self._get_param_names()}
        model, nested = _as_model(self.classifier), {}
        if deep and model is not None:
            nested = {name: getattr(model, name) for name in model.options()}
        elif deep and hasattr(self.classifier, "get_params") and not isinstance(self.classifier, type):
            nested = self.classifier.get_params()
        return parameters | {f"classifier__{name}": value for name, value in nested.items()}

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters, ``classifier__smoothing`` and the like included.

        The classifiers of probfs do not change: one with other options takes the place of the old one, or of a name.
        """
        nested = {name: parameters.pop(name) for name in list(parameters) if name.startswith("classifier__")}
        super().set_params(**parameters)
        model = _as_model(self.classifier)
        if model is None:
            super().set_params(**nested)
            return self
        options = {name.removeprefix("classifier__"): value for name, value in nested.items()}
        for name in options.keys() - model.options().keys():
            valid = ", ".join(model.options())
            raise ValueError(f"Invalid parameter {name!r} for {model!r}; valid parameters are {valid}")
        changed = replace(model, **options)
        # What get_params says may be given back, and changes nothing.
        return self if vars(changed) == vars(model) else super().set_params(classifier=changed)

    def fit(
        self,
        X: Any,  # noqa: N803
        y: Any,
        sample_weight: Any = None,
        unlabeled: Any = None,
        groups: Any = None,
    ) -> Self:
        """Learn which columns to keep.

        Parameters
        ----------
        X : matrix or data frame of shape (n_samples, n_features)
            The rows. NaN, None and the like are missing cells.
        y : array-like of shape (n_samples,)
            The class of each row.
        sample_weight : array-like of shape (n_samples,), default=None
            Whole numbers say how many equal rows each row stands for, and 0 leaves a row out. Where some weight is
            no whole number, all are importances, of which only the proportions count: scores and losses are weighted
            means, and tests are made for the effective number of rows.
        unlabeled : matrix or data frame of shape (n_others, n_features), default=None
            Further rows, without classes, for ``score="unlabeled"`` and the Ŝ_SU in ``ranking_result_``.
        groups : array-like of shape (n_samples,), default=None
            Which rows belong together, such as those of one patient: they are left out together, and folds and tests
            never split them. ``set_fit_request(groups=True)`` has pipelines and searches pass them on.

        Returns
        -------
        ProbabilisticSelector
            The selector itself.
        """
        training = training_table(self, X, y, sample_weight, self.unlabeled_value, groups)
        others = None if unlabeled is None else unlabelled_table(self, unlabeled)
        wanted = self.n_features_to_select
        automatic = isinstance(wanted, str) and wanted == AUTO
        number, is_whole = 0, isinstance(wanted, Integral) and not isinstance(wanted, bool)
        if is_whole and wanted >= 1:
            number = int(wanted)
        elif isinstance(wanted, Real) and not isinstance(wanted, Integral) and 0 < float(wanted) <= 1:
            # 0.29 of 100 is 29, not the 28 of binary floating point.
            number = max(1, int(float(wanted) * self.n_features_in_ + 1e-9))
        elif not automatic:
            choices = f'"{AUTO}", a whole number from 1 on, or a fraction above 0 and up to 1.0'
            raise UsageError(f"{option('n_features_to_select')}: {wanted!r} is not one of {choices}")
        given = {**self.get_params(deep=False), "unlabeled": others}
        for name in (*FOR_A_NUMBER, "unlabeled") if automatic else FOR_AUTO:
            if given[name] is not None:
                parameter = "n_features_to_select"
                other = f"a number in {option(parameter)}" if automatic else option(parameter, AUTO)
                raise UsageError(f"{option(name)} goes with {other} only")
        arguments = self._arguments(training)
        for note in training.table.notes:
            if note.code == NoteKind.ROW_INDEX.code:
                # Files may well have a row index; in X, it is a column that takes no part.
                warn_of(NoteKind.UNUSABLE.note(note.message, note.columns))
        # Of an earlier fit, perhaps with other parameters.
        self.__dict__.pop("selection_result_", None)
        if automatic:
            ranking, kept = self._select(training, arguments)
        else:
            further = {name: given[name] for name in ("unlabeled", "estimate", "folds", "step")}
            ranking = rank(training.table, **further, **arguments)
            kept = min(number, len(ranking.features))
            if kept < number:
                what = f"{option('n_features_to_select', wanted)} asks for {number:,} columns"
                warn_of(NoteKind.FEWER_KEPT.note(f"{what}, and {kept:,} could be ranked; all of these are kept"))
        place_of = {name: place for place, name in enumerate(column_names(self))}
        key = SCORES[ranking.settings.score].key
        self.ranking_ = np.empty(self.n_features_in_, dtype=np.int64)
        self.scores_ = np.full(self.n_features_in_, np.nan)
        for rank_of_feature, feature in enumerate(ranking.features, 1):
            places = [place_of.pop(name) for name in ranking.settings.columns_of([feature.feature])]
            self.ranking_[places], self.scores_[places] = rank_of_feature, getattr(feature, key)
        # Those that took no part come last, in the order of X.
        self.ranking_[list(place_of.values())] = np.arange(len(place_of)) + len(ranking.features) + 1
        self.support_ = self.ranking_ <= kept
        self.n_features_ = int(self.support_.sum())
        self.ranking_result_ = ranking
        self.classes_ = training.classes
        return self

    def _select(self, training: TrainingTable, arguments: Mapping[str, Any]) -> tuple[Ranking, int]:
        """The ranking of a selection, and how many columns to keep: those that it keeps, and if these are too few, the
        best of the others.
        """
        least = 1
        if self.min_features_to_select is not None:
            least = check_value("min_features_to_select", WholeNumber(0), self.min_features_to_select)
        given = {} if self.keep is None else {"keep": self.keep}
        selection = self.selection_result_ = select(training.table, folds=self.folds or 0, **given, **arguments)
        assert selection.ranking is not None
        found, order = len(selection.kept), [feature.feature for feature in selection.features]
        more = order[found:least]
        if more:
            few = f"{counted(found, 'column is', 'columns are')} told from noise and worth keeping"
            message = f"{few}; kept all the same ({option('min_features_to_select', least)}): {listed(more)}"
            warn_of(NoteKind.NOISE_KEPT.note(message, more))
        return selection.ranking, found + len(more)

    def _arguments(self, training: TrainingTable) -> dict[str, Any]:
        """The keywords that ``rank`` and ``select`` have in common."""
        if not isinstance(self.options, Mapping | None):
            raise UsageError(f"{option('options')}: {self.options!r} is no dictionary of keywords")
        parameters, options = self.get_params(deep=False), dict(self.options or {})
        for name in options:
            if name in parameters or name in _REFUSED:
                problem = f"{name!r} is decided by the selector, its parameters or fit; leave it out"
                raise UsageError(f"{option('options')}: {problem}")
        of_classifier = {name: value for name, value in options.items() if name in (*CLASSIFIER, "categories")}
        model = find_classifier(self.classifier, of_classifier)
        least = self.min_class
        if least is None:
            # Where some rows of a class are held out, enough must be left. If that leaves too few classes, the error
            # is that.
            enough = model.training_rows_of_class + 1 if self.n_features_to_select == AUTO else DEFAULT_MIN_CLASS
            least = enough if sum(rows >= enough for rows in training.class_rows) > 1 else DEFAULT_MIN_CLASS
        classifier = self.classifier
        if "jobs" in model.options() and model.in_effect()["jobs"] is None:
            jobs = effective_n_jobs(self.n_jobs)
            if isinstance(classifier, UnfittedClassifier):
                classifier = replace(model, jobs=jobs)  # type: ignore[call-arg]  # it has the option
            else:
                options["jobs"] = jobs
        seed = 0
        if isinstance(self.random_state, Integral):
            seed = check_value("random_state", WholeNumber(0), self.random_state)
        elif self.random_state is not None:
            seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        if self.false_discoveries is not None:
            options["false_discoveries"] = self.false_discoveries
        return {
            **training.keywords,
            "classifier": classifier,
            "score": parameters["score"],
            "min_class": least,
            "keep_identifiers": self.keep_identifiers,
            "seed": seed,
            **options,
        }

    def transform(self, X: Any) -> Any:  # noqa: N803
        """The columns of X that are kept.

        Parameters
        ----------
        X : matrix or data frame of shape (n_samples, n_features)
            Rows with the columns that the selector was fitted on.

        Returns
        -------
        matrix or data frame of shape (n_samples, n_features_)
            A data frame, whose columns keep their types, where ``set_output`` asks for one.
        """
        check_is_fitted(self)
        X = unmasked(X)  # noqa: N806
        if not is_frame(X) or not len(X):
            return super().transform(X)
        frame = validate_data(self, X, reset=False, skip_check_array=True)
        # Before scikit-learn makes a frame of a matrix, in which types would be lost.
        container = getattr(self, "_sklearn_output_config", {}).get("transform") or get_config()["transform_output"]
        if container == "default" or not type(frame).__module__.startswith(container):
            # Whatever else is asked for can be made of a frame of pandas, too.
            frame = frame if is_pandas(frame) else pa.table(frame).to_pandas()
        kept = self._transform(frame)
        if container != "default":
            return kept
        # Only what is kept need fit into a matrix, of objects if its types have no other in common.
        if not kept.shape[1]:
            return np.empty(kept.shape)
        try:
            return np.asarray(check_array(kept, dtype=None, ensure_all_finite="allow-nan"))
        except np.exceptions.DTypePromotionError:
            return kept.to_numpy(dtype=object)

    def _get_support_mask(self) -> npt.NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "support_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _as_model(classifier: Any) -> UnfittedClassifier | None:
    """The classifier of probfs that an object is, or that a name means; None for all else."""
    if isinstance(classifier, UnfittedClassifier):
        return classifier
    is_name = isinstance(classifier, str) and classifier in CLASSIFIERS
    return CLASSIFIERS[classifier] if is_name else None
