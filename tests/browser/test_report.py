"""Reports in a real browser: nothing is asked for or complained of, and tables, story, schemes and print work."""

from __future__ import annotations

import io
import re

import pytest
from pypdf import PdfReader

from tests.browser.conftest import Pages
from tests.support.browser import Browser

NAMES = "#features tbody th"
EVERY_PAGE = ["ranking kiln", "selection kiln", "ranking mixed", "selection mixed", "ranking large"]


def column(browser: Browser, number: int, table: str = "features") -> list[str]:
    return list(browser.texts(f"#{table} tbody tr > :nth-child({number})"))


def sort_by(browser: Browser, heading: str, table: str = "features") -> str | None:
    """Press the heading, and say how the table is sorted now."""
    script = (
        "const cell = [...document.querySelectorAll(arguments[0])].find(e => e.textContent.trim() === arguments[1]);"
        "cell.querySelector('button').click(); return cell.getAttribute('aria-sort')"
    )
    sorted_now: str | None = browser.run(script, f"#{table} thead th", heading)
    return sorted_now


def type_into(browser: Browser, selector: str, text: str) -> None:
    field = browser.find(selector)
    field.clear()
    field.send_keys(text)


def move_to(browser: Browser, place: int) -> None:
    script = (
        "const s = document.getElementById('story-round'); s.value = arguments[0]; s.dispatchEvent(new Event('input'))"
    )
    browser.run(script, place)


@pytest.mark.parametrize("name", EVERY_PAGE)
def test_a_page_from_a_file_complains_of_nothing_and_asks_for_nothing(
    browser: Browser, pages: Pages, name: str
) -> None:
    browser.open(pages[name])
    move_to(browser, 2)
    sort_by(browser, "p")
    assert browser.complaints() == []
    assert browser.requests() == [pages[name].resolve().as_uri()]


def test_the_log_would_show_what_the_policy_blocks(browser: Browser, pages: Pages, tmp_path: object) -> None:
    page = pages["ranking kiln"].read_text()
    broken = pages["ranking kiln"].with_name("broken.html")
    broken.write_text(page.replace("<main>", '<main style="color: red"><img src="x.png"><script>alert(1)</script>'))
    browser.open(broken)
    complaints = " ".join(browser.complaints())
    assert "inline style" in complaints
    assert "inline script" in complaints
    assert "x.png" in complaints


@pytest.mark.parametrize("width", [320, 768, 1200, 2400])
@pytest.mark.parametrize("name", ["ranking mixed", "selection mixed"])
def test_a_page_fits_windows_of_any_width(browser: Browser, pages: Pages, name: str, width: int) -> None:
    browser.resize(width)
    browser.open(pages[name])
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert overflowing(browser) == []
    assert misplaced_cells(browser) == []


def misplaced_cells(browser: Browser) -> list[str]:
    """Cells of a table whose content is wider than they are, or whose number has no room beside its bar."""
    script = """
      const line = parseFloat(getComputedStyle(document.querySelector('tbody td')).lineHeight);
      const height = (cell) => { const range = document.createRange(); range.selectNodeContents(cell);
        return range.getBoundingClientRect().height };
      return [...document.querySelectorAll('tbody td, tbody th')]
        .filter(cell => cell.scrollWidth > cell.clientWidth + 1
          || (cell.querySelector('svg') && height(cell) > 1.5 * line))
        .map(cell => cell.textContent)"""
    found: list[str] = browser.run(script)
    return found


def overflowing(browser: Browser) -> list[str]:
    """Elements that reach beyond the window and cannot be scrolled to within a part of the page."""
    script = """
      const inside = (e) => e.closest('.scroll') && !e.matches('.scroll');
      return [...document.body.querySelectorAll('*')]
        .filter(e => !inside(e) && !e.matches('.skip') && e.getClientRects().length)
        .filter(e => { const box = e.getBoundingClientRect(); return box.left < -1 || box.right > innerWidth + 1 })
        .map(e => `${e.tagName} ${e.className}`)"""
    found: list[str] = browser.run(script)
    return found


@pytest.mark.parametrize("name", ["ranking mixed", "selection mixed"])
def test_sentences_in_tables_are_not_squeezed(browser: Browser, pages: Pages, name: str) -> None:
    browser.resize(320)
    browser.open(pages[name])
    script = "return [...document.querySelectorAll('.sentences tr td:last-child')].map(e => e.clientWidth)"
    widths = browser.run(script)
    assert widths
    assert min(widths) >= 255


