"""From two rankings or selections to what became of each column, what else differs, and which columns were probably
renamed.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

from probfs import __version__
from probfs.comparison.measures import kendall, rank_biased_overlap, spearman
from probfs.comparison.result import (
    Change,
    ColumnChange,
    Comparison,
    Difference,
    Feature,
    Overlap,
    Side,
    finite_or_none,
    shown_value,
)
from probfs.notes import Note, NoteKind
from probfs.text import counted, option

DEFAULT_TOP = 10
_TOLERANCE = 1e-9
"""What rounding leaves of scores, relative to their size, when columns or rows change their order."""
_DECISIVE = (
    *("classifier", "estimator", "score", "estimate", "eliminate", "kernel", "cut_target"),
    *("group", "weight", "time", "together", "join"),
)
"""Settings under which scores, and so ranks, mean something else."""
_LENGTHS = tuple(digit * 10**power for power in range(7) for digit in (1, 2, 5))[2:]


def compare_rankings(old: Side, new: Side, top: int | None = None) -> Comparison:
    """Compare two rankings, two selections or one of each.

    ``top`` says how many of the first columns the measure ``overlap`` is about: by default 10, or half of the columns
    where there are fewer than 20, since all of them overlap in any order.
    """
    columns = max(old.input.features, new.input.features)
    first = min(top or max(1, min(DEFAULT_TOP, (columns + 1) // 2)), columns)
    # 5, 10, 20, 50 … as far as there are more columns.
    lengths = sorted({first, *(length for length in _LENGTHS if length < columns)})
    before, after = list(old.by_name), list(new.by_name)
    listed = min([len(side.by_name) for side in (old, new) if side.is_partial], default=columns)
    overlaps = []
    for length in lengths:
        if length <= listed:
            shared = len({*before[:length]} & {*after[:length]})
            overlaps.append(Overlap(length, shared, shared / length))
    common = [name for name in before if name in new.by_name]
    places = {name: rank for rank, name in enumerate((name for name in after if name in old.by_name), 1)}
    ranks = [places[name] for name in common]
    kinds = {(side.kind, side.result.settings.score, side.settings.get("eliminate")) for side in (old, new)}
    scores = [(old.score_of(name), new.score_of(name)) for name in common]
    largest = max((abs(score) for pair in scores for score in pair if score is not None), default=0.0)
    differences = find_differences(old, new)
    return Comparison(
        old=old,
        new=new,
        columns=tuple(_find_changes(old, new, common, ranks)),
        spearman=spearman(ranks),
        kendall=kendall(ranks),
        rbo=rank_biased_overlap(before, after),
        overlaps=tuple(overlaps),
        top=first,
        same_scores=all(_are_close(*pair, largest) for pair in scores) if len(kinds) == 1 else None,
        differences=differences,
        warnings=tuple(_find_remarks(old, new, differences, top, columns)),
        version=__version__,
    )


def _are_close(first: float | None, second: float | None, size: float = 0.0) -> bool:
    if first is None or second is None:
        return first is second
    return math.isclose(first, second, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE * size)


def _find_changes(old: Side, new: Side, common: Sequence[str], ranks: Sequence[int]) -> Iterator[ColumnChange]:
    """Each column and its change: those of the new document in its order, then those that only the old one has.

    ``common`` are the columns of both in their old order, and ``ranks`` their new ranks among themselves.
    """
    before = {name: rank for rank, name in enumerate(common, 1)}
    after = dict(zip(common, ranks, strict=True))
    old_places = [old.by_name[name].rank for name in common]
    new_places = sorted(new.by_name[name].rank for name in common)

    def holds(feature: Feature, places: Sequence[int], rank: int) -> bool | None:
        """Whether a column's rank interval holds a rank among the common columns; None without an interval."""
        low, high = getattr(feature, "rank_low", None), getattr(feature, "rank_high", None)
        return None if low is None or high is None else bisect_left(places, low) < rank <= bisect_right(places, high)

    vanished = [name for name in old.by_name if name not in new.by_name]
    renamed = _find_renamed(old, new)
    for name in (*new.by_name, *vanished):
        moved = beyond = None
        change: Change
        if name not in old.by_name:
            change = "unlisted" if old.is_partial else "appeared"
        elif name not in new.by_name:
            change = "unlisted" if new.is_partial else "vanished"
        else:
            moved = before[name] - after[name]
            change = "rose" if moved > 0 else "fell" if moved < 0 else "same"
            inside = {
                holds(old.by_name[name], old_places, after[name]),
                holds(new.by_name[name], new_places, before[name]),
            }
            beyond = True not in inside if inside - {None} else None
        facts: dict[str, Any] = {"old_score": old.score_of(name), "new_score": new.score_of(name)}
        for which, side in (("old", old), ("new", new)):
            for key in ("rank", "rank_low", "rank_high", "verdict"):
                facts[f"{which}_{key}"] = getattr(side.by_name.get(name), key, None)
        yield ColumnChange(name, change, moved, beyond=beyond, renamed=renamed.get(name), **facts)


