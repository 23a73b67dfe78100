"""A selection as a page."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from probfs.classifiers.scores import SCORES
from probfs.notes import texts_by_severity
from probfs.rendering.figures.selection_figure import selection_drawing
from probfs.rendering.ranking_columns import shown_score
from probfs.rendering.report.content import (
    Report,
    ReportColumn,
    ReportTable,
    StorySection,
    bar_lengths,
    shown_name,
    shown_probability,
)
from probfs.rendering.report.data_section import data_section
from probfs.rendering.report.inline_svg import inline_figure
from probfs.rendering.report.meanings import TESTS, meaning_of_scores, meaning_of_verdicts
from probfs.rendering.report.page import report_page
from probfs.rendering.report.settings_list import settings_list
from probfs.rendering.report.story_section import ModelOfRound, story_section
from probfs.rendering.selection_columns import selection_columns
from probfs.rendering.selection_summary import selection_sentences
from probfs.rendering.unlisted import VERDICT_WORDS, not_listed
from probfs.text import listed, shorten_middle

if TYPE_CHECKING:
    from probfs.selection.result import Selection

_BEST = 5
_LONGEST_REASON = 300


def selection_report(selection: Selection) -> str:
    """The page, as text."""
    background = selection.background
    warnings, notes = texts_by_severity(selection.warnings)
    title = f"Which features of {selection.input.source} to keep"
    classifier = selection.settings.model.summary
    kept = f"Kept: {listed(selection.kept, 2 * _BEST)}." if selection.kept else "No feature is kept."
    return report_page(
        Report(
            title=title,
            subtitle=f"To predict {shown_name(selection.input.target)} by {classifier}",
            facts=_facts(selection),
            sentences=[*selection_sentences(selection), kept],
            warnings=warnings,
            notes=notes,
            figure=inline_figure(selection_drawing(selection), title, _description(selection)),
            meanings=_meanings(selection),
            features=_feature_table(selection),
            story=_story(selection),
            data=None if background is None else data_section(background, selection.input, selection.settings.count),
            settings=settings_list(selection.settings.to_dict()),
            call=None if background is None else background.call,
            version=selection.version,
        )
    )


def _facts(selection: Selection) -> list[tuple[str, str]]:
    data, honest = selection.input, selection.honest
    facts = [
        (f"{len(selection.kept):,} of {data.features:,}", f"{'feature' if data.features == 1 else 'features'} to keep"),
        (f"{data.labelled_rows:,}", "labelled rows"),
        (f"{len(data.classes):,}", "classes"),
    ]
    if honest is not None:
        chosen = "of unseen rows wrong when features are chosen this way"
        judged = ((honest.kept, chosen), (honest.all, "with all features"), (honest.none, "with none"))
        facts += [(f"{own.errors / own.rows:.1%}", what) for own, what in judged]
    return facts


def _meanings(selection: Selection) -> str:
    driving = SCORES[selection.settings.score]
    verdicts = meaning_of_verdicts(own.verdict for own in selection.features)
    scores = meaning_of_scores([driving], "in the round in which it left")
    losses = "The log-loss is that of the model of this feature and those ranked above it."
    return " ".join(filter(None, (verdicts, scores, losses, TESTS)))


def _description(selection: Selection) -> str:
    score = SCORES[selection.settings.score]
    values = [
        f"{shown_name(own.feature)} {shown_score(getattr(own, score.key))} ({VERDICT_WORDS[own.verdict]})"
        for own in selection.features[:_BEST]
    ]
    more = " …" if len(selection.features) > _BEST else ""
    return f"Bars of {score.symbol}, best feature first: {', '.join(values)}{more}. The table below has all numbers."


def _feature_table(selection: Selection) -> ReportTable:
    features, driving = selection.features, SCORES[selection.settings.score]
    columns = []
    for heading, cells in selection_columns(selection).items():
        if heading == "feature":
            columns.append(ReportColumn(heading, [shown_name(own.feature) for own in features], "name"))
        elif heading == "verdict":
            columns.append(ReportColumn(heading, cells, "text"))
        elif heading == "why":
            why = [shorten_middle(cell, _LONGEST_REASON) for cell in cells]
        elif heading == driving.symbol:
            bars = bar_lengths([getattr(own, driving.key) for own in features])
            columns.append(ReportColumn(heading, cells, best_first=True, bars=bars))
        else:
            columns.append(ReportColumn(heading, cells, best_first=heading == "folds"))
    columns.append(ReportColumn("p", [shown_probability(own.p) for own in features]))
    columns.append(ReportColumn("q", [shown_probability(own.q) for own in features]))
    if any(why):
        columns.append(ReportColumn("why", why, "text"))
    verdicts: Counter[str] = Counter(own.verdict for own in features)
    total, hidden = selection.input.features, len(selection.unlisted)
    return ReportTable(
        "features",
        f"The best {len(features):,} of {total:,} features" if hidden else "All features, best first",
        columns,
        [own.verdict for own in features],
        {name: f"{label} ({verdicts[name]:,})" for name, label in VERDICT_WORDS.items() if verdicts[name]},
        searched=True,
        ends_in_sentences=any(why),
        note=not_listed(hidden),
    )


def _story(selection: Selection) -> StorySection | None:
    if selection.background is None:
        return None
    told = selection.background.story
    sizes = {own.features: own for own in selection.sizes}
    rows = selection.input.labelled_rows
    models = [
        ModelOfRound(own.features, own.errors, rows, own.log_loss)
        for own in (sizes[len(round_.scores)] for round_ in told)
    ]
    rounds = max(sizes)
    # Those that were eliminated one by one come first of all.
    ranked = [own.feature for own in (*selection.features, *selection.unlisted)[:rounds]]
    symbol = SCORES[selection.settings.score].symbol
    return story_section(symbol, told, models, rounds, ranked, min(len(selection.features), rounds))
