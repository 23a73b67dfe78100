"""Results made by hand in no time, their JSON documents, and names that steer terminals, spreadsheets or markup."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from probfs.comparison.changes import compare_rankings
from probfs.comparison.result import Comparison, Side
from probfs.notes import NoteKind
from probfs.ranking.result import InputSummary, RankedFeature, Ranking, RoundSummary, Stability
from probfs.ranking.settings import SelectionSettings, choose_settings
from probfs.selection.result import HonestEstimate, Judged, SelectedFeature, Selection, Size, Verdict
from probfs.text import delimited
from tests.support import ROOT

HONEST = HonestEstimate(
    10, Judged(72, 500, 0.3296, 0.02), Judged(75, 500, 0.352, 0.02), Judged(245, 500, 0.694, 0.01), -0.0224, 0.0091
)
WARNINGS = (NoteKind.LEAKAGE.note("a warning", ["age"]),)
HOSTILE_NAMES = [
    '=cmd|"/c calc"!A1',
    "a\x1b[31mred",
    "<b>bold</b>",
    "[/x]",
    "new\nline",
    "pipe|pipe",
    "\u202eright",
    "it's",
    "`tick`",
]
AWKWARD_NAMES = [
    *HOSTILE_NAMES,
    "$\\undefined$",
    "$x^2$ for $5",
    "\\frac{1}{2} \\$",
    "温度センサー",
    "z" + "\u0301\u0302\u0303\u0304\u0305" * 3 + "lgo",
    "x" * 10_000,
    "W" * 300,
    "W" * 150 + "V" + "W" * 149,
    "العربية",
    "\U0001f9ec \U000f0000",
    "a\x00b",
    "_leading",
    " ",
]
"""Names that markup, fonts or layouts stumble over; two of them look the same when they are short."""


def awkward(number: int) -> list[str]:
    """So many different names, the awkward ones first."""
    return [*AWKWARD_NAMES, *(f"feature_{place}" for place in range(number))][:number]


def hostile_csv() -> str:
    """A table of two classes whose names, and cells, are the hostile ones."""
    every = range(1, len(HOSTILE_NAMES) + 1)
    rows = [[*(HOSTILE_NAMES[number * place % 3] for place in every), "ab"[number % 2]] for number in range(12)]
    return delimited([[*HOSTILE_NAMES, "y"], *rows])


# Selections


def make_settings(
    classifier: Any = "nb", options: Mapping[str, Any] | None = None, **changes: Any
) -> SelectionSettings:
    """The default settings of a selection, with changes."""
    plain = choose_settings(classifier=classifier, options=options, step=1)
    return replace(SelectionSettings(**{**vars(plain), "folds": 10}), **changes)


def make_feature(rank: int, name: str, verdict: Verdict, **changes: Any) -> SelectedFeature:
    """A feature as it leaves the elimination, or the screen if it is noise."""
    if verdict == "noise":
        feature = SelectedFeature(rank, name, False, verdict, 0.5, 0.62, None, None, None, 0, None, None)
    else:
        keep = verdict == "keep"
        scores = (0.1 / rank, 0.08712 / rank, 0.5 + rank / 100)
        feature = SelectedFeature(rank, name, keep, verdict, 1e-4, 2e-3, *scores, 10 if keep else 1, None, None)
    return replace(feature, **changes)


def make_selection(*features: SelectedFeature, honest: HonestEstimate | None = HONEST, **settings: Any) -> Selection:
    """A selection of these features; without any, one of each verdict."""
    features = features or (
        make_feature(1, "albumin", "keep"),
        make_feature(2, "albumin2", "redundant", instead="albumin", explained=0.957),
        make_feature(3, "age", "weak"),
        make_feature(4, "ward", "noise"),
    )
    sizes = tuple(Size(number, 0.7 - number / 100, 0.9, 200) for number in range(3))
    kept = tuple(feature.feature for feature in features if feature.keep)
    classes = {"no": 255, "yes": 245}
    data = InputSummary("patients.csv", "outcome", "the last column", classes, 500, 0, (), len(features))
    return Selection(features, sizes, kept, honest, data, make_settings(**settings), WARNINGS, "0.1.0")


def make_large_selection(names: Sequence[str]) -> Selection:
    """A selection of these features: a fifth kept, then a fifth each redundant, copies, weak and noise."""
    redundant = {"instead": names[0], "explained": 0.93}
    kinds: list[tuple[Verdict, dict[str, Any]]] = [
        ("keep", {}),
        ("redundant", redundant),
        ("redundant", redundant | {"explained": 1.0, "s_s": None, "s_a": None, "log_loss": None}),
        ("weak", {}),
        ("noise", {}),
    ]
    features = []
    for rank, name in enumerate(names, 1):
        verdict, changes = kinds[(rank - 1) // -(-len(names) // 5)]
        features.append(make_feature(rank, name, verdict, **changes))
    left = sum(feature.log_loss is not None for feature in features)
    sizes = tuple(Size(size, 0.69 - 0.3 * size / (size + 2), 1.0, 90 - min(size, 60)) for size in range(left + 1))
    data = make_ranking(names).input
    return replace(make_selection(*features), sizes=sizes, input=data, best_size=left)


# Rankings


def make_ranking(
    names: Sequence[str], *, uncertainty: bool = False, negative: bool = False, **settings: Any
) -> Ranking:
    """A ranking of these features, best first, eliminated one by one unless the settings say otherwise."""
    chosen = choose_settings(**{"score": "absolute", "step": 1, "uncertainty": uncertainty, **settings})
    number, features = len(names), []
    for rank, name in enumerate(names, 1):
        score, q = 0.4 / rank - (0.3 if negative else 0.0), 0.5 if rank > 3 else 1e-4
        feature = RankedFeature(rank, name, score, score / 2, None, number - rank + 1, 0.01, 0.005, None, 0.2, q)
        if uncertainty:
            ranks: dict[str, Any] = {
                "rank_low": max(1, rank // 2),
                "rank_high": min(number, 2 * rank),
                "in_first_k": 1 / rank,
            }
            feature = replace(feature, se_initial_s_s=0.02, se_initial_s_a=0.01, **ranks)
        features.append(feature)
    sizes = range(number, 0, -1) if chosen.eliminate else [number]
    rounds = tuple(
        RoundSummary(place, size, (names[size - 1],), 20 + place % 7, 200, 0.15 + 0.1 / size, 0.3 + 0.2 / size)
        for place, size in enumerate(sizes, 1)
    )
    data = InputSummary("people.csv", "class", "the last column", {"no": 120, "yes": 80}, 200, 0, (), number)
    stability = Stability(0.75, max(1, number // 2), 50) if uncertainty else None
    return Ranking(tuple(features), rounds, data, chosen, WARNINGS, "0.1.0", stability)


# Rankings and selections as JSON documents, changed by hand, for tests of what reads and compares them


def ranking_document(
    names: Sequence[str],
    *,
    intervals: Mapping[str, tuple[int, int]] | None = None,
    scores: Mapping[str, float] | None = None,
    settings: Mapping[str, Any] | None = None,
    initial: float | None = None,
    **data: Any,
) -> dict[str, Any]:
    """A ranking of columns in this order; each has scores of its own, which its name decides unless they are given.

    ``initial`` is the score of all columns in the first round, if it is not the one that p goes with.
    """
    document = make_ranking(names).to_dict()
    for feature in document["features"]:
        score = (scores or {}).get(feature["feature"], _score_of(feature["feature"]))
        low, high = (None, None) if intervals is None else intervals[feature["feature"]]
        first = score if initial is None else initial
        feature |= {"initial": {"s_s": first, "s_a": first / 2, "s_su": None}, "p": score / 10, "q": 0.5}
        feature |= {"rank_low": low, "rank_high": high}
    document["settings"] |= settings or {}
    return _first_version(document, ["a warning"], data)


def selection_document(
    verdicts: Mapping[str, Any], *, scores: Mapping[str, float] | None = None, **data: Any
) -> dict[str, Any]:
    """A selection of columns in this order, with these verdicts."""
    features = [
        make_feature(rank, name, verdict, p=(scores or {}).get(name, _score_of(name)) / 10)
        for rank, (name, verdict) in enumerate(verdicts.items(), 1)
    ]
    return _first_version(make_selection(*features, honest=None).to_dict(), [], data)


def _first_version(document: dict[str, Any], warnings: list[str], data: dict[str, Any]) -> dict[str, Any]:
    """The document as a file of the first version has it, in which warnings are texts."""
    source = {"source": "patients.csv", "target": "outcome", "classes": {"no": 255, "yes": 245}, "labelled_rows": 500}
    total = data.pop("total", None) or len(document["features"])
    changed = {
        "schema": document["schema"].replace("/2", "/1"),
        "input": {**document["input"], **source, "features": total, **data},
        "warnings": warnings,
    }
    # Lists instead of tuples, as in a file.
    content: dict[str, Any] = json.loads(json.dumps({**document, **changed}))
    return content


def as_version_2(document: Mapping[str, Any]) -> dict[str, Any]:
    """The same document with warnings that are objects."""
    warning = {"code": "identifier", "severity": "warning", "columns": ["id"], "message": "left out"}
    return {**document, "schema": document["schema"].replace("/1", "/2"), "warnings": [warning]}


def ranking_of(names: Sequence[str], document: str = "r.json", **changes: Any) -> Side:
    """A ranking of columns in this order, as it is compared."""
    content = ranking_document(names, **changes)
    return Side(document, Ranking.from_dict(content, document), content["settings"])


def selection_of(verdicts: Mapping[str, str], document: str = "s.json", **changes: Any) -> Side:
    content = selection_document(verdicts, **changes)
    return Side(document, Selection.from_dict(content, document), content["settings"])


def compare_orders(old: Sequence[str], new: Sequence[str], top: int | None = None) -> Comparison:
    """What changed from one order of columns to another."""
    return compare_rankings(ranking_of(old, "old.json"), ranking_of(new, "new.json"), top)


def write_document(path: Path, document: Mapping[str, Any]) -> Path:
    path.write_text(json.dumps(document))
    return path


def _score_of(name: str) -> float:
    """A score between 0 and 1 of a column's own."""
    number = sum(ord(letter) * pow(31, place, 99_991) for place, letter in enumerate(name))
    return (1 + number % 99_991) / 99_993


