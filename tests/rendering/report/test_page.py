"""The page: one file that is well formed, escapes every text, and forbids all but what it brings."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup

from probfs.notes import NoteKind
from probfs.rendering.report.content import Report, ReportColumn, ReportTable, StorySection
from probfs.rendering.report.page import report_page, story_json
from tests.support.paths import ROOT

ASSETS = ROOT / "src/probfs/rendering/report/assets"


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the text of each kind of element."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attributes)))
        self._open.append(tag)
        self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts[self._open[-1]][-1] += data


def make_report(text: str) -> Report:
    """A report in which every text is this one."""
    table = ReportTable(
        "features", text, [ReportColumn(text, [text], "name"), ReportColumn(text, [text], bars=[0.5])], [""]
    )
    rounds = ReportTable("rounds", text, [ReportColumn(text, [text], "text")])
    return Report(
        title=text,
        subtitle=text,
        facts=[(text, text)],
        sentences=[text],
        warnings=[text],
        notes=[text],
        figure=Markup("<svg></svg>"),
        meanings=text,
        features=table,
        story=StorySection(text, rounds, [text], [[0.5]], [1], [0.5]),
        data=None,
        settings=[(text, text)],
        call=text,
        version=text,
    )


PLAIN = Elements(report_page(make_report("x")))


@settings(max_examples=40)
@given(
    st.text(alphabet=st.sampled_from("<>&\"'/!-=`{}%#; \n\x00\u2028\u202eaé\U0001f600"), min_size=1, max_size=30)
    | st.sampled_from(["</script><script>alert(1)</script>", "<!--", "{{ 7*7 }}", '"><img src=x onerror=alert(1)>'])
)
def test_whatever_a_text_holds_the_page_has_the_same_elements(text: str) -> None:
    elements = Elements(report_page(make_report(text)))
    # A text that turns has an element more around it.
    plain, found = ([tag for tag, _ in own.found if tag != "bdi"] for own in (PLAIN, elements))
    assert found == plain
    kinds = [sorted(attributes) for tag, attributes in elements.found if tag != "bdi"]
    assert kinds == [sorted(attributes) for tag, attributes in PLAIN.found if tag != "bdi"]


def test_texts_come_through_as_they_are() -> None:
    elements = Elements(report_page(make_report("</script>&amp;<b>")))
    assert elements.texts["h1"] == ["</script>&amp;<b>"]
    assert "".join(elements.texts["code"]) == "</script>&amp;<b>"


def test_warnings_come_before_notes_under_headings_of_their_own() -> None:
    page = report_page(replace(make_report("x"), warnings=["one", "two"], notes=["three"]))
    lists = re.findall(r'<div class="(\w+)">\s*<h3>(\w+)</h3>\s*<ul>(.*?)</ul>', page, re.DOTALL)
    found = [(kind, heading, re.findall("<li>(.*?)</li>", items)) for kind, heading, items in lists]
    assert found == [("warnings", "Warnings", ["one", "two"]), ("notes", "Notes", ["three"])]
    without = report_page(replace(make_report("x"), warnings=[], notes=[]))
    assert "<h3>Warnings" not in without
    assert "<h3>Notes" not in without


def test_a_note_is_made_harmless_as_any_text_is() -> None:
    page = report_page(replace(make_report("x"), notes=[NoteKind.CUT.note("\u202e<b>")]))
    assert "<li>\\u202e&lt;b&gt;</li>" in page


def test_letters_written_from_right_to_left_are_kept_apart_and_marks_are_escaped() -> None:
    assert "<th scope=row><bdi>גיל</bdi>" in report_page(make_report("גיל"))
    assert "<th scope=row>\\u202eright" in report_page(make_report("\u202eright"))


def test_the_policy_names_the_very_style_sheet_and_script_of_the_page_and_allows_nothing_else() -> None:
    page = report_page(make_report("x"))
    policies = [own["content"] for tag, own in PLAIN.found if own.get("http-equiv") == "Content-Security-Policy"]
    assert len(policies) == 1
    rules = dict(rule.split(" ", 1) for rule in (policies[0] or "").split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["base-uri"] == rules["form-action"] == "'none'"
    for rule, element in (("style-src", "style"), ("script-src", "script")):
        (content,) = re.findall(f"<{element}>(.*?)</{element}>", page, re.DOTALL)
        assert rules[rule] == f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
    assert set(rules) == {"default-src", "style-src", "script-src", "base-uri", "form-action"}


def test_nothing_of_the_page_lies_elsewhere_and_no_attribute_holds_a_style_or_a_script() -> None:
    for tag, attributes in PLAIN.found:
        assert tag not in ("img", "link", "iframe", "object", "embed", "form", "base")
        for name, value in attributes.items():
            assert name not in ("src", "style", "action")
            assert not name.startswith("on")
            if name == "href":
                assert (value or "").startswith("#")


def test_every_reference_within_the_page_leads_somewhere() -> None:
    names = [attributes["id"] for _, attributes in PLAIN.found if "id" in attributes]
    assert len(names) == len(set(names))
    for _, attributes in PLAIN.found:
        for name in ("aria-labelledby", "aria-controls", "aria-describedby"):
            assert set((attributes.get(name) or "").split()) <= set(names)
        if "href" in attributes and attributes["href"] != "#data":
            assert (attributes["href"] or "")[1:] in names


def test_the_script_builds_no_markup_and_asks_for_nothing() -> None:
    script = (ASSETS / "report.js").read_text()
    for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "fetch(", "XMLHttp", "import("):
        assert word not in script


@pytest.mark.parametrize("name", ["report.css", "report.js", "report.html.jinja"])
def test_files_of_the_page_name_no_address(name: str) -> None:
    text = (ASSETS / name).read_text()
    assert "//" not in text.replace("// ", "")
    assert "url(" not in text
    assert "@import" not in text


def test_the_story_for_the_script_is_json_that_cannot_end_its_element() -> None:
    table = ReportTable("rounds", "", [])
    hostile = "</script><!--&\u2028é"
    scores = [[0.123456, 1.23456e-5, -2.0, float("inf"), float("nan")]]
    text = story_json(StorySection("", table, [hostile], scores, [9], [2.0]))
    assert text.isascii()
    assert not set("<>&") & set(text)
    assert json.loads(text) == {
        "sentences": ["</script><!--&\\u2028é"],
        "scores": [[0.1235, 1.23e-05, -2.0, None, None]],
        "left": [9],
        "largest": [2.0],
    }
