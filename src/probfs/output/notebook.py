"""Results as Python shows them (a table in a notebook, a few lines elsewhere), and the templates of these and of pages:
every text that they write is escaped, and none acts on its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from probfs.classifiers.scores import SCORES
from probfs.notes import Note, texts_by_severity
from probfs.output.documents import Table, bar_lengths, ranking_table, selection_table
from probfs.output.sentences import (
    describe_choice,
    describe_estimate,
    describe_input,
    describe_method,
    ranking_sentences,
    rest_of_ranking,
    rest_of_selection,
    selection_sentences,
    shown_score,
)
from probfs.text import printable, shorten_middle

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

    from probfs.ranking.result import Ranking
    from probfs.selection.result import Selection

_MOST_ROWS = 30
_BEST = 3
_LONGEST_NAME = 40
_LONGEST_LINE = 300


def ranking_html(ranking: Ranking) -> str:
    """The best columns, with bars; noise is pale."""
    table = ranking_table(replace(ranking, features=ranking.features[:_MOST_ROWS]))
    return _html(ranking_sentences(ranking), table, rest_of_ranking(ranking, _MOST_ROWS), ranking.warnings)


def selection_html(selection: Selection) -> str:
    """Verdicts on the best columns, with bars; noise is pale."""
    table = selection_table(replace(selection, features=selection.features[:_MOST_ROWS]))
    return _html(selection_sentences(selection), table, rest_of_selection(selection, _MOST_ROWS), selection.warnings)


def _html(sentences: Sequence[str], table: Table, rest: str, warnings: Sequence[Note]) -> str:
    severe, others = texts_by_severity(warnings)
    return load_template("notebook.html.jinja").render(
        sentences=sentences, table=table, rest=rest, warnings=severe, notes=others
    )


def ranking_repr(ranking: Ranking) -> str:
    """What was ranked, how, the best columns with the score that decided, and warnings."""
    score = SCORES[ranking.settings.score]
    best = [
        f"{feature.rank}. {_shorten(feature.feature)} {shown_score(getattr(feature, score.key))}"
        for feature in ranking.features[:_BEST]
    ]
    scores = f"{score.heading}: {_list(best, ranking.input.features)}"
    return _lines(ranking, [describe_input(ranking.input), describe_method(ranking), scores])


def selection_repr(selection: Selection) -> str:
    """What was read, what to keep, how well that does, the best of the kept columns, and warnings."""
    kept = _list([_shorten(name) for name in selection.kept[:_BEST]], len(selection.kept)) or "none"
    judged = describe_estimate(selection.honest)[0]
    return _lines(selection, [describe_input(selection.input), describe_choice(selection), f"Kept: {kept}", judged])


def _shorten(name: str) -> str:
    return printable(shorten_middle(name, _LONGEST_NAME))


def _list(shown: Sequence[str], total: int) -> str:
    more = total - len(shown)
    return ", ".join([*shown, f"… {more:,} more"] if more else shown)


def _lines(result: Ranking | Selection, lines: Sequence[str]) -> str:
    every = [*lines, *(f"Warning: {text}" for text in texts_by_severity(result.warnings)[0])]
    text = "\n ".join(shorten_middle(printable(line), _LONGEST_LINE) for line in every)
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
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    environment.filters |= {"shorten": lambda text, most: shorten_middle(printable(text), most), "bars": bar_lengths}
    environment.filters |= filters
    return environment.get_template(name)


@cache
def read_asset(name: str) -> Markup:
    """A file of this package, which no name or value has a part in."""
    from markupsafe import Markup

    return Markup((files(__package__) / "assets" / name).read_text("utf-8"))  # noqa: S704  # it is ours


def _shown(value: Any) -> Any:
    """What a template writes for a value: a text without characters that act on others or hide."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