def find_differences(old: Side, new: Side) -> tuple[Difference, ...]:
    """What else differs, the severe first; settings that only one of the two documents knows are not compared."""
    # Classes that numbers were cut into are named by intervals, whose limits follow the rows.
    both_cut = None not in (old.settings.get("cut_target"), new.settings.get("cut_target"))
    # No rank depends on whether intervals are measured.
    shared = [key for key in old.settings if key in new.settings and key != "uncertainty"]
    # The folds of a selection judge it, those of a ranking score its rows.
    decisive = (*_DECISIVE, "folds") if old.kind == new.kind == "ranking" else _DECISIVE
    possible = (
        Difference("document", old.kind, new.kind, severe=True),
        Difference("target", old.input.target, new.input.target, severe=True),
        Difference("classes", sorted(old.input.classes), sorted(new.input.classes), severe=not both_cut),
        *(Difference(key, old.settings[key], new.settings[key], key in decisive) for key in shared),
        Difference("labelled rows", old.input.labelled_rows, new.input.labelled_rows, severe=False),
        Difference("unlabelled rows", old.input.unlabelled_rows, new.input.unlabelled_rows, severe=False),
        Difference("version of probfs", old.result.version, new.result.version, severe=False),
    )
    found = [difference for difference in possible if difference.old != difference.new]
    return tuple(sorted(found, key=lambda difference: not difference.severe))


def _find_remarks(
    old: Side, new: Side, differences: Sequence[Difference], top: int | None, columns: int
) -> Iterator[Note]:
    """What to know before the comparison is believed."""
    for found in differences:
        if found.severe:
            values = f"{shown_value(found.old)} in {old.document}, but {shown_value(found.new)} in {new.document}"
            yield NoteKind.DIFFERENCE.note(f"{found.what}: {values}; ranks are hard to compare")
    for side in (old, new):
        if side.is_partial:
            listed = f"lists only the best {len(side.by_name):,} of {counted(side.input.features, 'column')}"
            yield NoteKind.PARTIAL.note(f"{side.document} {listed}: columns beyond them are unlisted")
    if top is not None and top > columns:
        yield NoteKind.TOP.note(f"{option('top', top)}: there are only {columns:,}, so overlap is of all columns")


def _find_renamed(old: Side, new: Side) -> dict[str, str]:
    """Columns that were probably renamed, by either name: pairs that score the same, and as no other of either side.

    All scores that both have must agree, and the probability of the test against the class. Scores may depend on names,
    by which some classifiers deal rows into folds, and on the other columns. So of one column that vanished and one
    that appeared in as many rows, p alone may tell.
    """
    # Where only the best columns are listed, those that are not may be there all the same.
    if old.is_partial or new.is_partial:
        return {}
    gone, come = _unique_traits(old, new), _unique_traits(new, old)
    pairs = [(gone[traits], come[traits]) for traits in gone.keys() & come.keys()]
    vanished, appeared = old.by_name.keys() - new.by_name.keys(), new.by_name.keys() - old.by_name.keys()
    if not pairs and len(vanished) == len(appeared) == 1 and old.input.labelled_rows == new.input.labelled_rows:
        (before,), (now,) = vanished, appeared
        p = old.by_name[before].p
        pairs = [(before, now)] if 0 < (p or 0) < 1 and _are_close(p, new.by_name[now].p) else []
    return {name: other for pair in pairs for name, other in (pair, pair[::-1])}


def _unique_traits(side: Side, other: Side) -> dict[tuple[float | None, ...], str]:
    """The columns that the other side lacks by what they score, in the digits that rounding leaves, if no other does;
    those without any effect (a score of 0, or no score and a p of 0 or 1) all look the same, so they are not there.
    """
    keys = ("s_s", "s_a", "log_loss") if side.kind == "selection" else ("initial_s_s", "initial_s_a", "initial_s_su")
    found: dict[tuple[float | None, ...], list[str]] = {}
    for name in side.by_name.keys() - other.by_name.keys():
        feature = side.by_name[name]
        score, *others = (finite_or_none(getattr(feature, key)) for key in keys)
        # A column that a selection screened out has no score, only p.
        size = (feature.p or 0.0) % 1 if score is None else score
        if size > 0:
            rounded = [None if value is None else round(value / size, 8) for value in (*others, feature.p)]
            found.setdefault((float(f"{size:.8g}"), *rounded), []).append(name)
    return {traits: names[0] for traits, names in found.items() if len(names) == 1}
