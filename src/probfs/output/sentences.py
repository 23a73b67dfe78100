"""What results say in words: what was read, how it was done, and what came of it. Also numbers as tables show them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from probfs.classifiers.options import ESTIMATES
from probfs.classifiers.scores import SCORES, Score
from probfs.text import and_more, counted, listed, option, printable, quoted

if TYPE_CHECKING:
    from probfs.columns.inspect import Inspection
    from probfs.comparison.result import Comparison, Side
    from probfs.interaction.result import Pairs
    from probfs.ranking.result import InputSummary, RankedFeature, Ranking, RoundSummary
    from probfs.selection.result import HonestEstimate, Selection

VERDICT_WORDS = {"keep": "kept", "redundant": "redundant", "weak": "weak", "noise": "noise"}
_MOST_NAMES = 6
_UNLISTED = "are listed in one document only"
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
    return [*table, describe_method(ranking), _errors_of_full_model(ranking), *_describe_stability(ranking)]


def describe_input(data: InputSummary) -> str:
    """The table, its columns, rows and classes."""
    unlabelled = f" and {data.unlabelled_rows:,} unlabelled" if data.unlabelled_rows else ""
    dropped = f" ({counted(data.dropped_rows, 'row')} of rare classes dropped)" if data.dropped_rows else ""
    rows = f"{data.labelled_rows:,} labelled{unlabelled} rows{dropped}"
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
        (basis.restyled, "of numbers or dates written like 1.234,50 € or 31.12.2024"),
        (basis.merged, "in which different spellings are merged"),
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
    judged = f"{folds}{ESTIMATES[settings.estimate]}"
    if settings.group is not None and settings.estimate in ("loo", "cv"):
        judged += f" of the subjects of {printable(settings.group)}"
    if settings.time is not None:
        judged += f" in the order of {printable(settings.time)}"
    if settings.weight is not None:
        judged += f", rows weighted by {printable(settings.weight)}"
    return f"{settings.model.summary}, {judged}"


def shown_scores(ranking: Ranking) -> list[Score]:
    """The scores that have values, the driving one first."""
    driving = SCORES[ranking.settings.score]
    present = [score for score in SCORES if ranking.input.unlabelled_rows or not score.needs_unlabelled]
    return [driving, *(score for score in present if score != driving)]


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
    model = f"With all columns the model gets {errors:,} of {rows} wrong{held_out} ({errors / first.rows:.1%})"
    if ranking.settings.time is not None:
        # Which rows guessing would be judged on is not known here.
        return f"{model}."
    guessing = ranking.input.labelled_rows - max(ranking.input.classes.values())
    return f"{model}; always guessing the largest class, {guessing:,}."


def _describe_stability(ranking: Ranking) -> list[str]:
    found = ranking.stability
    if found is None:
        return []
    first = "first column" if found.k == 1 else f"first {found.k:,} columns"
    scale = "1: always the same; 0: as if drawn at random"
    return [f"Stability of the {first} in {found.halves} rankings of half of the rows: {found.value:.2f} ({scale})."]


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
    settings, every = selection.settings, (*selection.features, *selection.unlisted)
    verdicts: Counter[str] = Counter("beyond" if selection.is_beyond(feature) else feature.verdict for feature in every)
    total, kept = selection.input.features, len(selection.kept)
    requests = _describe_requests(selection)
    screened = f"told from noise (false discoveries: at most {100 * settings.noise_above:g}%)"
    if verdicts["noise"] == total:
        return f"Keep none of {total:,}{requests}: {'it cannot' if total == 1 else 'none can'} be {screened}."
    reasons = {
        "redundant": ("says", "say", "what kept columns say (redundant)"),
        "beyond": ("is", "are", f"beyond the {settings.keep} asked for (weak)"),
        "weak": ("adds", "add", "too little (weak)"),
        "noise": ("cannot", "cannot", f"be {screened}"),
    }
    dropped = [
        f"{verdicts[verdict]:,} {one if verdicts[verdict] == 1 else many} {rest}"
        for verdict, (one, many, rest) in reasons.items()
        if verdicts[verdict]
    ]
    amount = f"all {total:,}" if kept == total > 1 else f"{f'{kept:,}' if kept else 'none'} of {total:,}"
    unscreened = settings.false_discoveries == 1 or all(feature.p is None for feature in every)
    sentences = [f"Keep {amount}{requests}", ", ".join(dropped), "No column was screened for noise" * unscreened]
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
    kept, every, none = (
        (f"{judged.errors / judged.rows:.1%}", shown_loss(judged.log_loss))
        for judged in (honest.kept, honest.all, honest.none)
    )
    judged = (
        f"Judged on rows that neither choice nor model had seen ({honest.folds} folds): kept {kept[0]} wrong, log-loss "
        f"{kept[1]}; all {every[0]}, {every[1]}; none (always the class shares) {none[0]}, {none[1]}."
    )
    size, error = abs(honest.difference), f"(standard error {honest.se:.3f})"
    if size < _SAME_LOSS:
        return [judged, f"Log-loss a row: the same as with all columns {error}."]
    way = "lower" if honest.difference < 0 else "higher"
    clear = "" if size > _CLEAR * honest.se else ": no clear difference"
    return [judged, f"Log-loss a row: {size:.3f} {way} than with all columns {error}{clear}."]


def rest_of_selection(selection: Selection, shown: int) -> str:
    """How many columns follow the first so many, with what verdicts, and how large their scores are."""
    hidden = (*selection.features[shown:], *selection.unlisted)
    if not hidden:
        return ""
    verdicts: Counter[str] = Counter(feature.verdict for feature in hidden)
    kinds = ", ".join(f"{verdicts[verdict]:,} {word}" for verdict, word in VERDICT_WORDS.items() if verdicts[verdict])
    key = SCORES[selection.settings.score].key
    return f"… {len(hidden):,} more ({kinds}){_none_above(getattr(feature, key) for feature in hidden)}"


# Pairs.


def pairs_sentences(pairs: Pairs) -> list[str]:
    data, found = pairs.input, pairs.found
    limit = f"q ≤ {pairs.settings['false_discoveries']:g}"
    table = f"{data.source}: {data.labelled_rows:,} labelled rows, {counted(data.features, 'column')}"
    sentence = f"{table}, {counted(pairs.tested, 'pair')} tested; target {quoted(data.target)}."
    if not found:
        return [sentence, f"No pair of columns tells more than its columns do one by one ({limit})."]
    tell = "1 pair tells" if len(found) == 1 else f"{len(found):,} pairs tell"
    joined = f"--join {quoted(f'{found[0].a}+{found[0].b}')} ranks the first as one column"
    return [sentence, f"{tell} together what neither column tells beside the other ({limit}); {joined}."]


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
    has_moves = any(column.change not in ("same", "unlisted") for column in comparison.columns)
    renamed = [f"{quoted(old)} is now {quoted(new)}" for old, new in comparison.renamed.items()]
    sentences = [f"old: {_describe_side(comparison.old)}", f"new: {_describe_side(comparison.new)}"]
    sentences.append(_describe_moves(comparison) if has_moves else _describe_sameness(comparison))
    if renamed:
        sentences.append(f"Probably renamed, by what they score: {and_more(renamed, _MOST_NAMES)}.")
    if has_moves:
        sentences.append(_describe_similarity(comparison))
    if comparison.old.kept is not None and comparison.new.kept is not None:
        sentences.append(_describe_kept(comparison, len(comparison.old.kept), len(comparison.new.kept)))
    elif comparison.old.kept is None and comparison.new.kept is None:
        sentences += _describe_intervals(comparison)
    for severe, words in ((True, "Hard to compare"), (False, "Also different")):
        found = [str(difference) for difference in comparison.differences if difference.severe == severe]
        sentences += [f"{words}: {', '.join(found)}."] if found else []
    return sentences


def _describe_side(side: Side) -> str:
    data = side.input
    rows, columns = counted(data.labelled_rows, "labelled row"), counted(data.features, "column")
    document = "" if data.source == side.document else f"{side.document}, "
    return f"{document}{side.kind} of {printable(data.source)} ({columns}, {rows}, target {printable(data.target)})"


def _describe_moves(comparison: Comparison) -> str:
    counts: Counter[str] = Counter(column.change for column in comparison.columns)
    words = {"rose": "rose", "fell": "fell", "appeared": "appeared", "vanished": "vanished"}
    words |= {"unlisted": _UNLISTED, "same": "stayed"}
    said = [f"{counts[change]:,} {word}" for change, word in words.items() if counts[change]]
    judged = len(comparison.judged_otherwise)
    said += [f"{judged:,} judged otherwise"] if judged else []
    both = (counts["rose"] or counts["fell"]) and (counts["appeared"] or counts["vanished"])
    among = " (moves are counted among the columns that both have)" if both else ""
    return f"Of {counted(len(comparison.columns), 'column')}: {', '.join(said)}{among}."


def _describe_sameness(comparison: Comparison) -> str:
    """What to say where no column moved, came or went: what else changed, and what is not known."""
    unlisted = len(comparison.changes("unlisted"))
    both = counted(len(comparison.columns) - unlisted, "column")
    where = f" among the {both} that both documents list" if unlisted else ""
    rest = f"; {unlisted:,} {_UNLISTED}" if unlisted else ""
    judged = [
        f"{quoted(column.column)} ({column.old_verdict} → {column.new_verdict})"
        for column in comparison.judged_otherwise
    ]
    if judged:
        verdicts = f"{counted(len(judged), 'verdict')} did: {and_more(judged, _MOST_NAMES)}"
        return f"No rank changed{where}; {verdicts}{rest}."
    scores = "; scores did change" if comparison.same_scores is False else ""
    if unlisted:
        return f"No rank changed{where}{scores}{rest}."
    both_select = None not in (comparison.old.kept, comparison.new.kept)
    ranks = "the same columns, ranks and verdicts" if both_select else "the same columns and ranks"
    if comparison.same_scores:
        return f"Nothing changed: {ranks}, and the same scores ({both})."
    return f"No rank changed: {ranks} ({both}){scores}."


def _describe_similarity(comparison: Comparison) -> str:
    correlations = ""
    if comparison.spearman is not None and comparison.kendall is not None:
        common = counted(sum(column.moved is not None for column in comparison.columns), "column")
        values = f"Spearman {comparison.spearman:.3f}, Kendall {comparison.kendall:.3f}"
        correlations = f"Rank correlation of {common} in both: {values}. "
    most = max(comparison.old.input.features, comparison.new.input.features)
    overlaps = [
        f"{overlap.shared:,} of the first {overlap.first:,}"
        for overlap in comparison.overlaps
        if overlap.first < most and overlap.first in (*_SHOWN_OVERLAPS, comparison.top)
    ]
    same = f"The same: {', '.join(overlaps)}; rank-biased overlap" if overlaps else "Rank-biased overlap:"
    return f"{correlations}{same} {comparison.rbo:.3f}."


def _describe_kept(comparison: Comparison, before: int, now: int) -> str:
    newly, gone = comparison.newly_kept, comparison.no_longer_kept
    newly_kept = f"; newly {listed(newly, _MOST_NAMES)}" if newly else ""
    no_longer = f"; no longer {listed(gone, _MOST_NAMES)}" if gone else ""
    return f"Kept: {before:,} before, {now:,} now{newly_kept}{no_longer}."


def _describe_intervals(comparison: Comparison) -> list[str]:
    """Which moves are more than the rank intervals allow."""
    moved = [column for column in comparison.columns if column.moved]
    if not moved:
        return []
    if comparison.measures["beyond"] is None:
        advice = f"rank with {option('uncertainty', True)} to tell change from chance"
        return [f"Whether moves are more than chance is not known: neither has rank intervals; {advice}."]
    beyond = [column.column for column in moved if column.beyond]
    if not beyond:
        return ["Every move is within the rank intervals: chance may explain it."]
    number = f"{len(beyond):,} of {counted(len(moved), 'move')}"
    return [f"Beyond the rank intervals: {number}: {listed(beyond, _MOST_NAMES)}."]
