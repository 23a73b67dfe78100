"""Blocks of rows, condensed, planned for and encoded one by one, give what the whole table gives."""

from __future__ import annotations

from functools import partial

from hypothesis import given

from tests.support.split_tables import Case, as_arff, as_csv, as_frame, cases, check_same


@given(cases())
def test_blocks_of_a_text_file_give_what_the_file_gives(case: Case) -> None:
    check_same(case, as_csv)


@given(cases())
def test_blocks_of_declared_values_give_what_the_whole_gives(case: Case) -> None:
    declared = {"y": ["c", "a", "b", "rare", "never"]} if "a" in case.cells["y"] else {}
    for name in ("words", "digits", "leak"):
        if name in case.cells:
            further = case.unlabelled[name] if case.unlabelled is not None else []
            declared[name] = sorted({*case.cells[name], *further, "5"} - {""}, reverse=True)
    check_same(case, partial(as_arff, declared=declared))


@given(cases())
def test_blocks_of_a_frame_give_what_the_frame_gives(case: Case) -> None:
    check_same(case, as_frame)
