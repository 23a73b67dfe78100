"""The sentences that go with a selection: what was read, what to keep, and what that achieves on unseen rows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from probfs.rendering.ranking_summary import what_was_read
from probfs.text import option

if TYPE_CHECKING:
    from probfs.selection.result import HonestEstimate, Judged, Selection

_SAME = 5e-4
"""Differences of log-loss below this are nothing in the three decimals shown."""

_CLEAR = 2.0
"""Standard errors beyond which a difference is hardly chance."""


def selection_sentences(selection: Selection) -> list[str]:
    return [what_was_read(selection.input), what_to_keep(selection), *what_it_achieves(selection.honest)]


def shown_loss(value: float) -> str:
    """A log-loss in three decimals, or as a power of ten where they would all be 0.

    >>> shown_loss(0.3296), shown_loss(0.0), shown_loss(4e-5)
    ('0.330', '0.000', '4.0e-05')
    """
    return f"{value:.3f}" if value == 0 or value >= _SAME else f"{value:.1e}"


def what_to_keep(selection: Selection) -> str:
    verdicts: Counter[str] = Counter(
        "beyond" if selection.is_beyond(feature) else feature.verdict
        for feature in (*selection.features, *selection.unlisted)
    )
    total, kept = selection.input.features, len(selection.kept)
    screened = f"told from noise (false discoveries: at most {100 * selection.settings.false_discoveries:g}%)"
    if verdicts["noise"] == total:
        words = _on_whose_word(selection)
        return f"Keep none of {total:,}{words}: {'it cannot' if total == 1 else 'none can'} be {screened}."
    amount = f"all {total:,}" if kept == total > 1 else f"{f'{kept:,}' if kept else 'none'} of {total:,}"
    beyond = f"beyond the {selection.settings.keep} asked for (weak)"
    dropped = ", ".join(
        f"{verdicts[verdict]:,} {one if verdicts[verdict] == 1 else many}"
        for verdict, one, many in (
            ("redundant", "says what kept columns say (redundant)", "say what kept columns say (redundant)"),
            ("beyond", f"is {beyond}", f"are {beyond}"),
            ("weak", "adds too little (weak)", "add too little (weak)"),
            ("noise", f"cannot be {screened}", f"cannot be {screened}"),
        )
        if verdicts[verdict]
    )
    sentences = [f"Keep {amount}{_on_whose_word(selection)}", dropped, _nothing_screened(selection)]
    return " ".join(f"{sentence}." for sentence in sentences if sentence)


def _on_whose_word(selection: Selection) -> str:
    """How the user's own choices moved the cut."""
    keep = selection.settings.keep
    requested = len(set(selection.settings.always) & set(selection.kept))
    words = f", {requested:,} by request" if requested else ""
    if keep in ("fewest", "most"):
        words += f" (the {keep} within one standard error of the least log-loss)"
    elif isinstance(keep, int) and len(selection.kept) < keep:
        words += f" (fewer than the {keep:,} asked for)"
    return words


def _nothing_screened(selection: Selection) -> str:
    untested = all(feature.p is None for feature in (*selection.features, *selection.unlisted))
    return "No column was screened for noise" if untested or selection.settings.false_discoveries == 1 else ""


def what_it_achieves(honest: HonestEstimate | None) -> list[str]:
    if honest is None:
        return [f"Not judged on unseen rows ({option('folds', 0)})."]
    kept, every, none = (_shares(judged) for judged in (honest.kept, honest.all, honest.none))
    judged = (
        f"Judged on rows that neither choice nor model had seen ({honest.folds} folds): kept {kept[0]} wrong, log-loss "
        f"{kept[1]}; all {every[0]}, {every[1]}; none (always the class shares) {none[0]}, {none[1]}."
    )
    return [judged, _how_they_differ(honest.difference, honest.se)]


def _how_they_differ(difference: float, se: float) -> str:
    if abs(difference) < _SAME:
        return f"Log-loss a row: the same as with all columns (standard error {se:.3f})."
    way = "lower" if difference < 0 else "higher"
    clear = "" if abs(difference) > _CLEAR * se else ": no clear difference"
    return f"Log-loss a row: {abs(difference):.3f} {way} than with all columns (standard error {se:.3f}){clear}."


def _shares(judged: Judged) -> tuple[str, str]:
    return f"{judged.errors / judged.rows:.1%}", shown_loss(judged.log_loss)
