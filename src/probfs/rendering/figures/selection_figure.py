"""What a figure of a selection shows: a verdict on each feature, and where the curve of models was cut."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from probfs.classifiers.scores import SCORES
from probfs.rendering.figures.bars import BarChart, BarRow, BarText, Look
from probfs.rendering.figures.compose import Drawing
from probfs.rendering.figures.curves import CurvePanel, Curves, Estimate, Line, Mark
from probfs.rendering.figures.style import score_label
from probfs.rendering.unlisted import rest_of_selection
from probfs.text import counted

if TYPE_CHECKING:
    from probfs.selection.result import SelectedFeature, Selection, Size

_LOOKS: dict[str, Look] = {"keep": "strong", "redundant": "hatched", "weak": "weak", "noise": "dim"}
_DWARFED = 2.0
"""How many times the spread of the other losses that of no features may be away."""


def selection_drawing(selection: Selection) -> Drawing:
    settings, data = selection.settings, selection.input
    score = SCORES[settings.score]
    classifier = settings.specification.summarize(settings.options)
    kept = f"keep {len(selection.kept):,} of {counted(data.features, 'feature')}"
    return Drawing(
        title=f"{data.source}, target {data.target}: {classifier}, {kept}",
        bars=BarChart(
            tuple(_row(feature, selection) for feature in selection.features),
            score_label(score),
            f"({score.name}) when the feature left",
            "",
            partial(rest_of_selection, selection),
            sum(feature.verdict != "noise" for feature in selection.features),
        ),
        curves=_curves(selection),
    )


def _row(feature: SelectedFeature, selection: Selection) -> BarRow:
    value: float | None = getattr(feature, SCORES[selection.settings.score].key)
    return BarRow(feature.feature, feature.rank, value, _LOOKS[feature.verdict], remark=_remark(feature, selection))


def _remark(feature: SelectedFeature, selection: Selection) -> BarText:
    if feature.instead is not None and feature.explained is not None:
        return BarText("repeats ", feature.instead, f" ({feature.explained:.0%})")
    if feature.verdict == "noise":
        return BarText("noise" if feature.q is None else f"noise (q {feature.q:.2g})")
    if feature.verdict == "weak":
        if selection.is_beyond(feature):
            return BarText(f"beyond the {selection.settings.keep} asked for")
        return BarText("copy of a dropped feature" if feature.log_loss is None else "weak")
    if feature.verdict == "redundant":
        return BarText("redundant")
    return BarText("by request" if feature.feature in selection.settings.always else "")


def _curves(selection: Selection) -> Curves | None:
    sizes = _telling_sizes(selection)
    if len(sizes) < 2:
        return None
    rows, kept, honest = selection.input.labelled_rows, len(selection.kept), selection.honest
    losses: list[Estimate] = []
    shares: list[Estimate] = []
    if honest is not None:
        names = f"kept, on unseen rows ({honest.folds} folds)", f"all {selection.input.features:,}, on unseen rows"
        losses = [
            Estimate(names[0], honest.kept.log_loss, honest.kept.se, kept),
            Estimate(names[1], honest.all.log_loss),
        ]
        wrong = [judged.errors / judged.rows for judged in (honest.kept, honest.all)]
        shares = [Estimate(names[0], wrong[0], 0.0, kept), Estimate(names[1], wrong[1])]
    model = "best features, on the rows that chose them"
    return Curves(
        (
            CurvePanel("log-loss", (Line(model, tuple((own.features, own.log_loss) for own in sizes)),), tuple(losses)),
            CurvePanel(
                "rows wrong",
                (Line(model, tuple((own.features, own.errors / rows) for own in sizes)),),
                tuple(shares),
                as_share=True,
            ),
        ),
        (Mark(_cut(selection), kept), *_least(selection)),
    )


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
    return [Mark(f"least log-loss: {selection.best_size:,} features", selection.best_size, "least")]
