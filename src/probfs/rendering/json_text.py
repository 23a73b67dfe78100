"""JSON as all documents have it."""

from __future__ import annotations

import json
import math
from typing import Any


def json_text(content: Any) -> str:
    """Indented JSON; null stands for NaN and infinity, which JSON does not have."""
    return json.dumps(_without_infinities(content), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _without_infinities(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_infinities(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_infinities(item) for item in value]
    return value
