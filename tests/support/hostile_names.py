"""Column names that steer terminals, spreadsheets, Markdown or HTML, and a table of them."""

from __future__ import annotations

import csv
import io

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


def hostile_csv() -> str:
    """A table of two classes whose names, and cells, are the hostile ones."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*HOSTILE_NAMES, "y"])
    for number in range(12):
        cells = [HOSTILE_NAMES[(number * (j + 1)) % 3] for j in range(len(HOSTILE_NAMES))]
        writer.writerow([*cells, "ab"[number % 2]])
    return text.getvalue()
