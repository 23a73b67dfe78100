"""The sentences that go with a comparison: what was compared, what changed, how much, and what makes it doubtful."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probfs.text import and_more, counted, listed, option, printable, quoted

if TYPE_CHECKING:
    from probfs.comparison.result import Comparison, Side

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


def _what_it_is(side: Side) -> str:
    data = side.input
    rows = counted(data.labelled_rows, "labelled row")
    columns = counted(data.features, "feature")
    document = "" if data.source == side.document else f"{side.document}, "
    return f"{document}{side.kind} of {printable(data.source)} ({columns}, {rows}, target {printable(data.target)})"


def _what_changed(comparison: Comparison) -> str:
    if not _has_moves(comparison):
        return _what_stayed(comparison)
    came_or_went = comparison.changes("appeared") or comparison.changes("vanished")
    moved = comparison.changes("rose") or comparison.changes("fell")
    counts = [
        (len(comparison.changes("rose")), "rose"),
        (len(comparison.changes("fell")), "fell"),
        (len(comparison.changes("appeared")), "appeared"),
        (len(comparison.changes("vanished")), "vanished"),
        (len(comparison.changes("unlisted")), _UNLISTED),
        (len(comparison.changes("same")), "stayed"),
        (len(comparison.judged_otherwise), "judged otherwise"),
    ]
    said = ", ".join(f"{number:,} {word}" for number, word in counts if number)
    among = _AMONG if came_or_went and moved else ""
    return f"Of {counted(len(comparison.columns), 'column')}: {said}{among}."


def _has_moves(comparison: Comparison) -> bool:
    """Whether a column moved, came or went."""
    return any(column.change not in ("same", "unlisted") for column in comparison.columns)


def _what_stayed(comparison: Comparison) -> str:
    """What to say where no column moved, came or went: what else changed, and what is not known."""
    unlisted = len(comparison.changes("unlisted"))
    both = len(comparison.columns) - unlisted
    where = f" among the {counted(both, 'column')} that both documents list" if unlisted else ""
    rest = f"; {unlisted:,} {_UNLISTED}" if unlisted else ""
    judged = [
        f"{quoted(column.column)} ({column.old_verdict} → {column.new_verdict})"
        for column in comparison.judged_otherwise
    ]
    if judged:
        shown = and_more(judged, _MOST_NAMES)
        return f"No rank changed{where}; {counted(len(judged), 'verdict')} did: {shown}{rest}."
    if unlisted:
        scores = "; scores did change" if comparison.same_scores is False else ""
        return f"No rank changed{where}{scores}{rest}."
    # Nothing is unlisted, so verdicts are known if both documents have them.
    have_verdicts = None not in (comparison.old.kept, comparison.new.kept)
    ranks = "the same columns, ranks and verdicts" if have_verdicts else "the same columns and ranks"
    columns = counted(both, "column")
    if comparison.same_scores:
        return f"Nothing changed: {ranks}, and the same scores ({columns})."
    scores = "; scores did change" if comparison.same_scores is False else ""
    return f"No rank changed: {ranks} ({columns}){scores}."


_UNLISTED = "are listed in one document only"

_AMONG = " (moves are counted among the columns that both have)"


def _who_was_renamed(comparison: Comparison) -> list[str]:
    renamed = list(comparison.renamed.items())
    if not renamed:
        return []
    shown = and_more([f"{quoted(old)} is now {quoted(new)}" for old, new in renamed], _MOST_NAMES)
    return [f"Probably renamed, by what they score: {shown}."]


def _how_alike(comparison: Comparison) -> list[str]:
    """Correlations and overlaps, unless nothing moved."""
    if not _has_moves(comparison):
        return []
    sentences = []
    if comparison.spearman is not None and comparison.kendall is not None:
        common = sum(column.moved is not None for column in comparison.columns)
        correlations = f"Spearman {comparison.spearman:.3f}, Kendall {comparison.kendall:.3f}"
        sentences.append(f"Rank correlation of {counted(common, 'column')} in both: {correlations}.")
    most = max(comparison.old.input.features, comparison.new.input.features)
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
