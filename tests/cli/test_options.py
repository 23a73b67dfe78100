"""Options that commands share: words, parsers, how files are read, and where results go."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from probfs.cli.inspect import InspectionOutput
from probfs.cli.options import DocumentOutput, ReadingOptions, choice, parsed, words
from probfs.cli.rank import RankingOutput
from probfs.errors import UsageError
from probfs.ranking.result import Ranking
from probfs.rendering.formats import OutputFormat
from probfs.rendering.ranking_formats import RANKING_FORMATS
from probfs.tables.readers import ReadOptions


def test_an_option_of_words_shows_them_and_may_be_left_out_without_a_default() -> None:
    optional, info = get_args(choice(("a", "b"), "One of two."))
    assert get_args(get_args(optional)[0]) == ("a", "b")
    assert type(None) in get_args(optional)
    assert (info.metavar, info.help, info.show_default) == ("a|b", "One of two.", False)
    required, info = get_args(choice(("a", "b"), "One of two.", "a"))
    assert get_args(required) == ("a", "b")
    assert info.show_default
    assert get_args(get_args(words(("a",), None))[0]) == ("a",)


def test_an_option_with_a_parser_says_its_default_in_its_help() -> None:
    info = parsed(int, "N", "How many. Default: 3.")
    assert (info.parser, info.metavar, info.show_default) == (int, "N", False)


def test_reading_options_are_those_of_the_reader() -> None:
    assert ReadingOptions().chosen() == ReadOptions()
    chosen = ReadingOptions(delimiter=";", encoding="latin-1", max_unpacked=9, input_format="csv", decimal=",")
    assert chosen.chosen() == ReadOptions("csv", ";", "latin-1", 9, ",")


def test_a_format_is_offered_where_it_is_registered_and_nowhere_else() -> None:
    def offered(bundle: type[DocumentOutput]) -> str:
        metavar = bundle.registered()["format"].__metadata__[0].metavar
        assert isinstance(metavar, str)
        return metavar

    names: OutputFormat[Ranking] = OutputFormat("names", (".names",), lambda ranking, presentation: "")
    with RANKING_FORMATS.registered(names):
        assert offered(RankingOutput) == "table|csv|json|markdown|names"
        assert offered(InspectionOutput) == "table|csv|json|markdown"
        assert RankingOutput(output=Path("r.names")).destination().format is names
    assert offered(RankingOutput) == "table|csv|json|markdown"


def test_a_result_is_not_written_over_its_input(tmp_path: Path) -> None:
    data = tmp_path / "t.csv"
    data.write_text("a,y\n")
    with pytest.raises(UsageError, match="is an input"):
        RankingOutput(output=data).destination(str(data))
    assert RankingOutput(output=tmp_path / "r.csv").destination(str(data)).path == tmp_path / "r.csv"
