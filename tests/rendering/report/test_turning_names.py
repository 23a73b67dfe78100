"""Names that are written from right to left, within sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.rendering.report.turning_names import isolated, split, with_isolates

AGE, NAME = "\u05d2\u05d9\u05dc", "\u05e9\u05dd"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("age and sex", []),
        (f"{AGE}, {NAME} and 7 others", [AGE, NAME]),
        (f"The first are '{AGE} 12', '3 {NAME}'.", [f"{AGE} 12", f"3 {NAME}"]),
        (f"target {AGE} {NAME} (the last column)", [f"{AGE} {NAME}"]),
        (f"it's {AGE}", [AGE]),
        (f"'{AGE}", [AGE]),
    ],
)
def test_each_name_is_kept_apart(text: str, names: list[str]) -> None:
    assert [part for part, turns in split(text) if turns] == names


@given(st.text(alphabet=f"ab1 ,'.(){AGE}\u0627", max_size=30))
def test_nothing_is_lost_and_no_letter_that_turns_stands_outside(text: str) -> None:
    parts = list(split(text))
    assert "".join(part for part, _ in parts) == text
    assert not set(AGE + "\u0627") & set("".join(part for part, turns in parts if not turns))
    assert with_isolates(text).replace("\u2068", "").replace("\u2069", "") == text


def test_a_page_has_elements_and_escapes_what_is_in_them() -> None:
    assert isolated(f"<b> '{AGE}<i>'") == f"&lt;b&gt; &#39;<bdi>{AGE}&lt;i&gt;</bdi>&#39;"
    assert isolated(f"\u2067{AGE}") == f"\\u2067<bdi>{AGE}</bdi>", "a name's own marks are shown"
