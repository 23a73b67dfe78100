"""The sentences that go with a ranking: what was ranked, how, and how well the full model does."""

from __future__ import annotations

from probfs.ranking.result import Ranking
from probfs.text import counted, listed, printable

SCORE_COLUMNS = {"absolute": "s_s", "signed": "s_a", "unlabeled": "s_su"}
SCORE_HEADINGS = {"s_s": "Ŝ_S", "s_a": "Ŝ_A", "s_su": "Ŝ_SU"}
_ESTIMATES = {"loo": "leave-one-out", "resubstitution": "resubstitution", "cv": "cross-validation"}


def shown_scores(ranking: Ranking) -> list[str]:
    """The scores that have values, the driving one first."""
    driving = SCORE_COLUMNS[ranking.settings.score]
    present = ["s_s", "s_a"] + (["s_su"] if ranking.input.unlabelled_rows else [])
    return [driving, *(name for name in present if name != driving)]


def what_was_ranked(ranking: Ranking) -> str:
    data = ranking.input
    rows = f"{data.labelled_rows:,} labelled"
    if data.unlabelled_rows:
        rows += f" and {data.unlabelled_rows:,} unlabelled"
    classes = f"{printable(data.target)} with {counted(len(data.classes), 'class', 'classes')}"
    return (
        f"{data.source}: {counted(data.features, 'feature')}, {rows} rows, target {classes} ({listed(data.classes, 4)})"
    )


def how_it_was_ranked(ranking: Ranking) -> str:
    settings = ranking.settings
    estimate = _ESTIMATES[settings.estimate]
    if settings.folds is not None:
        estimate = f"{settings.folds}-fold {estimate}"
    score = f"{SCORE_HEADINGS[SCORE_COLUMNS[settings.score]]} ({settings.score})"
    way = f"ranked by {score} under recursive elimination" if settings.eliminate else f"ranked by {score} in one round"
    return f"{_classifier(ranking)}, {estimate}, {way}"


def _classifier(ranking: Ranking) -> str:
    settings = ranking.settings
    if settings.classifier == "nb":
        return "Naive Bayes"
    kernel = "RBF" if settings.kernel == "rbf" else "Linear"
    removal = "retrained" if settings.permutations is None else f"{counted(settings.permutations, 'shuffle')} a column"
    return f"{kernel} SVM, Platt-scaled, {removal}"


def errors_of_the_full_model(ranking: Ranking) -> str:
    first = ranking.rounds[0]
    share = first.errors / first.rows
    if ranking.settings.estimate == "resubstitution":
        rows = f"the {first.rows:,} rows it was trained on"
    else:
        rows = f"{first.rows:,} rows"
    return f"With all features the model gets {first.errors:,} of {rows} wrong ({share:.1%})."
