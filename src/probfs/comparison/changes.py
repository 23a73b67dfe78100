"""What became of each column from an old ranking or selection to a new one, and how alike the two are."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence

from probfs import __version__
from probfs.comparison.differences import find_differences
from probfs.comparison.documents import ComparedColumn, ComparedRanking
from probfs.comparison.measures import kendall, overlap, overlap_lengths, rank_biased_overlap, spearman
from probfs.comparison.remarks import find_remarks
from probfs.comparison.renames import find_renames
from probfs.comparison.result import Change, ColumnChange, Comparison

_TOLERANCE = 1e-9
"""Changes of scores below this, relative to the largest score, are rounding."""
DEFAULT_TOP = 10


def compare_rankings(old: ComparedRanking, new: ComparedRanking, top: int | None = None) -> Comparison:
    """Compare two rankings, two selections or one of each.

    ``top`` says how many of the first columns the measure ``overlap`` is about: by default 10, or half of the columns
    where there are fewer than 20, since all of them overlap in any order.
    """
    columns = max(old.features, new.features)
    first = min(top or max(1, min(DEFAULT_TOP, (columns + 1) // 2)), columns)
    pairs = _Pairs(old, new)
    listed = min([len(side.columns) for side in (old, new) if side.is_partial], default=columns)
    lengths = [length for length in overlap_lengths(columns, first) if length <= listed]
    new_ranks = [pairs.new_ranks[name] for name in pairs.old_ranks]
    differences = find_differences(old, new)
    return Comparison(
        old=old,
        new=new,
        columns=tuple(_changes(pairs)),
        spearman=spearman(new_ranks),
        kendall=kendall(new_ranks),
        rbo=rank_biased_overlap(old.names, new.names),
        overlaps=tuple(overlap(old.names, new.names, length) for length in lengths),
        top=first,
        same_scores=_have_same_scores(pairs),
        differences=differences,
        warnings=find_remarks(old, new, differences, top, columns),
        version=__version__,
    )


class _Pairs:
    """The columns of both sides by name, and the ranks of those that both have among themselves."""

    def __init__(self, old: ComparedRanking, new: ComparedRanking) -> None:
        self.sides = old, new
        self.old = {column.name: column for column in old.columns}
        self.new = {column.name: column for column in new.columns}
        self.old_ranks = _ranks_among(old.names, self.new)
        self.new_ranks = _ranks_among(new.names, self.old)
        # In increasing order, to tell which of the common columns an interval of ranks spans.
        self.old_places = [self.old[name].rank for name in self.old_ranks]
        self.new_places = [self.new[name].rank for name in self.new_ranks]


def _ranks_among(names: Sequence[str], others: Mapping[str, ComparedColumn]) -> dict[str, int]:
    """The names that others have too, in their order, with ranks from 1 on."""
    common = [name for name in names if name in others]
    return dict(zip(common, range(1, len(common) + 1), strict=True))


def _changes(pairs: _Pairs) -> Iterator[ColumnChange]:
    """Each column and its change: those of the new document in its order, then those that only the old one has."""
    old, new = pairs.sides
    vanished = [column for column in old.columns if column.name not in pairs.new]
    appeared = [column for column in new.columns if column.name not in pairs.old]
    # Where only the best columns are listed, those that are not may be there all the same.
    same_rows = old.labelled_rows == new.labelled_rows
    renames = {} if old.is_partial or new.is_partial else find_renames(vanished, appeared, same_rows)
    former_names = {now: before for before, now in renames.items()}
    for column in new.columns:
        before = pairs.old.get(column.name)
        if before is None:
            change: Change = "unlisted" if old.is_partial else "appeared"
            yield _change(None, column, change, renamed=former_names.get(column.name))
        else:
            moved = pairs.old_ranks[column.name] - pairs.new_ranks[column.name]
            change = "rose" if moved > 0 else "fell" if moved < 0 else "same"
            yield _change(before, column, change, moved, _is_beyond(before, column, pairs))
    for column in vanished:
        yield _change(column, None, "unlisted" if new.is_partial else "vanished", renamed=renames.get(column.name))


def _change(
    old: ComparedColumn | None,
    new: ComparedColumn | None,
    change: Change,
    moved: int | None = None,
    beyond: bool | None = None,
    renamed: str | None = None,
) -> ColumnChange:
    known = old or new
    assert known is not None
    return ColumnChange(
        column=known.name,
        change=change,
        moved=moved,
        old_rank=None if old is None else old.rank,
        new_rank=None if new is None else new.rank,
        old_rank_low=None if old is None else old.rank_low,
        old_rank_high=None if old is None else old.rank_high,
        new_rank_low=None if new is None else new.rank_low,
        new_rank_high=None if new is None else new.rank_high,
        beyond=beyond,
        old_score=None if old is None else old.score,
        new_score=None if new is None else new.score,
        old_verdict=None if old is None else old.verdict,
        new_verdict=None if new is None else new.verdict,
        renamed=renamed,
    )


def _is_beyond(old: ComparedColumn, new: ComparedColumn, pairs: _Pairs) -> bool | None:
    """Whether no interval that is known holds the rank in the other document, in ranks among the common columns."""
    inside = [
        bisect_left(places, column.rank_low) < rank <= bisect_right(places, column.rank_high)
        for column, places, rank in (
            (old, pairs.old_places, pairs.new_ranks[new.name]),
            (new, pairs.new_places, pairs.old_ranks[old.name]),
        )
        if column.rank_low is not None and column.rank_high is not None
    ]
    return not any(inside) if inside else None


def _have_same_scores(pairs: _Pairs) -> bool | None:
    """Whether scores are the same; None where the two documents have scores of different kinds."""
    old_side, new_side = pairs.sides
    kinds = [(side.kind, side.score.key, side.settings.get("eliminate")) for side in (old_side, new_side)]
    if kinds[0] != kinds[1]:
        return None
    scores = [(pairs.old[name].score, pairs.new[name].score) for name in pairs.old_ranks]
    largest = max((abs(score) for pair in scores for score in pair if score is not None), default=0.0)
    return all(
        old is new if old is None or new is None else abs(old - new) <= _TOLERANCE * largest for old, new in scores
    )
