"""What results say in words: what was read, how it was done, and what came of it. Also numbers as tables show them."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from probfs.classifiers.options import ESTIMATES
from probfs.classifiers.scores import SCORES, Score
from probfs.text import and_more, counted, listed, option, printable, quoted

if TYPE_CHECKING:
    from probfs.columns.inspect import Inspection
    from probfs.comparison.result import Comparison
    from probfs.interaction.pairs import Pairs
    from probfs.ranking.result import RankedFeature, Ranking, RoundSummary
    from probfs.selection.result import HonestEstimate, Selection

VERDICT_WORDS = {"keep": "kept", "redundant": "redundant", "weak": "weak", "noise": "noise"}
_MOST_NAMES, _MOST_CLASSES = 6, 10
_SHOWN_OVERLAPS = (5, 10, 20, 50, 100)
_CLEAR = 2.0
"""Standard errors beyond which a difference is hardly chance."""


def shown_number(value: float | None, decimals: int = 4) -> str:
    """A score, or with three decimals a loss or a probability; as a power of ten where few digits would be seen.

    >>> shown_number(0.25), shown_number(0.000246), shown_number(4e-5, 3), shown_number(0.0), shown_number(None)
    ('0.2500', '2.46e-04', '4.0e-05', '0.0000', '')
    """
    if value is None:
        return ""
    return f"{value:.{decimals}f}" if value == 0 or abs(value) >= 1e-3 else f"{value:.{decimals - 2}e}"


# Rankings and selections.


def ranking_sentences(ranking: Ranking) -> list[str]:
    settings, first, found = ranking.settings, ranking.rounds[0], ranking.stability
    score = SCORES[settings.score]
    way = "under recursive elimination" if settings.eliminate else "in one round"
    errors, rows, held_out = errors_of(first, ranking), f"{first.rows:,} rows", ""
    if settings.estimate == "resubstitution":
        if first.held_out_errors("resubstitution") is None:
            rows = f"the {first.rows:,} rows it was trained on"
        else:
            held_out = " when they are held out"
    model = f"With all columns the model gets {errors:,} of {rows} wrong{held_out} ({errors / first.rows:.1%})"
    if settings.time is None:
        # Else it is not known here which rows guessing would be judged on.
        guessing = ranking.input.labelled_rows - max(ranking.input.classes.values())
        model += f"; always guessing the largest class, {guessing:,}"
    sentences = [
        *_describe_table(ranking),
        f"{describe_model(ranking)}, ranked by {score.heading} ({score.name}) {way}",
        f"{model}.",
    ]
    if found is not None:
        columns = "first column" if found.k == 1 else f"first {found.k:,} columns"
        stable = f"Stability of the {columns} in {found.halves} rankings of half of the rows: {found.value:.2f}"
        sentences.append(f"{stable} (1: always the same; 0: as if drawn at random).")
    return sentences


def selection_sentences(selection: Selection) -> list[str]:
    return [*_describe_table(selection), _describe_choice(selection), *_describe_estimate(selection.honest)]


def _describe_table(result: Ranking | Selection) -> list[str]:
    """The table, its columns, rows and classes; what of it took no part, and what became of the cells that did; which
    columns are one feature together.
    """
    data = result.input
    unlabelled = f" and {data.unlabelled_rows:,} unlabelled" if data.unlabelled_rows else ""
    dropped = f" ({counted(data.dropped_rows, 'row')} of rare classes dropped)" if data.dropped_rows else ""
    rows = f"{data.labelled_rows:,} labelled{unlabelled} rows{dropped}"
    classes = f"{printable(data.target)} with {counted(len(data.classes), 'class', 'classes')}"
    columns = counted(data.features, "column")
    sentences = [f"{data.source}: {columns}, {rows}, target {classes} ({listed(data.classes, 4)})"]
    parts, basis = [], data.basis
    if basis is not None:
        words = {"index": "row index", "mapping": "by the mapping"}
        words |= {name: f"by {option(name)}" for name in ("exclude", "include")}
        reasons = [f"{number:,} {words.get(reason, reason)}" for reason, number in basis.left_out.items()]
        if reasons:
            why = ", ".join(reasons) if len(reasons) > 1 else reasons[0].partition(" ")[2]
            left_out = counted(sum(basis.left_out.values()), "column is", "columns are")
            parts.append(f"{left_out} left out ({why})")
        if basis.missing_cells:
            cells = counted(basis.missing_cells, "cell is", "cells are")
            parts.append(f"{cells} missing in {counted(basis.missing_columns, 'column')}")
        for number, what in (
            (basis.restyled, "of formatted numbers or dates"),
            (basis.merged, "in which different spellings are merged"),
            (basis.cut, "of numbers cut into intervals"),
        ):
            parts += [f"{counted(number, 'column')} {what}"] if number else []
    sentences += [f"Of the table: {'; '.join(parts)}."] if parts else []
    groups = [f"{printable(name)} ({listed(columns)})" for name, columns in result.settings.together.items()]
    return [*sentences, f"Taken as one: {and_more(groups, _MOST_NAMES)}."] if groups else sentences


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
    present = [score for score in SCORES.values() if ranking.input.unlabelled_rows or not score.needs_unlabelled]
    return [driving, *(score for score in present if score != driving)]


def errors_of(summary: RoundSummary, ranking: Ranking) -> int:
    """The wrong rows of a round: those held out, where they are known."""
    held_out = summary.held_out_errors(ranking.settings.estimate)
    return summary.errors if held_out is None else held_out


def is_noise(feature: RankedFeature, ranking: Ranking) -> bool:
    """Whether the rows cannot tell a column from noise, for a classifier that needs each column to tell the class."""
    return (
        not ranking.settings.model.sees_columns_together
        and feature.q is not None
        and feature.q > ranking.settings.noise_above
    )


def describe_rest(result: Ranking | Selection, shown: int) -> str:
    """How many columns follow the first so many, with what verdicts, and how large their scores are; nothing if none
    follows.
    """
    more = result.input.features - shown
    if more <= 0:
        return ""
    hidden = (*result.features[shown:], *getattr(result, "unlisted", ()))
    # A result that was cut to its best columns does not know the others.
    hidden = hidden if len(hidden) == more else ()
    verdicts = Counter(getattr(feature, "verdict", None) for feature in hidden)
    kinds = ", ".join(f"{verdicts[verdict]:,} {word}" for verdict, word in VERDICT_WORDS.items() if verdicts[verdict])
    values = [getattr(feature, SCORES[result.settings.score].key) for feature in hidden]
    known = [value for value in values if value is not None and math.isfinite(value)]
    above = f", none above {shown_number(max(known))}" if known else ""
    return f"… and {more:,} more{f' ({kinds})' if kinds else ''}{above}"


def _describe_choice(selection: Selection) -> str:
    """How many columns to keep, how the user's own choices moved the cut, and why the others may go."""
    settings, every = selection.settings, (*selection.features, *selection.unlisted)
    verdicts: Counter[str] = Counter("beyond" if selection.is_beyond(feature) else feature.verdict for feature in every)
    total, kept, keep = selection.input.features, len(selection.kept), settings.keep
    requested = len(set(settings.always) & set(selection.kept))
    requests = f", {requested:,} by request" if requested else ""
    if keep in ("fewest", "most"):
        requests += f" (the {keep} within one standard error of the least log-loss)"
    elif isinstance(keep, int) and kept < keep:
        requests += f" (fewer than the {keep:,} asked for)"
    screened = f"told from noise (false discoveries: at most {100 * settings.noise_above:g}%)"
    if verdicts["noise"] == total:
        return f"Keep none of {total:,}{requests}: {'it cannot' if total == 1 else 'none can'} be {screened}."
    reasons = {
        "redundant": ("says", "say", "what kept columns say (redundant)"),
        "beyond": ("is", "are", f"beyond the {keep} asked for (weak)"),
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


def _describe_estimate(honest: HonestEstimate | None) -> list[str]:
    """How selecting does on rows that neither the choice nor the model had seen."""
    if honest is None:
        return [f"Not judged on unseen rows ({option('folds', 0)})."]
    # Where one class is rare, losses are small, and differ in further decimals.
    decimals = max(3, 2 - math.floor(math.log10(max(honest.none.log_loss, 1e-9))))
    kept, every, none = (
        (f"{judged.errors / judged.rows:.1%}", shown_number(judged.log_loss, decimals))
        for judged in (honest.kept, honest.all, honest.none)
    )
    judged = (
        f"Judged on rows that neither choice nor model had seen ({honest.folds} folds): kept {kept[0]} wrong, log-loss "
        f"{kept[1]}; all {every[0]}, {every[1]}; none (class frequencies only) {none[0]}, {none[1]}."
    )
    size = abs(honest.difference)
    way = f"{size:.{decimals}f} {'lower' if honest.difference < 0 else 'higher'} than"
    if is_zero := size < 0.5 * 0.1**decimals:
        way = "the same as"
    clear = ": no clear difference" if not is_zero and size <= _CLEAR * honest.se else ""
    return [judged, f"Log-loss a row: {way} with all columns (standard error {honest.se:.{decimals}f}){clear}."]


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
    return [sentence, f"{tell} more together than one by one ({limit}); {joined}."]


# Inspections.


def inspection_sentences(inspection: Inspection) -> list[str]:
    total = max(inspection.labelled_rows, 1)
    ordered = sorted(inspection.classes.items(), key=lambda item: -item[1])
    classes = and_more([f"{quoted(name)} {rows:,} ({rows / total:.1%})" for name, rows in ordered], _MOST_CLASSES)
    rows = f"{inspection.labelled_rows:,} labelled and {inspection.unlabelled_rows:,} unlabelled rows"
    return [
        f"{inspection.source}: {counted(len(inspection.columns), 'column')}, {rows}",
        f"target {printable(inspection.target)} ({inspection.target_reason}): {classes or 'no class'}",
    ]


# Comparisons.


def comparison_sentences(comparison: Comparison) -> list[str]:
    """The sentences, most important first."""
    old, new, columns, judged = comparison.old, comparison.new, comparison.columns, comparison.judged_otherwise
    counts: Counter[str] = Counter(column.change for column in columns)
    has_moves = len(columns) > counts["same"] + counts["unlisted"]
    sentences = []
    for name, side in (("old", old), ("new", new)):
        data, document = side.input, "" if side.input.source == side.document else f"{side.document}, "
        rows = f"{counted(data.features, 'column')}, {counted(data.labelled_rows, 'labelled row')}"
        table = f"{printable(data.source)} ({rows}, target {printable(data.target)})"
        sentences.append(f"{name}: {document}{side.kind} of {table}")
    words = {"rose": "rose", "fell": "fell", "appeared": "appeared", "vanished": "vanished"}
    words |= {"unlisted": "are listed in one document only", "same": "stayed"}
    said = [f"{counts[change]:,} {word}" for change, word in words.items() if counts[change]]
    said += [f"{len(judged):,} judged otherwise"] if judged else []
    begin, end = "", ""
    if not has_moves:
        is_all = comparison.same_scores and not (judged or counts["unlisted"])
        begin = "Nothing changed. " if is_all else "No rank changed. "
        end = {True: "; scores are the same", False: "; scores did change", None: ""}[comparison.same_scores]
    elif (counts["rose"] or counts["fell"]) and (counts["appeared"] or counts["vanished"]):
        end = " (moves are counted among the columns that both have)"
    sentences.append(f"{begin}Of {counted(len(columns), 'column')}: {', '.join(said)}{end}.")
    if comparison.renamed:
        renamed = [f"{quoted(before)} is now {quoted(now)}" for before, now in comparison.renamed.items()]
        sentences.append(f"Probably renamed, by what they score: {and_more(renamed, _MOST_NAMES)}.")
    if has_moves:
        sentences.append(_describe_similarity(comparison))
    if old.kept is not None and new.kept is not None:
        newly = f"; newly {listed(comparison.newly_kept, _MOST_NAMES)}" if comparison.newly_kept else ""
        gone = f"; no longer {listed(comparison.no_longer_kept, _MOST_NAMES)}" if comparison.no_longer_kept else ""
        sentences.append(f"Kept: {len(old.kept):,} before, {len(new.kept):,} now{newly}{gone}.")
    elif old.kept is None and new.kept is None:
        sentences += _describe_intervals(comparison)
    for severe, words_for_it in ((True, "Hard to compare"), (False, "Also different")):
        found = [str(difference) for difference in comparison.differences if difference.severe == severe]
        sentences += [f"{words_for_it}: {', '.join(found)}."] if found else []
    return sentences


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
