"""What results say in words: what was read, how it was done, and what came of it. Also numbers as tables show them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from probfs.classifiers.options import ESTIMATES
from probfs.classifiers.scores import SCORES
from probfs.text import and_more, counted, listed, option, printable, quoted

if TYPE_CHECKING:
    from probfs.columns.inspect import Inspection
    from probfs.comparison.result import Comparison, Side
    from probfs.ranking.result import InputSummary, RankedFeature, Ranking, RoundSummary
    from probfs.selection.result import HonestEstimate, Judged, Selection

VERDICT_WORDS = {"keep": "kept", "redundant": "redundant", "weak": "weak", "noise": "noise"}
_MOST_NAMES = 6
_SHOWN_OVERLAPS = (5, 10, 20, 50, 100)
_SAME_LOSS = 5e-4
"""Differences of log-loss below this are nothing in the three decimals shown."""
_CLEAR = 2.0
"""Standard errors beyond which a difference is hardly chance."""


# Numbers.


def shown_score(value: float | None) -> str:
    """A score in four decimals, or as a power of ten where few of them would be seen; nothing for none."""
    if value is None:
        return ""
    return f"{value:.4f}" if value == 0 or abs(value) >= 1e-3 else f"{value:.2e}"


def shown_loss(value: float) -> str:
    """A log-loss in three decimals, or as a power of ten where they would all be 0.

    >>> shown_loss(0.3296), shown_loss(0.0), shown_loss(4e-5)
    ('0.330', '0.000', '4.0e-05')
    """
    return f"{value:.3f}" if value == 0 or value >= _SAME_LOSS else f"{value:.1e}"


def shown_probability(value: float | None) -> str:
    """Three decimals, or a power of ten where they would say little; nothing for none."""
    if value is None:
        return ""
    return f"{value:.3f}" if value == 0 or value >= 1e-3 else f"{value:.1e}"


# Rankings.


def ranking_sentences(ranking: Ranking) -> list[str]:
    data = ranking.input
    table = [describe_input(data), *describe_basis(data), *describe_groups(ranking)]
    return [*table, describe_method(ranking), _errors_of_full_model(ranking)]


def describe_input(data: InputSummary) -> str:
    """The table, its columns, rows and classes."""
    rows = f"{data.labelled_rows:,} labelled"
    if data.unlabelled_rows:
        rows += f" and {data.unlabelled_rows:,} unlabelled"
    rows += " rows"
    if data.dropped_rows:
        rows += f" ({counted(data.dropped_rows, 'row')} of rare classes dropped)"
    classes = f"{printable(data.target)} with {counted(len(data.classes), 'class', 'classes')}"
    return f"{data.source}: {counted(data.features, 'column')}, {rows}, target {classes} ({listed(data.classes, 4)})"


def describe_basis(data: InputSummary) -> list[str]:
    """What of the table took no part, and what became of the cells that did; nothing where all are as they were."""
    basis = data.basis
    if basis is None:
        return []
    parts = []
    if basis.left_out:
        words = {"index": "row index", "mapping": "by the mapping"}
        words |= {name: f"by {option(name)}" for name in ("exclude", "include")}
        reasons = [(words.get(reason, reason), number) for reason, number in basis.left_out.items()]
        why = ", ".join(f"{number:,} {word}" for word, number in reasons) if len(reasons) > 1 else reasons[0][0]
        parts.append(f"{counted(sum(basis.left_out.values()), 'column is', 'columns are')} left out ({why})")
    if basis.missing_cells:
        cells = counted(basis.missing_cells, "cell is", "cells are")
        parts.append(f"{cells} missing in {counted(basis.missing_columns, 'column')}")
    for number, what in (
        (basis.restyled, "of numbers or dates in a style of their own"),
        (basis.merged, "with values that are taken as one"),
        (basis.cut, "of numbers cut into intervals"),
    ):
        parts += [f"{counted(number, 'column')} {what}"] if number else []
    return [f"Of the table: {'; '.join(parts)}."] if parts else []


def describe_groups(result: Ranking | Selection) -> list[str]:
    """Which columns are one feature together."""
    groups = [f"{printable(name)} ({listed(columns)})" for name, columns in result.settings.together.items()]
    return [f"Taken as one: {and_more(groups, _MOST_NAMES)}."] if groups else []


def describe_method(ranking: Ranking) -> str:
    score = SCORES[ranking.settings.score]
    way = "under recursive elimination" if ranking.settings.eliminate else "in one round"
    return f"{describe_model(ranking)}, ranked by {score.heading} ({score.name}) {way}"


def describe_model(ranking: Ranking) -> str:
    """The classifier, and on which rows it is judged."""
    settings = ranking.settings
    folds = "" if settings.folds is None else f"{settings.folds}-fold "
    return f"{settings.model.summary}, {folds}{ESTIMATES[settings.estimate]}"


def errors_of(summary: RoundSummary, ranking: Ranking) -> int:
    """The wrong rows of a round: those held out, where they are known."""
    held_out = summary.held_out_errors(ranking.settings.estimate)
    return summary.errors if held_out is None else held_out


def _errors_of_full_model(ranking: Ranking) -> str:
    first = ranking.rounds[0]
    errors, rows, held_out = errors_of(first, ranking), f"{first.rows:,} rows", ""
    if ranking.settings.estimate == "resubstitution":
        if first.held_out_errors("resubstitution") is None:
            rows = f"the {first.rows:,} rows it was trained on"
        else:
            held_out = " when they are held out"
    guessing = ranking.input.labelled_rows - max(ranking.input.classes.values())
    model = f"With all columns the model gets {errors:,} of {rows} wrong{held_out} ({errors / first.rows:.1%})"
    return f"{model}; always guessing the largest class, {guessing:,}."


def is_noise(feature: RankedFeature, ranking: Ranking) -> bool:
    """Whether the rows cannot tell a column from noise, for a classifier that needs each column to tell the class."""
    return (
        not ranking.settings.model.sees_columns_together
        and feature.q is not None
        and feature.q > ranking.settings.noise_above
    )


def rest_of_ranking(ranking: Ranking, shown: int) -> str:
    """How many columns follow the first so many, and how large their scores are; nothing if none follows."""
    more = ranking.input.features - shown
    if more <= 0:
        return ""
    # A ranking that was cut to its best columns does not know the scores of the others.
    complete = len(ranking.features) == ranking.input.features
    key = SCORES[ranking.settings.score].key
    values = [getattr(feature, key) for feature in ranking.features[shown:]] if complete else []
    return f"… {more:,} more{_none_above(values)}"


def _none_above(values: Iterable[float | None]) -> str:
    known = [value for value in values if value is not None and math.isfinite(value)]
    return f", none above {shown_score(max(known))}" if known else ""


# Selections.


def selection_sentences(selection: Selection) -> list[str]:
    data = selection.input
    choice = describe_choice(selection)
    table = [describe_input(data), *describe_basis(data), *describe_groups(selection)]
    return [*table, choice, *describe_estimate(selection.honest)]


def describe_choice(selection: Selection) -> str:
    """How many columns to keep, and why the others may go."""
    verdicts: Counter[str] = Counter(
        "beyond" if selection.is_beyond(feature) else feature.verdict
        for feature in (*selection.features, *selection.unlisted)
    )
    total, kept = selection.input.features, len(selection.kept)
    screened = f"told from noise (false discoveries: at most {100 * selection.settings.noise_above:g}%)"
    requests = _describe_requests(selection)
    if verdicts["noise"] == total:
        return f"Keep none of {total:,}{requests}: {'it cannot' if total == 1 else 'none can'} be {screened}."
    amount = f"all {total:,}" if kept == total > 1 else f"{f'{kept:,}' if kept else 'none'} of {total:,}"
    beyond = f"beyond the {selection.settings.keep} asked for (weak)"
    reasons = (
        ("redundant", "says what kept columns say (redundant)", "say what kept columns say (redundant)"),
        ("beyond", f"is {beyond}", f"are {beyond}"),
        ("weak", "adds too little (weak)", "add too little (weak)"),
        ("noise", f"cannot be {screened}", f"cannot be {screened}"),
    )
    dropped = ", ".join(
        f"{verdicts[verdict]:,} {one if verdicts[verdict] == 1 else many}"
        for verdict, one, many in reasons
        if verdicts[verdict]
    )
    untested = all(feature.p is None for feature in (*selection.features, *selection.unlisted))
    unscreened = untested or selection.settings.false_discoveries == 1
    sentences = [f"Keep {amount}{requests}", dropped, "No column was screened for noise" if unscreened else ""]
    return " ".join(f"{sentence}." for sentence in sentences if sentence)


def _describe_requests(selection: Selection) -> str:
    """How the user's own choices moved the cut."""
    keep = selection.settings.keep
    requested = len(set(selection.settings.always) & set(selection.kept))
    words = f", {requested:,} by request" if requested else ""
    if keep in ("fewest", "most"):
        words += f" (the {keep} within one standard error of the least log-loss)"
    elif isinstance(keep, int) and len(selection.kept) < keep:
        words += f" (fewer than the {keep:,} asked for)"
    return words


