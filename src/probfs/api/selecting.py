"""One call from a table to the selection of its columns."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Literal

from probfs.api.arguments import (
    column_choice,
    column_settings,
    describe_call,
    refuse_unknown,
    split_reading,
    texts,
    warn_unless,
)
from probfs.api.engines import open_engine
from probfs.columns.choice import DEFAULT_MIN_CLASS
from probfs.notes import Note
from probfs.ranking.inputs import Data, InputRequest, Labels
from probfs.ranking.stages import Listeners
from probfs.runtime.progress import Progress, listening
from probfs.selection.settings import (
    DEFAULT_FALSE_DISCOVERIES,
    DEFAULT_KEEP,
    DEFAULT_NESTED_FOLDS,
    choose_selection_settings,
)

if TYPE_CHECKING:
    from probfs.selection.result import Selection


def select(
    data: Data,
    y: Any = None,
    *,
    false_discoveries: float = DEFAULT_FALSE_DISCOVERIES,
    keep: Literal["best", "fewest", "most"] | int = DEFAULT_KEEP,
    always: str | Sequence[str] = (),
    folds: int = DEFAULT_NESTED_FOLDS,
    score: str = "signed",
    seed: int = 0,
    target: str | None = None,
    feature_names: Sequence[str] | None = None,
    cut_target: int | None = None,
    min_class: int = DEFAULT_MIN_CLASS,
    mapping: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    keep_identifiers: bool = False,
    count: str | None = None,
    na: str | Sequence[str] = (),
    classifier: Any = "nb",
    engine: Literal["local", "dask"] = "local",
    scheduler: str | None = None,
    workers: int | None = None,
    report: bool = False,
    on_note: Callable[[Note], None] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Selection:
    """Say which columns of a table to keep, why the others may go, and what a model of the kept ones achieves.

    Each column is first tested against the class. Those told from noise are eliminated one by one, and the table is cut
    where models that do not know a row predict it best. All of that is then repeated without each of some folds, whose
    rows are predicted: the honest estimate.

    Parameters
    ----------
    data : path, list of paths, data frame or array
        The table, as for ``rank``.
    y : array-like, optional
        The values to predict, where they are no column of the table, as for ``rank``.
    false_discoveries : float, default 0.1
        The share of noise that is tolerated, on average, among the columns told from noise; 1 screens nothing.
    keep : {"best", "fewest", "most"} or int, default "best"
        How many columns to keep: as many as have the least log-loss on rows that the model does not know, the fewest or
        the most within one standard error of it, or at most this number: fewer where fewer are told from noise.
    always : str or sequence of str, default: none
        Columns that are neither tested nor eliminated. ``"a,b"`` is both, where no column is called so.
    folds : int, default 10
        In how many folds the choice is repeated and judged on unseen rows; 0: not at all.
    score : {"signed", "absolute"}, default "signed"
        The score that decides which feature leaves: Ŝ_A or Ŝ_S.
    seed : int, default 0
        The seed of the folds, of tables that are drawn to test columns of rare values, and of the SVM's shuffles.
    target, feature_names, cut_target, min_class, mapping, include, exclude, keep_identifiers, count, na
        Which columns and rows there are, as for ``rank``.
    classifier : str, classifier or estimator, default "nb"
        The classifier whose probabilities are used, as for ``rank``. All but ``"nb"`` are cross-validated in ten folds
        for every number of columns; for those that see columns together (the SVM's RBF kernel, ``"forest"``,
        ``"boosting"``, and an estimator of yours that is not linear), no column is tested.
    engine : {"local", "dask"}, default "local"
        Where the work is done: in this process, or on a Dask cluster, whose workers read the files themselves, as for
        ``rank``. The selection is the same.
    scheduler, workers
        For ``engine="dask"``: which cluster, or how large a one on this machine, as for ``rank``.
    report : bool, default False
        Whether to keep with the selection all that its ``to_html`` can tell, as for ``rank``.
    on_note, on_progress : callable, optional
        Called with each note, and with a ``probfs.Progress``, as for ``rank``.
    **options
        How a file is read, and options of a classifier that is given by its name, or of an estimator, as for ``rank``.

    Returns
    -------
    Selection
        A verdict on every column, and the honest estimate.

    Raises
    ------
    ProbfsError
        If the table cannot be read, or if a parameter or the mapping is wrong; its message is one line.

    Examples
    --------
    >>> selection = select("sample_data/breast_cancer.csv", target="class", keep=2, folds=0)
    >>> selection.kept
    ('cell_shape_uniformity', 'bare_nuclei')
    """
    call = describe_call(select, locals()) if report else None
    reading, options = split_reading(options)
    refuse_unknown(select, options)
    settings = choose_selection_settings(
        classifier=classifier,
        score=score,
        folds=folds,
        seed=seed,
        false_discoveries=false_discoveries,
        keep=keep,
        always=texts(always),
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
    listeners = Listeners(on_note or Listeners.on_note, on_assumed_target=warn_unless(on_note))
    with (
        nullcontext() if on_progress is None else listening(on_progress),
        open_engine(engine, scheduler, workers, settings) as stages,
    ):
        labels = Labels(y, feature_names)
        choice = column_choice(settings, target)
        request = InputRequest(data, None, mapping, reading, choice, labels, every_column=report)
        from probfs.selection.stages import select_columns

        return select_columns(stages, request, settings, listeners, call)
