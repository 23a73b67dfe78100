"""A report as a page: the template, the style sheet and the script, in one file.

Every text goes through the template's escaping, and the page forbids whatever it does not bring itself: a name that
looks like a script would not run even if it were one.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from probfs.rendering.report.content import Report, StorySection, as_sentence, harmless
from probfs.rendering.report.turning_names import is_turning, isolated, with_isolates

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

_SMALL = 1e-3
"""Scores below this are shown as powers of ten."""


def report_page(report: Report) -> str:
    style, script = _asset("report.css"), _asset("report.js")
    return _template().render(
        report=report,
        style=style,
        script=script,
        story=None if report.story is None else story_json(report.story),
        policy=content_security_policy(style, script),
    )


def content_security_policy(style: str, script: str) -> str:
    """Nothing but this style sheet and this script; no image, font, frame, form or connection at all."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def story_json(story: StorySection) -> Markup:
    """The story for the script: JSON in which nothing can end the element that it stands in."""
    from markupsafe import Markup

    content = {
        "sentences": [with_isolates(harmless(sentence)) for sentence in story.sentences],
        "scores": [[_rounded(value) for value in own] for own in story.scores],
        "left": list(story.left),
        "largest": [_rounded(value) for value in story.largest],
    }
    # Whatever is not ASCII is an escape already.
    text = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704  # nothing is left in it that a page would take for markup


def _rounded(value: float) -> float | None:
    """A score in the digits that the page shows."""
    if not math.isfinite(value):
        return None
    return float(f"{value:.4f}" if abs(value) >= _SMALL else f"{value:.2e}")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _asset(name: str) -> Markup:
    from markupsafe import Markup

    # Files of this package, which no name or value has a part in.
    return Markup((files(__package__) / "assets" / name).read_text("utf-8"))  # noqa: S704


@cache
def _template() -> Template:
    # Only a report needs it.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(__package__, "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters["sentence"] = as_sentence
    environment.filters["isolated"] = isolated
    environment.tests["turning"] = is_turning
    return environment.get_template("report.html.jinja")


def _shown(value: Any) -> Any:
    """What the template writes for a value: a text without characters that act on others or hide."""
    return harmless(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