def describe_estimate(honest: HonestEstimate | None) -> list[str]:
    """How selecting does on rows that neither the choice nor the model had seen."""
    if honest is None:
        return [f"Not judged on unseen rows ({option('folds', 0)})."]
    kept, every, none = map(_errors_and_loss, (honest.kept, honest.all, honest.none))
    judged = (
        f"Judged on rows that neither choice nor model had seen ({honest.folds} folds): kept {kept[0]} wrong, log-loss "
        f"{kept[1]}; all {every[0]}, {every[1]}; none (always the class shares) {none[0]}, {none[1]}."
    )
    return [judged, _compare_losses(honest.difference, honest.se)]


def _compare_losses(difference: float, se: float) -> str:
    if abs(difference) < _SAME_LOSS:
        return f"Log-loss a row: the same as with all columns (standard error {se:.3f})."
    way = "lower" if difference < 0 else "higher"
    clear = "" if abs(difference) > _CLEAR * se else ": no clear difference"
    return f"Log-loss a row: {abs(difference):.3f} {way} than with all columns (standard error {se:.3f}){clear}."


def _errors_and_loss(judged: Judged) -> tuple[str, str]:
    return f"{judged.errors / judged.rows:.1%}", shown_loss(judged.log_loss)


def rest_of_selection(selection: Selection, shown: int) -> str:
    """How many columns follow the first so many, with what verdicts, and how large their scores are."""
    hidden = (*selection.features[shown:], *selection.unlisted)
    if not hidden:
        return ""
    verdicts: Counter[str] = Counter(feature.verdict for feature in hidden)
    kinds = ", ".join(f"{verdicts[verdict]:,} {word}" for verdict, word in VERDICT_WORDS.items() if verdicts[verdict])
    key = SCORES[selection.settings.score].key
    return f"… {len(hidden):,} more ({kinds}){_none_above(getattr(feature, key) for feature in hidden)}"


