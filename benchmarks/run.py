"""Every benchmark, as ratios to what users would run instead and to stated limits, in one run.

From the project's root, with the benchmark extra installed: python benchmarks/run.py. It takes some minutes and writes
benchmarks/results.md and benchmarks/results.json. Every time is the best of several.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from pathlib import Path

import naive_bayes
import svm
from measure import Line, markdown

HERE = Path(__file__).resolve().parent


def main() -> None:
    lines: list[Line] = []
    with tempfile.TemporaryDirectory() as folder:
        for part in (*naive_bayes.PARTS, *svm.PARTS):
            for line in part(Path(folder)):
                lines.append(line)
                print(markdown([line]).splitlines()[-1], flush=True)
    (HERE / "results.md").write_text(markdown(lines))
    (HERE / "results.json").write_text(json.dumps([asdict(line) for line in lines], indent=2) + "\n")


if __name__ == "__main__":
    main()
