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


def selection_sentences(selection: Selection) -> list[str]:
    return [what_was_read(selection.input), _what_to_keep(selection), *_what_it_achieves(selection.honest)]


def shown_loss(value: float) -> str:
    """A log-loss in three decimals, or as a power of ten where they would all be 0.

    >>> shown_loss(0.3296), shown_loss(0.0), shown_loss(4e-5)
    ('0.330', '0.000', '4.0e-05')
    """
    return f"{value:.3f}" if value == 0 or value >= _SAME else f"{value:.1e}"


def _what_to_keep(selection: Selection) -> str:
    verdicts: Counter[str] = Counter(feature.verdict for feature in (*selection.features, *selection.unlisted))
    total, kept = verdicts.total(), len(selection.kept)
    screened = f"told from noise (false discoveries: at most {100 * selection.settings.false_discoveries:g}%)"
    if verdicts["noise"] == total:
        return f"Keep none of {total:,}: {'it cannot' if total == 1 else 'none can'} be {screened}."
    amount = f"all {total:,}" if kept == total > 1 else f"{f'{kept:,}' if kept else 'none'} of {total:,}"
    dropped = ", ".join(
        f"{verdicts[verdict]:,} {one if verdicts[verdict] == 1 else many}"
        for verdict, one, many in (
            ("redundant", "says what kept columns say (redundant)", "say what kept columns say (redundant)"),
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


def _what_it_achieves(honest: HonestEstimate | None) -> list[str]:
    if honest is None:
        return [f"Not judged on unseen rows ({option('folds', 0)})."]
    kept, every, none = (_shares(judged) for judged in (honest.kept, honest.all, honest.none))
    judged = (
        f"Judged on rows that neither choice nor model had seen ({honest.folds} folds): "
        f"kept {kept[0]} wrong, log-loss {kept[1]}; all {every[0]}, {every[1]}; none {none[0]}, {none[1]}."
    )
    if abs(honest.difference) < _SAME:
        return [judged, f"Kept loses as much a row as all (± {honest.se:.3f})."]
    way = "less" if honest.difference < 0 else "more"
    return [judged, f"Kept loses {abs(honest.difference):.3f} ± {honest.se:.3f} {way} a row than all."]


def _shares(judged: Judged) -> tuple[str, str]:
    return f"{judged.errors / judged.rows:.1%}", shown_loss(judged.log_loss)
