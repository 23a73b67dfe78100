"""What Python shows of results: lines that are short, and tables in which texts stay texts."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from probfs.notes import NoteKind
from probfs.text import is_unseen, printable
from tests.support.results import make_large_selection, make_ranking

ALLOWED = {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "bdi", "span"}
ATTRIBUTES = {"style", "dir", "class", "scope", "colspan", "title", "aria-hidden"}


class Reader(HTMLParser):
    """What a browser would see: tags, attributes and texts."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@settings(max_examples=15)
@given(st.text(min_size=1, max_size=20).filter(lambda name: len(printable(name)) <= 40))
def test_no_text_becomes_markup(name: str) -> None:
    ranking = replace(
        make_ranking([name, "b", "c", "d"]), warnings=(NoteKind.LEAKAGE.note(name), NoteKind.CUT.note(name))
    )
    for result in (ranking, make_large_selection([name, *"abcdefg"])):
        seen = Reader(result._repr_html_())
        assert seen.tags <= ALLOWED
        assert seen.attributes <= ATTRIBUTES
        assert printable(name) in seen.texts
        assert not any(is_unseen(character) for text in seen.texts if not text.isspace() for character in text)


def test_a_notebook_shows_thirty_columns_the_rest_and_warnings() -> None:
    html = make_ranking([f"c{number}" for number in range(40)])._repr_html_()
    assert html.count('scope="row"') == 30
    assert "… and 10 more, none above 0.0129" in html
    assert "Warning: a warning" in html
    assert "tex2jax_ignore" in html
    assert max(float(width) for width in re.findall(r"width: ([\d.]+)em", html)) == 6.0


def test_representations_are_a_few_lines_with_warnings() -> None:
    assert repr(make_ranking("abcd")).splitlines() == [
        "<Ranking of people.csv: 4 columns, 200 labelled rows, target class with 2 classes ('no', 'yes')",
        " Naive Bayes, leave-one-out, ranked by importance Ŝ_S (absolute) under recursive elimination",
        " With all columns the model gets 21 of 200 rows wrong (10.5%); always guessing the largest class, 80.",
        " importance Ŝ_S: 1. a 0.4000, 2. b 0.2000, 3. c 0.1333, … and 1 more, none above 0.1000",
        " Warning: a warning>",
    ]
    lines = repr(make_large_selection("abcdefghij")).splitlines()
    assert lines[1].startswith(" Keep 2 of 10. ")
    assert lines[2].startswith(" Judged on rows that neither choice nor model had seen (10 folds): kept ")
    rest = "… and 7 more (3 redundant, 2 weak, 2 noise), none above 0.0218"
    assert lines[4] == f" gain Ŝ_A: 1. a 0.0871, 2. b 0.0436, 3. c 0.0290, {rest}"
