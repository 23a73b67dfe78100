"""A ranking as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probfs.classifiers.scores import SCORES
from probfs.notes import texts_by_severity
from probfs.rendering.figures.ranking_figure import ranking_drawing
from probfs.rendering.ranking_columns import (
    IN_ROUND_1,
    NOISE,
    NOISE_MARK,
    is_noise,
    meaning_of_marks,
    ranking_columns,
    score_value,
    shown_score,
)
from probfs.rendering.ranking_summary import shown_scores, summary_sentences
from probfs.rendering.report.content import (
    PLAIN,
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
from probfs.rendering.report.meanings import TESTS, meaning_of_scores
from probfs.rendering.report.page import report_page
from probfs.rendering.report.settings_list import settings_list
from probfs.rendering.report.story_section import DECIDING, HELD_OUT, TRAINING, JudgedRows, ModelOfRound, story_section
from probfs.rendering.unlisted import not_listed
from probfs.text import counted, listed

if TYPE_CHECKING:
    from probfs.ranking.result import Ranking, RoundSummary

_BEST = 5
_NOISE = "noise"
_MARK = NOISE_MARK.replace(" ", "\u00a0")
"""On one line."""


def ranking_report(ranking: Ranking) -> str:
    """The page, as text."""
    background = ranking.background
    warnings, notes = texts_by_severity(ranking.warnings)
    title = f"Ranking of {ranking.input.source}"
    sentences = [*summary_sentences(ranking), *_best(ranking)]
    return report_page(
        Report(
            title=title,
            subtitle=f"Which features predict {shown_name(ranking.input.target)}, most important first",
            facts=_facts(ranking),
            sentences=sentences,
            warnings=warnings,
            notes=notes,
            figure=inline_figure(ranking_drawing(ranking), title, _description(ranking)),
            meanings=f"{meaning_of_scores(shown_scores(ranking), _when(ranking))} {TESTS}",
            features=_feature_table(ranking),
            story=_story(ranking),
            data=None if background is None else data_section(background, ranking.input, ranking.settings.count),
            settings=settings_list(ranking.settings.to_dict()),
            call=None if background is None else background.call,
            version=ranking.version,
        )
    )


def _facts(ranking: Ranking) -> list[tuple[str, str]]:
    data, first = ranking.input, ranking.rounds[0]
    return [
        (f"{data.features:,}", "feature" if data.features == 1 else "features"),
        (f"{data.labelled_rows:,}", "labelled rows"),
        (f"{len(data.classes):,}", "classes"),
        (f"{_errors(first, ranking) / first.rows:.1%}", f"of {_judged(ranking).errors} wrong with all features"),
    ]


def _best(ranking: Ranking) -> list[str]:
    """The features that a reader came for, and how many say nothing."""
    best = listed((feature.feature for feature in ranking.features[:_BEST]), _BEST)
    noise = sum(is_noise(feature, ranking) for feature in ranking.features)
    ranked_first = "The first feature is" if len(ranking.features) == 1 else "The first features are"
    sentences = [f"{ranked_first} {best}."]
    if noise:
        sentences.append(f"These rows cannot tell {counted(noise, 'of those listed', 'of those listed')} from noise.")
    return [" ".join(sentences)]


def _description(ranking: Ranking) -> str:
    score = SCORES[ranking.settings.score]
    values = [f"{shown_name(own.feature)} {shown_score(score_value(own, score))}" for own in ranking.features[:_BEST]]
    more = " …" if len(ranking.features) > _BEST else ""
    return f"Bars of {score.symbol}, best feature first: {', '.join(values)}{more}. The table below has all numbers."


def _feature_table(ranking: Ranking) -> ReportTable:
    features, driving = ranking.features, SCORES[ranking.settings.score]
    shown = ranking_columns(ranking)
    columns = []
    for heading, cells in shown.items():
        if heading == "feature":
            columns.append(ReportColumn(heading, [shown_name(own.feature) for own in features], "name"))
        elif heading == driving.symbol:
            bars = bar_lengths([score_value(own, driving) for own in features])
            columns.append(ReportColumn(heading, cells, best_first=True, bars=bars))
        elif IN_ROUND_1 in heading:
            # On paper, a number and its standard error may take two lines.
            wrapping = [cell.replace(" ±", "\u00a0±") for cell in cells]
            columns.append(ReportColumn(heading, wrapping, best_first=True, wraps=True))
        elif heading != NOISE:
            columns.append(ReportColumn(heading, cells, best_first=heading in {score.symbol for score in SCORES}))
    columns.append(ReportColumn("p", [shown_probability(own.p) for own in features]))
    columns.append(ReportColumn("q", [shown_probability(own.q) for own in features]))
    noise = [is_noise(own, ranking) for own in features]
    if any(noise):
        columns.append(ReportColumn("note", [_MARK if own else "" for own in noise], "text"))
    hidden = ranking.input.features - len(features)
    return ReportTable(
        "features",
        f"The best {len(features):,} of {ranking.input.features:,} features" if hidden else "All features, best first",
        columns,
        [_NOISE if own else "" for own in noise],
        {PLAIN: "told from noise", _NOISE: NOISE_MARK} if any(noise) else {},
        searched=True,
        note=" ".join([*meaning_of_marks(shown), not_listed(hidden)]).strip(),
    )


def _when(ranking: Ranking) -> str:
    return "in the round in which it left" if ranking.settings.eliminate else "with all features in the model"


def _story(ranking: Ranking) -> StorySection | None:
    if ranking.background is None:
        return None
    told = ranking.background.story
    models = [
        ModelOfRound(own.features, _errors(own, ranking), own.rows, own.log_loss)
        for own in (ranking.rounds[round_.round - 1] for round_ in told)
    ]
    ranked = [name for own in reversed(ranking.rounds) for name in reversed(own.removed)]
    symbol = SCORES[ranking.settings.score].symbol
    return story_section(symbol, told, models, len(ranking.rounds), ranked, len(ranking.features), _judged(ranking))


def _errors(own: RoundSummary, ranking: Ranking) -> int:
    held_out = own.held_out_errors(ranking.settings.estimate)
    return own.errors if held_out is None else held_out


def _judged(ranking: Ranking) -> JudgedRows:
    if ranking.settings.estimate != "resubstitution":
        return DECIDING
    return TRAINING if ranking.rounds[0].held_out_errors("resubstitution") is None else HELD_OUT
