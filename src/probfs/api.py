"""The library's front door: one call from a table to its ranking."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

from probfs import __version__
from probfs.choices import DEFAULT_BINS, Classifier, Estimate, Kernel, Removal, Score, TableFormat
from probfs.classifiers.protocol import Classifier as Backend
from probfs.classifiers.scores import SCORES
from probfs.classifiers.settings import Cost, Gamma, Settings, settle
from probfs.columns.dataset import Dataset
from probfs.columns.distinct_rows import merge_equal_rows, order_by_content
from probfs.columns.encoding import encode
from probfs.columns.mapping_file import MappingFile, load_mapping
from probfs.columns.preparation import Prepared, apply_mapping, prepare
from probfs.columns.roles import ColumnChoice
from probfs.errors import UsageError
from probfs.ranking import elimination
from probfs.ranking.elimination import Round
from probfs.ranking.result import InputSummary, Ranking, collect
from probfs.tables.readers import ReadOptions, read_table
from probfs.tables.source import STANDARD_INPUT
from probfs.tables.table import Table
from probfs.text import option, printable

if TYPE_CHECKING:
    import pandas

Data: TypeAlias = "str | os.PathLike[str] | pandas.DataFrame | Table"


def rank(
    data: Data,
    *,
    target: str | None = None,
    mapping: str | os.PathLike[str] | None = None,
    unlabeled: Data | Sequence[Data] = (),
    classifier: Classifier = "nb",
    score: Score = "absolute",
    estimate: Estimate | None = None,
    folds: int | None = None,
    smoothing: float | None = None,
    kernel: Kernel | None = None,
    C: Cost | None = None,  # noqa: N803  # what everybody calls it
    gamma: Gamma | None = None,
    removal: Removal | None = None,
    permutations: int | None = None,
    step: int | float = 1,
    eliminate: bool = True,
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    count: str | None = None,
    bins: int | None = None,
    na: str | Sequence[str] = (),
    delimiter: str | None = None,
    encoding: str = "utf-8",
    max_unpacked: int | None = None,
    input_format: TableFormat | None = None,
    seed: int = 0,
    jobs: int | None = None,
    on_note: Callable[[str], None] | None = None,
    on_round: Callable[[Round], None] | None = None,
    on_model: Callable[[int, int], None] | None = None,
) -> Ranking:
    """Rank the columns of a table by how much the class probabilities change without them.

    ``data`` is a path (``-`` for standard input) or a pandas data frame; the options are those of ``probfs rank``.
    ``on_note`` is called with each note as it arises, ``on_round`` after each round of the elimination, and
    ``on_model`` with how many models of the SVM have been fitted and how many will be.

    >>> import pandas
    >>> frame = pandas.DataFrame({"a": list("xxyyxxyy"), "b": list("uvuvuvuv"), "y": list("00110011")})
    >>> [feature.feature for feature in rank(frame, target="y").features]
    ['a', 'b']
    """
    step = _plain_number(step)
    settings = settle(
        classifier=classifier,
        score=score,
        estimate=estimate,
        folds=folds,
        step=step,
        eliminate=eliminate,
        seed=seed,
        own={
            "smoothing": smoothing,
            "bins": bins,
            "kernel": kernel,
            "C": C,
            "gamma": gamma,
            "removal": removal,
            "permutations": permutations,
            "jobs": jobs,
        },
        names={
            "mapping": None if mapping is None else printable(os.fspath(mapping)),
            "count": _text(count),
            "na": _texts(na),
            "include": _texts(include),
            "exclude": _texts(exclude),
        },
    )
    further = _tables(unlabeled)
    if sum(isinstance(table, str) and table == STANDARD_INPUT for table in (data, *further)) > 1:
        raise UsageError("standard input can be read only once; name files for the others")

    options = ReadOptions(input_format, delimiter, encoding, max_unpacked)
    choice = ColumnChoice(
        _text(target),
        settings.count,
        settings.include,
        settings.exclude,
        settings.na,
        settings.bins or DEFAULT_BINS,
        measured=classifier == "svm",
    )
    prepared, mapping_file = load(data, mapping, options, choice)
    others = [_table(more, options, further=True) for more in further]
    say = on_note or (lambda note: None)
    say(target_note(prepared))
    dataset, notes = encode(prepared, others, choice, (*settings.na, *mapping_file.missing))
    warnings = (*prepared.notes, *(note for table in others for note in table.notes), *notes)
    for note in warnings:
        say(note)
    if score == "unlabeled" and not dataset.unlabelled_rows:
        problem = "--score unlabeled: there is no unlabelled row"
        raise UsageError(f"{problem}; add some with --unlabeled FILE, or as rows without a value in the target")

    if classifier == "svm":
        dataset = order_by_content(dataset, settings.seed)
        backend = _svm(dataset, settings, jobs, say, on_model)
    else:
        dataset = merge_equal_rows(dataset)
        backend = _naive_bayes(dataset, settings, elimination.schedule(len(dataset.features), settings.step))
    names = [feature.name for feature in dataset.features]
    rounds = elimination.eliminate(backend, names, SCORES[score], settings.step)
    features, summaries = collect(_watched(rounds, on_round), names)
    for note in backend.notes:
        say(note)
    summary = InputSummary(
        source=prepared.table.source,
        target=prepared.target,
        target_reason=prepared.target_reason,
        classes=dataset.class_rows(),
        labelled_rows=dataset.rows,
        unlabelled_rows=dataset.unlabelled_rows,
        unlabelled_sources=tuple(table.source for table in others),
        features=len(names),
    )
    return Ranking(features, summaries, summary, settings, (*warnings, *backend.notes), __version__)


def _naive_bayes(dataset: Dataset, settings: Settings, rounds: Sequence[int]) -> Backend:
    from probfs.classifiers.naive_bayes.classifier import NaiveBayes

    assert settings.smoothing is not None
    return NaiveBayes(dataset, settings.estimate, settings.folds or 0, settings.smoothing, settings.seed, rounds)


def _svm(
    dataset: Dataset,
    settings: Settings,
    jobs: int | None,
    say: Callable[[str], None],
    on_model: Callable[[int, int], None] | None,
) -> Backend:
    # Only here is scikit-learn imported, which takes longer than most rankings.
    from probfs.classifiers.svm.classifier import Svm

    rounds = elimination.schedule(len(dataset.features), settings.step)
    assert settings.kernel is not None
    assert settings.C is not None
    assert settings.removal is not None
    backend = Svm(
        dataset,
        kernel=settings.kernel,
        C=settings.C,
        gamma=settings.gamma,
        removal=settings.removal,
        permutations=settings.permutations,
        estimate=settings.estimate,
        folds=settings.folds,
        seed=settings.seed,
        rounds=rounds,
        jobs=jobs,
        on_model=on_model,
    )
    if settings.estimate == "loo":
        say(f"leave-one-out with the SVM: {backend.cost}; {option('estimate', 'cv')} takes less")
    elif backend.takes_long:
        say(f"{backend.cost}; a larger {option('step')} takes less")
    return backend


def load(
    data: Data, mapping: str | os.PathLike[str] | None, options: ReadOptions, choice: ColumnChoice
) -> tuple[Prepared, MappingFile]:
    """Read a table and its mapping, and decide what every column is for."""
    mapping_file = MappingFile() if mapping is None else load_mapping(mapping)
    return prepare(_table(data, options), mapping_file, choice), mapping_file


def mapped_table(
    data: Data,
    mapping: str | os.PathLike[str],
    options: ReadOptions,
    choice: ColumnChoice,
    on_note: Callable[[str], None],
) -> tuple[Table, str]:
    """The table with a mapping's rules applied and its dropped columns left out, and the name of its target."""
    prepared, mapping_file = load(data, mapping, options, choice)
    on_note(target_note(prepared))
    return apply_mapping(prepared, mapping_file), prepared.target