# Inspections.


def inspection_sentences(inspection: Inspection) -> list[str]:
    total = max(inspection.labelled_rows, 1)
    ordered = sorted(inspection.classes.items(), key=lambda item: (-item[1], item[0]))
    classes = ", ".join(f"{quoted(name)} {rows:,} ({rows / total:.1%})" for name, rows in ordered)
    rows = f"{inspection.labelled_rows:,} labelled and {inspection.unlabelled_rows:,} unlabelled rows"
    return [
        f"{inspection.source}: {counted(len(inspection.columns), 'column')}, {rows}",
        f"target {printable(inspection.target)} ({inspection.target_reason}): {classes or 'no class'}",
    ]


# Comparisons.


def comparison_sentences(comparison: Comparison) -> list[str]:
    """The sentences, most important first."""
    return [
        f"old: {_describe_side(comparison.old)}",
        f"new: {_describe_side(comparison.new)}",
        _describe_changes(comparison),
        *_describe_renaming(comparison),
        *_describe_similarity(comparison),
        *_describe_kept(comparison),
        *_describe_intervals(comparison),
        *_describe_differences(comparison),
    ]


def _describe_side(side: Side) -> str:
    data = side.input
    rows, columns = counted(data.labelled_rows, "labelled row"), counted(data.features, "column")
    document = "" if data.source == side.document else f"{side.document}, "
    return f"{document}{side.kind} of {printable(data.source)} ({columns}, {rows}, target {printable(data.target)})"


_UNLISTED = "are listed in one document only"


def _describe_changes(comparison: Comparison) -> str:
    if not _has_moves(comparison):
        return _describe_sameness(comparison)
    counts = {change: len(comparison.changes(change)) for change in ("rose", "fell", "appeared", "vanished")}
    words = [
        *((number, change) for change, number in counts.items()),
        (len(comparison.changes("unlisted")), _UNLISTED),
        (len(comparison.changes("same")), "stayed"),
        (len(comparison.judged_otherwise), "judged otherwise"),
    ]
    said = ", ".join(f"{number:,} {word}" for number, word in words if number)
    both = (counts["rose"] or counts["fell"]) and (counts["appeared"] or counts["vanished"])
    among = " (moves are counted among the columns that both have)" if both else ""
    return f"Of {counted(len(comparison.columns), 'column')}: {said}{among}."


