"""Rankings and selections as a page: one HTML file that needs no other and asks nothing of any network.

Every text goes through the template's escaping, and the page forbids whatever it does not bring itself: a name that
looks like a script would not run even if it were one.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from probfs.classifiers.scores import ABSOLUTE, SCORES, SIGNED, UNLABELED, Score
from probfs.notes import texts_by_severity
from probfs.output.documents import (
    NOISE_MARK,
    TableColumn,
    noise_legend,
    ranking_columns,
    selection_table,
    shown_scores,
)
from probfs.output.drawings import ranking_drawing, selection_drawing
from probfs.output.notebook import bar_lengths, load_template, read_asset
from probfs.output.report_sections import (
    LONGEST_TEXT,
    MARKS,
    PageTable,
    RoundModel,
    basis_numbers,
    describe_data,
    shown_name,
    svg_chart,
    tell_story,
)
from probfs.output.sentences import (
    VERDICT_WORDS,
    errors_of,
    is_noise,
    ranking_sentences,
    selection_sentences,
    shown_probability,
    shown_score,
)
from probfs.text import counted, listed, printable, shorten_middle

if TYPE_CHECKING:
    from markupsafe import Markup

    from probfs.ranking.result import Ranking
    from probfs.selection.result import Selection

_BEST = 5
_MOST_BARS = 12
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
        subtitle=f"Which columns predict {shown_name(data.target)}, most important first",
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
        legend.append(noise_legend(ranking))
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
    models = []
    for told in story:
        summary = ranking.rounds[told.round - 1]
        models.append(RoundModel(summary.features, errors_of(summary, ranking), summary.rows, summary.log_loss))
    ranked = [name for summary in reversed(ranking.rounds) for name in reversed(summary.removed)]
    return tell_story(ranking.settings.score, story, models, ranked, len(ranking.features), _judged_rows(ranking))


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
        facts += [(f"{estimate.errors / estimate.rows:.1%}", what) for estimate, what in judged]
    verdicts = {feature.verdict for feature in selection.features}
    words = "; ".join(meaning for verdict, meaning in _VERDICTS.items() if verdict in verdicts)
    scores = _describe_scores([SCORES[selection.settings.score]], "in the round in which it left")
    losses = "The log-loss is that of the model of this column and those ranked above it."
    kept = f"Kept: {listed(selection.kept, 2 * _BEST)}." if selection.kept else "No column is kept."
    return _render(
        selection,
        title=f"Which columns of {data.source} to keep",
        subtitle=f"To predict {shown_name(data.target)} by {selection.settings.model.summary}",
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
    reasons = [shorten_middle(cell, LONGEST_TEXT) for cell in why.cells]
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
    told, rows = [sizes[len(round_.scores)] for round_ in story], selection.input.labelled_rows
    models = [RoundModel(size.features, size.errors, rows, size.log_loss) for size in told]
    # Those that were eliminated one by one come first of all.
    ranked = [feature.feature for feature in (*selection.features, *selection.unlisted)[: max(sizes)]]
    return tell_story(
        selection.settings.score, story, models, ranked, min(len(selection.features), len(ranked)), "rows"
    )


# The page.


def _render(
    result: Ranking | Selection, *, table: PageTable, story: Mapping[str, Any] | None, drawing: Any, **texts: Any
) -> str:
    background, settings = result.background, result.settings
    data = None if background is None else describe_data(background, result.input, settings.count)
    tables = [table, *([story["table"]] if story else []), *([data["classes"], data["columns"]] if data else [])]
    style, script = read_asset("report.css") + table_rules(tables), read_asset("report.js")
    warnings, notes = texts_by_severity(result.warnings)
    bars = drawing.bars[:_MOST_BARS]
    chosen = {name: value for name, value in settings.to_dict().items() if value is not None and value != ()}
    filters = {"sentence": sentence, "name": shown_name, "score": shown_score}
    return load_template("report.html.jinja", **filters).render(
        **texts,
        style=style,
        script=script,
        policy=content_policy(style, script),
        notices=[("Warnings", warnings), ("Notes", notes)],
        drawing=drawing,
        bars=list(zip(bars, bar_lengths([bar.value for bar in bars]), strict=True)),
        rest=drawing.describe_rest(len(bars)),
        charts=[svg_chart(panel) for panel in drawing.panels],
        marks=MARKS,
        features=table,
        story=story,
        basis=basis_numbers(result.input),
        data=data,
        settings={name: _shown_setting(value) for name, value in chosen.items()},
        call=None if background is None else background.call,
        version=result.version,
    )


def table_rules(tables: Sequence[PageTable]) -> Markup:
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


def _shown_setting(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return listed(map(str, value), 12) if isinstance(value, tuple | list) else shown_name(str(value))


def sentence(text: str) -> Markup:
    """A text that ends as sentences do, in which names that are written from right to left do not turn others."""
    from markupsafe import Markup, escape

    ended = text if text.endswith((".", "!", "?", "…")) else f"{text}."
    escaped = str(escape(printable(ended)))
    return Markup(_QUOTED.sub(r"&#39;<bdi>\1</bdi>&#39;", escaped))  # noqa: S704  # escaped just now


def content_policy(style: str, script: str | None = None) -> str:
    """What the page may do: nothing but apply its style and, if it has one, run its script."""
    scripts = "" if script is None else f" script-src '{_hash(script)}';"
    return f"default-src 'none'; style-src '{_hash(style)}';{scripts} base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
