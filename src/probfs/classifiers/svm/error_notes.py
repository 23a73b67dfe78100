"""What the errors of the first round's model say of its scores, for people to be told."""

from __future__ import annotations

import math
from collections.abc import Mapping

from probfs.text import quoted


def note_guessing(errors: int, class_rows: Mapping[str, int]) -> str | None:
    """A note if a model whose held-out errors these are does no better than guessing the largest class every time.

    Better means fewer errors than guessing makes by more than a standard deviation of that number.
    """
    rows = sum(class_rows.values())
    largest = max(class_rows, key=class_rows.__getitem__)
    guessing = rows - class_rows[largest]
    if errors < guessing - math.sqrt(guessing * (1 - guessing / rows)):
        return None
    problem = f"with all features the SVM gets {errors:,} of {rows:,} held-out rows wrong"
    return f"{problem}, no better than guessing {quoted(largest)} every time ({guessing:,}): do not rely on its scores"
