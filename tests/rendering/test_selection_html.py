"""A selection in a notebook."""

from __future__ import annotations

from probfs.rendering.selection_html import selection_html
from probfs.rendering.selection_summary import selection_sentences
from tests.rendering.test_html_elements import ALLOWED, Reader
from tests.support.results import awkward, make_large_selection
from tests.support.selections import make_selection


def test_a_table_of_verdicts_and_reasons() -> None:
    selection = make_selection()
    read = Reader(selection._repr_html_())
    sentences = selection_sentences(selection)
    assert read.texts[: len(sentences)] == sentences
    assert read.texts[-1] == "Warning: a warning"
    assert read.opened.count("tr") == 1 + 4
    for text in ("keep", "redundant", "weak", "noise", "albumin says 96% of it", "q 0.62"):
        assert text in read.texts


def test_noise_is_pale() -> None:
    rows = selection_html(make_selection()).split("<tr ")[1:]
    assert ["opacity: 0.6" in row.split(">")[0] for row in rows] == [False, False, False, True]


def test_the_first_thirty_are_listed_and_the_rest_summed_up() -> None:
    selection = make_large_selection(awkward(200))
    read = Reader(selection_html(selection))
    assert set(read.opened) <= ALLOWED
    assert read.opened.count("tr") == 1 + 30
    (rest,) = (text for text in read.texts if text.startswith("… "))
    assert rest.startswith("… 170 more (10 kept, 80 redundant, 40 weak, 40 noise)")
    assert Reader(selection_html(selection.top(10))).opened.count("tr") == 1 + 10
