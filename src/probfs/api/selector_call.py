"""From the parameters of a ``ProbabilisticSelector`` to one call of ``rank`` or ``select``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from probfs.api.ranking import rank
from probfs.api.selecting import select
from probfs.api.training_table import TrainingTable
from probfs.classifiers.catalogue import find_classifier, known_options
from probfs.classifiers.scores import SCORES
from probfs.classifiers.unfitted import UnfittedClassifier
from probfs.columns.choice import DEFAULT_MIN_CLASS, TableNames
from probfs.errors import UsageError
from probfs.notes import Note, NoteKind
from probfs.ranking.result import Ranking
from probfs.ranking.settings import Settings
from probfs.selection.result import Selection
from probfs.tables.arrays import Floats, Integers
from probfs.tables.table import Table
from probfs.text import counted, listed, option

AUTO = "auto"
FOR_AUTO = ("keep", "false_discoveries", "min_features_to_select")
"""Parameters that have a meaning only where the number of columns is found."""
FOR_A_NUMBER = ("estimate", "step")
"""Parameters that have a meaning only where the number of columns is given."""
OF_CLASSIFIERS = (*(name for name, declared, _ in known_options() if declared.recorded), "categories")
"""Parameters that are handed to the classifier, where they are given."""
_KEEP = ("best", "fewest", "most")
_OF_THE_CALL = ("data", "y", "feature_names", "unlabeled", "jobs")
"""Keywords that the selector fills in, beside those that it hands on."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of the columns of X, each by its position."""

    ranking: Ranking
    selection: Selection | None
    """None where the number of columns was given."""
    ranks: Integers
    """1 for the best; columns that took no part come last, in the order of X."""
    scores: Floats
    """The driving score of each column in the round in which it left; NaN for one that was never scored."""
    support: npt.NDArray[np.bool_]
    left_out: tuple[int, ...]
    """Columns that took no part, other than those that the user's own options left out."""
    notes: tuple[Note, ...]
    """What a user should know of the number of columns kept."""


def choose_features(
    training: TrainingTable, unlabeled: Table | None, parameters: Mapping[str, Any], seed: int
) -> Outcome:
    """Rank or select the columns of a table; ``parameters`` are those of the selector, None where nothing was said."""
    _check_combination(parameters, training.has_unlabelled_rows, unlabeled)
    arguments = _shared_arguments(training, parameters, seed)
    if parameters["n_features_to_select"] == AUTO:
        return _select(training, parameters, arguments)
    number = _wanted_number(parameters["n_features_to_select"], len(training.names))
    ranking = rank(
        training.table,
        unlabeled=unlabeled,
        estimate=parameters["estimate"],
        folds=parameters["folds"],
        step=parameters["step"],
        **arguments,
    )
    order = [each.feature for each in ranking.features]
    notes = []
    if number > len(order):
        what = f"{option('n_features_to_select', parameters['n_features_to_select'])} asks for {number:,} columns"
        message = f"{what}, and {len(order):,} could be ranked; all of these are kept"
        notes.append(NoteKind.FEWER_KEPT.note(message))
    return _outcome(ranking, None, order, min(number, len(order)), training, notes)


def notes_for_users(outcome: Outcome, names: Sequence[str]) -> list[Note]:
    """What was decided that users may not expect; ``names`` are those of the columns of X."""
    notes = list(outcome.notes)
    if outcome.left_out:
        left_out = [names[place] for place in outcome.left_out]
        ways = f"{option('keep_identifiers', True)} lets identifiers take part, and ranking_result_.warnings says more"
        dropped_by_mapping = " or are dropped by the mapping" if outcome.ranking.settings.mapping is not None else ""
        why = f"look like identifiers or hold no single values{dropped_by_mapping}"
        notes.append(NoteKind.LEFT_OUT.note(f"left out, as they {why}: {listed(left_out)}; {ways}", left_out))
    dropped = outcome.ranking.input.dropped_rows
    if dropped:
        rare = f"their classes have fewer rows than {option('min_class', outcome.ranking.settings.min_class)}"
        notes.append(NoteKind.DROPPED_ROWS.note(f"{counted(dropped, 'row')} not learned from, as {rare}"))
    return notes


def _select(training: TrainingTable, parameters: Mapping[str, Any], arguments: Mapping[str, Any]) -> Outcome:
    given = {name: parameters[name] for name in ("keep", "false_discoveries") if parameters[name] is not None}
    selection = select(training.table, folds=parameters["folds"] or 0, **given, **arguments)
    assert selection.ranking is not None
    order = [each.feature for each in selection.features]
    least = 1 if parameters["min_features_to_select"] is None else parameters["min_features_to_select"]
    kept = min(max(least, len(selection.kept)), len(order))
    notes = []
    if kept > len(selection.kept):
        few = f"{counted(len(selection.kept), 'column is', 'columns are')} told from noise and worth keeping"
        more = order[len(selection.kept) : kept]
        message = f"{few}; kept all the same ({option('min_features_to_select', least)}): {listed(more)}"
        notes.append(NoteKind.NOISE_KEPT.note(message, more))
    return _outcome(selection.ranking, selection, order, kept, training, notes)


