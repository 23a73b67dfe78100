"""The templates of pages and notebooks: every text that they write is escaped, and none acts on its neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from probfs.text import printable, shorten_middle

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup


@cache
def load_template(name: str, /, **filters: Any) -> Template:
    """A template of this package, with filters of its own."""
    # Only pages and notebooks need it.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(__package__, "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters |= {"shorten": lambda text, most: shorten_middle(printable(text), most), "bars": bar_lengths}
    environment.filters |= filters
    return environment.get_template(name)


@cache
def read_asset(name: str) -> Markup:
    """A file of this package, which no name or value has a part in."""
    from markupsafe import Markup

    return Markup((files(__package__) / "assets" / name).read_text("utf-8"))  # noqa: S704  # it is ours


def bar_lengths(values: Sequence[float | None]) -> list[float]:
    """In per cent: the largest value has a bar of 100, and what is not above 0 has none."""
    largest = max((value for value in values if value is not None and 0 < value < math.inf), default=1.0)
    return [0.0 if value is None or not value > 0 else min(100 * value / largest, 100.0) for value in values]


def _shown(value: Any) -> Any:
    """What a template writes for a value: a text without characters that act on others or hide."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