def test_names_from_right_to_left_stand_in_the_order_of_their_sentence(browser: Browser, pages: Pages) -> None:
    browser.open(pages["ranking turning"])
    script = """
      const sentence = [...document.querySelectorAll('.sentence')].find(e => e.textContent.startsWith('The first'));
      return [...sentence.querySelectorAll('bdi')].map(e => e.getBoundingClientRect().left)"""
    places = browser.run(script)
    assert len(places) == 3
    assert places == sorted(places)


class TestTables:
    def test_the_mark_of_noise_is_found_as_it_is_typed(self, browser: Browser, pages: Pages) -> None:
        browser.open(pages["ranking mixed"])
        type_into(browser, ".searched input", "≈ noise")
        assert 0 < len(browser.texts(NAMES)) < 20

    def test_numbers_are_sorted_as_numbers_and_back(self, browser: Browser, pages: Pages) -> None:
        browser.open(pages["ranking mixed"])
        ranks = column(browser, 1)
        assert ranks == [str(number) for number in range(1, 21)]
        assert sort_by(browser, "p") == "ascending"
        values = [float(text) for text in column(browser, 6)]
        assert values == sorted(values)
        assert values != [float(text) for text in sorted(column(browser, 6))]
        assert sort_by(browser, "p") == "descending"
        assert [float(text) for text in column(browser, 6)] == sorted(values, reverse=True)
        assert sort_by(browser, "rank") == "ascending"
        assert column(browser, 1) == ranks

    def test_scores_begin_with_the_largest_and_only_one_heading_is_sorted(self, browser: Browser, pages: Pages) -> None:
        browser.open(pages["ranking mixed"])
        assert sort_by(browser, "Ŝ_A") == "descending"
        values = [float(text) for text in column(browser, 4)]
        assert values == sorted(values, reverse=True)
        sort_by(browser, "feature")
        assert browser.run("return document.querySelectorAll('[aria-sort]').length") == 1

    def test_names_are_sorted_as_people_do(self, browser: Browser, pages: Pages) -> None:
        browser.open(pages["ranking large"])
        sort_by(browser, "feature")
        assert browser.texts(NAMES)[:12] == [f"measurement_{number}" for number in range(12)]

    def test_cells_without_a_number_are_last_in_either_direction(self, browser: Browser, pages: Pages) -> None:
        browser.open(pages["selection mixed"])
        for _ in range(2):
            sort_by(browser, "Ŝ_A")
            cells = column(browser, 4)
            numbers = [cell for cell in cells if cell != "-"]
            assert 0 < len(numbers) < len(cells)
            assert "-" not in cells[: len(numbers)]

    def test_names_are_searched_in_any_case_and_the_number_found_is_told(self, browser: Browser, pages: Pages) -> None:
        browser.open(pages["ranking mixed"])
        search = ".searched input[type=search]"
        type_into(browser, search, "COPY_")
        assert sorted(browser.texts(NAMES)) == [f"near_copy_{number}" for number in range(5)]
        status = browser.find("#features-section .found")
        assert status.text == "5 of 20 rows shown"
        assert status.get_attribute("role") == "status"
        sort_by(browser, "feature")
        assert list(browser.texts(NAMES)) == [f"near_copy_{number}" for number in range(5)]
        type_into(browser, search, "no such name")
        assert list(browser.texts(NAMES)) == []

    @pytest.mark.parametrize(
        ("page", "group", "expected"),
        [
            ("ranking mixed", "noise", "noise_"),
            ("ranking mixed", "plain", "signal_|near_"),
            ("selection mixed", "noise", "noise_"),
            ("selection mixed", "keep", "signal_|near_"),
        ],
    )
    def test_groups_can_be_chosen(self, browser: Browser, pages: Pages, page: str, group: str, expected: str) -> None:
        browser.open(pages[page])
        every = len(browser.texts(NAMES))
        script = (
            "const s = document.querySelector('#features-section select');"
            "s.value = arguments[0]; s.dispatchEvent(new Event('change'))"
        )
        browser.run(script, group)
        names = browser.texts(NAMES)
        assert 0 < len(names) < every
        if group == "noise":
            assert all(re.match(expected, name) for name in names)
        assert any(re.match(expected, name) for name in names)

    def test_the_columns_of_the_data_are_searched_apart(self, browser: Browser, pages: Pages) -> None:
        browser.open(pages["ranking mixed"])
        type_into(browser, "#data input[type=search]", "signal_1")
        assert column(browser, 1, "columns") == ["signal_1"]
        assert len(browser.texts(NAMES)) == 20


