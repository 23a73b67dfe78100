"""The stages from tables to a ranking. An engine reads and encodes the rows, in this process or on a cluster; all that
comes after asks blocks of rows, wherever they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

import pyarrow as pa

from probfs import __version__
from probfs.classifiers.scores import SCORES
from probfs.columns.choice import TableNames
from probfs.columns.dataset import Dataset
from probfs.columns.encode import encode
from probfs.columns.prepare import PreparedTable, Role
from probfs.columns.rules import Groups, cuts_numbers
from probfs.columns.together import find_groups, join_features, note_on_one_hot, put_together
from probfs.errors import UsageError
from probfs.notes import Note
from probfs.ranking.candidates import Candidates, Encoded, OnNote
from probfs.ranking.inputs import InputRequest, Inputs, read_inputs
from probfs.ranking.result import Basis, InputSummary, Ranking
from probfs.ranking.settings import Settings
from probfs.ranking.story import RoundCollector, gather_background
from probfs.ranking.uncertainty import check_rows, with_uncertainty
from probfs.rows.blocks import EVERYTHING, Block, LocalBlocks
from probfs.runtime.progress import report
from probfs.screening.counting import NumbersBeforeCutting, count_part
from probfs.text import option, quoted

RANKING = "ranking"
"""The last stage; features that have left are counted, and models too by classifiers that fit many."""


class Engine(Protocol):
    """Where tables are read, and where their rows are kept."""

    def read(self, request: InputRequest) -> Inputs: ...

    def encode(self, inputs: Inputs, settings: Settings, on_note: OnNote) -> Encoded: ...


class LocalEngine:
    """Everything in this process."""

    def read(self, request: InputRequest) -> Inputs:
        return read_inputs(request)

    def encode(self, inputs: Inputs, settings: Settings, on_note: OnNote) -> Encoded:
        on_note(inputs.prepared.target_note)
        settings.model.check_columns(list(inputs.prepared.table.columns), inputs.prepared.table.source)
        report("encoding columns")
        dataset, notes = encode(inputs.prepared, inputs.unlabelled)
        dataset = put_together(join_features(dataset, settings.join), settings.together)
        blocks = LocalBlocks(Block(dataset, NumbersBeforeCutting(inputs.prepared, dataset.ungrouped())))
        notes = (*notes, *note_on_one_hot(dataset, inputs.prepared.table.columns))
        return Encoded(dataset, blocks, announce_inputs(inputs, dataset, notes, settings, on_note))


def announce_inputs(
    inputs: Inputs, dataset: Dataset, notes: Sequence[Note], settings: Settings, on_note: OnNote
) -> tuple[Note, ...]:
    """Report all notes made so far, and refuse a dataset that lacks what the settings ask for."""
    notes = (*inputs.prepared.notes, *(note for table in inputs.unlabelled for note in table.notes), *notes)
    for note in notes:
        on_note(note)
    if SCORES[settings.score].needs_unlabelled and not dataset.unlabelled_rows:
        problem = f"{option('score', settings.score)}: there is no unlabelled row"
        ways = f"add some with {option('unlabeled', typed='FILE')}, or as rows without a value in the target"
        raise UsageError(f"{problem}; {ways}")
    if settings.uncertainty:
        check_rows(dataset, settings)
    return notes


SettingsOfAny = TypeVar("SettingsOfAny", bound=Settings)


def name_columns(prepared: PreparedTable, settings: SettingsOfAny) -> SettingsOfAny:
    """The settings with the full names of columns: of groups that are ranked together, and of columns that are always
    kept, each of which must take part.
    """
    settings = replace(settings, together=find_groups(prepared, settings.together))
    table, plans = prepared.table, {plan.name: plan for plan in prepared.plans}
    several = (*settings.join, *settings.together)
    always = TableNames(table.source, (*table.columns, *several), table.left_out).resolve(settings.always, "always")
    for name in always:
        group = next((group for group, members in settings.together.items() if name in members), None)
        if group is not None:
            problem = f"{quoted(name)} is in {quoted(group)} of {option('together')}; name that"
            raise UsageError(f"{option('always')}: {problem}")
        plan = plans.get(name)
        if plan is not None and plan.role is not Role.FEATURE:
            left_out = plan.role is Role.LEFT_OUT
            what = "is left out" if left_out else f"is the {plan.role.value} column"
            what += f" ({plan.reason})" if plan.reason else ""
            ways = "name other columns"
            if left_out and plan.identifier:
                ways += f", or let identifiers in by {option('keep_identifiers', True)} or {option('include')}"
            raise UsageError(f"{option('always')}: {quoted(name)} {what}; {ways}")
    return replace(settings, always=always)


def rank_table(
    engine: Engine, request: InputRequest, settings: Settings, on_note: OnNote, *, tell: bool = False
) -> Ranking:
    """Read, encode, test, eliminate; with ``tell``, keep what a report shows."""
    inputs = engine.read(request)
    settings = name_columns(inputs.prepared, settings)
    encoded = engine.encode(inputs, settings, on_note)
    settings.model.require_memory(encoded.dataset, settings.estimate, settings.folds or 0)
    background = gather_background(inputs.prepared, encoded.dataset) if tell else None
    report("testing columns")
    counts = encoded.blocks.ask(count_part, EVERYTHING)
    candidates = Candidates(
        encoded,
        counts,
        settings,
        encoded.positions(settings.always),
        on_note=on_note,
        on_model=lambda done, total: report(RANKING, done, total, "models"),
    )
    screened = candidates.screen()
    summary = summarize_inputs(inputs, encoded.dataset)
    if encoded.blocks.here is not None:
        # Only these tests need the numbers before cutting, which hold the table in memory.
        encoded.blocks.here.numbers = ()
    del inputs
    pa.default_memory_pool().release_unused()
    collector = RoundCollector(candidates, screened, tell=tell)
    report("fitting the classifier")
    notes: dict[str, Note] = {}
    left = 0
    for current in collector.rounds():
        if not left:
            report(RANKING, 0, len(encoded.names), "columns")
        left += len(current.leaving)
        report(RANKING, left, len(encoded.names), "columns")
        notes |= {note.code: note for note in current.classifier.notes}
    features, stability = collector.features, None
    if settings.uncertainty:
        told_from_noise = len(features) - len(screened.noise)
        first = told_from_noise if 0 < told_from_noise < len(features) else max(1, len(features) // 2)
        candidates = replace(candidates, copies=screened.copies)
        features, stability = with_uncertainty(features, candidates, first)
    said = (*notes.values(), *collector.notes)
    for note in said:
        on_note(note)
    return Ranking(
        features,
        tuple(collector.summaries),
        summary,
        settings,
        (*encoded.notes, *said),
        __version__,
        stability,
        None if background is None else replace(background, story=collector.story),
    )


def summarize_inputs(inputs: Inputs, dataset: Dataset) -> InputSummary:
    """What the inputs are, once they are encoded, and what was done to the table."""
    prepared = inputs.prepared
    reasons: Counter[str] = Counter()
    for plan in prepared.plans:
        if plan.role is Role.LEFT_OUT:
            said = "exclude" if plan.name in prepared.choice.exclude else "include"
            dropped = plan.name in prepared.mapping.drop
            reasons["identifier" if plan.identifier else "mapping" if dropped else said] += 1
    if prepared.table.left_out:
        reasons["index"] += len(prepared.table.left_out)
    missing = [prepared.profiles[plan.name].missing for plan in prepared.features]
    grouped = {plan.name for plan in prepared.features if isinstance(plan.rule, Groups)}

    def noted(*codes: str) -> set[str]:
        """The columns that notes of some kinds are about."""
        return {name for note in prepared.notes if note.code in codes for name in note.columns}

    basis = Basis(
        left_out=dict(sorted(reasons.items())),
        missing_cells=sum(missing),
        missing_columns=sum(number > 0 for number in missing),
        missing_words=len(noted("missing-texts")),
        restyled=len(noted("number-style", "date-style")),
        merged=len(noted("merged-values") | grouped),
        cut=sum(cuts_numbers(plan.rule) for plan in prepared.features),
    )
    return InputSummary(
        source=prepared.table.source,
        target=prepared.target.name,
        target_reason=prepared.target.reason,
        classes=dataset.class_rows(),
        labelled_rows=dataset.rows,
        unlabelled_rows=dataset.unlabelled_rows,
        unlabelled_sources=tuple(table.source for table in inputs.unlabelled),
        features=len(dataset.features),
        dropped_rows=prepared.dropped_rows,
        basis=basis,
    )
