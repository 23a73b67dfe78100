"""The sentences that go with a ranking: what was ranked, how, and how well the full model does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probfs.classifiers.options import ESTIMATES
from probfs.classifiers.scores import SCORES, Score
from probfs.text import counted, listed, printable

if TYPE_CHECKING:
    from probfs.ranking.result import InputSummary, Ranking


def summary_sentences(ranking: Ranking) -> list[str]:
    return [what_was_read(ranking.input), how_it_was_ranked(ranking), _errors_of_the_full_model(ranking)]


def shown_scores(ranking: Ranking) -> list[Score]:
    """The scores that have values, the driving one first."""
    driving = SCORES[ranking.settings.score]
    present = [score for score in SCORES if ranking.input.unlabelled_rows or not score.needs_unlabelled]
    return [driving, *(score for score in present if score != driving)]


def what_was_read(data: InputSummary) -> str:
    """The table, its features, rows and classes."""
    rows = f"{data.labelled_rows:,} labelled"
    if data.unlabelled_rows:
        rows += f" and {data.unlabelled_rows:,} unlabelled"
    rows += " rows"
    if data.dropped_rows:
        rows += f" ({counted(data.dropped_rows, 'row')} of rare classes dropped)"
    classes = f"{printable(data.target)} with {counted(len(data.classes), 'class', 'classes')}"
    return f"{data.source}: {counted(data.features, 'feature')}, {rows}, target {classes} ({listed(data.classes, 4)})"


def how_it_was_ranked(ranking: Ranking) -> str:
    settings = ranking.settings
    score = f"{SCORES[settings.score].symbol} ({settings.score})"
    way = f"ranked by {score} under recursive elimination" if settings.eliminate else f"ranked by {score} in one round"
    return f"{model_and_estimate(ranking)}, {way}"


def model_and_estimate(ranking: Ranking) -> str:
    """The classifier, and on which rows it is judged."""
    settings = ranking.settings
    folds = "" if settings.folds is None else f"{settings.folds}-fold "
    return f"{settings.model.summary}, {folds}{ESTIMATES[settings.estimate]}"


def _errors_of_the_full_model(ranking: Ranking) -> str:
    first = ranking.rounds[0]
    errors, rows, held_out = first.errors, f"{first.rows:,} rows", ""
    held_out_errors = first.held_out_errors(ranking.settings.estimate)
    if held_out_errors is not None:
        errors, held_out = held_out_errors, " when they are held out"
    elif ranking.settings.estimate == "resubstitution":
        rows = f"the {first.rows:,} rows it was trained on"
    guessing = ranking.input.labelled_rows - max(ranking.input.classes.values())
    model = f"With all features the model gets {errors:,} of {rows} wrong{held_out} ({errors / first.rows:.1%})"
    return f"{model}; always guessing the largest class, {guessing:,}."
