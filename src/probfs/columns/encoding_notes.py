"""Notes on encoded features: what a user should know of them before they are ranked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

import numpy as np

from probfs.columns.date_texts import are_dates
from probfs.columns.leakage import note_on_leaks
from probfs.columns.prepare import PreparedTable
from probfs.columns.rules import Quantiles
from probfs.notes import Note, NoteKind
from probfs.tables.number_block import NumberColumn
from probfs.tables.table import Floats, Kind
from probfs.text import listed, option

_MANY_UNSEEN = 0.5


def notes_on_unseen(unseen: Mapping[str, float]) -> list[Note]:
    """A note on features by the share of unlabelled cells that hold what labelled ones do not, if some is large."""
    strange = [name for name, share in unseen.items() if share > _MANY_UNSEEN]
    if not strange:
        return []
    problem = "most unlabelled cells hold what labelled ones do not, so they count as missing"
    return [NoteKind.UNSEEN.note(f"{problem}: {listed(strange)}; are they written alike?", strange)]


def notes_on_features(
    prepared: PreparedTable,
    distinct: Mapping[str, int],
    numbers: Mapping[str, Floats] = MappingProxyType({}),
    told_by_missing: Collection[str] = (),
) -> list[Note]:
    """Notes on features, of which ``distinct`` says how many values labelled rows hold.

    ``numbers`` has the distinct numbers of features that are measured; those ``told_by_missing`` have one value, and
    missing cells that tell rows apart.
    """
    notes = []
    cut = [plan for plan in prepared.features if isinstance(plan.rule, Quantiles) and not plan.rule.strict]
    if cut:
        names = [plan.name for plan in cut]
        how = f"into {cut[0].rule.describe()} of the labelled rows ({option('bins')}, or a mapping)"
        notes.append(NoteKind.CUT.note(f"cut {how}: {listed(names)}", names))
    empty = [name for name, values in distinct.items() if not values]
    constant = [name for name, values in distinct.items() if values == 1 and name not in told_by_missing]
    rows = prepared.labelled_rows
    told = {plan.name for plan in prepared.features if plan.identifier}
    unique = [
        name
        for name, values in distinct.items()
        if rows > 2 and values == rows and name not in told and _names_rows(prepared, name, numbers.get(name))
    ]
    if empty:
        notes.append(NoteKind.EMPTY.note(f"no value in any labelled row: {listed(empty)}", empty))
    if constant:
        notes.append(NoteKind.CONSTANT.note(f"the same value in every labelled row: {listed(constant)}", constant))
    if unique:
        problem = f"a different value in every row (an identifier?): {listed(unique)}"
        notes.append(NoteKind.DISTINCT.note(f"{problem}; {option('exclude')} leaves it out", unique))
    if prepared.leaks:
        notes.append(note_on_leaks(prepared.leaks))
    return notes


def _names_rows(prepared: PreparedTable, name: str, numbers: Floats | None) -> bool:
    """Whether values that are all different may be identifiers: texts and whole numbers, not measurements or dates."""
    column = prepared.table.columns[name]
    if isinstance(column, NumberColumn):
        return not column.has_fractions(None)
    numbers = column.numbers() if numbers is None else numbers
    if column.kind is Kind.DATE or numbers is None:
        return column.kind is not Kind.DATE and not are_dates(column.values)
    return bool(np.all(numbers == np.rint(numbers)))
