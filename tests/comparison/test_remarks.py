"""What to know before a comparison is believed."""

from __future__ import annotations

from probfs.comparison.differences import find_differences
from probfs.comparison.remarks import find_remarks
from probfs.text import command_line_language
from tests.support.comparisons import ranking_of


def test_there_is_nothing_to_say_of_documents_that_are_alike() -> None:
    one = ranking_of("abc")
    assert find_remarks(one, one, (), None, 3) == find_remarks(one, one, (), 3, 3) == ()


def test_severe_differences_are_warnings_and_others_are_not() -> None:
    old, new = ranking_of("abc", "old.json"), ranking_of("abc", "new.json", settings={"score": "signed", "bins": 9})
    (remark,) = find_remarks(old, new, find_differences(old, new), None, 3)
    message = "score: absolute in old.json, but signed in new.json; ranks are hard to compare"
    assert remark.to_dict() == {"code": "difference", "severity": "warning", "columns": [], "message": message}


def test_a_partial_list_is_a_warning() -> None:
    old, new = ranking_of("abc", "old.json", total=1200), ranking_of("abc", "new.json")
    (remark,) = find_remarks(old, new, (), None, 1200)
    message = "old.json lists only the best 3 of 1,200 columns: columns beyond them are unlisted"
    assert (remark.code, remark.message) == ("partial", message)


def test_more_first_columns_than_there_are_is_a_note() -> None:
    one = ranking_of("abc")
    with command_line_language():
        (remark,) = find_remarks(one, one, (), 4, 3)
    assert (remark.severity, remark.message) == ("note", "--top 4: there are only 3, so overlap is of all columns")
