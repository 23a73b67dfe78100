"""From two rankings or selections to what became of each column, what else differs, and who was probably renamed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from probfs import __version__
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
from probfs.ranking.result import RankedFeature
from probfs.text import counted, option

Traits: TypeAlias = "tuple[float | None, ...]"
"""What a column scores under whatever name: the absolute score, which the others are exact in proportion to; other
scores; p.
"""

DEFAULT_TOP = 10
_TOLERANCE = 1e-9
"""What rounding leaves of scores, relative to their size, when columns or rows change their order."""
_DECISIVE = ("classifier", "estimator", "score", "estimate", "eliminate", "kernel", "cut_target")
"""Settings under which scores, and so ranks, mean something else."""
RBO_PERSISTENCE = 0.9
"""How probably a reader of both lists goes on from a column to the next: the first 10 have 86 % of the weight."""
_LENGTHS = tuple(digit * 10**power for power in range(1, 7) for digit in (1, 2, 5))
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
    old_names, new_names = _names_by_traits(vanished), _names_by_traits(appeared)
    matches = {
        names[0]: new_names[key][0]
        for key, names in old_names.items()
        if len(names) == 1 == len(new_names.get(key, ()))
    }
    if not matches and same_rows and len(vanished) == len(appeared) == 1:
        ((old, traits),), ((new, others),) = vanished.items(), appeared.items()
        if 0 < (traits[-1] or 0) < 1 and _are_close(traits[-1], others[-1], 0.0):
            return {old: new}
    return matches


def _names_by_traits(columns: Mapping[str, Traits]) -> dict[tuple[float | str | None, ...], list[str]]:
    """The columns that have an effect, by what they score, in the digits that rounding leaves."""
    names: dict[tuple[float | str | None, ...], list[str]] = {}
    for name, traits in columns.items():
        if _has_effect(traits):
            size = _size(traits)
            key = f"{size:.8g}", *(None if value is None else round(value / size, 8) for value in traits)
            names.setdefault(key, []).append(name)
    return names


def _has_effect(traits: Traits) -> bool:
    return _size(traits) > 0 if traits[0] is not None else 0 < _size(traits) < 1


def _size(traits: Traits) -> float:
    """The absolute score; for a column that a selection screened out, p."""
    return (traits[-1] or 0.0) if traits[0] is None else traits[0]


def _are_close(first: float | None, second: float | None, size: float) -> bool:
    if first is None or second is None:
        return first is second
    return abs(first - second) <= _TOLERANCE * max(size, abs(first), abs(second))


# How alike two orders are.


def spearman(ranks: Sequence[int]) -> float | None:
    """Spearman's correlation of 1, 2 … n with these ranks, which are the same numbers; None for fewer than two.

    >>> spearman([1, 2, 3]), spearman([3, 2, 1]), spearman([1])
    (1.0, -1.0, None)
    """
    number = len(ranks)
    if number < 2:
        return None
    squares = sum((rank - position) ** 2 for position, rank in enumerate(ranks, 1))
    return 1 - 6 * squares / (number * (number**2 - 1))


def kendall(ranks: Sequence[int]) -> float | None:
    """Kendall's tau-b of 1, 2 … n with these ranks; None for fewer than two. As there are no ties, it is tau-a too.

    >>> kendall([1, 3, 2])
    0.33333333333333337
    """
    number = len(ranks)
    if number < 2:
        return None
    sorted_ranks: list[int] = []
    inversions = 0
    for seen, rank in enumerate(ranks):
        place = bisect_left(sorted_ranks, rank)
        sorted_ranks.insert(place, rank)
        inversions += seen - place
    return 1 - 4 * inversions / (number * (number - 1))


def overlap_lengths(columns: int, top: int) -> list[int]:
    """For which beginnings overlaps are of interest: 5, 10, 20, 50 … as far as there are more columns, and ``top``.

    >>> overlap_lengths(30, 8)
    [5, 8, 10, 20]
    """
    return sorted({min(top, columns), *(length for length in (5, *_LENGTHS) if length < columns)})


def overlap(old: Sequence[str], new: Sequence[str], first: int) -> Overlap:
    """How many of the first columns are the same; a list that is shorter has fewer to share.

    >>> overlap("abc", "bad", 2)
    Overlap(first=2, shared=2, share=1.0)
    """
    shared = len(set(old[:first]) & set(new[:first]))
    return Overlap(first, shared, shared / first)


def rank_biased_overlap(old: Sequence[str], new: Sequence[str]) -> float:
    """The extrapolated rank-biased overlap (Webber, Moffat and Zobel 2010, eq. 32): the first columns count most.

    >>> rank_biased_overlap("abc", "abc"), rank_biased_overlap("abc", "xyz")
    (1.0, 0.0)
    """
    weight, total = 1 - RBO_PERSISTENCE, 0.0
    shorter, longer = sorted((len(old), len(new)))
    places = {name: place for place, name in enumerate(old, 1)}
    # How many columns are in both lists from this depth on.
    joining = Counter(max(place, places[name]) for place, name in enumerate(new, 1) if name in places)
    shared = at_shorter = 0
    for depth in range(1, longer + 1):
        shared += joining[depth]
        if depth <= shorter:
            at_shorter = shared
        # Beyond the end of the shorter list, as many of its columns are expected to be shared as before.
        expected = at_shorter * max(depth - shorter, 0) / shorter
        total += weight * (shared + expected) / depth
        weight *= RBO_PERSISTENCE
    rest = RBO_PERSISTENCE**longer * ((shared - at_shorter) / longer + at_shorter / shorter)
    return min(total + rest, 1.0)
