"""Every benchmark, as ratios to what users would run instead and to stated limits, in one run.

From the project's root, with the benchmark extra installed: python benchmarks/run.py. It takes some minutes, and writes
benchmarks/results.json and the table in docs/benchmarks.md. Every time is the best of several.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from pathlib import Path

import estimators
import naive_bayes
import svm
from measure import Line, markdown

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
TABLE_BEGIN = "<!-- table: written by benchmarks/run.py -->\n"
TABLE_END = "<!-- table ends -->\n"


def main() -> None:
    lines: list[Line] = []
    with tempfile.TemporaryDirectory() as folder:
        for part in (*naive_bayes.PARTS, *svm.PARTS, *estimators.PARTS):
            for line in part(Path(folder)):
                lines.append(line)
                print(markdown([line]).splitlines()[-1], flush=True)
    (HERE / "results.json").write_text(json.dumps([asdict(line) for line in lines], indent=2) + "\n")
    before, rest = PAGE.read_text().split(TABLE_BEGIN)
    PAGE.write_text(before + TABLE_BEGIN + markdown(lines) + TABLE_END + rest.split(TABLE_END)[1])
    print("README.md shows three of these ratios; a test says if they have changed.")


if __name__ == "__main__":
    main()