# What is written and drawn of results


def describe_figure(figure: Any) -> str:
    """All that a figure draws, and how it looks, in words and in numbers of four decimals."""
    from matplotlib.colors import to_hex

    def rounded(numbers: Any) -> Any:
        return np.round(np.ma.filled(np.ma.asarray(numbers, dtype=float), 0), 4).tolist()

    told = [f"{rounded(figure.get_size_inches())} {figure.get_dpi()} {figure.get_suptitle()}"]
    for axes in figure.axes:
        ticks = rounded(axes.get_xticks()), rounded(axes.get_yticks())
        told.append(f"{axes.get_title(loc='left')} {rounded([axes.get_xlim(), axes.get_ylim()])} {ticks}")
        texts = [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.get_xticklabels(), *axes.get_yticklabels()]
        legend = axes.get_legend()
        texts += [*axes.texts, *([] if legend is None else legend.get_texts())]
        told += [f"{each.get_text()} {each.get_color()} {each.get_fontsize()} {each.get_rotation()}" for each in texts]
        for line in axes.lines:
            look = [line.get_color(), line.get_linestyle(), line.get_linewidth(), line.get_marker()]
            told.append(f"{[*look, line.get_markersize(), line.get_zorder()]} {rounded(line.get_xydata())}")
        for patch in axes.patches:
            corners = patch.get_patch_transform().transform(patch.get_path().vertices)
            colors = to_hex(patch.get_facecolor(), True), to_hex(patch.get_edgecolor(), True)
            told.append(f"{colors} {patch.get_hatch()} {patch.get_linewidth()} {rounded(corners)}")
        for drawn in axes.collections:
            shapes = [rounded(path.vertices) for path in drawn.get_paths()]
            told.append(f"{drawn.get_alpha()} {rounded(drawn.get_linewidth())} {shapes}")
        told += [f"{image.get_clim()} {rounded(image.get_array())}" for image in axes.images]
    return "\n".join(told)


def assert_as_before(text: str, name: str) -> None:
    """Hold a text against the one that was written before; PROBFS_SNAPSHOTS=write writes what is expected anew."""
    expected = ROOT / "tests" / "output" / "snapshots" / name
    if os.environ.get("PROBFS_SNAPSHOTS") == "write":
        expected.write_bytes(text.encode())
    assert text == expected.read_bytes().decode()
