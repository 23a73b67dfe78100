"""Regenerate the figures and the tables of claims in docs/paper.md: python docs/regenerate.py [NAME ...].

All take some minutes on two cores. A test compares what is not random with the page.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from probfs.paper.catalogue import EXPERIMENTS
from probfs.paper.experiments import reproduce
from probfs.paper.experiments.figures import save_figure
from probfs.paper.rendering.claims import claims_markdown

ROOT = Path(__file__).resolve().parent
PAGE = ROOT / "paper.md"
FIGURES = ROOT / "figures"


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


if __name__ == "__main__":
    chosen = [name for name in EXPERIMENTS if name in sys.argv[1:] or not sys.argv[1:]]
    for name, finding in reproduce(chosen):
        page = PAGE.read_text()
        section(page, name)
        PAGE.write_text(with_section(page, name, "\n" + claims_markdown(finding.claims) + "\n"))
        save_figure(finding.draw, finding.size, FIGURES, name)
        (FIGURES / f"{name}.svg").unlink()
        sys.stdout.write(f"wrote {name}\n")
