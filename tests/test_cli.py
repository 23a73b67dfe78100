"""The command as its users meet it: streams, formats, exit statuses, terminals, pipes, hostile names."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import probfs
from probfs.columns.mapping_file import parse_mapping
from probfs.columns.prepare import prepare
from probfs.columns.roles import ColumnChoice
from probfs.columns.rules import Measured
from probfs.columns.suggestion import suggest_mapping
from probfs.rendering.formats import Presentation
from probfs.rendering.ranking_table import ranking_table
from probfs.runtime.output import write_whole
from probfs.tables.readers.frame import table_from_frame
from tests.conftest import ROOT, SAMPLES, Run

Write = Callable[[str, "str | bytes"], Path]

COMMUTE = (SAMPLES / "commute.csv", "--exclude", "person")
HOSTILE = [
    '=cmd|"/c calc"!A1',
    "a\x1b[31mred",
    "<b>bold</b>",
    "[/x]",
    "new\nline",
    "pipe|pipe",
    "\u202eright",
    "it's",
    "`tick`",
]


def hostile_csv() -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*HOSTILE, "y"])
    for number in range(12):
        writer.writerow([f"{HOSTILE[(number * (j + 1)) % 3]}" for j in range(len(HOSTILE))] + ["ab"[number % 2]])
    return text.getvalue()


# --- streams and formats --------------------------------------------------------------------------------------------


def test_results_go_to_standard_output_and_all_else_to_standard_error(run: Run) -> None:
    result = run("rank", *COMMUTE)
    assert result.returncode == 0
    assert result.stdout == probfs.rank(SAMPLES / "commute.csv", exclude=["person"]).to_csv()
    assert result.stderr == "probfs: target: mode (the last column)\n"
    assert run("rank", *COMMUTE, "--quiet").stderr == ""


@pytest.mark.parametrize("name", ["r.json", "r.csv", "r.md", "r.txt"])
def test_the_ending_of_the_output_decides_its_format(run: Run, tmp_path: Path, name: str) -> None:
    result = run("rank", *COMMUTE, "--output", name)
    assert (result.returncode, result.stdout) == (0, "")
    text = (tmp_path / name).read_text()
    if name == "r.json":
        assert json.loads(text)["schema"] == "probfs.ranking/1"
    elif name == "r.csv":
        assert text.startswith("rank,feature,s_s,")
    elif name == "r.md":
        assert "| rank | feature |" in text
    else:
        assert "rank  feature" in text
    assert run("rank", *COMMUTE, "--output", "r.xyz").returncode == 2


def test_top_prints_the_best_of_all_that_were_computed(run: Run) -> None:
    everything = run("rank", *COMMUTE).stdout.splitlines()
    assert run("rank", *COMMUTE, "--top", 2).stdout.splitlines() == everything[:3]
    document = json.loads(run("rank", *COMMUTE, "--top", 2, "--format", "json").stdout)
    assert (len(document["features"]), len(document["rounds"])) == (2, 6)
    assert "… and 4 more" in run("rank", *COMMUTE, "--top", 2, "--format", "table").stdout


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    command = f"{sys.executable} -m probfs rank {SAMPLES}/commute.csv --quiet --format json | head -1"
    result = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "{\n", "")


def test_output_may_be_a_pipe(tmp_path: Path) -> None:
    for command in ("rank", f"map --mapping {SAMPLES}/breast_cancer.toml"):
        name, *rest = command.split()
        ranked = f"{name} {SAMPLES}/breast_cancer.csv {' '.join(rest)}"
        line = f"{sys.executable} -m probfs {ranked} --quiet --output /dev/stdout | cat"
        result = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, check=False)
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.count("\n") > 9


def in_a_terminal(*arguments: object) -> str:
    """What the command writes when all its streams are a terminal of 100 columns."""
    shown = b""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(COLUMNS="100", TERM="xterm")
        os.execv(sys.executable, [sys.executable, "-m", "probfs", *map(str, arguments)])
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.waitpid(child, 0)
    os.close(terminal)
    return shown.decode().replace("\r\n", "\n")


def test_a_terminal_gets_a_table_with_bars_and_what_was_ranked() -> None:
    shown = " ".join(in_a_terminal("rank", *COMMUTE).split())
    assert "6 features, 204 labelled and 36 unlabelled rows, target mode with 3 classes" in shown
    assert "Naive Bayes, leave-one-out, ranked by Ŝ_S (absolute)" in shown
    assert "48 of 204 rows wrong" in shown
    assert "████" in shown
    assert "rank,feature" not in shown


def test_no_input_on_a_terminal_shows_the_help() -> None:
    assert "--score" in in_a_terminal("rank")


# --- exit statuses --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["rank", "missing.csv"], 1, "missing.csv: cannot be read: no such file"),
        (["rank", "."], 1, ".: is a directory"),
        (["rank", "t.csv", "--target", "clas"], 2, "did you mean 'class'?"),
        (["rank", "t.csv", "--score", "loud"], 2, "--score"),
        (["rank", "t.csv", "--step", "1_0"], 2, "'1_0' is neither a whole number"),
        (["rank", "t.csv", "--folds", "3.0", "--estimate", "cv"], 2, "'3.0' is not a whole number"),
        (
            ["rank", "t.csv", "--smoothing", "nan"],
            2,
            "'nan' is neither 0 (the exact limit) nor a number from 1e-100 to 1e+100",
        ),
        (["rank", "t.csv", "--delimiter", "ab"], 2, "--delimiter"),
        (["rank", "t.csv", "--mapping", "none.toml"], 2, "none.toml: cannot be read"),
        (["rank", "t.csv", "--no-such-option"], 2, "--no-such-option"),
        (["rank", "t.csv", "--output", "t.csv"], 2, "is an input"),
        (["rank", "t.csv", "--output", "no/such/folder.csv"], 1, "no/such/folder.csv: cannot be written"),
        (["rank", "t.csv", "--output", "/dev/full"], 1, "/dev/full: cannot be written: no space left"),
        (["rank", "broken.csv"], 1, "broken.csv:3: 3 fields, but the header has 2"),
        (["inspect", "broken.csv"], 1, "broken.csv:3: 3 fields"),
        (["suggest", "broken.csv"], 1, "broken.csv:3: 3 fields"),
        (["map", "broken.csv", "--mapping", "m.toml"], 1, "broken.csv:3: 3 fields"),
        (["map", "t.csv"], 2, "--mapping"),
        (["explode"], 2, "explode"),
    ],
)
def test_a_mistake_is_one_line_and_the_right_status(
    run: Run, write: Write, arguments: list[str], status: int, message: str
) -> None:
    write("t.csv", "a,class\nx,0\ny,0\nx,1\nx,1\n")
    write("broken.csv", "a,class\nx,0\ny,0,1\n")
    write("m.toml", "")
    result = run(*arguments)
    lines = [line for line in result.stderr.splitlines() if not line.startswith("probfs: target")]
    assert result.returncode == status
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("probfs: error: ")
    assert message in lines[0]
    assert result.stdout == ""


def test_an_interrupt_is_status_130_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    pd.DataFrame(
        {**{f"f{j:04}": [str((i * (j + 3)) % 3) for i in range(60)] for j in range(2500)}, "y": ["a", "b"] * 30}
    ).to_csv(tmp_path / "wide.csv", index=False)
    (tmp_path / "r.csv").write_text("old")
    command = [sys.executable, "-m", "probfs", "rank", "wide.csv", "--output", "r.csv"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert errors.splitlines()[-1] == "probfs: interrupted"
    assert (tmp_path / "r.csv").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.csv", "wide.csv"]


# --- hostile names --------------------------------------------------------------------------------------------------


def test_hostile_names_are_kept_in_data_and_escaped_for_eyes(run: Run, write: Write) -> None:
    path = write("t.csv", hostile_csv())
    rows = list(csv.DictReader(io.StringIO(run("rank", path).stdout)))
    assert {row["feature"] for row in rows} == set(HOSTILE)
    assert {f["feature"] for f in json.loads(run("rank", path, "--format", "json").stdout)["features"]} == set(HOSTILE)
    for command in ("rank", "inspect"):
        for chosen in ("table", "markdown"):
            result = run(command, path, "--format", chosen)
            assert result.returncode == 0, result.stderr
            for text in (result.stdout, result.stderr):
                assert "\x1b" not in text
                assert "\u202e" not in text
            assert "\\x1b[31mred" in result.stdout.replace("\\\\x1b\\[", "\\x1b[")
            if chosen == "markdown":
                assert "<b>" not in result.stdout
                assert "pipe\\|pipe" in result.stdout
    shown = in_a_terminal("rank", path)
    assert "\x1b[31mred" not in shown


@pytest.mark.parametrize("kind", ["csv", "tsv", "arff", "parquet"])
def test_a_mapped_table_survives_every_format(run: Run, write: Write, tmp_path: Path, kind: str) -> None:
    path = write("t.csv", hostile_csv())
    write("m.toml", "drop = ['[/x]']\n")
    assert run("map", path, "--mapping", "m.toml", "--output", f"out.{kind}").returncode == 0
    expected = run("rank", path, "--exclude", "[/x]").stdout
    assert run("rank", f"out.{kind}", "--target", "y").stdout == expected


def test_mapping_inside_rank_and_before_it_are_the_same(run: Run, tmp_path: Path) -> None:
    sample, mapping = SAMPLES / "breast_cancer.csv", SAMPLES / "breast_cancer.toml"
    assert run("map", sample, "--mapping", mapping, "--output", "mapped.arff").returncode == 0
    inside = run("rank", sample, "--mapping", mapping).stdout
    assert run("rank", "mapped.arff").stdout == inside
    piped = run("map", sample, "--mapping", mapping)
    assert run("rank", "-", stdin=piped.stdout.encode()).stdout == inside


# --- suggest and inspect --------------------------------------------------------------------------------------------


def test_suggest_drops_identifiers_cuts_numbers_and_groups_rare_values(run: Run, write: Write) -> None:
    rows = [
        f"p{n:03},{n},{n * 0.37:.2f},{('red', 'blue')[n % 2] if n > 5 else ('pink', 'teal', 'lime')[n % 3]},{n % 2}\n"
        for n in range(200)
    ]
    path = write("t.csv", "person,row,dose,colour,y\n" + "".join(rows))
    text = run("suggest", path).stdout
    mapping = parse_mapping(text.encode())
    assert mapping.drop == ("person", "row")
    assert mapping.columns["dose"].describe() == "5 intervals at quantiles"
    assert mapping.columns["colour"].describe() == "groups 'rare'"
    write("m.toml", text)
    result = run("rank", path, "--mapping", "m.toml")
    assert result.returncode == 0
    assert {row["feature"] for row in csv.DictReader(io.StringIO(result.stdout))} == {"dose", "colour"}


CELL = st.one_of(st.none(), st.integers(0, 40).map(str), st.text(max_size=4))


@settings(max_examples=60)
@given(
    st.lists(st.text(min_size=1, max_size=5).filter(str.strip), min_size=2, max_size=4, unique=True),
    st.lists(st.lists(CELL, min_size=4, max_size=4), min_size=3, max_size=40),
)
def test_what_suggest_writes_is_accepted_for_any_table(names: list[str], rows: list[list[str | None]]) -> None:
    columns = {name: [row[position] for row in rows] for position, name in enumerate(names)}
    table = table_from_frame(pd.DataFrame(columns, dtype=object))
    prepared = prepare(table, parse_mapping(b""), ColumnChoice(na=("?",)))
    mapping = parse_mapping(suggest_mapping(prepared, "nb").encode())
    again = prepare(table, mapping, ColumnChoice())
    for plan in again.features:
        assert not isinstance(plan.rule, Measured)
        again.learn(again.table.columns[plan.name], plan.rule)


def test_inspect_says_what_rank_would_do(run: Run) -> None:
    document = json.loads(run("inspect", SAMPLES / "breast_cancer.csv", "--format", "json").stdout)
    assert document["classes"] == {"benign": 458, "malignant": 241}
    by_name = {column["column"]: column for column in document["columns"]}
    assert by_name["bare_nuclei"]["missing"] == 16
    assert by_name["sample_id"]["use"] == "5 intervals at quantiles (645 numbers)"
    assert by_name["class"]["use"] == "target (the last column)"
    mapped = run("inspect", SAMPLES / "breast_cancer.csv", "--mapping", SAMPLES / "breast_cancer.toml").stdout
    assert "left out (dropped by the mapping)" in mapped
    assert "yes/no: <= 5 (mapping)" in mapped


# --- writing --------------------------------------------------------------------------------------------------------


def test_a_file_is_replaced_whole_through_its_symlink_and_keeps_its_mode(tmp_path: Path) -> None:
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_whole(link, b"new")
    assert (real.read_text(), link.is_symlink(), real.stat().st_mode & 0o777) == ("new", True, 0o640)
    write_whole(tmp_path / "fresh.csv", b"x")
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "fresh.csv").stat().st_mode & 0o777 == 0o666 & ~umask


def test_a_failed_write_keeps_the_old_file_and_leaves_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "r.csv"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(probfs.OutputError, match="no space left"):
        write_whole(path, b"new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


# --- start-up -------------------------------------------------------------------------------------------------------


def modules_after(*arguments: object) -> set[str]:
    program = (
        "import sys\nfrom probfs.cli import run\n"
        f"status = run({[str(argument) for argument in arguments]!r})\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}), file=sys.stderr)\nsys.exit(status)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(result.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", [("--help",), ("rank", "--help"), ("--version",), ("suggest", "-h")])
def test_help_imports_neither_pandas_nor_numpy(arguments: tuple[str, ...]) -> None:
    assert modules_after(*arguments).isdisjoint({"pandas", "numpy", "pyarrow", "sklearn", "scipy", "matplotlib"})


@pytest.mark.parametrize("chosen", ["csv", "table", "json", "markdown"])
def test_ranking_imports_no_scikit_learn_scipy_or_matplotlib(chosen: str) -> None:
    loaded = modules_after("rank", *COMMUTE, "--format", chosen)
    assert loaded.isdisjoint({"sklearn", "scipy", "matplotlib", "pandas"})


# --- streams that fail ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("redirection", "status", "error"),
    [
        ("> /dev/full", 1, "probfs: error: standard output cannot be written: no space left on device\n"),
        (">&-", 1, "probfs: error: standard output is closed\n"),
        ("2>&-", 0, ""),
        ("2> /dev/full", 0, ""),
        ("| true", 0, ""),
    ],
)
def test_a_stream_that_fails_is_one_line_and_nothing_more(redirection: str, status: int, error: str) -> None:
    quiet = "--quiet" if "2>" not in redirection else ""
    line = f"{sys.executable} -m probfs rank {SAMPLES}/commute.csv {quiet} {redirection}"
    result = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (status, error)
    if "2>" in redirection:
        assert result.stdout.startswith("rank,feature")
        assert "target" not in result.stdout


def test_help_on_a_full_disk_and_no_command_at_all() -> None:
    line = f"{sys.executable} -m probfs --help > /dev/full"
    result = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    result = subprocess.run([sys.executable, "-m", "probfs"], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert "inspect" in result.stderr
    assert "error" not in result.stderr


def test_standard_output_that_is_appended_to_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("keep\n")
    line = f"{sys.executable} -m probfs rank {SAMPLES}/commute.csv --quiet --format csv --output /dev/stdout >> {path}"
    subprocess.run(["bash", "-c", line], check=True)
    assert path.read_text().startswith("keep\nrank,feature")


def test_an_output_that_is_standard_input_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes((SAMPLES / "commute.csv").read_bytes())
    line = f"{sys.executable} -m probfs rank - --output {path} < {path}"
    result = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert path.read_bytes() == (SAMPLES / "commute.csv").read_bytes()


@pytest.mark.parametrize("width", [30, 45, 62, 80])
def test_a_narrow_terminal_keeps_names_and_the_driving_score(width: int) -> None:
    ranking = probfs.rank(SAMPLES / "commute.csv", exclude=["person"])
    lines = ranking_table(ranking, Presentation(width)).splitlines()
    for feature in ranking.features:
        assert any(f"{feature.feature} " in line and f"{feature.s_s:.4f}" in line for line in lines)
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("delay", [False, True])
def test_a_format_is_recognised_however_a_pipe_brings_it(delay: bool) -> None:
    arff = (SAMPLES / "breast_cancer.arff").read_bytes()
    arff = b"% " + b"c" * 60_000 + b"\n" + arff
    command = [sys.executable, "-m", "probfs", "rank", "-", "--quiet", "--top", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        if delay:
            process.stdin.write(arff[:1])
            process.stdin.flush()
            time.sleep(0.5)
        shown, _ = process.communicate(arff[1:] if delay else arff)
    assert process.returncode == 0
    assert shown.startswith(b"rank,feature")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--encoding", "undefined"], "no encoding 'undefined'"),
        (["--count", "b", "--include", "b"], "both --include and --count"),
    ],
)
def test_more_mistakes_on_the_command_line(run: Run, write: Write, arguments: list[str], message: str) -> None:
    write("t.csv", "a,b,y\nx,1,0\ny,1,0\nx,1,1\nx,1,1\n")
    result = run("rank", "t.csv", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_suggest_cuts_a_target_that_is_a_quantity(run: Run, write: Write) -> None:
    path = write("t.csv", "a,y\n" + "".join(f"{n % 3},{n * 1.37}\n" for n in range(400)))
    write("m.toml", run("suggest", path).stdout)
    result = run("rank", path, "--mapping", "m.toml")
    assert result.returncode == 0, result.stderr


def test_one_long_name_does_not_cost_the_others_their_columns(write: Write) -> None:
    rows = "".join(f"{n % 2},{n % 3},{'pq'[n % 2]}\n" for n in range(12))
    ranking = probfs.rank(write("t.csv", f"{'long' * 60},b,y\n{rows}"))
    shown = ranking_table(ranking, Presentation(80))
    assert "left in round" in shown
    assert "█" in shown


def test_inspect_says_what_rank_would_refuse(run: Run, write: Callable[[str, str | bytes], Path]) -> None:
    table, mapping = write("t.csv", "a,y\nx,p\nz,q\nx,p\nz,q\n"), write("m.toml", "[columns]\na = { cut = [1] }\n")
    inspected = run("inspect", table, "--mapping", mapping)
    assert inspected.returncode == 0
    refused = run("rank", table, "--mapping", mapping)
    assert refused.returncode == 1
    reason = refused.stderr.splitlines()[-1].removeprefix("probfs: error: ")
    assert inspected.stderr.splitlines()[-1] == f"probfs: rank would refuse this: {reason}"