def target_note(prepared: Prepared) -> str:
    """Which column is predicted, and on whose word."""
    return f"target: {printable(prepared.target)} ({prepared.target_reason})"


def _table(data: Data, options: ReadOptions, further: bool = False) -> Table:
    if isinstance(data, Table):
        return data
    if isinstance(data, (str, os.PathLike)):
        return read_table(data, options.for_another(data) if further else options)
    if not hasattr(data, "columns"):
        raise UsageError(f"data must be a path or a pandas data frame, not {type(data).__name__}")
    from probfs.tables.readers.frame import table_from_frame

    return table_from_frame(data)


def _tables(data: Data | Sequence[Data]) -> Sequence[Data]:
    """Several tables, also when one was given."""
    one = isinstance(data, (str, os.PathLike, Table)) or hasattr(data, "columns")
    return [cast("Data", data)] if one else cast("Sequence[Data]", data)


def _texts(names: str | Sequence[str]) -> tuple[str, ...]:
    """Names as texts: one name is a list of one, and a frame's columns may be called by numbers."""
    return (names,) if isinstance(names, str) else tuple(str(name) for name in names or ())


def _text(name: str | None) -> str | None:
    return None if name is None else str(name)


def _plain_number(number: int | float) -> int | float:
    """A number of numpy's as one of Python's."""
    plain: int | float = number.item() if hasattr(number, "item") else number
    return plain


def _watched(rounds: Iterator[Round], on_round: Callable[[Round], None] | None) -> Iterator[Round]:
    for current in rounds:
        yield current
        if on_round is not None:
            on_round(current)
