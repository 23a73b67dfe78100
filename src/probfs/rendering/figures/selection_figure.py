"""What a figure of a selection shows: a verdict on each feature, and where the curve of models was cut."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

from probfs.classifiers.scores import SCORES
from probfs.rendering.figures.bars import BarChart, BarRow, BarText, Look
from probfs.rendering.figures.compose import Drawing
from probfs.rendering.figures.curves import CurvePanel, Curves, Estimate, Line, Mark
from probfs.rendering.figures.style import score_label
from probfs.rendering.unlisted import rest_of_selection
from probfs.text import counted

if TYPE_CHECKING:
    from probfs.selection.result import Judged, SelectedFeature, Selection, Size

_LOOKS: dict[str, Look] = {"keep": "strong", "redundant": "hatched", "weak": "weak", "noise": "dim"}
_DWARFED = 2.0
"""How many times the spread of the other losses that of no features may be away."""


def selection_drawing(selection: Selection) -> Drawing:
    settings, data = selection.settings, selection.input
    score = SCORES[settings.score]
    classifier = settings.model.summary
    kept = f"keep {len(selection.kept):,} of {counted(data.features, 'feature')}"
    return Drawing(
        title=(f"{data.source}, target {data.target}", f"{classifier}, {kept}"),
        bars=BarChart(
            tuple(_row(feature, selection) for feature in selection.features),
            score_label(score),
            f"({score.name}) when the feature left",
            "",
            partial(rest_of_selection, selection),
            sum(feature.verdict != "noise" for feature in selection.features),
            selection.most_listed,
        ),
        curves=_curves(selection),
    )


def _row(feature: SelectedFeature, selection: Selection) -> BarRow:
    value: float | None = getattr(feature, SCORES[selection.settings.score].key)
    return BarRow(feature.feature, feature.rank, value, _LOOKS[feature.verdict], remark=_remark(feature, selection))


def _remark(feature: SelectedFeature, selection: Selection) -> BarText:
    if feature.instead is not None and feature.explained is not None:
        if feature.is_copy:
            return BarText("copy of ", feature.instead)
        return BarText("", feature.instead, f" says {feature.explained:.0%} of it")
    if feature.verdict == "noise":
        return BarText("noise" if feature.q is None else f"noise (q {feature.q:.2g})")
    if feature.verdict == "weak":
        if selection.is_beyond(feature):
            return BarText(f"beyond the {selection.settings.keep} asked for")
        return BarText("copy of a dropped feature" if feature.is_copy else "weak")
    if feature.verdict == "redundant":
        return BarText("redundant")
    return BarText("by request" if feature.feature in selection.settings.always else "")


def _curves(selection: Selection) -> Curves | None:
    sizes = _telling_sizes(selection)
    if len(sizes) < 2:
        return None
    losses, shares = _unseen_rows(selection, with_none=sizes[0].features == 0)
    model = "best features, on the rows that chose them"
    wrong = tuple((own.features, _errors(own, selection) / selection.input.labelled_rows) for own in sizes)
    return Curves(
        (
            CurvePanel("log-loss", (Line(model, tuple((own.features, own.log_loss) for own in sizes)),), losses),
            CurvePanel("rows wrong", (Line(model, wrong),), shares, as_share=True),
        ),
        (Mark(_cut(selection), len(selection.kept)), *_least(selection)),
    )


def _errors(size: Size, selection: Selection) -> int:
    """Without features, those of always guessing the largest class, as summaries have it: a row that is held out makes
    its own class the smaller of two equal ones, and would always be wrong.
    """
    return size.errors if size.features else selection.input.labelled_rows - max(selection.input.classes.values())


def _unseen_rows(selection: Selection, *, with_none: bool) -> tuple[tuple[Estimate, ...], tuple[Estimate, ...]]:
    """What is known of rows that neither choice nor model had seen: log-losses, and shares of wrong rows."""
    honest, kept = selection.honest, len(selection.kept)
    if honest is None:
        return (), ()
    chosen = f"chosen this way, on unseen rows ({honest.folds} folds)"
    losses = [Estimate(chosen, honest.kept.log_loss, honest.kept.se, kept)]
    shares = [Estimate(chosen, honest.kept.errors / honest.kept.rows, 0.0, kept)]
    every = f"all {counted(selection.input.features, 'feature')}, on unseen rows"
    levels: list[tuple[str, Judged, Literal["dotted", "dash-dotted"]]] = [(every, honest.all, "dotted")]
    if with_none:
        levels.append(("no features, on unseen rows", honest.none, "dash-dotted"))
    for label, judged, look in levels:
        losses.append(Estimate(label, judged.log_loss, look=look))
        shares.append(Estimate(label, judged.errors / judged.rows, look=look))
    return tuple(losses), tuple(shares)


def _telling_sizes(selection: Selection) -> tuple[Size, ...]:
    """All numbers of features; without 0 where the loss of no features would leave the others no room to differ."""
    none, *others = selection.sizes
    if not selection.kept or len(others) < 2:
        return selection.sizes
    losses = [own.log_loss for own in others]
    spread = max(losses) - min(losses)
    return tuple(others) if none.log_loss > min(losses) + _DWARFED * spread else selection.sizes


def _cut(selection: Selection) -> str:
    keep = selection.settings.keep
    rule = f" (the {keep} within a standard error)" if keep in ("fewest", "most") else ""
    return f"keep {len(selection.kept):,}{rule}"


def _least(selection: Selection) -> list[Mark]:
    """The number of features with the least loss, unless the cut is there."""
    if selection.best_size == len(selection.kept):
        return []
    return [Mark(f"least log-loss: {counted(selection.best_size, 'feature')}", selection.best_size, "least")]
