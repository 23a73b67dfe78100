"""Numbers that are cut get the codes that their texts get."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.columns.feature_coding import FeatureCoding
from probfs.columns.rules import CutCoder
from probfs.tables.arrow_arrays import text_array
from probfs.tables.readers.number_columns import block_of_declared_numbers
from probfs.tables.table import Column, Kind, Table


@given(
    st.lists(st.sampled_from([-1.5, 0.0, 0.25, 1.0, 2.0, 3.0, np.nan]), min_size=1),
    st.lists(st.sampled_from([-2.0, 0.0, 0.5, 1.0, 2.5]), unique=True),
    st.booleans(),
)
def test_numbers_and_texts_get_the_same_codes(cells: list[float], points: list[float], missing_is_value: bool) -> None:
    coder = CutCoder(np.array(sorted(points), dtype=np.float64), Kind.NUMBER, strict=False)
    labels = text_array([*coder.labels.to_pylist(), *(["missing"] if missing_is_value else [])])
    coding = FeatureCoding("a", coder, labels, missing_is_value, False, np.ones(len(labels) + 1, dtype=np.bool_))
    numbers = block_of_declared_numbers(["a"], np.array([cells]))["a"]
    texts = Column("a", numbers.codes, numbers.values, Kind.NUMBER)
    own, expected = (coding.recode(Table("t.parquet", {"a": one}, len(cells))) for one in (numbers, texts))
    assert own.tolist() == expected.tolist()


def test_no_text_is_made_of_a_number_that_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    column = block_of_declared_numbers(["a"], np.array([[0.5, 1.5, np.nan]]))["a"]
    monkeypatch.setattr(column.block, "texts", None)
    coder = CutCoder(np.array([1.0]), Kind.NUMBER)
    coding = FeatureCoding("a", coder, coder.labels, False, False, np.ones(3, dtype=np.bool_))
    assert coding.recode(Table("t.parquet", {"a": column}, 3)).tolist() == [0, 1, 2]
