"""What is learned of a feature from labelled rows, and other rows coded with it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probfs.columns.dataset import MISSING_LABEL
from probfs.columns.feature_coding import FeatureCoding, learn_coding
from probfs.columns.rules import CutCoder
from probfs.errors import DataError
from probfs.tables.arrow_arrays import text_array
from probfs.tables.readers.number_columns import block_of_declared_numbers
from probfs.tables.table import Column, Kind, Table
from tests.support.prepared_tables import prepare_csv
from tests.support.table_content import read_csv_text

CSV = "a,y\n3,p\n1,q\n3,q\n,p\n9,\n"
OTHER = read_csv_text("a,y\n9,\n3,\n,\n1,\n7,\n")


def coding_of(mapping: str = "", missing: str = "skip") -> FeatureCoding:
    prepared = prepare_csv(CSV, mapping, target="y", missing=missing)
    return learn_coding(prepared, prepared.features[0])[0]


def test_values_of_labelled_rows_are_the_codes_and_others_say_nothing() -> None:
    coding = coding_of()
    assert (coding.labels.to_pylist(), coding.values, coding.distinct) == (["1", "3"], 2, 2)
    assert coding.recode(OTHER).tolist() == [2, 1, 2, 0, 2]


def test_missing_may_be_a_value_and_what_is_unseen_still_says_nothing() -> None:
    coding = coding_of(missing="value")
    assert coding.labels.to_pylist() == ["1", "3", MISSING_LABEL]
    codes = coding.recode(OTHER)
    assert codes.tolist() == [3, 1, 2, 0, 3]
    silent, telling = coding.silence_unseen(codes)
    assert silent.tolist() == codes.tolist()
    assert telling == 2, "missing cells and unseen values do not tell"


def test_an_interval_without_labelled_rows_is_silenced() -> None:
    coding = coding_of("[columns]\na = { cut = [1, 3, 8] }")
    assert (coding.values, coding.distinct) == (4, 2)
    codes = coding.recode(OTHER)
    assert codes.tolist() == [3, 1, 4, 0, 2]
    silent, telling = coding.silence_unseen(codes)
    assert (silent.tolist(), telling) == ([4, 1, 4, 0, 4], 2)


@pytest.mark.parametrize(
    "rule",
    [
        *('"category"', '"numeric"', '"<= 2"', '"!= 3"', "'in [1, 3]'", "{ cut = [2] }", "{ quantiles = 2 }"),
        *("{ widths = 3 }", '{ groups = { few = ["1"] } }', '{ groups = { few = ["1"] }, other = "x" }'),
        *("{ min_count = 2 }", '{ min_count = 2, other = "x" }', '{ min_count = 2, missing = "value" }'),
    ],
)
def test_what_every_rule_learned_travels(rule: str) -> None:
    coding = coding_of(f"[columns]\na = {rule}")
    sent: FeatureCoding = pickle.loads(pickle.dumps(coding))
    assert sent.recode(OTHER).tolist() == coding.recode(OTHER).tolist()
    assert sent.labels.to_pylist() == coding.labels.to_pylist()


def test_a_cell_that_the_rule_cannot_take_is_an_error_with_its_line() -> None:
    coding = coding_of("[columns]\na = { quantiles = 2 }")
    with pytest.raises(DataError, match=r"^t.csv:3: column 'a': 'x' is not a number"):
        coding.recode(read_csv_text("a,y\n1,\nx,\n"))


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