class TestStory:
    def test_moving_along_the_rounds_changes_bars_sentence_and_row(self, browser: Browser, pages: Pages) -> None:
        browser.open(pages["ranking kiln"])
        assert len(browser.texts("#story-bars li")) == 8
        before = browser.texts("#story-bars .value")
        assert browser.find("#story-sentence").text.startswith("Round 1 of 8: 8 features are left.")
        browser.find("#story-on").click()
        assert len(browser.texts("#story-bars li")) == 7
        assert browser.texts("#story-bars .value") != before[:7]
        assert browser.texts("#rounds .current td:first-child") == ["2"]
        assert browser.find("#story-round").get_attribute("aria-valuetext") == "Round 2 of 8: 7 features are left"
        browser.find("#story-back").click()
        assert browser.texts("#story-bars .value") == before
        assert not browser.find("#story-back").is_enabled()

    def test_the_feature_that_leaves_is_marked_and_gone_in_the_next_round(self, browser: Browser, pages: Pages) -> None:
        browser.open(pages["ranking kiln"])
        for number in range(8):
            move_to(browser, number)
            (leaving,) = browser.texts("#story-bars .leaving .name")
            assert browser.texts("#rounds .current td:last-child") == [leaving]
            assert f"Then {leaving} leaves." in browser.find("#story-sentence").text

    def test_scores_are_written_as_in_the_table(self, browser: Browser, pages: Pages) -> None:
        browser.open(pages["selection cancer"])
        in_table = dict(zip(browser.texts(NAMES), column(browser, 4), strict=True))
        written = {}
        for number in range(len(browser.texts("#rounds tbody tr"))):
            move_to(browser, number)
            (name,) = browser.texts("#story-bars .leaving .name")
            (written[name],) = browser.texts("#story-bars .leaving .value")
        assert written == in_table
        assert any(re.fullmatch(r"\d\.\d\de-0\d", value) for value in written.values())

    def test_bars_are_as_long_as_scores_are_large(self, browser: Browser, pages: Pages) -> None:
        browser.open(pages["ranking kiln"])
        move_to(browser, 3)
        script = "return [...document.querySelectorAll('#story-bars .fill')].map(e => parseFloat(e.style.width))"
        values = [float(text) for text in browser.texts("#story-bars .value")]
        widths = browser.run(script)
        assert widths == pytest.approx([100 * value / max(values) for value in values], rel=1e-3)
        browser.find("#story-scale").click()
        assert max(browser.run(script)) < 100

    def test_features_are_found_and_ordered_by_score(self, browser: Browser, pages: Pages) -> None:
        browser.open(pages["ranking large"])
        assert len(browser.texts("#story-bars li")) == 30
        assert browser.find("#story-rest").text.startswith("… 170 more, none above ")
        browser.run(
            "const s = document.getElementById('story-order'); s.value = 'score'; s.dispatchEvent(new Event('change'))"
        )
        values = [float(text) for text in browser.texts("#story-bars .value")]
        assert values == sorted(values, reverse=True)
        type_into(browser, "#story-find", "measurement_19")
        assert sorted(browser.texts("#story-bars .name")) == sorted(f"measurement_19{end}" for end in ["", *range(10)])
        type_into(browser, "#story-find", "nothing")
        assert browser.find("#story-rest").text == "No feature that is left has such a name."

    def test_features_that_the_page_does_not_list_are_counted(self, browser: Browser, pages: Pages) -> None:
        browser.open(pages["best 3"])
        assert len(browser.texts("#story-bars li")) == 3
        assert browser.find("#story-rest").text == "… and 197 that this page does not list"
        type_into(browser, "#story-find", "nothing")
        missed = "No feature that is left and listed has such a name"
        assert (
            browser.find("#story-rest").text
            == f"{missed}; there may be one among the 197 that this page does not list."
        )
        browser.open(pages["best 50"])
        assert re.fullmatch(
            r"… 20 more, none above [\d.e-]+, and 150 that this page does not list", browser.find("#story-rest").text
        )

    def test_what_leaves_is_said_in_words_in_narrow_windows_too(self, browser: Browser, pages: Pages) -> None:
        browser.resize(320)
        browser.open(pages["ranking kiln"])
        assert [text for text in browser.texts("#story-bars .mark") if text] == ["leaves"]

    def test_the_story_is_right_after_the_table_was_sorted(self, browser: Browser, pages: Pages) -> None:
        browser.open(pages["ranking kiln"])
        before = browser.texts("#story-bars .name")
        sort_by(browser, "feature")
        move_to(browser, 1)
        assert browser.texts("#story-bars .name") == before[:7]


