"""One JSON document of each kind, as the product writes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import probfs
from probfs.cli import run as run_command
from probfs.output.writers import json_document
from probfs.paper.documents import Claim, claims_document
from tests.support.paths import SAMPLES


def written_to_file(folder: Path, *arguments: object) -> str:
    output = folder / "document.json"
    assert run_command([*map(str, arguments), "-o", str(output)]) == 0
    return output.read_text()


def ranked(folder: Path) -> str:
    return probfs.rank(SAMPLES / "commute.csv", target="mode", exclude=["person"], uncertainty=True).to_json()


def selected(folder: Path) -> str:
    return probfs.select(SAMPLES / "commute.csv", target="mode", folds=2).to_json()


def compared(folder: Path) -> str:
    old = probfs.rank(SAMPLES / "commute.csv", target="mode", exclude=["person"])
    new = probfs.rank(SAMPLES / "commute.csv", target="mode", exclude=["person", "parking"], classifier="nb", bins=3)
    comparison = probfs.compare(old.top(4), new, top=99)
    assert comparison.differences
    assert comparison.warnings
    return comparison.to_json()


def inspected(folder: Path) -> str:
    return written_to_file(folder, "inspect", SAMPLES / "commute.csv")


def paired(folder: Path) -> str:
    return written_to_file(folder, "pairs", SAMPLES / "commute.csv")


def computed_exactly(folder: Path) -> str:
    return written_to_file(folder, "exact", SAMPLES / "joint.csv")


def reproduced(folder: Path) -> str:
    claim = Claim("bound", "Theorem 1", "it is a bound", "it is", "holds", 20)
    return json_document(claims_document([claim], "1.0", {"runs": {"bound": 20}, "seed": 0}))


MAKERS: dict[str, Callable[[Path], str]] = {
    "ranking": ranked,
    "selection": selected,
    "comparison": compared,
    "inspection": inspected,
    "pairs": paired,
    "population": computed_exactly,
    "reproduction": reproduced,
}
"""Each kind with what makes one, in a folder."""
