"""One call from a table to its ranking."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Literal

from probfs.api.arguments import (
    column_choice,
    column_settings,
    describe_call,
    refuse_unknown,
    split_reading,
    warn_unless,
)
from probfs.api.engines import open_engine
from probfs.columns.choice import DEFAULT_MIN_CLASS
from probfs.notes import Note
from probfs.ranking.elimination import Round
from probfs.ranking.inputs import Data, InputRequest, Labels
from probfs.ranking.result import Ranking
from probfs.ranking.settings import choose_settings
from probfs.ranking.stages import Listeners, rank_table
from probfs.runtime.progress import Progress, listening


def rank(
    data: Data,
    y: Any = None,
    *,
    target: str | None = None,
    feature_names: Sequence[str] | None = None,
    cut_target: int | None = None,
    min_class: int = DEFAULT_MIN_CLASS,
    mapping: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    unlabeled: Data | Iterable[Data] | None = None,
    classifier: Any = "nb",
    score: str = "absolute",
    estimate: str | None = None,
    folds: int | None = None,
    step: int | float | Literal["auto"] | None = None,
    eliminate: bool = True,
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    keep_identifiers: bool = False,
    count: str | None = None,
    na: str | Sequence[str] = (),
    uncertainty: bool = False,
    seed: int = 0,
    engine: Literal["local", "dask"] = "local",
    scheduler: str | None = None,
    workers: int | None = None,
    report: bool = False,
    on_note: Callable[[Note], None] | None = None,
    on_round: Callable[[Round], None] | None = None,
    on_model: Callable[[int, int], None] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Ranking:
    """Rank the columns of a table by how much the class probabilities change without them.

    Parameters
    ----------
    data : path, list of paths, data frame or array
        The table: a CSV, TSV, ARFF, Parquet, Feather, JSON lines or Excel file, compressed or not, ``"-"`` for standard
        input; several such files, as a list, a pattern (``"sales/*.parquet"``) or a folder, in which folders called
        ``key=value`` are columns; the URL of any of these, if fsspec and its driver are installed; a data frame of
        pandas (whose index is not one of its columns), polars (lazy, too), pyarrow, DuckDB, or whatever offers
        ``__arrow_c_stream__``; a numpy array of two dimensions; or what ``probfs.read`` returns.
    y : array-like, optional
        The values to predict, one for each row, where they are no column of the table: a list, a Series, an Arrow or a
        numpy array. None and NaN are unlabelled rows. Its name, or else ``"y"``, is the target's.
    target : str, default: the mapping's, else the ARFF attribute called class, else the last column
        The column to predict. Rows without a value in it are unlabelled. Where it is taken by default, and there is no
        ``on_note`` to say so, a ``probfs.TargetWarning`` does.
    feature_names : sequence of str, default: x0, x1 …
        The names of the columns of an array.
    cut_target : int, optional
        Into how many classes a target of numbers is cut, at its quantiles: 2 to 100.
    min_class : int, default 2
        Rows of classes with fewer rows than this are dropped, with a warning.
    mapping : path or dict, optional
        A TOML file that says how columns are cut, grouped or dropped, or a dictionary of what it would hold.
    unlabeled : path, data frame, array or several of them, default: none
        Further rows without a class, for the score Ŝ_SU. An array has the columns of ``data``, in their order.
    classifier : str, classifier or estimator, default "nb"
        The classifier whose probabilities are used, by its name or as an object with its options: ``"nb"`` or
        ``probfs.NaiveBayes()``, ``"svm"`` or ``probfs.SVM()``, ``"logistic"`` or ``probfs.Logistic()``, ``"forest"`` or
        ``probfs.Forest()``, ``"boosting"`` or ``probfs.Boosting()``. Or any estimator or pipeline of scikit-learn's
        kind that has ``predict_proba``: it is cloned for each fit, sees the classes as 0, 1, … in their order, and is
        given ``seed`` where its ``random_state`` is None.
    score : {"absolute", "signed", "unlabeled"}, default "absolute"
        The score that decides which feature leaves: Ŝ_S, Ŝ_A or Ŝ_SU.
    estimate : {"loo", "resubstitution", "cv", "oob"}, default: "loo" for "nb", "resubstitution" for "svm", else "cv"
        Which model scores a labelled row: one trained on all other rows, on all rows, or on the other folds; for
        forests, also the trees for which the row was not drawn.
    folds : int, default 10
        The number of folds of ``estimate="cv"``.
    step : int, float or "auto", default: 1 for "nb", else "auto"
        How many features leave in a round: a number, a fraction of those that remain, or ``"auto"``: a tenth of them
        while more than 30 remain, then one by one.
    eliminate : bool, default True
        Whether to eliminate recursively; otherwise features are ranked by the scores of one round.
    include, exclude : str or sequence of str, default: none
        Rank only these columns; leave these columns out. ``"a,b"`` is both, where no column is called so.
    keep_identifiers : bool, default False
        Whether to rank columns that look like identifiers, such as row numbers, too. They are left out otherwise,
        unless ``include`` or the mapping's ``[columns]`` names them.
    count : str, optional
        The column that says how many equal rows a row stands for.
    na : str or sequence of str, default: texts that look so in columns of numbers
        Texts that mean missing, besides the empty cell. ``"auto"`` takes all that look so, like NA, N/A, null and ?, in
        every column; ``"none"`` takes none but those named.
    uncertainty : bool, default False
        Whether to measure how sure the ranking is: standard errors of the scores in round 1, and rank intervals. The
        rows are ranked by halves 50 times, and scored 20 times more.
    seed : int, default 0
        The seed of folds and shuffles, of forests, of tables drawn for p-values where values are rare, and of the
        samples of ``uncertainty``; nothing else is random.
    engine : {"local", "dask"}, default "local"
        Where the work is done: in this process, or on a Dask cluster, whose workers read the files themselves. The
        ranking is the same.
    scheduler : str, default: a cluster of processes on this machine
        For ``engine="dask"``: the address of a cluster's scheduler, such as ``"tcp://host:8786"``.
    workers : int, default: one for each core
        For ``engine="dask"`` without a ``scheduler``: how many processes work on this machine.
    report : bool, default False
        Whether to keep with the ranking all that its ``to_html`` can tell: what the table holds, how columns were cut,
        and the scores of all columns in up to 40 rounds. The ranking is the same.
    on_note : callable, optional
        Called with each ``probfs.Note`` as it arises: a line of text with a code and a severity.
    on_round : callable, optional
        Called with each round of the elimination when it is over.
    on_model : callable, optional
        Called with how many models have been fitted and how many there will be, by classifiers that fit many.
    on_progress : callable, optional
        Called with a ``probfs.Progress`` as each stage of the work begins and goes on: what is being done (reading,
        preparing columns, compiling loops the first time they are needed …), how much of it is done, of how much in
        all, and in which unit. While a Parquet or Feather file is read, the calls come from threads of pyarrow, one at
        a time; all others come from the thread that called ``rank``.
    **options
        How a file is read, in the keywords of ``probfs.read``: ``delimiter``, ``decimal``, ``encoding``,
        ``max_unpacked``, ``input_format``, ``union``, ``sheet``, ``skip_rows``. And options of a classifier that is
        given by its name: ``classifier="nb", smoothing=0.5`` is
        ``classifier=probfs.NaiveBayes(smoothing=0.5)``. ``help(probfs.NaiveBayes)`` and so on list them. An estimator
        takes ``removal``, ``permutations``, ``jobs`` and ``missing``, as ``probfs.Forest`` does, and ``categories``,
        which says how columns reach it. ``"onehot"`` is a matrix of numbers, with a column of 0 and 1 for each value of
        a category; ``"codes"`` one of whole numbers, columns of many numbers being cut first (into ``bins`` intervals),
        for ``CategoricalNB`` and its kind; ``"frame"`` a pandas data frame with the columns' own names, for pipelines
        with a ``ColumnTransformer``. By default it is ``"frame"`` where there is such a transformer, ``"codes"`` where
        the estimator's tags say that it counts categories, and otherwise ``"onehot"``.

    Returns
    -------
    Ranking
        The features from the most to the least important, and every round that led there.

    Raises
    ------
    ProbfsError
        If the table cannot be read or ranked, or if a parameter or the mapping is wrong; its message is one line.

    Examples
    --------
    >>> import pandas
    >>> from probfs import NaiveBayes
    >>> frame = pandas.DataFrame({"a": list("xxyyxxyy"), "b": list("uvuvuvuv"), "y": list("00110011")})
    >>> [feature.feature for feature in rank(frame, target="y").features]
    ['a', 'b']
    >>> ranking = rank(frame, target="y", classifier="nb", smoothing=0.5)
    >>> ranking == rank(frame, target="y", classifier=NaiveBayes(smoothing=0.5))
    True
    >>> import numpy
    >>> [feature.feature for feature in rank(numpy.eye(4), [0, 0, 1, 1], feature_names=list("abcd")).features]
    ['a', 'b', 'c', 'd']
    """
    call = describe_call(rank, locals()) if report else None
    reading, options = split_reading(options)
    refuse_unknown(rank, options)
    settings = choose_settings(
        classifier=classifier,
        score=score,
        estimate=estimate,
        folds=folds,
        step=step,
        eliminate=eliminate,
        seed=seed,
        uncertainty=uncertainty,
        options=options,
        columns=column_settings(
            mapping=mapping,
            count=count,
            na=na,
            include=include,
            exclude=exclude,
            keep_identifiers=keep_identifiers,
            cut_target=cut_target,
            min_class=min_class,
        ),
    )
    listeners = Listeners(on_note or Listeners.on_note, on_round, on_model, warn_unless(on_note))

    with (
        nullcontext() if on_progress is None else listening(on_progress),
        open_engine(engine, scheduler, workers, settings) as stages,
    ):
        labels = Labels(y, feature_names)
        choice = column_choice(settings, target)
        request = InputRequest(data, unlabeled, mapping, reading, choice, labels, every_column=report)
        return rank_table(stages, request, settings, listeners, call)