class TestKeyboard:
    def test_the_first_stop_skips_to_the_table(self, browser: Browser, pages: Pages) -> None:
        browser.open(pages["ranking kiln"])
        browser.press("\ue004")
        assert browser.run("return document.activeElement.className") == "skip"
        assert browser.run("return document.activeElement.getBoundingClientRect().left") > 0
        browser.press("\ue007")
        assert browser.run("return document.activeElement.id") == "features-section"

    def test_a_heading_is_sorted_and_the_slider_moved_by_keys_alone(self, browser: Browser, pages: Pages) -> None:
        browser.open(pages["ranking kiln"])
        browser.run("document.querySelector('#features thead button').focus()")
        browser.press("\ue007")
        assert browser.find("#features thead th").get_attribute("aria-sort") == "ascending"
        browser.press(" ")
        assert browser.find("#features thead th").get_attribute("aria-sort") == "descending"
        browser.run("document.getElementById('story-round').focus()")
        browser.press("\ue014", "\ue014")
        assert browser.find("#story-sentence").text.startswith("Round 3 of 8")

    def test_whatever_has_the_focus_shows_it(self, browser: Browser, pages: Pages) -> None:
        browser.open(pages["ranking kiln"])
        seen = set()
        for _ in range(40):
            browser.press("\ue004")
            tag, outline = browser.run(
                "const e = document.activeElement;"
                "return [e.tagName + '.' + e.className, getComputedStyle(e).outlineStyle]"
            )
            if tag.startswith("BODY"):
                break
            seen.add(tag)
            assert outline != "none", tag
        assert {"A.skip", "BUTTON.sort", "INPUT."} <= seen


class TestSchemesAndPrint:
    def test_dark_and_light_differ_and_text_is_readable_in_both(self, browser: Browser, pages: Pages) -> None:
        papers = []
        for scheme in ("light", "dark"):
            browser.prefer("dark" if scheme == "dark" else "light")
            browser.open(pages["selection mixed"])
            script = "const s = getComputedStyle(arguments[0]); return [s.color, s.backgroundColor, s.fill]"
            ink, paper, _ = browser.run(script, browser.find("body"))
            papers.append(paper)
            assert contrast(ink, paper) > 7
            for selector in (".drawing .fill-ink", ".drawing .fill-strong", "td rect"):
                assert contrast(browser.run(script, browser.find(selector))[2], paper) > 3, (scheme, selector)
            assert contrast(browser.run(script, browser.find(".drawing"))[2], paper) > 7
        assert papers[0] != papers[1]

    def test_print_is_light_without_controls_and_has_all_rows(self, browser: Browser, pages: Pages) -> None:
        browser.prefer("dark", "print")
        browser.open(pages["ranking mixed"])
        assert browser.texts(".controls, nav, .skip, button.sort::after") == []
        assert browser.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert len(browser.texts(NAMES)) == 20
        browser.prefer("light")

    @pytest.mark.parametrize("name", ["uncertain hostile", "uncertain long-named", "selection hostile"])
    def test_no_column_is_cut_off_on_paper(self, browser: Browser, pages: Pages, name: str) -> None:
        browser.open(pages[name])
        printed = " ".join(page.extract_text() for page in PdfReader(io.BytesIO(browser.print_pdf())).pages).split()
        for heading in browser.run("return [...document.querySelectorAll('thead th')].map(e => e.textContent)"):
            assert set(heading.split()) <= set(printed), heading
        browser.prefer("light", "print")
        # A4 without its margins.
        browser.resize(673)
        right = browser.run("return [...document.querySelectorAll('table')].map(e => e.getBoundingClientRect().right)")
        browser.prefer("light")
        assert max(right) <= 673

    def test_a_page_is_printed_to_pdf_with_its_headings_on_every_page(self, browser: Browser, pages: Pages) -> None:
        browser.open(pages["ranking large"])
        printed = [page.extract_text() for page in PdfReader(io.BytesIO(browser.print_pdf())).pages]
        text = "\n".join(printed)
        for number in range(200):
            assert f"measurement_{number}" in text
        within_table = [page for page in printed if re.search(r"≈\snoise", page) and "none above" not in page]
        assert len(within_table) > 3
        for page in within_table:
            assert "left in round" in page


def contrast(one: str, other: str) -> float:
    """The ratio by which WCAG measures how well two colours can be told apart."""
    lights = []
    for color in (one, other):
        parts = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        lights.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(lights) + 0.05) / (min(lights) + 0.05)


def test_without_scripts_the_page_is_complete(browser: Browser, pages: Pages) -> None:
    browser.set_scripting(False)
    browser.open(pages["ranking mixed"])
    browser.set_scripting(True)
    assert len(browser.texts(NAMES)) == 20
    assert len(browser.texts("#rounds tbody tr")) == 20
    assert browser.texts(".controls, #story-player, button") == []
    assert browser.texts("#features thead th")[:3] == ["rank", "feature", "Ŝ_S"]
