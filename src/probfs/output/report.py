"""Rankings and selections as a page: one HTML file that needs no other and asks nothing of any network.

Every text goes through the template's escaping, and the page forbids whatever it does not bring itself: a name that
looks like a script would not run even if it were one.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from probfs.classifiers.scores import ABSOLUTE, SCORES, SIGNED, UNLABELED, Score
from probfs.notes import texts_by_severity
from probfs.output.documents import (
    NOISE_LEGEND,
    NOISE_MARK,
    TableColumn,
    describe_most_frequent,
    ranking_columns,
    selection_table,
    shown_scores,
    unused_flags,
)
from probfs.output.drawings import ranking_drawing, selection_drawing
from probfs.output.sentences import (
    VERDICT_WORDS,
    errors_of,
    is_noise,
    ranking_sentences,
    selection_sentences,
    shown_loss,
    shown_probability,
    shown_score,
)
from probfs.output.svg_charts import svg_chart, svg_legend
from probfs.text import counted, listed, printable, quoted, shorten_middle

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

    from probfs.columns.inspect import ColumnSummary
    from probfs.ranking.result import InputSummary, Ranking
    from probfs.ranking.story import Background, Story
    from probfs.selection.result import Selection

_LONGEST_NAME = 200
"""Characters of a name; the middle of a longer one is left out. The other formats have it in full."""
_LONGEST_VALUE = 60
_LONGEST_TEXT = 300
_BEST = 5
_MOST_BARS = 12
_MANY_COLUMNS = 500
"""Of more columns, the page has less to say of each, or it would take megabytes."""
_INTERVAL = re.compile(r"\(.*?,(?P<end>.*)\]")
_NUMBERS = re.compile(r" \([\d,]+ numbers\)")
_QUOTED = re.compile("&#39;(.+?)&#39;")
_MEANINGS = {
    ABSOLUTE.key: "is how far the probabilities of the classes move, on average, when the column is taken away",
    SIGNED.key: "is how far the probability of a row's own class falls, on average, when the column is taken away",
    UNLABELED.key: f"is {ABSOLUTE.symbol} of labelled and unlabelled rows together",
}
_VERDICTS = {
    "redundant": "redundant columns say what a kept one says",
    "weak": "weak ones add too little",
    "noise": "those called noise cannot be told from noise by these rows",
}
_TESTS = "p and q test the column alone against the class; q allows for how many columns were tested."
_JUDGED = {
    "rows": "how the model does on the rows that decide which column leaves",
    "training rows": "how the model does on the rows that it was trained on",
    "held-out rows": "how many held-out rows the model gets wrong, and its log-loss on the rows it was trained on",
}


@dataclass(frozen=True)
class PageTable:
    """A table of the page."""

    name: str
    caption: str
    columns: Sequence[TableColumn]
    groups: Sequence[str] = ()
    """What each row is one of; nothing for an ordinary row."""
    group_names: Mapping[str, str] = field(default_factory=dict)
    """The groups that rows can be chosen by, and what they are called."""
    is_long: bool = False
    """Whether readers want to sort it and to look for rows."""
    note: str = ""


# Rankings.


def ranking_report(ranking: Ranking) -> str:
    """The page, as text."""
    data, first = ranking.input, ranking.rounds[0]
    noise = [is_noise(feature, ranking) for feature in ranking.features]
    best = listed((feature.feature for feature in ranking.features[:_BEST]), _BEST)
    found = f"{'The first column is' if len(noise) == 1 else 'The first columns are'} {best}."
    if any(noise):
        found += f" These rows cannot tell {sum(noise):,} of those listed from noise."
    when = "in the round in which it left" if ranking.settings.eliminate else "with all columns in the model"
    wrong = f"{errors_of(first, ranking) / first.rows:.1%}"
    return _render(
        ranking,
        title=f"Ranking of {data.source}",
        subtitle=f"Which columns predict {_shown_name(data.target)}, most important first",
        facts=[
            (f"{data.features:,}", "column" if data.features == 1 else "columns"),
            (f"{data.labelled_rows:,}", "labelled rows"),
            (f"{len(data.classes):,}", "classes"),
            (wrong, f"of {_judged_rows(ranking)} wrong with all columns"),
        ],
        sentences=[*ranking_sentences(ranking), found],
        drawing=ranking_drawing(ranking),
        meanings=f"{_describe_scores(shown_scores(ranking), when)} {_TESTS}",
        table=_ranking_table(ranking, noise),
        story=_ranking_story(ranking),
    )


def _judged_rows(ranking: Ranking) -> str:
    """What the rows are called that are right or wrong."""
    if ranking.settings.estimate != "resubstitution":
        return "rows"
    return "training rows" if ranking.rounds[0].held_out_errors("resubstitution") is None else "held-out rows"


def _ranking_table(ranking: Ranking, noise: Sequence[bool]) -> PageTable:
    columns = [*ranking_columns(ranking), *_test_columns(ranking.features)]
    legend = ["±: one standard error."] if ranking.settings.uncertainty else []
    if any(noise):
        mark = NOISE_MARK.replace(" ", "\u00a0")
        columns.append(TableColumn("note", [mark if is_one else "" for is_one in noise], "word"))
        legend.append(NOISE_LEGEND)
    return PageTable(
        "features",
        _caption(len(noise), ranking.input.features),
        columns,
        ["noise" if is_one else "" for is_one in noise],
        {"plain": "told from noise", "noise": NOISE_MARK} if any(noise) else {},
        is_long=True,
        note=" ".join([*legend, *_not_listed(ranking.input.features - len(noise))]),
    )


def _test_columns(features: Sequence[Any]) -> list[TableColumn]:
    return [
        TableColumn(name, [shown_probability(getattr(feature, name)) for feature in features]) for name in ("p", "q")
    ]


def _caption(shown: int, total: int) -> str:
    return f"The best {shown:,} of {total:,} columns" if shown < total else "All columns, best first"


def _not_listed(hidden: int) -> list[str]:
    return [f"{counted(hidden, 'more column')} {'is' if hidden == 1 else 'are'} not listed."] if hidden else []


def _describe_scores(scores: Sequence[Score], when: str) -> str:
    known = [f"{score.heading} {_MEANINGS[score.key]}" for score in scores if score.key in _MEANINGS]
    return _capitalized(f"{'; '.join(known)}, {when}.")


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def _ranking_story(ranking: Ranking) -> Mapping[str, Any] | None:
    if ranking.background is None:
        return None
    story = ranking.background.story
    rounds = [ranking.rounds[told.round - 1] for told in story]
    models = [_Model(own.features, errors_of(own, ranking), own.rows, own.log_loss) for own in rounds]
    ranked = [name for own in reversed(ranking.rounds) for name in reversed(own.removed)]
    return _story(ranking.settings.score, story, models, ranked, len(ranking.features), _judged_rows(ranking))


# Selections.


def selection_report(selection: Selection) -> str:
    """The page, as text."""
    data, honest = selection.input, selection.honest
    facts = [
        (f"{len(selection.kept):,} of {data.features:,}", f"{'column' if data.features == 1 else 'columns'} to keep"),
        (f"{data.labelled_rows:,}", "labelled rows"),
        (f"{len(data.classes):,}", "classes"),
    ]
    if honest is not None:
        chosen = "of unseen rows wrong when columns are chosen this way"
        judged = ((honest.kept, chosen), (honest.all, "with all columns"), (honest.none, "with none"))
        facts += [(f"{own.errors / own.rows:.1%}", what) for own, what in judged]
    verdicts = {feature.verdict for feature in selection.features}
    words = "; ".join(meaning for verdict, meaning in _VERDICTS.items() if verdict in verdicts)
    scores = _describe_scores([SCORES[selection.settings.score]], "in the round in which it left")
    losses = "The log-loss is that of the model of this column and those ranked above it."
    kept = f"Kept: {listed(selection.kept, 2 * _BEST)}." if selection.kept else "No column is kept."
    return _render(
        selection,
        title=f"Which columns of {data.source} to keep",
        subtitle=f"To predict {_shown_name(data.target)} by {selection.settings.model.summary}",
        facts=facts,
        sentences=[*selection_sentences(selection), kept],
        drawing=selection_drawing(selection),
        meanings=" ".join(filter(None, [words and f"{_capitalized(words)}.", scores, losses, _TESTS])),
        table=_selection_table(selection),
        story=_selection_story(selection),
    )


def _selection_table(selection: Selection) -> PageTable:
    features = selection.features
    *columns, why = selection_table(selection).columns
    reasons = [shorten_middle(cell, _LONGEST_TEXT) for cell in why.cells]
    verdicts: Counter[str] = Counter(feature.verdict for feature in features)
    return PageTable(
        "features",
        _caption(len(features), selection.input.features),
        [*columns, *_test_columns(features), *([replace(why, cells=reasons)] if any(reasons) else [])],
        [feature.verdict for feature in features],
        {name: f"{word} ({verdicts[name]:,})" for name, word in VERDICT_WORDS.items() if verdicts[name]},
        is_long=True,
        note=" ".join(_not_listed(len(selection.unlisted))),
    )


def _selection_story(selection: Selection) -> Mapping[str, Any] | None:
    if selection.background is None:
        return None
    story, sizes = selection.background.story, {size.features: size for size in selection.sizes}
    told, rows = [sizes[len(own.scores)] for own in story], selection.input.labelled_rows
    models = [_Model(size.features, size.errors, rows, size.log_loss) for size in told]
    # Those that were eliminated one by one come first of all.
    ranked = [feature.feature for feature in (*selection.features, *selection.unlisted)[: max(sizes)]]
    return _story(selection.settings.score, story, models, ranked, min(len(selection.features), len(ranked)), "rows")


# The rounds.


@dataclass(frozen=True)
class _Model:
    """How the model of a round does."""

    columns: int
    errors: int
    rows: int
    log_loss: float

    @property
    def share(self) -> str:
        return f"{self.errors / self.rows:.1%}"


def _story(
    score: str, story: Story, models: Sequence[_Model], ranked: Sequence[str], most: int, rows: str
) -> Mapping[str, Any] | None:
    """The rounds as a table, and as what the script shows of them; a single round has no story.

    ``ranked`` names all columns, best first; the table of columns lists the first ``most`` of them.
    """
    if not story or story[-1].round < 2:
        return None
    rounds = story[-1].round
    after = [*(model.columns for model in models[1:]), 0]
    until = [*(told.round for told in story[1:]), rounds + 1]
    leaving = [_name_few(ranked[left : model.columns][::-1]) for model, left in zip(models, after, strict=True)]
    sentences = []
    for told, model, names, end, left in zip(story, models, leaving, until, after, strict=True):
        loss = f"log-loss {shown_loss(model.log_loss)}{'' if rows == 'rows' else ' on training rows'}"
        then = "Then" if end == told.round + 1 else f"By round {end:,}"
        sentences.append(
            f"Round {told.round:,} of {rounds:,}: "
            f"{counted(model.columns, 'column is', 'columns are')} left. "
            f"The model gets {model.errors:,} of {model.rows:,} {rows} wrong ({model.share}), {loss}. "
            f"{then} {names} {'leaves' if model.columns - left == 1 else 'leave'}."
        )
    columns = [
        TableColumn("round", [f"{told.round:,}" for told in story]),
        TableColumn("columns", [f"{model.columns:,}" for model in models]),
        TableColumn("rows wrong", [f"{model.errors:,}" for model in models]),
        TableColumn("share wrong", [model.share for model in models]),
        TableColumn("log-loss", [shown_loss(model.log_loss) for model in models]),
        TableColumn("then left", leaving, "text"),
    ]
    some = f"{len(story)} of the {rounds:,} rounds" if len(story) < rounds else "All rounds"
    script = {
        "sentences": [printable(sentence) for sentence in sentences],
        # Those of the columns that are left, in the order of the table of columns.
        "scores": [[_rounded(value) for value in told.scores[:most]] for told in story],
        # How many are left, listed or not.
        "left": [len(told.scores) for told in story],
        "largest": [max((abs(_rounded(value) or 0.0) for value in told.scores), default=0.0) for told in story],
    }
    return {
        "score": SCORES[score].heading,
        "table": PageTable("rounds", f"{some}: {_JUDGED[rows]}", columns),
        "rounds": len(story),
        "script": _json_for_script(script),
    }


def _name_few(leaving: Sequence[str]) -> str:
    shown = ", ".join(shorten_middle(_shown_name(name), _LONGEST_VALUE) for name in leaving[:3])
    return shown if len(leaving) <= 3 else f"{shown} and {counted(len(leaving) - 3, 'other')}"


def _rounded(value: float) -> float | None:
    """A score in the digits that the page shows."""
    return float(shown_score(value)) if math.isfinite(value) else None


def _json_for_script(content: Mapping[str, Any]) -> Markup:
    """JSON in which nothing can end the element that it stands in."""
    from markupsafe import Markup

    # Whatever is not ASCII is an escape already.
    text = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704  # nothing is left in it that a page would take for markup


# The data.


def _data(background: Background, data: InputSummary, count: str | None) -> Mapping[str, Any]:
    """What the table held; ``count`` is the column that counts rows."""
    inspection = background.inspection
    rows = f"{inspection.labelled_rows:,} labelled and {inspection.unlabelled_rows:,} unlabelled rows"
    if data.dropped_rows:
        rows += f", without {counted(data.dropped_rows, 'row')} of rare classes"
    further = data.unlabelled_rows - inspection.unlabelled_rows
    if further:
        added = counted(further, "further unlabelled row is", "further unlabelled rows are")
        rows += f"; {added} in {listed(data.unlabelled_sources)}"
    missing = sum(column.missing > 0 for column in inspection.columns)
    gaps = f"{counted(missing, 'column has', 'columns have')} missing cells." if missing else "No cell is missing."
    columns = counted(len(inspection.columns), "column")
    target = f"The target is {_shown_name(inspection.target)} ({inspection.target_reason})."
    sentences = [f"{inspection.source} has {columns}, {rows}. {gaps} {target}"]
    if count is not None:
        sentences.append(f"Rows are counted as the column {quoted(count)} says, here and below.")
    ordered = sorted(inspection.classes.items(), key=lambda item: (-item[1], item[0]))
    total = max(sum(inspection.classes.values()), 1)
    numbers = [number for _, number in ordered]
    classes = [
        TableColumn("class", [name for name, _ in ordered], "name"),
        TableColumn("rows", [f"{number:,}" for number in numbers], values=numbers),
        TableColumn("share", [f"{number / total:.1%}" for number in numbers]),
    ]
    return {
        "sentences": sentences,
        "classes": PageTable("classes", "Classes, the largest first", classes),
        "columns": _column_table(background),
    }


def _column_table(background: Background) -> PageTable:
    columns = background.inspection.columns
    many = len(columns) > _MANY_COLUMNS
    usual = _usual_use(columns) if many else ""
    longest = _LONGEST_VALUE if many else _LONGEST_NAME
    # A value that stands in one row of a wide table says little.
    frequent = [describe_most_frequent(own) if own.frequency > many else "" for own in columns]
    return PageTable(
        "columns",
        "All columns of the table, and what was made of each",
        [
            TableColumn("column", [shorten_middle(_shown_name(own.column), longest) for own in columns], "name"),
            TableColumn("kind", [own.kind for own in columns], "word"),
            TableColumn("distinct", [f"{own.distinct:,}" for own in columns]),
            TableColumn("missing", [f"{own.missing:,}" for own in columns]),
            TableColumn("most frequent", [shorten_middle(own, _LONGEST_VALUE) for own in frequent], "text"),
            TableColumn("use", [_describe_use(own, background, usual) for own in columns], "text"),
        ],
        is_long=True,
        note=f"Where nothing else is said, the use is: {usual}." if usual else "",
    )


def _usual_use(columns: Sequence[ColumnSummary]) -> str:
    """The use of most columns, which is said once; nothing where uses differ."""
    use, times = Counter(_NUMBERS.sub("", column.use) for column in columns).most_common(1)[0]
    return use if 2 * times > len(columns) else ""


def _describe_use(column: ColumnSummary, background: Background, usual: str) -> str:
    """What was made of a column, unless that is usual, where it was cut, and what is remarkable about it."""
    points = cut_points(background.intervals.get(column.column, ()))
    cut = [points] if points and points not in column.use else []
    use = [] if usual and _NUMBERS.sub("", column.use) == usual else [column.use]
    return shorten_middle("; ".join([*use, *cut, *unused_flags(column)]), _LONGEST_TEXT)


def cut_points(intervals: Sequence[str]) -> str:
    """Where a column was cut, numbers in at most six digits.

    >>> cut_points(["(-inf,18]", "(18,30.123456789]", "(30.123456789,inf)"]), cut_points(["(-inf,inf)"])
    ('at 18, 30.1235', '')
    """
    ends = [found["end"] for interval in intervals if (found := _INTERVAL.fullmatch(interval))]
    return f"at {', '.join(map(_few_digits, ends))}" if ends else ""


def _few_digits(end: str) -> str:
    try:
        return f"{float(end):.6g}"
    except ValueError:
        # A date.
        return end


# The page.


def _render(
    result: Ranking | Selection, *, table: PageTable, story: Mapping[str, Any] | None, drawing: Any, **texts: Any
) -> str:
    background, settings = result.background, result.settings
    data = None if background is None else _data(background, result.input, settings.count)
    tables = [table, *([story["table"]] if story else []), *([data["classes"], data["columns"]] if data else [])]
    style, script = _asset("report.css") + _table_rules(tables), _asset("report.js")
    allowed = f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    warnings, notes = texts_by_severity(result.warnings)
    bars = drawing.bars[:_MOST_BARS]
    chosen = {name: value for name, value in settings.to_dict().items() if value is not None and value != ()}
    return _template().render(
        **texts,
        style=style,
        script=script,
        policy=f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'",
        notices=[("Warnings", warnings), ("Notes", notes)],
        drawing=drawing,
        bars=list(zip(bars, _bar_lengths([bar.value for bar in bars]), strict=True)),
        rest=drawing.describe_rest(len(bars)),
        charts=[svg_chart(panel, drawing) for panel in drawing.panels],
        legend=svg_legend(drawing),
        features=table,
        story=story,
        data=data,
        settings={name: _shown_setting(value) for name, value in chosen.items()},
        call=None if background is None else background.call,
        version=result.version,
    )


def _table_rules(tables: Sequence[PageTable]) -> Markup:
    """Rules of style for the columns of tables; the headings that narrow windows show beside cells are ours."""
    from markupsafe import Markup

    rules = []
    for table in tables:
        for number, column in enumerate(table.columns, 1):
            cell = f"#{table.name} tbody tr > :nth-child({number})"
            if column.kind in ("text", "word"):
                rules.append(f"{cell} {{ text-align: left; }}")
            if "±" in "".join(column.cells[:1]):
                rules.append(f"@media print {{ {cell} {{ white-space: normal; }} }}")
            if column.kind == "text":
                rules.append(f"{cell} {{ white-space: normal; min-width: 16rem; max-width: 30rem; }}")
            if column.kind != "name":
                label = f'{cell}::before {{ content: "{column.heading}"; }}'
                rules.append(f"@media screen and (max-width: 44rem) {{ {label} }}")
    return Markup("\n".join(rules) + "\n")  # noqa: S704  # no name or value has a part in it


def _bar_lengths(values: Sequence[float | None]) -> list[float]:
    """In per cent: the largest value has a bar of 100, and what is not above 0 has none."""
    largest = max((value for value in values if value is not None and 0 < value < math.inf), default=1.0)
    return [0.0 if value is None or not value > 0 else min(100 * value / largest, 100.0) for value in values]


def _shown_name(name: str) -> str:
    """A name as the page has it: nothing in it acts on its neighbours, and it is not longer than a few lines."""
    return shorten_middle(printable(shorten_middle(name, _LONGEST_NAME)), _LONGEST_NAME)


def _shown_setting(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return listed(map(str, value), 12) if isinstance(value, tuple | list) else _shown_name(str(value))


def _sentence(text: str) -> Markup:
    """A text that ends as sentences do, in which names that are written from right to left do not turn others."""
    from markupsafe import Markup, escape

    ended = text if text.endswith((".", "!", "?", "…")) else f"{text}."
    escaped = str(escape(printable(ended)))
    return Markup(_QUOTED.sub(r"&#39;<bdi>\1</bdi>&#39;", escaped))  # noqa: S704  # escaped just now


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _asset(name: str) -> Markup:
    from markupsafe import Markup

    # Files of this package, which no name or value has a part in.
    return Markup((files(__package__) / "assets" / name).read_text("utf-8"))  # noqa: S704


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(__package__, "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters |= {"sentence": _sentence, "name": _shown_name, "score": shown_score, "bars": _bar_lengths}
    return environment.get_template("report.html.jinja")


def _shown(value: Any) -> Any:
    """What the template writes for a value: a text without characters that act on others or hide."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
