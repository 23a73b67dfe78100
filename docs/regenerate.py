"""Regenerate the figure of README.md, and the figures and tables of claims in docs/background/paper.md.

python docs/regenerate.py [NAME ...], where readme is the name of the first.

All take some minutes on two cores. Tests compare what is not random with the pages.
"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import probfs
from probfs.output.drawings import ranking_drawing
from probfs.output.figure import figure_file
from probfs.output.writers import markdown_text
from probfs.paper.catalogue import EXPERIMENTS
from probfs.paper.documents import claims_document
from probfs.paper.laboratory import reproduce, write_finding

ROOT = Path(__file__).resolve().parent
PAGE = ROOT / "background" / "paper.md"
FIGURES = ROOT / "figures"
README_FIGURE = FIGURES / "breast_cancer.svg"


def section(page: str, name: str) -> str:
    """What stands between an experiment's marks."""
    found = re.search(_marked(name), page, re.DOTALL)
    if found is None:
        raise ValueError(f"no <!-- {name} --> in the page")
    return found[2]


def with_section(page: str, name: str, text: str) -> str:
    return re.sub(_marked(name), lambda found: found[1] + text + found[3], page, flags=re.DOTALL)


def _marked(name: str) -> str:
    return rf"(<!-- {name}: written by docs/regenerate.py -->\n)(.*?)(<!-- {name} ends -->)"


def readme_figure() -> bytes:
    """The ranking that README.md begins with, drawn."""
    samples = ROOT.parent / "sample_data" / "breast_cancer.csv"
    ranking = probfs.rank(samples, target="class")
    named = replace(ranking, input=replace(ranking.input, source="sample_data/breast_cancer.csv"))
    return figure_file(ranking_drawing(named), "svg")


if __name__ == "__main__":
    if "readme" in sys.argv[1:] or not sys.argv[1:]:
        README_FIGURE.write_bytes(readme_figure())
        sys.stdout.write("wrote readme\n")
    chosen = [name for name in EXPERIMENTS if name in sys.argv[1:] or not sys.argv[1:]]
    for name, finding in reproduce(chosen):
        page = PAGE.read_text()
        section(page, name)
        PAGE.write_text(with_section(page, name, "\n" + markdown_text(claims_document(finding.claims)) + "\n"))
        for path in write_finding(name, finding, FIGURES):
            if path.suffix != ".png":
                path.unlink()
        sys.stdout.write(f"wrote {name}\n")
