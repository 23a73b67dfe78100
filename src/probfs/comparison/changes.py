"""From two rankings or selections to what became of each column, what else differs, and who was probably renamed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from probfs import __version__
from probfs.comparison.measures import kendall, overlap, overlap_lengths, rank_biased_overlap, spearman
from probfs.comparison.result import (
    Change,
    ColumnChange,
    Comparison,
    Difference,
    Feature,
    Side,
    finite_or_none,
    shown_value,
)
from probfs.notes import Note, NoteKind
from probfs.ranking.result import RankedFeature
from probfs.text import counted, option

Traits: TypeAlias = "tuple[float | None, ...]"
"""What a column scores under whatever name: the absolute score, which the others are exact in proportion to; other
scores; p.
"""

DEFAULT_TOP = 10
_TOLERANCE = 1e-9
"""What rounding leaves of scores, relative to their size, when columns or rows change their order."""
_MANY = 100
"""Columns of which so many score the same are none that a score could tell apart."""
_DECISIVE = ("classifier", "estimator", "score", "estimate", "eliminate", "kernel", "cut_target")
"""Settings under which scores, and so ranks, mean something else."""
_IRRELEVANT = ("uncertainty",)
"""Settings that no rank depends on."""


def compare_rankings(old: Side, new: Side, top: int | None = None) -> Comparison:
    """Compare two rankings, two selections or one of each.

    ``top`` says how many of the first columns the measure ``overlap`` is about: by default 10, or half of the columns
    where there are fewer than 20, since all of them overlap in any order.
    """
    columns = max(old.input.features, new.input.features)
    first = min(top or max(1, min(DEFAULT_TOP, (columns + 1) // 2)), columns)
    before, after = _common_ranks(old, new), _common_ranks(new, old)
    listed = min([len(side.features) for side in (old, new) if side.is_partial], default=columns)
    new_ranks = [after[name] for name in before]
    differences = find_differences(old, new)
    return Comparison(
        old=old,
        new=new,
        columns=tuple(_find_changes(old, new, before, after)),
        spearman=spearman(new_ranks),
        kendall=kendall(new_ranks),
        rbo=rank_biased_overlap(old.names, new.names),
        overlaps=tuple(overlap(old.names, new.names, k) for k in overlap_lengths(columns, first) if k <= listed),
        top=first,
        same_scores=_have_same_scores(old, new, list(before)),
        differences=differences,
        warnings=tuple(_find_remarks(old, new, differences, top, columns)),
        version=__version__,
    )


def _common_ranks(side: Side, other: Side) -> dict[str, int]:
    """The columns that the other side has too, ranked among themselves."""
    return {name: rank for rank, name in enumerate((name for name in side.names if name in other.by_name), 1)}


def _find_changes(old: Side, new: Side, before: Mapping[str, int], after: Mapping[str, int]) -> Iterator[ColumnChange]:
    """Each column and its change: those of the new document in its order, then those that only the old one has."""
    vanished = [name for name in old.names if name not in new.by_name]
    renamed = _names_on_the_other_side(old, new, vanished)
    places = [[side.by_name[name].rank for name in ranks] for side, ranks in ((old, before), (new, after))]
    for name in (*new.names, *vanished):
        moved = beyond = None
        change: Change
        if name not in old.by_name:
            change = "unlisted" if old.is_partial else "appeared"
        elif name not in new.by_name:
            change = "unlisted" if new.is_partial else "vanished"
        else:
            moved = before[name] - after[name]
            change = "rose" if moved > 0 else "fell" if moved < 0 else "same"
            inside = {_holds(old.by_name[name], places[0], after[name])}
            inside |= {_holds(new.by_name[name], places[1], before[name])}
            beyond = True not in inside if inside - {None} else None
        facts = {**_facts(old, "old", name), **_facts(new, "new", name)}
        yield ColumnChange(name, change, moved, beyond=beyond, renamed=renamed.get(name), **facts)


def _holds(feature: Feature, places: Sequence[int], rank: int) -> bool | None:
    """Whether a column's rank interval holds a rank among the common columns; None without an interval."""
    low, high = getattr(feature, "rank_low", None), getattr(feature, "rank_high", None)
    return None if low is None or high is None else bisect_left(places, low) < rank <= bisect_right(places, high)


def _facts(side: Side, prefix: str, name: str) -> dict[str, Any]:
    """What a ``ColumnChange`` says of the column on one side."""
    feature = side.by_name.get(name)
    facts = {key: getattr(feature, key, None) for key in ("rank", "rank_low", "rank_high", "verdict")}
    facts["score"] = None if feature is None else side.score_of(feature)
    return {f"{prefix}_{key}": value for key, value in facts.items()}


def _names_on_the_other_side(old: Side, new: Side, vanished: Sequence[str]) -> dict[str, str]:
    """Columns that were probably renamed, by either name."""
    if old.is_partial or new.is_partial:
        # Where only the best columns are listed, those that are not may be there all the same.
        return {}
    gone = {name: _traits_of(old.by_name[name]) for name in vanished}
    come = {name: _traits_of(feature) for name, feature in new.by_name.items() if name not in old.by_name}
    renames = find_renames(gone, come, old.input.labelled_rows == new.input.labelled_rows)
    return {**renames, **{now: before for before, now in renames.items()}}


