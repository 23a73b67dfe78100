"""The sentences that go with a comparison: what was compared, what changed, how much, and what makes it doubtful."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probfs.text import counted, listed, option, printable, quoted

if TYPE_CHECKING:
    from probfs.comparison.documents import ComparedRanking
    from probfs.comparison.result import Comparison

_MOST_NAMES = 6
_SHOWN_OVERLAPS = (5, 10, 20, 50, 100)


def comparison_sentences(comparison: Comparison) -> list[str]:
    """The sentences, most important first."""
    return [
        f"old: {_what_it_is(comparison.old)}",
        f"new: {_what_it_is(comparison.new)}",
        _what_changed(comparison),
        *_who_was_renamed(comparison),
        *_how_alike(comparison),
        *_what_is_kept(comparison),
        *_what_is_beyond(comparison),
        *_what_else_differs(comparison),
    ]


def _what_it_is(side: ComparedRanking) -> str:
    rows = counted(side.labelled_rows, "labelled row")
    columns = counted(side.features, "feature")
    table = "" if side.table == side.source else f"{side.source}, "
    return f"{table}{side.kind} of {printable(side.table)} ({columns}, {rows}, target {printable(side.target)})"


def _what_changed(comparison: Comparison) -> str:
    if not comparison.changed:
        columns = counted(len(comparison.columns), "column")
        judged = comparison.measures["verdicts"] is not None
        ranks = "the same columns, ranks and verdicts" if judged else "the same columns and ranks"
        if comparison.same_scores:
            return f"Nothing changed: {ranks}, and the same scores ({columns})."
        return f"No rank changed: {ranks} ({columns}); scores did change."
    measures = comparison.measures
    counts = [(measures[name] or 0, name) for name in ("rose", "fell", "appeared", "vanished")]
    counts.append((len(comparison.changes("unlisted")), "are listed in one document only"))
    counts.append((len(comparison.changes("same")), "stayed"))
    said = ", ".join(f"{number:,} {word}" for number, word in counts if number)
    among = (measures["appeared"] or measures["vanished"]) and (measures["rose"] or measures["fell"])
    return f"Of {counted(len(comparison.columns), 'column')}: {said}{_AMONG if among else ''}."


_AMONG = " (moves are counted among the columns that both have)"


def _who_was_renamed(comparison: Comparison) -> list[str]:
    renamed = list(comparison.renamed.items())
    if not renamed:
        return []
    shown = ", ".join(f"{quoted(old)} is now {quoted(new)}" for old, new in renamed[:_MOST_NAMES])
    more = f" and {len(renamed) - _MOST_NAMES} more" if len(renamed) > _MOST_NAMES else ""
    return [f"Probably renamed, by what they score: {shown}{more}."]


def _how_alike(comparison: Comparison) -> list[str]:
    """Correlations and overlaps, unless nothing changed."""
    if not comparison.changed:
        return []
    sentences = []
    if comparison.spearman is not None and comparison.kendall is not None:
        common = sum(column.moved is not None for column in comparison.columns)
        correlations = f"Spearman {comparison.spearman:.3f}, Kendall {comparison.kendall:.3f}"
        sentences.append(f"Rank correlation of {counted(common, 'column')} in both: {correlations}.")
    most = max(comparison.old.features, comparison.new.features)
    shown = [own for own in comparison.overlaps if own.first < most and own.first in (*_SHOWN_OVERLAPS, comparison.top)]
    overlaps = [f"{own.shared:,} of the first {own.first:,}" for own in shown]
    same = f"The same: {', '.join(overlaps)}; rank-biased overlap" if overlaps else "Rank-biased overlap:"
    return [" ".join([*sentences, f"{same} {comparison.rbo:.3f}."])]


def _what_is_kept(comparison: Comparison) -> list[str]:
    old, new = comparison.old.kept, comparison.new.kept
    if old is None or new is None:
        return []
    parts = [f"Kept: {len(old):,} before, {len(new):,} now"]
    parts += [f"newly {listed(comparison.newly_kept, _MOST_NAMES)}"] if comparison.newly_kept else []
    parts += [f"no longer {listed(comparison.no_longer_kept, _MOST_NAMES)}"] if comparison.no_longer_kept else []
    return [f"{'; '.join(parts)}."]


def _what_is_beyond(comparison: Comparison) -> list[str]:
    """Which moves are more than the rank intervals allow."""
    moved = [column for column in comparison.columns if column.moved]
    if not moved or comparison.old.kept is not None or comparison.new.kept is not None:
        return []
    if comparison.measures["beyond"] is None:
        advice = f"rank with {option('uncertainty', True)} to tell change from chance"
        return [f"Whether moves are more than chance is not known: neither has rank intervals; {advice}."]
    beyond = [column.column for column in moved if column.beyond]
    if not beyond:
        return ["Every move is within the rank intervals: chance may explain it."]
    return [
        f"Beyond the rank intervals: {len(beyond):,} of {counted(len(moved), 'move')}: {listed(beyond, _MOST_NAMES)}."
    ]


def _what_else_differs(comparison: Comparison) -> list[str]:
    severe = [str(found) for found in comparison.differences if found.severe]
    others = [str(found) for found in comparison.differences if not found.severe]
    sentences = [f"Hard to compare: {', '.join(severe)}."] if severe else []
    return [*sentences, f"Also different: {', '.join(others)}."] if others else sentences
