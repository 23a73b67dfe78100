"""JSON as all documents have it."""

from __future__ import annotations

import json
import math

from hypothesis import given
from hypothesis import strategies as st

from probfs.rendering.json_text import json_text

FINITE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(FINITE)
def test_what_json_has_reads_back(content: object) -> None:
    assert json.loads(json_text(content)) == content


def test_what_json_does_not_have_is_null_at_any_depth() -> None:
    content = {"a": math.nan, "b": [(math.inf, 1.5)], "c": {"d": -math.inf}}
    assert json.loads(json_text(content)) == {"a": None, "b": [[None, 1.5]], "c": {"d": None}}


def test_text_is_not_escaped_and_ends_with_a_line_end() -> None:
    assert json_text({"é": "日本"}) == '{\n  "é": "日本"\n}\n'
