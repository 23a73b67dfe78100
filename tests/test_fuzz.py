"""Random tables, ARFF texts and mappings: nothing but the product's own errors ever leaves the library."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.fuzzing import STRATEGIES, TARGETS

CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large]


@pytest.mark.parametrize("kind", TARGETS)
@settings(max_examples=150, suppress_health_check=CHECKS)
@given(st.data())
def test_nearly_right_texts_are_read_or_refused(kind: str, data: st.DataObject) -> None:
    TARGETS[kind](data.draw(STRATEGIES[kind]))


@pytest.mark.parametrize("kind", TARGETS)
@settings(max_examples=100, suppress_health_check=CHECKS)
@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(kind: str, data: bytes) -> None:
    TARGETS[kind](data)
