"""Results as Python shows them (a table in a notebook, a few lines elsewhere), and the templates of these and of pages:
every text that they write is escaped, and none acts on its neighbours.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from probfs.classifiers.scores import SCORES
from probfs.notes import texts_by_severity
from probfs.output.documents import bar_lengths
from probfs.output.sentences import describe_rest, shown_number
from probfs.text import printable, shorten_middle

if TYPE_CHECKING:
    from jinja2 import Template

    from probfs.ranking.result import Ranking
    from probfs.selection.result import Selection

_MOST_ROWS = 30
_BEST = 3
_LONGEST_NAME = 40
_LONGEST_LINE = 300


def result_html(result: Ranking | Selection) -> str:
    """The best columns, with bars; noise is pale."""
    severe, others = texts_by_severity(result.warnings)
    document = result.top(_MOST_ROWS).document()
    return load_template("notebook.html.jinja").render(
        sentences=document.sentences,
        table=document.table(),
        rest=describe_rest(result, _MOST_ROWS),
        warnings=severe,
        notes=others,
    )


def result_repr(result: Ranking | Selection) -> str:
    """What the result says in words, the best columns with the score that decided, and warnings."""
    score = SCORES[result.settings.score]
    best = [
        f"{feature.rank}. {printable(shorten_middle(feature.feature, _LONGEST_NAME))} "
        f"{shown_number(getattr(feature, score.key))}".rstrip()
        for feature in result.features[:_BEST]
    ]
    rest = describe_rest(result, len(best))
    warnings = [f"Warning: {text}" for text in texts_by_severity(result.warnings)[0]]
    lines = [*result.document().sentences, f"{score.heading}: {', '.join(filter(None, [*best, rest]))}", *warnings]
    text = "\n ".join(shorten_middle(printable(line), _LONGEST_LINE) for line in lines)
    return f"<{type(result).__name__} of {text}>"


# Templates.


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


def _shown(value: Any) -> Any:
    """What a template writes for a value: a text without characters that act on others or hide."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
