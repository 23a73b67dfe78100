"""JSON as all documents have it."""

from __future__ import annotations

import json
import math
from typing import Any


def json_text(content: Any) -> str:
    """Indented JSON; null stands for NaN and infinity, which JSON does not have."""
    return _indented(finite(content))


def finite(value: Any) -> Any:
    """The content of a document as JSON can hold it: with None for NaN and infinity."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value


def _indented(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
