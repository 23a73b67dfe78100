"""Every benchmark, as ratios to what users would run instead and to stated limits, in one run.

From the project's root, with the benchmark extra installed: python benchmarks/run.py. It takes some minutes, and writes
benchmarks/results.json and the table in docs/background/benchmarks.md. Every time is the best of several. The name of a
module, as in python benchmarks/run.py svm, measures that one alone, and keeps the other results.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path

import estimators
import naive_bayes
import svm
from measure import Line, markdown

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
PAGE = HERE.parent / "docs" / "background" / "benchmarks.md"
TABLE_BEGIN = "<!-- table: written by benchmarks/run.py -->\n"
TABLE_END = "<!-- table ends -->\n"


MODULES = {module.__name__: module for module in (naive_bayes, svm, estimators)}


def main(names: Sequence[str]) -> None:
    kept = [Line(**line) for line in json.loads(RESULTS.read_text())] if names else []
    lines: list[Line] = []
    with tempfile.TemporaryDirectory() as folder:
        for part in (part for name in names or MODULES for part in MODULES[name].PARTS):
            for line in part(Path(folder)):
                lines.append(replace(line, measured=date.today().isoformat()))
                print(markdown([lines[-1]]).splitlines()[-1], flush=True)
    measured = {_key(line) for line in lines}
    lines = [line for line in kept if _key(line) not in measured] + lines
    RESULTS.write_text(json.dumps([asdict(line) for line in lines], indent=2) + "\n")
    before, rest = PAGE.read_text().split(TABLE_BEGIN)
    PAGE.write_text(before + TABLE_BEGIN + markdown(lines) + TABLE_END + rest.split(TABLE_END)[1])


def _key(line: Line) -> tuple[str, str, str]:
    return line.workload, line.what, line.peer


if __name__ == "__main__":
    main(sys.argv[1:])
