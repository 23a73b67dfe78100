"""The scikit-learn selector. Importing this module imports scikit-learn, so ``probfs`` does so when it is asked for."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from probfs.api.only_a_parameter import OnlyAParameter
from probfs.api.selector_call import choose_features, notes_for_users
from probfs.api.selector_inputs import check_inputs
from probfs.api.training_table import as_pandas, collected, feature_table, is_frame, training_table
from probfs.classifiers.catalogue import CLASSIFIERS
from probfs.classifiers.unfitted import UnfittedClassifier
from probfs.errors import ProbfsWarning, UsageError
from probfs.text import option


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
        The score that decides which column leaves: Ŝ_A finds a small sufficient set, Ŝ_S all relevant
        columns, and Ŝ_SU, which goes with a number of columns, needs unlabelled rows. As scikit-learn takes what is
        called ``score`` for a method, it is read by ``get_params()["score"]``.
    n_features_to_select : "auto", int or float, default="auto"
        How many columns to keep: as many as ``probfs.select`` finds, this number, or this fraction of all columns. If
        fewer can be ranked, all of them are kept, with a warning.
    min_features_to_select : int, default: 1
        For ``"auto"``: the least number of columns to keep. If fewer are told from noise, the best of the others are
        kept too, with a warning; 0 may keep none, with which most steps of a pipeline cannot go on.
    keep : {"best", "fewest", "most"}, default: "best"
        For ``"auto"``: keep as many as have the least log-loss on rows that the model does not know, or the fewest or
        the most within one standard error of it.
    false_discoveries : float, default: 0.1
        For ``"auto"``: the share of noise that is tolerated, on average, among the columns told from noise; 1 screens
        nothing.
    estimate : {"loo", "resubstitution", "cv"}, default: the classifier's own
        For a number: which model scores a row: one trained on all other rows, on all rows, or on the other folds.
    folds : int, default: 10 for estimate="cv", 0 for "auto"
        For a number, the folds of ``estimate="cv"``. For ``"auto"``, in how many folds the choice is repeated and
        judged on unseen rows, for ``selection_result_.honest``; cross-validating a pipeline judges all of its steps.
    step : int, float or "auto", default: 1 for ``"nb"``, else "auto"
        For a number: how many columns leave in a round, or which fraction of those that remain; ``"auto"`` is a tenth
        of them while more than 30 remain, then one by one.
    min_class : int, default: 2, or 3 for ``"svm"`` and ``"auto"``
        Rows of classes with fewer rows than this are not learned from, with a warning. By default, as few as the
        classifier can do with.
    keep_identifiers : bool, default=False
        Whether columns that look like identifiers, such as row numbers, take part. They are left out otherwise, with a
        warning.
    unlabeled_value : object, default=None
        The value of y in rows without a class, -1 by scikit-learn's convention, or NaN; None if all rows have one.
    missing : {"skip", "value", "auto"}, default: "auto"
        What a missing cell is: nothing, a value of its own, or a value in the columns where missing cells tell the
        class.
    bins, smoothing, shrink : default: those of ``probfs.NaiveBayes``
        Options of ``"nb"``. These and the following go with a name; an object has them already.
    kernel, C, gamma, removal, permutations : default: those of ``probfs.SVM``
        Options of ``"svm"``, some of them also of others.
    trees, leaf, depth, iterations, learning_rate : default: those of ``probfs.Forest`` and ``probfs.Boosting``
        Options of ``"forest"`` and ``"boosting"``.
    categories : {"onehot", "codes", "frame"}, default: as the estimator likes them
        How columns reach a classifier that is an estimator, as for ``probfs.rank``.
    options : dict, default=None
        Further keywords of ``probfs.rank`` or, for ``"auto"``, ``probfs.select``: ``{"na": "none"}``,
        ``{"always": ["age"]}``.
    n_jobs : int, default=None
        How many processes fit models at a time: 1 unless a ``joblib.parallel_config`` says otherwise, all cores for -1.
        A classifier that is an object with ``jobs`` of its own keeps them.
        Results do not depend on it, and Naive Bayes, which fits no models, does not need it.
    random_state : int, RandomState instance or None, default=None
        The seed of folds, shuffles and drawn tables. None is 0: the same X and y always give the same columns.

    Attributes
    ----------
    support_ : ndarray of bool
        Which columns are kept.
    ranking_ : ndarray of int
        The rank of each column, 1 for the best; the columns kept are 1 … ``n_features_``. Columns that were left out
        come last.
    scores_ : ndarray of float
        The score of each column in the round in which it left; NaN for one that was left out or, for ``"auto"``, not
        told from noise or a copy of another.
    n_features_ : int
        How many columns are kept.
    n_features_in_, feature_names_in_
        The number of columns of X, and their names if they are all texts.
    classes_ : ndarray
        The classes in y.
    ranking_result_ : probfs.Ranking
        Every round of the elimination. For ``"auto"``, that of the columns told from noise.
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

    # Whatever has an attribute of this name can judge predictions, to scikit-learn.
    score = OnlyAParameter()

    def __init__(
        self,
        classifier: Any = "nb",
        *,
        score: str = "signed",
        n_features_to_select: Literal["auto"] | int | float = "auto",
        min_features_to_select: int | None = None,
        keep: Literal["best", "fewest", "most"] | None = None,
        false_discoveries: float | None = None,
        estimate: str | None = None,
        folds: int | None = None,
        step: int | float | Literal["auto"] | None = None,
        min_class: int | None = None,
        keep_identifiers: bool = False,
        unlabeled_value: Any = None,
        missing: Literal["skip", "value", "auto"] | None = None,
        bins: int | None = None,
        smoothing: float | None = None,
        shrink: Literal["auto", "on", "off"] | None = None,
        kernel: Literal["linear", "rbf"] | None = None,
        C: float | Literal["scale"] | None = None,  # noqa: N803  # what everybody calls it
        gamma: float | Literal["scale", "auto"] | None = None,
        removal: Literal["permute", "retrain"] | None = None,
        permutations: int | None = None,
        trees: int | None = None,
        leaf: int | Literal["auto"] | None = None,
        depth: int | Literal["any"] | None = None,
        iterations: int | None = None,
        learning_rate: float | None = None,
        categories: Literal["onehot", "codes", "frame"] | None = None,
        options: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.classifier = classifier
        self.score = score
        self.n_features_to_select = n_features_to_select
        self.min_features_to_select = min_features_to_select
        self.keep = keep
        self.false_discoveries = false_discoveries
        self.estimate = estimate
        self.folds = folds
        self.step = step
        self.min_class = min_class
        self.keep_identifiers = keep_identifiers
        self.unlabeled_value = unlabeled_value
        self.missing = missing
        self.bins = bins
        self.smoothing = smoothing
        self.shrink = shrink
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.removal = removal
        self.permutations = permutations
        self.trees = trees
        self.leaf = leaf
        self.depth = depth
        self.iterations = iterations
        self.learning_rate = learning_rate
        self.categories = categories
        self.options = options
        self.n_jobs = n_jobs
        self.random_state = random_state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters by their names; with ``deep``, also those of the classifier, as ``classifier__smoothing``."""
        parameters = {name: vars(self)[name] for name in self._get_param_names()}
        if deep:
            model = _as_model(self.classifier, {})
            nested: Mapping[str, Any] = {}
            if model is not None:
                values = {name: getattr(model, name) for name in model.options()}
                nested = {**values, **_options_beside(self.classifier, parameters)}
            elif hasattr(self.classifier, "get_params") and not isinstance(self.classifier, type):
                nested = self.classifier.get_params()
            parameters |= {f"classifier__{name}": value for name, value in nested.items()}
        return parameters

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters, ``classifier__smoothing`` and the like included.

        The classifiers of probfs do not change: one with other options takes the place of the old one, or of a name
        and the options beside it.
        """
        chosen = parameters.get("classifier", self.classifier)
        beside = {**self.get_params(deep=False), **parameters}
        model = _as_model(chosen, beside)
        if model is not None:
            nested = {name: value for name, value in parameters.items() if name.startswith("classifier__")}
            options = {name.removeprefix("classifier__"): value for name, value in nested.items()}
            for name in options:
                if name not in model.options():
                    valid = ", ".join(model.options())
                    raise ValueError(f"Invalid parameter {name!r} for {model!r}; valid parameters are {valid}")
            changed = replace(model, **options)
            parameters = {name: value for name, value in parameters.items() if name not in nested}
            # What get_params says may be given back, and changes nothing.
            if vars(changed) != vars(model):
                parameters |= dict.fromkeys(_options_beside(chosen, beside))
                chosen = changed
            parameters["classifier"] = chosen
        super().set_params(**parameters)
        return self

    def fit(self, X: Any, y: Any, sample_weight: Any = None, unlabeled: Any = None) -> Self:  # noqa: N803
        """Learn which columns to keep.

        Parameters
        ----------
        X : matrix or data frame of shape (n_samples, n_features)
            The rows. NaN, None and the like are missing cells.
        y : array-like of shape (n_samples,)
            The class of each row.
        sample_weight : array-like of shape (n_samples,), default=None
            How many equal rows each row stands for: whole numbers, 0 leaves a row out.
        unlabeled : matrix or data frame of shape (n_others, n_features), default=None
            Further rows, without classes, for ``score="unlabeled"`` and the Ŝ_SU in ``ranking_result_``.

        Returns
        -------
        ProbabilisticSelector
            The selector itself.
        """
        inputs = check_inputs(self, X, y, sample_weight, unlabeled, self.unlabeled_value)
        training = training_table(inputs.X, inputs.names, inputs.classes, inputs.counts)
        others = None
        if inputs.unlabeled is not None:
            others = feature_table(inputs.unlabeled, inputs.names, "unlabeled").table
        outcome = choose_features(training, others, self.get_params(deep=False), self._seed())
        self.classes_ = inputs.labels
        self.support_ = outcome.support
        self.ranking_ = outcome.ranks
        self.scores_ = outcome.scores
        self.n_features_ = int(outcome.support.sum())
        self.ranking_result_ = outcome.ranking
        if outcome.selection is not None:
            self.selection_result_ = outcome.selection
        elif hasattr(self, "selection_result_"):
            # Of an earlier fit with other parameters.
            del self.selection_result_
        for note in notes_for_users(outcome, inputs.names):
            warnings.warn(note, ProbfsWarning, stacklevel=2)
        return self

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
        container = getattr(self, "_transform_output", None) or get_config()["transform_output"]
        X = collected(X)  # noqa: N806
        if not is_frame(X) or not len(X):
            return super().transform(X)
        frame = validate_data(self, X, reset=False, skip_check_array=True)
        if container == "default":
            # Only what is kept need fit into a matrix.
            return _matrix(self._transform(as_pandas(frame)))
        # Whatever else is asked for can be made of a frame of pandas, too.
        return self._transform(frame if type(frame).__module__.startswith(container) else as_pandas(frame))

    def set_output(self, *, transform: str | None = None) -> Self:
        """What ``transform`` gives, ``"default"``, ``"pandas"`` or ``"polars"``; None leaves it as it is."""
        super().set_output(transform=transform)
        if transform is not None:
            # ``transform`` needs to know it before scikit-learn makes a frame of a matrix: types would be lost.
            self._transform_output = transform
        return self

    def __sklearn_clone__(self) -> Self:
        copy: Self = super().__sklearn_clone__()
        if hasattr(self, "_transform_output"):
            copy._transform_output = self._transform_output
        return copy

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

    def _seed(self) -> int:
        if self.random_state is None:
            return 0
        if isinstance(self.random_state, Integral):
            if self.random_state < 0:
                raise UsageError(f"{option('random_state')}: {self.random_state} is not a whole number from 0 on")
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))


def _as_model(classifier: Any, parameters: Mapping[str, Any]) -> UnfittedClassifier | None:
    """The classifier of probfs that an object is, or that a name with its options means; None for all else."""
    if isinstance(classifier, UnfittedClassifier):
        return classifier
    if not isinstance(classifier, str) or classifier not in CLASSIFIERS.names():
        return None
    return replace(CLASSIFIERS[classifier], **_options_beside(classifier, parameters))


def _options_beside(classifier: Any, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a classifier given by its name that are parameters of the selector."""
    names = CLASSIFIERS[classifier].options() if isinstance(classifier, str) else ()
    return {name: parameters[name] for name in names if parameters.get(name) is not None}


def _matrix(frame: Any) -> npt.NDArray[Any]:
    """A frame of pandas as a matrix, of objects if its types have no other in common."""
    if not frame.shape[1]:
        return np.empty(frame.shape)
    try:
        matrix = check_array(frame, dtype=None, ensure_all_finite="allow-nan")
    except np.exceptions.DTypePromotionError:
        matrix = frame.to_numpy(dtype=object)
    return np.asarray(matrix)
