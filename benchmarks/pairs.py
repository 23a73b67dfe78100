"""How long `probfs.pairs` takes for 19,900 pairs, as a ratio to reading the file: python benchmarks/pairs.py"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import probfs
from measure import best_of

ROWS, COLUMNS = 10_000, 200


def main() -> None:
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.normal(size=(ROWS, COLUMNS)).round(3), columns=[f"c{i}" for i in range(COLUMNS)])
    table["y"] = random.choice(["a", "b"], ROWS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        table.to_csv(path, index=False)
        reading = best_of(3, lambda: pd.read_csv(path))
        pairs = best_of(3, lambda: probfs.pairs(path, target="y"))
    print(f"pandas.read_csv {reading:.2f} s, probfs.pairs {pairs:.2f} s: {pairs / reading:.1f} times reading")


if __name__ == "__main__":
    main()
