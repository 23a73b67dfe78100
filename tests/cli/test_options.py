"""Options that commands share: words, parsers, how files are read, and where results go."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest
from typer.main import get_command

import probfs
from probfs.cli import COMMANDS, build_app
from probfs.cli.inspect import InspectionOutput
from probfs.cli.options import DocumentOutput, ReadingOptions, TableOutput, choice, parsed, words
from probfs.cli.rank import RankingOutput
from probfs.errors import UsageError
from probfs.output.formats import RANKING_FORMATS, OutputFormat
from probfs.ranking.result import Ranking
from probfs.tables.formats import TABLE_FORMATS, TableFormat, format_of_path
from probfs.tables.reading import ReadOptions
from probfs.tables.writers import choose_table_format, table_bytes
from tests.support.commands import Run
from tests.support.table_content import Write, read_csv_text


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
        assert offered(RankingOutput) == "table|csv|json|markdown|parquet|html|png|svg|pdf|names"
        assert offered(InspectionOutput) == "table|csv|json|markdown"
        assert RankingOutput(output=Path("r.names")).destination().format is names
    assert offered(RankingOutput) == "table|csv|json|markdown|parquet|html|png|svg|pdf"


@pytest.mark.parametrize("command", COMMANDS)
def test_quiet_output_and_target_have_short_forms_wherever_they_are(command: str) -> None:
    root: Any = get_command(build_app((command,)))
    names = {parameter.name: parameter.opts for parameter in root.commands[command].params}
    for name, short_form in {"quiet": "-q", "output": "-o", "target": "-t"}.items():
        assert names.get(name) in (None, [f"--{name}", short_form])


def is_warning(line: str) -> bool:
    return line.startswith("probfs: warning: ")


@pytest.mark.parametrize(
    "words",
    [
        ("rank", "t.csv"),
        ("select", "t.csv", "--folds", "0"),
        ("inspect", "t.csv"),
        ("suggest", "t.csv"),
        ("map", "m.csv", "--mapping", "m.toml"),
        ("compare", "r.json", "t.csv"),
        ("exact", "joint.csv"),
        ("reproduce", "bound", "--runs", "2", "--output", "paper"),
    ],
    ids=lambda words: words[0],
)
def test_quiet_hides_notes_and_said_twice_warnings(words: tuple[str, ...], write: Write, run_here: Run) -> None:
    rows = [f"{place};{'ux'[place % 2]};{'pq'[place % 3 == 0]}\n" for place in range(12)]
    write("t.csv", f"row;a;y\n{''.join(rows)}")
    write("m.csv", "a;y\nu;p\nNA;q\nv;p\n")
    write("m.toml", "[columns]\n")
    write("joint.csv", "a;p;p_y\nu;0.5;0.1\nv;0.5;0.9\n")
    probfs.rank("t.csv", target="y").top(1).to_json("r.json")
    loud, quiet, *silent = (run_here(*words, *how).stderr for how in ((), ("-q",), ("-qq",), ("--quiet", "--quiet")))
    assert not all(map(is_warning, loud.splitlines())), "nothing was tested"
    assert quiet.splitlines() == [line for line in loud.splitlines() if is_warning(line)]
    assert bool(quiet) == (words[0] != "exact"), "reading alone gives no warning"
    assert silent == ["", ""]
    wrong = run_here(*words, "--nonsense", "-qq")
    assert wrong.stderr.startswith("probfs: error: No such option")


def test_short_forms_do_what_the_long_ones_do(write: Write, run_here: Run) -> None:
    data = write("t.csv", "a,y,b\nx,p,u\nz,p,v\nx,q,u\nx,q,v\n")
    output = data.parent / "r.csv"
    result = run_here("rank", data, "-q", "-t", "y", "-o", output)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert output.read_text() == run_here("rank", data, "--quiet", "--target", "y").stdout
    assert run_here("rank", data, "-qty", "--exclude", "a,b").returncode == 1


def test_a_table_format_is_offered_where_it_can_be_read_and_where_it_can_be_written() -> None:
    def offered(bundle: type[ReadingOptions] | type[TableOutput], name: str) -> list[str]:
        return str(bundle.registered()[name].__metadata__[0].metavar).split("|")

    read_only = TableFormat("r", "R", (".r",), read=lambda table_input: read_csv_text("a\n1\n"))
    write_only = TableFormat("w", "W", (".w",), write=lambda table, *, target, safe: b"w")
    with TABLE_FORMATS.registered(read_only), TABLE_FORMATS.registered(write_only):
        assert offered(ReadingOptions, "input_format")[-2:] == ["excel", "r"]
        assert offered(TableOutput, "format")[-2:] == ["jsonl", "w"]
        assert format_of_path("t.w") is None
        with pytest.raises(UsageError, match=r"the ending '\.r' tells no format"):
            choose_table_format("t.r", None)
        assert table_bytes(read_csv_text("a\n1\n"), choose_table_format("t.w", None)) == b"w"


def test_a_result_is_not_written_over_its_input(tmp_path: Path) -> None:
    data = tmp_path / "t.csv"
    data.write_text("a,y\n")
    with pytest.raises(UsageError, match="is an input"):
        RankingOutput(output=data).destination(str(data))
    assert RankingOutput(output=tmp_path / "r.csv").destination(str(data)).path == tmp_path / "r.csv"
