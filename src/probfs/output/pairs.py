"""Pairs of columns as a document, and as a page with a heat map."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from probfs.notes import texts_by_severity
from probfs.output.documents import Document, Header, Table, TableColumn
from probfs.text import counted, printable, quoted, shorten_middle

if TYPE_CHECKING:
    from probfs.interaction.result import Pairs

PAIRS_HEADER: Header = {"a": "text", "b": "text", "gain": "float64", "p": "float64", "q": "float64"}
_FEWEST_SHOWN, _MOST_SHOWN = 10, 50
"""Pairs in a table for people: all that were found, within these limits."""
_MOST_ON_MAP = 20
"""Columns of a heat map: those of the best pairs."""
_MOST_ON_PAGE = 500
_LONGEST_NAME = 28
GAIN = "gain (nats)"


def pairs_document(pairs: Pairs) -> Document:
    records = [(pair.a, pair.b, pair.gain, pair.p, pair.q) for pair in pairs.pairs]
    shown = max(_FEWEST_SHOWN, min(len(pairs.found), _MOST_SHOWN))
    return Document(
        PAIRS_HEADER,
        records,
        lambda: pairs_content(pairs),
        lambda: pairs_table(pairs, shown),
        pairs_sentences(pairs),
        (tuple(PAIRS_HEADER), records[:shown]),
    )


def pairs_content(pairs: Pairs) -> dict[str, Any]:
    """The content of the JSON."""
    return {
        "schema": "probfs.pairs/1",
        "version": pairs.version,
        "input": asdict(pairs.input),
        "settings": dict(pairs.settings),
        "tested": pairs.tested,
        "pairs": [asdict(pair) for pair in pairs.pairs],
        "warnings": [note.to_dict() for note in pairs.warnings],
    }


def pairs_sentences(pairs: Pairs) -> list[str]:
    data, found = pairs.input, pairs.found
    limit = f"q ≤ {pairs.settings['false_discoveries']:g}"
    table = f"{data.source}: {data.labelled_rows:,} labelled rows, {counted(data.features, 'column')}"
    sentences = [f"{table}, {counted(pairs.tested, 'pair')} tested; target {quoted(data.target)}."]
    if not found:
        return [*sentences, f"No pair of columns tells more than its columns do one by one ({limit})."]
    best = found[0]
    number = "1 pair tells" if len(found) == 1 else f"{len(found):,} pairs tell"
    joined = f"--join {quoted(f'{best.a}+{best.b}')} ranks the first as one column"
    return [*sentences, f"{number} together what neither column tells beside the other ({limit}); {joined}."]


def pairs_table(pairs: Pairs, shown: int) -> Table:
    """The best pairs; a line is drawn where chance begins."""
    listed = pairs.pairs[:shown]
    found = min(len(pairs.found), len(listed))
    gains = [pair.gain for pair in listed]
    columns = [
        TableColumn("column", [pair.a for pair in listed], "name"),
        TableColumn("with", [pair.b for pair in listed], "name"),
        TableColumn(GAIN, [f"{gain:.4f}" for gain in gains], "number", gains, has_terminal_bars=True),
        TableColumn("p", [f"{pair.p:.2g}" for pair in listed], optional=1),
        TableColumn("q", [f"{pair.q:.2g}" for pair in listed]),
    ]
    hidden = pairs.tested - len(listed)
    limit = pairs.settings["false_discoveries"]
    return Table(
        columns,
        [place >= found for place in range(len(listed))],
        line=(found, f"not told from chance (q > {limit:g})") if found < len(listed) else None,
        rest=f"… and {hidden:,} more" if hidden > 0 else "",
        legend=["gain: how much less log-loss a row has when the joint value takes the place of the two values."],
    )


def heat_map(pairs: Pairs) -> tuple[list[str], list[list[float | None]]]:
    """The columns of the best pairs, and the gain of each two of them; None where it is not listed."""
    names: dict[str, None] = {}
    for pair in pairs.pairs:
        if len(names.keys() | {pair.a, pair.b}) <= _MOST_ON_MAP:
            names |= dict.fromkeys((pair.a, pair.b))
        if len(names) == _MOST_ON_MAP:
            break
    gains = {frozenset((pair.a, pair.b)): pair.gain for pair in pairs.pairs}
    return list(names), [[gains.get(frozenset((a, b))) if a != b else None for b in names] for a in names]


def pairs_page(pairs: Pairs) -> str:
    """The page, as text."""
    from probfs.output.notebook import load_template, read_asset
    from probfs.output.report import content_policy, sentence, table_rules
    from probfs.output.report_sections import PageTable

    names, gains = heat_map(pairs)
    largest = max((gain for row in gains for gain in row if gain is not None), default=0.0)
    shown = [shorten_middle(printable(name), _LONGEST_NAME) for name in names]
    table = pairs_table(pairs, _MOST_ON_PAGE)
    style = read_asset("report.css") + table_rules([PageTable("pairs", "", table.columns)])
    warnings, notes = texts_by_severity(pairs.warnings)
    return load_template("pairs.html.jinja", sentence=sentence).render(
        title=f"Pairs of columns of {pairs.input.source}",
        subtitle=f"Which of them tell {printable(pairs.input.target)} together",
        style=style,
        policy=content_policy(style),
        sentences=pairs_sentences(pairs),
        notices=[("Warnings", warnings), ("Notes", notes)],
        names=shown,
        margin=16 + 8 * max(map(len, shown), default=0),
        cells=[[(gain, max(gain or 0.0, 0.0) / largest if largest > 0 else 0.0) for gain in row] for row in gains],
        table=table,
        version=pairs.version,
    )
