"""A ranking in a notebook."""

from __future__ import annotations

from probfs.ranking.result import Ranking
from probfs.rendering.ranking_html import ranking_html
from probfs.rendering.ranking_summary import summary_sentences
from tests.rendering.test_html_elements import ALLOWED, Reader
from tests.support.hostile_names import HOSTILE_NAMES
from tests.support.results import make_ranking


def test_a_table_with_its_sentences_and_warnings() -> None:
    ranking = make_ranking(["a", "b", "c", "d"], uncertainty=True)
    read = Reader(ranking._repr_html_())
    assert read.texts[:3] == summary_sentences(ranking)
    assert read.texts[-1] == "Warning: a warning"
    assert read.opened.count("tr") == 1 + 4
    for text in ("rank", "Ŝ_S", "left in round", "rank interval (90%)", "0.4000", "1-2", "≈ noise"):
        assert text in read.texts
    assert not any("more" in text for text in read.texts)


def test_the_first_thirty_are_listed_and_the_rest_summed_up() -> None:
    read = Reader(ranking_html(make_ranking([f"feature_{place}" for place in range(500)])))
    assert read.opened.count("tr") == 1 + 30
    assert f"… 470 more, none above {0.4 / 31:.4f}" in read.texts


def test_what_cannot_be_told_from_noise_is_pale() -> None:
    html = ranking_html(make_ranking(list("abcdef")))
    rows = html.split("<tr ")[1:]
    assert ["opacity: 0.6" in row.split(">")[0] for row in rows] == [False, False, False, True, True, True]


def test_hostile_names_are_texts(hostile_ranking: Ranking) -> None:
    read = Reader(ranking_html(hostile_ranking))
    assert set(read.opened) <= ALLOWED
    assert "<b>bold</b>" in read.texts
    assert "\\u202eright" in read.texts
    assert sum(text in HOSTILE_NAMES for text in read.texts) == 6, "all but those with unseen characters"