def _have_same_scores(old: Side, new: Side, common: Sequence[str]) -> bool | None:
    """Whether scores are the same; None where the two documents have scores of different kinds."""
    if len({(side.kind, side.score_key, side.settings.get("eliminate")) for side in (old, new)}) > 1:
        return None
    scores = [tuple(side.score_of(side.by_name[name]) for side in (old, new)) for name in common]
    largest = max((abs(score) for pair in scores for score in pair if score is not None), default=0.0)
    return all(_are_close(before, now, largest) for before, now in scores)


def find_differences(old: Side, new: Side) -> tuple[Difference, ...]:
    """What differs, the severe first; settings that only one of the two documents knows are not compared."""
    found = [difference for difference in _possible_differences(old, new) if difference.old != difference.new]
    return tuple(sorted(found, key=lambda difference: not difference.severe))


def _possible_differences(old: Side, new: Side) -> Iterator[Difference]:
    yield Difference("document", old.kind, new.kind, severe=True)
    yield Difference("target", old.input.target, new.input.target, severe=True)
    # Classes that numbers were cut into are named by intervals, whose limits follow the rows.
    both_cut = None not in (old.settings.get("cut_target"), new.settings.get("cut_target"))
    yield Difference("classes", sorted(old.input.classes), sorted(new.input.classes), severe=not both_cut)
    for key, value in old.settings.items():
        if key in new.settings and key not in _IRRELEVANT:
            # The folds of a selection judge it, those of a ranking score its rows.
            decisive = key in _DECISIVE or (key == "folds" and old.kind == new.kind == "ranking")
            yield Difference(key, value, new.settings[key], decisive)
    yield Difference("labelled rows", old.input.labelled_rows, new.input.labelled_rows, severe=False)
    yield Difference("unlabelled rows", old.input.unlabelled_rows, new.input.unlabelled_rows, severe=False)
    yield Difference("version of probfs", old.result.version, new.result.version, severe=False)


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
            listed = f"lists only the best {len(side.features):,} of {counted(side.input.features, 'column')}"
            yield NoteKind.PARTIAL.note(f"{side.document} {listed}: columns beyond them are unlisted")
    if top is not None and top > columns:
        message = f"{option('top', top)}: there are only {columns:,}, so overlap is of all columns"
        yield NoteKind.TOP.note(message)


def _traits_of(feature: Feature) -> Traits:
    """Those of the first round, and in a selection those it has."""
    ranked, selected = ("initial_s_s", "initial_s_a", "initial_s_su", "p"), ("s_s", "s_a", "log_loss", "p")
    keys = ranked if isinstance(feature, RankedFeature) else selected
    return tuple([finite_or_none(getattr(feature, key)) for key in keys])


def find_renames(
    vanished: Mapping[str, Traits], appeared: Mapping[str, Traits], same_rows: bool = False
) -> dict[str, str]:
    """Old names with the new names that took their place: pairs that score the same, and as no other of either side.

    All scores that both have must agree, and the probability of the test against the class. Columns without any effect
    (a score of 0, or no score and a p of 0 or 1) all look the same, so they are never matched.

    The scores of a support vector machine depend on the names, which decide how rows are dealt into folds and shuffled;
    those of any classifier depend on the other columns. So if only one column vanished and only one appeared, and if
    the tables have as many rows, which is ``same_rows``, their p alone may tell: it tests the column by itself.
    """
    forwards, backwards = _only_matches(vanished, appeared), _only_matches(appeared, vanished)
    matches = {old: new for old, new in forwards.items() if backwards.get(new) == old}
    if not matches and same_rows and len(vanished) == len(appeared) == 1:
        ((old, traits),), ((new, others),) = vanished.items(), appeared.items()
        if 0 < (traits[-1] or 0) < 1 and _are_close(traits[-1], others[-1], 0.0):
            return {old: new}
    return matches


def _only_matches(columns: Mapping[str, Traits], others: Mapping[str, Traits]) -> dict[str, str]:
    """The columns that match exactly one of the others."""
    candidates = sorted((_size(traits), name) for name, traits in others.items() if _has_effect(traits))
    matches: dict[str, str] = {}
    for column, traits in columns.items():
        size = _size(traits)
        first = bisect_left(candidates, (size * (1 - 2 * _TOLERANCE), ""))
        last = bisect_right(candidates, size * (1 + 2 * _TOLERANCE), key=lambda candidate: candidate[0])
        if _has_effect(traits) and last - first <= _MANY:
            matching = [name for _, name in candidates[first:last] if _score_the_same(traits, others[name])]
            if len(matching) == 1:
                matches[column] = matching[0]
    return matches


def _has_effect(traits: Traits) -> bool:
    return _size(traits) > 0 if traits[0] is not None else 0 < _size(traits) < 1


def _size(traits: Traits) -> float:
    """The absolute score; for a column that a selection screened out, p."""
    return (traits[-1] or 0.0) if traits[0] is None else traits[0]


def _score_the_same(one: Traits, other: Traits) -> bool:
    size = max(one[0] or 0.0, other[0] or 0.0)
    return all(_are_close(first, second, size) for first, second in zip(one, other, strict=True))


def _are_close(first: float | None, second: float | None, size: float) -> bool:
    if first is None or second is None:
        return first is second
    return abs(first - second) <= _TOLERANCE * max(size, abs(first), abs(second))