def _has_moves(comparison: Comparison) -> bool:
    """Whether a column moved, came or went."""
    return any(column.change not in ("same", "unlisted") for column in comparison.columns)


def _describe_sameness(comparison: Comparison) -> str:
    """What to say where no column moved, came or went: what else changed, and what is not known."""
    unlisted = len(comparison.changes("unlisted"))
    both = len(comparison.columns) - unlisted
    where = f" among the {counted(both, 'column')} that both documents list" if unlisted else ""
    rest = f"; {unlisted:,} {_UNLISTED}" if unlisted else ""
    judged = [
        f"{quoted(column.column)} ({column.old_verdict} → {column.new_verdict})"
        for column in comparison.judged_otherwise
    ]
    scores = "; scores did change" if comparison.same_scores is False else ""
    if judged:
        shown = and_more(judged, _MOST_NAMES)
        return f"No rank changed{where}; {counted(len(judged), 'verdict')} did: {shown}{rest}."
    if unlisted:
        return f"No rank changed{where}{scores}{rest}."
    # Nothing is unlisted, so verdicts are known if both documents have them.
    have_verdicts = None not in (comparison.old.kept, comparison.new.kept)
    ranks = "the same columns, ranks and verdicts" if have_verdicts else "the same columns and ranks"
    if comparison.same_scores:
        return f"Nothing changed: {ranks}, and the same scores ({counted(both, 'column')})."
    return f"No rank changed: {ranks} ({counted(both, 'column')}){scores}."


def _describe_renaming(comparison: Comparison) -> list[str]:
    renamed = [f"{quoted(old)} is now {quoted(new)}" for old, new in comparison.renamed.items()]
    return [f"Probably renamed, by what they score: {and_more(renamed, _MOST_NAMES)}."] if renamed else []


def _describe_similarity(comparison: Comparison) -> list[str]:
    """Correlations and overlaps, unless nothing moved."""
    if not _has_moves(comparison):
        return []
    sentences = []
    if comparison.spearman is not None and comparison.kendall is not None:
        common = sum(column.moved is not None for column in comparison.columns)
        correlations = f"Spearman {comparison.spearman:.3f}, Kendall {comparison.kendall:.3f}"
        sentences.append(f"Rank correlation of {counted(common, 'column')} in both: {correlations}.")
    most = max(comparison.old.input.features, comparison.new.input.features)
    overlaps = [
        f"{overlap.shared:,} of the first {overlap.first:,}"
        for overlap in comparison.overlaps
        if overlap.first < most and overlap.first in (*_SHOWN_OVERLAPS, comparison.top)
    ]
    same = f"The same: {', '.join(overlaps)}; rank-biased overlap" if overlaps else "Rank-biased overlap:"
    return [" ".join([*sentences, f"{same} {comparison.rbo:.3f}."])]


def _describe_kept(comparison: Comparison) -> list[str]:
    old, new = comparison.old.kept, comparison.new.kept
    if old is None or new is None:
        return []
    parts = [f"Kept: {len(old):,} before, {len(new):,} now"]
    parts += [f"newly {listed(comparison.newly_kept, _MOST_NAMES)}"] if comparison.newly_kept else []
    parts += [f"no longer {listed(comparison.no_longer_kept, _MOST_NAMES)}"] if comparison.no_longer_kept else []
    return [f"{'; '.join(parts)}."]


def _describe_intervals(comparison: Comparison) -> list[str]:
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
    number = f"{len(beyond):,} of {counted(len(moved), 'move')}"
    return [f"Beyond the rank intervals: {number}: {listed(beyond, _MOST_NAMES)}."]


def _describe_differences(comparison: Comparison) -> list[str]:
    severe = [str(found) for found in comparison.differences if found.severe]
    others = [str(found) for found in comparison.differences if not found.severe]
    sentences = [f"Hard to compare: {', '.join(severe)}."] if severe else []
    return [*sentences, f"Also different: {', '.join(others)}."] if others else sentences
