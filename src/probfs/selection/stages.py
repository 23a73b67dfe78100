"""The stages from a table to the selection of its columns."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np
import pyarrow as pa

from probfs import __version__
from probfs.columns.dataset import Dataset, ValueCounts
from probfs.columns.folds import by_dropping_rare_classes, counted_subjects, refuse_many_folds
from probfs.columns.leakage import note_on_kept_leaks
from probfs.errors import DataError, UsageError
from probfs.notes import Note, NoteKind
from probfs.ranking.candidates import Candidates, Encoded, OnNote
from probfs.ranking.inputs import InputRequest
from probfs.ranking.result import Ranking
from probfs.ranking.settings import SelectionSettings
from probfs.ranking.stages import Engine, name_columns, summarize_inputs
from probfs.ranking.story import gather_background
from probfs.rows.blocks import EVERYTHING, Block, deal_blocks
from probfs.runtime.progress import report
from probfs.screening.counting import count_folds, count_part
from probfs.selection.choice import choose_columns
from probfs.selection.nested import nested_cross_validation
from probfs.selection.result import HonestEstimate, Selection, find_best
from probfs.selection.verdicts import judge_columns
from probfs.text import option, quoted

_CLEAR = 2.0
"""Standard errors beyond which a difference is hardly chance."""
CHOOSING = "choosing columns"
"""The stage in which a classifier that fits many models counts them."""


def select_columns(
    engine: Engine, request: InputRequest, settings: SelectionSettings, on_note: OnNote, *, tell: bool = False
) -> Selection:
    """Read, encode, choose columns, judge the choice by folds, and give every column a verdict; with ``tell``, keep
    what a report shows.
    """
    inputs = engine.read(request)
    settings = name_columns(inputs.prepared, settings)
    always = settings.always
    encoded = engine.encode(inputs, settings, on_note)
    summary = summarize_inputs(inputs, encoded.dataset)
    background = gather_background(inputs.prepared, encoded.dataset) if tell else None
    # A fold should hold rows (or subjects) of most classes. In smaller folds, the class of a row would have fewer
    # training rows than for other rows, which would give the class away.
    wanted = settings.folds or 0
    folds = min(wanted, max(2, sum(encoded.dataset.class_units().values()) // len(encoded.dataset.classes)))
    _check_sizes(encoded.dataset, settings, folds)
    settings.model.require_memory(encoded.dataset, settings.estimate, folds)
    report(CHOOSING)
    leaks = inputs.prepared.leaks
    encoded, counts, fold_counts = deal_and_count(encoded, folds, settings.seed)
    # The blocks have all that is still needed, so the table need not stay in memory.
    del inputs
    pa.default_memory_pool().release_unused()
    candidates = Candidates(
        encoded,
        counts,
        settings,
        encoded.positions(always),
        on_model=lambda done, total: report(CHOOSING, done, total, "models"),
        times=folds + 1,
    )
    choice = choose_columns(candidates, settings.keep, collect=True, tell=tell)
    candidates = replace(candidates, copies=choice.screened.copies)
    kept = tuple(encoded.names[place] for place in choice.kept)
    rounds = choice.collector
    assert rounds is not None, "the rounds were asked for"
    notes = [*choice.classifier.notes, *rounds.notes]
    survivors = len(choice.curve.order)
    if isinstance(settings.keep, int) and settings.keep > survivors:
        apart = " (copies not counted)" if choice.screened.repeats else ""
        problem = f"{option('keep', settings.keep)}: only {survivors:,} columns{apart} are told from noise"
        notes.append(NoteKind.FEWER_KEPT.note(f"{problem}; {option('false_discoveries', 1)} screens nothing"))
    if folds < wanted:
        notes.append(NoteKind.FEW_FOLDS.note(f"the choice is judged in {folds} folds, as classes have few rows"))
    notes += note_on_kept_leaks(leaks, settings.columns_of(kept))
    for note in notes:
        on_note(note)
    honest, kept_in_folds = nested_cross_validation(candidates, fold_counts, settings.keep) if folds else (None, None)
    for note in notes_on_estimate(honest, settings):
        notes.append(note)
        on_note(note)
    warnings = (*encoded.notes, *notes)
    # The round of all columns has no place among the sizes.
    story = tuple(told for told in rounds.story if len(told.scores) < len(choice.curve.sizes))
    rounds_told = tuple(rounds.summaries)
    return Selection(
        features=judge_columns(candidates, choice, kept_in_folds),
        sizes=choice.curve.sizes,
        kept=kept,
        honest=honest,
        input=summary,
        settings=settings,
        warnings=warnings,
        version=__version__,
        best_size=find_best(choice.curve.sizes[len(always) :]).features,
        ranking=Ranking(rounds.features, rounds_told, summary, settings.of_ranking(), warnings, __version__),
        background=None if background is None else replace(background, story=story),
    )


def notes_on_estimate(honest: HonestEstimate | None, settings: SelectionSettings) -> list[Note]:
    """Warnings where the kept columns do no better than none on unseen rows, or clearly worse than all by a cut that
    the user did not choose.
    """
    if honest is None:
        return []
    notes, kept, none = [], honest.kept.log_loss, honest.none.log_loss
    if kept > none:
        worse = f"on unseen rows the kept columns lose more than no column at all ({kept:.3g} against {none:.3g} a row)"
        notes.append(NoteKind.WEAK_CHOICE.note(f"{worse}, so what is kept may be chance; more rows would tell"))
    elif not isinstance(settings.keep, int) and honest.difference > _CLEAR * honest.se:
        lost = f"{honest.difference:.2g} ± {honest.se:.2g} more a row than all columns"
        most = "" if settings.keep == "most" else f"{option('keep', 'most')} or "
        ways = f"{most}a higher {option('false_discoveries')} keeps more of them"
        notes.append(NoteKind.WEAK_CHOICE.note(f"on unseen rows the kept columns lose {lost}; {ways}"))
    return notes


def deal_and_count(encoded: Encoded, folds: int, seed: int) -> tuple[Encoded, ValueCounts, tuple[ValueCounts, ...]]:
    """The labelled rows, dealt out to folds, and the counts of all and of each fold, from one pass over them."""
    encoded = encoded.with_blocks(encoded.blocks.map(_labelled_alone))
    encoded = replace(encoded, dataset=_without_unlabelled(encoded.dataset))
    if not folds:
        return encoded, encoded.blocks.ask(count_part, EVERYTHING), ()
    refuse_many_folds(encoded.dataset, folds)
    # Hashing all columns of a wide table would take as long as choosing among them.
    encoded = replace(encoded, blocks=deal_blocks(encoded.blocks, EVERYTHING, folds, seed, by_some=True))
    fold_counts = encoded.blocks.ask(count_folds)
    return encoded, reduce(add, fold_counts), fold_counts


def _labelled_alone(block: Block) -> Block:
    """The block without unlabelled rows, on which no choice depends, and with its numbers in memory for all folds."""
    return Block(_without_unlabelled(block.dataset), list(block.numbers), block.number)


def _without_unlabelled(dataset: Dataset) -> Dataset:
    if not dataset.unlabelled_rows:
        return dataset
    features = tuple(replace(feature, unlabelled=feature.unlabelled[:0]) for feature in dataset.features)
    return replace(dataset, features=features, unlabelled_counts=np.empty(0, dtype=np.int64))


def _check_sizes(dataset: Dataset, settings: SelectionSettings, folds: int) -> None:
    """Refuse to keep more columns than there are, and classes of which too few rows are left without a fold."""
    columns = len(dataset.features)
    if isinstance(settings.keep, int):
        if settings.keep > columns:
            problem = f"{option('keep', settings.keep)} is more than the {columns:,} columns of {dataset.source}"
            raise UsageError(f"{problem} that can be kept; name fewer")
        if settings.keep < len(settings.always):
            raise UsageError(f"{option('keep', settings.keep)} is fewer than the columns of {option('always')}")
    # So that one can be left out of the training rows.
    fewest = settings.model.training_rows_of_class + 1
    for name, rows in dataset.class_units().items():
        if _rows_left(rows, folds) < fewest:
            enough = next(more for more in range(rows, 2 * fewest + 1) if _rows_left(more, folds) >= fewest)
            held = "one row only" if rows == 1 else f"{rows} rows only"
            if dataset.groups is not None:
                held, enough = counted_subjects(dataset, name), dataset.class_rows()[name] + 1
            problem = f"class {quoted(name)} has {held}, too few to hold some out"
            fewer = f"use {option('folds', 0)}, or " if folds and rows >= fewest else ""
            ways = f"{fewer}drop the class{by_dropping_rare_classes(dataset, enough)}"
            raise DataError(f"{problem}; {ways}", source=dataset.source)


def _rows_left(rows: int, folds: int) -> int:
    """How many rows of a class are left without the largest part that a fold has of it."""
    return rows - -(-rows // folds) if folds else rows
