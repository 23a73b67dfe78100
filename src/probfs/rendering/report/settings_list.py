"""The settings of a result as names and values for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from probfs.text import listed, printable, shorten_middle

_LONGEST_VALUE = 200
_MANY_NAMES = 12


def settings_list(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The settings that apply, called as the options are.

    >>> settings_list({"score": "signed", "folds": None, "na": (), "exclude": ("a", "b"), "eliminate": True})
    [('score', 'signed'), ('exclude', "'a', 'b'"), ('eliminate', 'yes')]
    """
    return [(name, _shown(value)) for name, value in settings.items() if value is not None and value != ()]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (tuple, list)):
        return listed(map(str, value), _MANY_NAMES)
    return shorten_middle(printable(str(value)), _LONGEST_VALUE)
