"""One call from a table to its ranking, one to the selection of its columns, one to its pairs, one that reads it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from probfs.api.arguments import check_arguments, prepare
from probfs.api.options import CELLS, IN_PYTHON, PAIRS, RANK, READING, SELECT
from probfs.columns.choice import DEFAULT_MIN_CLASS, ColumnChoice
from probfs.columns.mapping import ColumnMapping
from probfs.columns.missing import note_on_unused
from probfs.columns.texts import read_texts
from probfs.notes import Note
from probfs.ranking.inputs import Data, as_table
from probfs.ranking.result import Ranking
from probfs.ranking.settings import (
    DEFAULT_FALSE_DISCOVERIES,
    DEFAULT_KEEP,
    DEFAULT_NESTED_FOLDS,
    choose_selection_settings,
    choose_settings,
)
from probfs.ranking.stages import rank_table
from probfs.runtime.progress import Progress
from probfs.tables.opening import ReadOptions
from probfs.tables.table import Table

if TYPE_CHECKING:
    from probfs.interaction.pairs import Pairs
    from probfs.selection.result import Selection


def rank(
    data: Data,
    y: Any = None,
    *,
    target: str | None = None,
    cut_target: int | None = None,
    min_class: int = DEFAULT_MIN_CLASS,
    mapping: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    unlabeled: Data | Iterable[Data] | None = None,
    classifier: Any = "nb",
    score: str = "signed",
    screen: bool = True,
    false_discoveries: float | None = None,
    estimate: str | None = None,
    folds: int | None = None,
    step: int | float | Literal["auto"] | None = None,
    eliminate: bool = True,
    always: str | Sequence[str] = (),
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    keep_identifiers: bool = False,
    count: str | None = None,
    join: str | Sequence[str] = (),
    together: Mapping[str, str | Sequence[str]] | None = None,
    group: str | None = None,
    weight: str | None = None,
    time: str | None = None,
    uncertainty: bool = False,
    seed: int = 0,
    engine: Literal["local", "dask"] = "local",
    scheduler: str | None = None,
    workers: int | None = None,
    report: bool = False,
    on_note: Callable[[Note], None] | None = None,
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
        pandas (without its index), polars, pyarrow, DuckDB, or whatever offers ``__arrow_c_stream__``; a numpy array;
        or what ``probfs.read`` returns.
    y : array-like, optional
        The values to predict, one for each row, if they are not a column of the table. None and NaN are unlabelled
        rows. The target has its name, or else ``"y"``.
    target : str, default: the mapping's, else the ARFF attribute called class, else the last column
        The column to predict. Rows without a value in it are unlabelled. Where it is taken by default, a
        ``probfs.TargetWarning`` says so.
    cut_target : int, optional
        The number of classes, 2 to 100, that a numeric target is cut into, at its quantiles.
    min_class : int, default 2
        Rows of classes with fewer rows than this are dropped, with a warning.
    mapping : path or dict, optional
        A TOML file that says how columns are cut, grouped or dropped, or a dictionary of what it would hold.
    unlabeled : path, data frame, array or several of them, default: none
        Further rows without a class, for the score Ŝ_SU. An array has the columns of ``data``, in their order.
    classifier : str, classifier or estimator, default "nb"
        The classifier whose probabilities are used, by its name or as an object with its options: ``"nb"`` or
        ``probfs.NaiveBayes()``, ``"svm"`` or ``probfs.SVM()``, and so on for ``"logistic"``, ``"forest"`` and
        ``"boosting"``. Or any estimator or pipeline of scikit-learn's kind that has ``predict_proba``: it is cloned for
        each fit, sees the classes as 0, 1, … in their order, and is given ``seed`` where its ``random_state`` is None.
    score : {"signed", "absolute", "unlabeled"}, default "signed"
        The score that decides which feature leaves: Ŝ_A, Ŝ_S or Ŝ_SU.
    screen : bool, default True
        Whether columns that cannot be told from noise, and repeats of other columns, leave in the first round. No
        column is tested for classifiers that see columns together (the SVM's RBF kernel, ``"forest"``, ``"boosting"``,
        and an estimator of yours that is not linear). False is the procedure of the paper.
    false_discoveries : float, default: 0.1, or none without ``screen``
        The share of noise that is tolerated, on average, among the columns told from noise.
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
    always : str or sequence of str, default: none
        Columns that are not tested, and leave after all others. ``"a,b"`` is both, where no column is called so.
    include, exclude : str or sequence of str, default: none
        Rank only these columns; leave these columns out. ``"a,b"`` is both, where no column is called so.
    keep_identifiers : bool, default False
        Whether to rank columns that look like identifiers, such as row numbers, too. They are left out otherwise,
        unless ``include`` or the mapping's ``[columns]`` names them.
    count : str, optional
        The column that says how many equal rows a row stands for.
    join : str or sequence of str, default: none
        Pairs of columns, as ``"a+b"``, whose joint value takes their place.
    together : dict, default: none
        Columns that are one feature together: they leave, are shuffled and are kept as one, and its p is the smallest
        of theirs times their number. ``{"colour": ["red", "blue"]}`` names the columns of each feature, or patterns of
        their names: ``{"colour": "colour_*"}``.
    group : str, optional
        The column that says which rows belong together, as those of one patient do. They are left out together, folds
        never split them, and tests take subjects as the unit. The column itself is never ranked.
    weight : str, optional
        The column that says how important each row is: any number from 0 on, of which only the proportions count.
        Scores and losses are weighted means, and tests are made for the effective number of rows. The column itself is
        never ranked, and rows of weight 0 are left out.
    time : str, optional
        The column of numbers or dates that says when rows came. Each row is judged by models of earlier rows only:
        folds are consecutive, the first is never judged, and leave-one-out is replaced. The column itself is never
        ranked.
    uncertainty : bool, default False
        Whether to measure how sure the ranking is: standard errors of the scores in round 1, and rank intervals. This
        ranks halves of the rows 50 times, and scores the rows 20 more times.
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
        Whether to keep with the ranking all that its ``to_html`` can show: what the table holds, how columns were cut,
        and the scores of all columns in up to 40 rounds. The ranking is the same.
    on_note : callable, optional
        Called with each ``probfs.Note`` as it arises: a line of text with a code and a severity. Without it, notes that
        are warnings become Python's, of the class ``probfs.ProbfsWarning``.
    on_progress : callable, optional
        Called with a ``probfs.Progress`` as each stage of the work begins and goes on: what is being done, how much of
        it, of how much in all, and in which unit. While a Parquet or Feather file is read, the calls come from threads
        of pyarrow, one at a time.
    **options
        How the table is read, in the keywords of ``probfs.read``. And options of a classifier that is given by its
        name, which ``help(probfs.NaiveBayes)`` and so on list: ``classifier="nb", smoothing=0.5`` is
        ``classifier=probfs.NaiveBayes(smoothing=0.5)``. An estimator takes ``removal``, ``permutations``, ``jobs`` and
        ``missing``, as ``probfs.Forest`` does, and ``categories``, which says how columns reach it: ``"onehot"`` is a
        matrix of numbers, with a column of 0 and 1 for each value of a category; ``"codes"`` one of whole numbers,
        columns of many numbers being cut first (into ``bins`` intervals), for ``CategoricalNB`` and its kind;
        ``"frame"`` a pandas data frame, for pipelines with a ``ColumnTransformer``. The default is what the estimator
        needs, as far as its tags tell.

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
    >>> frame = pandas.DataFrame({"a": list("xxyyxxyy"), "b": list("uvuvuvuv"), "y": list("00110011")})
    >>> [feature.feature for feature in rank(frame, target="y", smoothing=0.5).features]
    ['a', 'b']
    """
    with prepare(rank, RANK, locals(), choose_settings) as (opened, request, settings, note):
        return rank_table(opened, request, settings, note, tell=report)


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
    cut_target: int | None = None,
    min_class: int = DEFAULT_MIN_CLASS,
    mapping: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    keep_identifiers: bool = False,
    join: str | Sequence[str] = (),
    together: Mapping[str, str | Sequence[str]] | None = None,
    count: str | None = None,
    group: str | None = None,
    weight: str | None = None,
    time: str | None = None,
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
    where models that do not know a row predict it best. All of that is then repeated without each of some folds, and
    judged on that fold: the honest estimate.

    Parameters
    ----------
    data, y
        The table, and the values to predict if they are not a column of it, as for ``rank``.
    false_discoveries : float, default 0.1
        The share of noise that is tolerated, on average, among the columns told from noise; 1 screens nothing.
    keep : {"best", "fewest", "most"} or int, default "best"
        How many columns to keep: as many as have the least log-loss on rows that the model does not know, the fewest or
        the most within one standard error of it, or at most this number: fewer where fewer are told from noise.
    always : str or sequence of str, default: none
        Columns that are neither tested nor eliminated. ``"a,b"`` is both, where no column is called so.
    folds : int, default 10
        The number of folds in which the choice is repeated and judged on unseen rows; 0: none.
    score : {"signed", "absolute"}, default "signed"
        The score that decides which feature leaves: Ŝ_A or Ŝ_S.
    seed : int, default 0
        The seed of the folds, of tables that are drawn to test columns of rare values, and of the SVM's shuffles.
    target, cut_target, min_class, mapping, include, exclude, keep_identifiers, join, together
        Which columns there are, as for ``rank``.
    count, group, weight, time
        Columns with the counts, subjects, weights and times of rows, as for ``rank``.
    classifier : str, classifier or estimator, default "nb"
        The classifier whose probabilities are used, as for ``rank``. All but ``"nb"`` are cross-validated in ten folds
        for every number of columns.
    engine, scheduler, workers, report, on_note, on_progress, **options
        Where the work is done, where notes and progress go, how the table is read, and options of the classifier, as
        for ``rank``.

    Returns
    -------
    Selection
        A verdict on every column, and the honest estimate.

    Examples
    --------
    >>> selection = select("sample_data/breast_cancer.csv", target="class", keep=2, folds=0)
    >>> selection.kept
    ('cell_shape_uniformity', 'bare_nuclei')
    """
    with prepare(select, SELECT, locals(), choose_selection_settings) as (opened, request, settings, note):
        from probfs.selection.stages import select_columns

        return select_columns(opened, request, settings, note, tell=report)


def pairs(
    data: Data,
    y: Any = None,
    *,
    false_discoveries: float = 0.05,
    seed: int = 0,
    target: str | None = None,
    cut_target: int | None = None,
    min_class: int = DEFAULT_MIN_CLASS,
    mapping: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    keep_identifiers: bool = False,
    count: str | None = None,
    on_note: Callable[[Note], None] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Pairs:
    """Say which pairs of columns tell more together than one by one.

    For each pair, the table of both (cut) columns and the class is tested against the log-linear model in which each
    column shifts the log-odds of the classes by the same amount, whatever the other holds.

    Parameters
    ----------
    data, y
        The table, and the values to predict if they are not a column of it, as for ``rank``.
    false_discoveries : float, default 0.05
        The share of chance findings tolerated, on average, among the pairs that count as found.
    seed : int, default 0
        The seed of tables that are drawn to test pairs of rare values.
    target, cut_target, min_class, mapping, include, exclude, keep_identifiers, count
        Which columns and rows there are, as for ``rank``.
    on_note, on_progress, **options
        Where notes and progress go, and how the table is read, as for ``rank``; and ``bins`` and ``missing`` of
        ``probfs.NaiveBayes``.

    Returns
    -------
    Pairs
        All pairs, best first, each with its gain, p and q.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"a": [0, 0, 1, 1] * 9, "b": [0, 1] * 18, "y": [0, 1, 1, 0] * 9})
    >>> pairs(frame, target="y").found[0].b
    'b'
    """
    with prepare(pairs, PAIRS, locals(), choose_settings) as (opened, request, settings, note):
        from probfs.interaction.pairs import find_pairs

        return find_pairs(opened, request, settings, settings.noise_above, note)


def read(
    data: Data,
    *,
    feature_names: Sequence[str] | None = None,
    na: str | Sequence[str] = (),
    dates: Literal["dmy", "mdy"] | None = None,
    ignore_case: bool = False,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    max_unpacked: int | None = None,
    input_format: str | None = None,
    union: bool = False,
    sheet: str | None = None,
    skip_rows: int | None = None,
    no_header: bool = False,
) -> Table:
    """Read a table once, to rank it, or select from it, several times.

    Parameters
    ----------
    data : path, list of paths, data frame or array
        The table, as for ``rank``.
    feature_names : sequence of str, default: x0, x1 …
        The names of the columns of an array.
    na : str or sequence of str, default: texts that look missing in columns of numbers
        Texts that mean missing, besides the empty cell. ``"auto"`` takes all that look missing, like NA, N/A, null
        and ?, in every column; ``"none"`` takes only those named.
    dates : {"dmy", "mdy"}, default: as the dates of each column show it
        Whether the day or the month comes first in dates such as 1/2/2024.
    ignore_case : bool, default False
        Whether values that differ only in case are the same; they are called by their most frequent spelling.
    delimiter : str, default: ",", or ";", a tab or "|" where the first lines show it
        What separates the cells of a CSV file.
    decimal : {".", ","}, default: a point
        The decimal separator of numbers; the other one separates thousands. Columns of decimal commas are noticed
        without it.
    encoding : str, default: UTF-8, or Windows-1252 where the text is not UTF-8 but may be that
        The encoding of text files.
    max_unpacked : int, default: 4 GB, less for data that is packed suspiciously well
        How many bytes compressed data may unpack to.
    input_format : {"csv", "tsv", "arff", "parquet", "feather", "jsonl", "excel"}, default: by its ending or content
        The format of the file.
    union : bool, default False
        Whether files of one table may have different columns: where a file lacks one, its cells are missing. Columns
        that the first file lacks come before its last. Otherwise such files are refused.
    sheet : str, default: the first
        Which sheet of an Excel workbook to read.
    skip_rows : int, default: titles and comments above the header
        How many lines of a CSV file, or rows of a sheet, to pass over before the header.
    no_header : bool, default False
        Whether the first row holds data: the columns are called ``column 1``, ``column 2`` and so on.

    Returns
    -------
    Table
        Columns of numbers, dates and texts: ``kinds`` says which is which, ``arrow`` is the ``pyarrow.Table``, and
        ``notes`` say what to know about how it was read.

    Examples
    --------
    >>> table = read("sample_data/commute.csv")
    >>> table.rows, table.kinds["distance"]
    (240, 'text')
    """
    given = check_arguments(read, READING | CELLS | IN_PYTHON, locals(), {})
    choice = ColumnChoice(**{name: given[name] for name in CELLS if name in given})
    mapping, found = ColumnMapping(), set[str]()
    reading = {name: given[name] for name in READING if name in given}
    raw = as_table(data, ReadOptions(**reading, na=choice.missing_texts(mapping)), feature_names)
    meaning, table = read_texts(raw, mapping, choice, decimal, target=None, found=found)
    unused = note_on_unused(choice.named_missing, found, table.columns.values())
    return table.with_notes([*meaning.notes(table.columns), *unused])