def _check_combination(parameters: Mapping[str, Any], has_unlabelled_rows: bool, unlabeled: Table | None) -> None:
    """Refuse parameters that have no meaning beside each other."""
    wanted = parameters["n_features_to_select"]
    automatic, number = option("n_features_to_select", AUTO), f"a number in {option('n_features_to_select')}"
    score = SCORES.get(parameters["score"], "score")
    if isinstance(wanted, str) and wanted != AUTO:
        raise UsageError(f'{option("n_features_to_select")}: {wanted!r} is neither "{AUTO}" nor a number')
    for name in FOR_A_NUMBER if wanted == AUTO else FOR_AUTO:
        if parameters[name] is not None:
            raise UsageError(f"{option(name)} goes with {number if wanted == AUTO else automatic} only")
    if wanted == AUTO and (unlabeled is not None or score.needs_unlabelled):
        what = option("unlabeled") if unlabeled is not None else option("score", score.name)
        raise UsageError(f"{what} goes with {number} only")
    if score.needs_unlabelled and unlabeled is None and not has_unlabelled_rows:
        ways = f"give some to fit as {option('unlabeled')}, or name their {option('unlabeled_value')} in y"
        raise UsageError(f"{option('score', score.name)}: there is no unlabelled row; {ways}")
    if wanted == AUTO:
        _check_rule(parameters["keep"], parameters["min_features_to_select"])


def _check_rule(keep: Any, least: Any) -> None:
    """Refuse a wrong word, or number, of those that say where ``"auto"`` cuts."""
    if keep is not None and keep not in _KEEP:
        problem = f"{keep!r} is not one of {', '.join(_KEEP)}"
        raise UsageError(f"{option('keep')}: {problem}; a number goes into {option('n_features_to_select')}")
    if least is not None and not (_is_whole(least) and least >= 0):
        raise UsageError(f"{option('min_features_to_select')}: {least!r} is not a whole number from 0 on")


def _shared_arguments(training: TrainingTable, parameters: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """The keywords that ``rank`` and ``select`` have in common."""
    classifier = parameters["classifier"]
    options = {name: parameters[name] for name in OF_CLASSIFIERS if parameters[name] is not None}
    model = find_classifier(classifier, options)
    least = DEFAULT_MIN_CLASS
    if parameters["n_features_to_select"] == AUTO:
        # Some rows of a class are held out, and enough must be left. If that leaves too few classes, the error is that.
        enough = model.training_rows_of_class + 1
        least = enough if sum(rows >= enough for rows in training.class_rows) > 1 else least
    if "jobs" in model.options() and model.in_effect()["jobs"] is None:
        from joblib import effective_n_jobs

        jobs = effective_n_jobs(parameters["n_jobs"])
        if isinstance(classifier, UnfittedClassifier):
            classifier = replace(model, jobs=jobs)  # type: ignore[call-arg]  # it has the option
        else:
            options["jobs"] = jobs
    arguments = {
        "target": training.target,
        "count": training.count,
        "classifier": classifier,
        "score": parameters["score"],
        "min_class": least if parameters["min_class"] is None else parameters["min_class"],
        "keep_identifiers": parameters["keep_identifiers"],
        "seed": seed,
        **options,
    }
    further = parameters["options"] or {}
    for name in further:
        if name in parameters or name in arguments or name in _OF_THE_CALL:
            raise UsageError(f"{option('options')}: {name!r} is what parameters of the selector decide; leave it out")
    return {**arguments, **further}


def _wanted_number(wanted: Any, columns: int) -> int:
    """How many columns to keep: a number, or a fraction of all."""
    if _is_whole(wanted) and wanted >= 1:
        return int(wanted)
    if isinstance(wanted, Real) and not isinstance(wanted, Integral) and 0 < float(wanted) <= 1:
        # The fraction as it is written: 0.29 of 100 is 29, not the 28 of binary floating point.
        return max(1, int(Fraction(repr(float(wanted))) * columns))
    choices = f'"{AUTO}", a whole number from 1 on, or a fraction above 0 and up to 1.0'
    raise UsageError(f"{option('n_features_to_select')}: {wanted!r} is none of {choices}")


def _is_whole(number: Any) -> bool:
    return isinstance(number, Integral) and not isinstance(number, bool)


def _outcome(
    ranking: Ranking,
    selection: Selection | None,
    order: Sequence[str],
    kept: int,
    training: TrainingTable,
    notes: Sequence[Note],
) -> Outcome:
    """``order`` has the names of the table's columns, the best first, of which so many are kept."""
    names = training.names
    place_of = {name: place for place, name in enumerate(names) if name is not None}
    ranks = np.zeros(len(names), dtype=np.int64)
    ranks[[place_of[name] for name in order]] = np.arange(1, len(order) + 1)
    left_out = np.flatnonzero(ranks == 0)
    ranks[left_out] = np.arange(len(order) + 1, len(names) + 1)
    scores = np.full(len(names), np.nan)
    for each in ranking.features:
        scores[place_of[each.feature]] = getattr(each, SCORES[ranking.settings.score].key)
    by_user = _left_out_by_user(training.table, ranking.settings)
    unexpected = tuple(place for place in left_out.tolist() if names[place] not in by_user)
    return Outcome(ranking, selection, ranks, scores, ranks <= kept, unexpected, tuple(notes))


def _left_out_by_user(table: Table, settings: Settings) -> set[str]:
    """The columns that the user's own options leave out."""
    included = TableNames.of(table).resolve(settings.include, "include")
    others = set(table.columns).difference(included) if included else set()
    return others.union(TableNames.of(table).resolve(settings.exclude, "exclude"))
