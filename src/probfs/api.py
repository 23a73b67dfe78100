"""The library's front door: one call from a table to its ranking."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast, get_args

from probfs import __version__, elimination
from probfs.backends.naive_bayes import NaiveBayes
from probfs.choices import DEFAULT_BINS, DEFAULT_FOLDS, MOST_BINS, Classifier, Estimate, Score, TableFormat
from probfs.elimination import Round
from probfs.encoding import encode
from probfs.errors import UsageError
from probfs.mapping import MappingFile, load_mapping
from probfs.preparation import ColumnChoice, Prepared, apply_mapping, prepare
from probfs.ranking import InputSummary, Ranking, Settings, collect
from probfs.readers import ReadOptions, read_table
from probfs.table import Table
from probfs.text import printable

if TYPE_CHECKING:
    import pandas

Data: TypeAlias = "str | os.PathLike[str] | pandas.DataFrame"

LEAST_SMOOTHING, MOST_SMOOTHING = 1e-100, 1e100


def rank(
    data: Data,
    *,
    target: str | None = None,
    mapping: str | os.PathLike[str] | None = None,
    unlabeled: Data | Sequence[Data] = (),
    classifier: Classifier = "nb",
    score: Score = "absolute",
    estimate: Estimate = "loo",
    folds: int | None = None,
    smoothing: float = 1.0,
    step: int | float = 1,
    eliminate: bool = True,
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    count: str | None = None,
    bins: int = DEFAULT_BINS,
    na: str | Sequence[str] = (),
    delimiter: str | None = None,
    encoding: str = "utf-8",
    input_format: TableFormat | None = None,
    seed: int = 0,
    on_note: Callable[[str], None] | None = None,
    on_round: Callable[[Round], None] | None = None,
) -> Ranking:
    """Rank the columns of a table by how much the class probabilities change without them.

    ``data`` is a path (``-`` for standard input) or a pandas data frame; the options are those of ``probfs rank``.
    ``on_note`` is called with each note as it arises, ``on_round`` after each round of the elimination.

    >>> import pandas
    >>> frame = pandas.DataFrame({"a": list("xxyyxxyy"), "b": list("uvuvuvuv"), "y": list("00110011")})
    >>> [feature.feature for feature in rank(frame, target="y").features]
    ['a', 'b']
    """
    _check_choices(classifier, score, estimate)
    step = _plain_number(step)
    if sum(isinstance(table, str) and table == "-" for table in (data, *_tables(unlabeled))) > 1:
        raise UsageError("standard input can be read only once; name files for the others")
    _check_numbers(estimate, folds, smoothing, step, bins, seed)
    included, excluded, missing = _texts(include), _texts(exclude), _texts(na)
    say = on_note or (lambda note: None)
    warnings: list[str] = []

    options = ReadOptions(input_format, delimiter, encoding)
    choice = ColumnChoice(_text(target), _text(count), included, excluded, missing, bins)
    prepared, mapping_file = load(data, mapping, options, choice)
    say(target_note(prepared))
    others = [_table(more, options, further=True) for more in _tables(unlabeled)]
    dataset, notes = encode(prepared, others, choice, (*missing, *mapping_file.missing))
    for note in (*prepared.notes, *(note for table in others for note in table.notes), *notes):
        warnings.append(note)
        say(note)
    if score == "unlabeled" and not dataset.unlabelled_rows:
        problem = "--score unlabeled: there is no unlabelled row"
        raise UsageError(f"{problem}; add some with --unlabeled FILE, or as rows without a value in the target")

    names = [feature.name for feature in dataset.features]
    backend = NaiveBayes(dataset, estimate, folds or DEFAULT_FOLDS, smoothing, seed)
    rounds = elimination.eliminate(backend, names, score, step if eliminate else None)
    features, summaries = collect(_watched(rounds, on_round), names)
    return Ranking(
        features,
        summaries,
        InputSummary(
            prepared.table.source,
            prepared.target,
            prepared.target_reason,
            dataset.class_rows(),
            dataset.rows,
            dataset.unlabelled_rows,
            tuple(table.source for table in others),
            len(names),
        ),
        Settings(
            classifier,
            score,
            estimate,
            (folds or DEFAULT_FOLDS) if estimate == "cv" else None,
            smoothing,
            step if eliminate else None,
            eliminate,
            bins,
            seed,
            None if mapping is None else mapping_file.source,
            choice.count,
            missing,
            included,
            excluded,
        ),
        tuple(warnings),
        __version__,
    )


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
    if isinstance(data, (str, os.PathLike)):
        return read_table(data, options.for_another(data) if further else options)
    if not hasattr(data, "columns"):
        raise UsageError(f"data must be a path or a pandas data frame, not {type(data).__name__}")
    from probfs.readers.frame import table_from_frame

    return table_from_frame(data)


def _tables(data: Data | Sequence[Data]) -> Sequence[Data]:
    """Several tables, also when one was given."""
    one = isinstance(data, (str, os.PathLike)) or hasattr(data, "columns")
    return [cast("Data", data)] if one else cast("Sequence[Data]", data)


def _texts(names: str | Sequence[str]) -> tuple[str, ...]:
    """Names as texts: one name is a list of one, and a frame's columns may be called by numbers."""
    return (names,) if isinstance(names, str) else tuple(str(name) for name in names)


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


def _check_choices(classifier: str, score: str, estimate: str) -> None:
    for option, value, allowed in (
        ("--classifier", classifier, get_args(Classifier)),
        ("--score", score, get_args(Score)),
        ("--estimate", estimate, get_args(Estimate)),
    ):
        if value not in allowed:
            raise UsageError(f"{option}: {value!r} is not one of {', '.join(allowed)}")


def _check_numbers(
    estimate: Estimate, folds: int | None, smoothing: float, step: int | float, bins: int, seed: int
) -> None:
    if folds is not None and estimate != "cv":
        raise UsageError("--folds goes with --estimate cv only")
    if folds is not None and folds < 2:
        raise UsageError(f"--folds: {folds} is too few; 2 or more")
    if not (smoothing == 0 or LEAST_SMOOTHING <= smoothing <= MOST_SMOOTHING):
        allowed = f"0 (the exact limit) nor from {LEAST_SMOOTHING} to {MOST_SMOOTHING}"
        raise UsageError(f"--smoothing: {smoothing} is neither {allowed}")
    if isinstance(step, bool) or not (step >= 1 if isinstance(step, int) else 0 < step < 1):
        raise UsageError(f"--step: {step} is neither a whole number from 1 nor a fraction between 0 and 1")
    if not 2 <= bins <= MOST_BINS:
        raise UsageError(f"--bins: {bins} is not from 2 to {MOST_BINS}")
    if seed < 0:
        raise UsageError(f"--seed: {seed} is negative; 0 or more")
