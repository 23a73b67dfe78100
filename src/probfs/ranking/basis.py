"""What an answer rests on: which columns of a table took no part, and what became of the cells of the others."""

from __future__ import annotations

from collections import Counter

from probfs.columns.prepare import ColumnPlan, PreparedTable, Role
from probfs.columns.rules import Groups, cuts_numbers
from probfs.ranking.result import Basis

_RESTYLED = ("number-style", "date-style")
_MERGED = ("merged-values",)
_WORDS = ("missing-texts",)


def basis_of(prepared: PreparedTable) -> Basis:
    """What was done to a table that is prepared."""
    reasons = Counter(_reason(plan, prepared) for plan in prepared.plans if plan.role is Role.LEFT_OUT)
    if prepared.table.left_out:
        reasons["index"] += len(prepared.table.left_out)
    missing = [prepared.profiles[plan.name].missing for plan in prepared.features]
    grouped = {plan.name for plan in prepared.features if isinstance(plan.rule, Groups)}
    return Basis(
        dict(sorted(reasons.items())),
        sum(missing),
        sum(number > 0 for number in missing),
        len(_columns_noted(prepared, _WORDS)),
        len(_columns_noted(prepared, _RESTYLED)),
        len(_columns_noted(prepared, _MERGED) | grouped),
        sum(cuts_numbers(plan.rule) for plan in prepared.features),
    )


def _reason(plan: ColumnPlan, prepared: PreparedTable) -> str:
    if plan.identifier:
        return "identifier"
    if plan.name in prepared.mapping.drop:
        return "mapping"
    return "exclude" if plan.name in prepared.choice.exclude else "include"


def _columns_noted(prepared: PreparedTable, codes: tuple[str, ...]) -> set[str]:
    """The columns that notes of some kinds are about."""
    return {name for note in prepared.notes if note.code in codes for name in note.columns}
