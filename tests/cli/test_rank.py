"""probfs rank."""

from __future__ import annotations

import html
import json
import re
import shlex
from pathlib import Path

import pytest

import probfs
from tests.support.commands import COMMUTE, Run
from tests.support.paths import SAMPLES
from tests.support.table_content import Write


def test_results_go_to_standard_output_and_all_else_to_standard_error(run: Run) -> None:
    result = run("rank", *COMMUTE)
    assert result.returncode == 0
    assert result.stdout == probfs.rank(SAMPLES / "commute.csv", target="mode", exclude=["person"]).to_csv()
    assert result.stderr == "probfs: target: mode (the last column)\n"
    assert run("rank", *COMMUTE, "--quiet").stderr == ""


@pytest.mark.parametrize("name", ["r.json", "r.csv", "r.md", "r.txt"])
def test_the_ending_of_the_output_decides_its_format(run: Run, tmp_path: Path, name: str) -> None:
    result = run("rank", *COMMUTE, "--output", name)
    assert (result.returncode, result.stdout) == (0, "")
    text = (tmp_path / name).read_text()
    if name == "r.json":
        assert json.loads(text)["schema"] == "probfs.ranking/2"
    elif name == "r.csv":
        assert text.startswith("rank,feature,s_s,")
    elif name == "r.md":
        assert "| rank | feature |" in text
    else:
        assert "rank  column" in text
    assert run("rank", *COMMUTE, "--output", "r.xyz").returncode == 2


def test_a_report_names_the_command_that_makes_it_again(run_here: Run, tmp_path: Path) -> None:
    (tmp_path / "my kiln.csv").write_bytes((SAMPLES / "kiln.csv").read_bytes())
    words = ["rank", "my kiln.csv", "--exclude", "load", "--output", "it's.html", "--quiet"]
    assert run_here(*words).returncode == 0
    page = (tmp_path / "it's.html").read_text()
    (command,) = re.findall("<code>(.*?)</code>", page)
    again = shlex.split(html.unescape(command))
    assert again == ["probfs", *words]
    (tmp_path / "it's.html").unlink()
    assert run_here(*again[1:]).returncode == 0
    assert (tmp_path / "it's.html").read_text() == page


def test_a_report_stands_words_for_what_was_redirected(run: Run) -> None:
    table = (SAMPLES / "kiln.csv").read_bytes()
    page = run("rank", "--target", "cracked", "--format", "html", "--quiet", stdin=table).stdout
    assert "<code>probfs rank --target cracked --format html --quiet &lt; TABLE &gt; REPORT</code>" in page


def test_top_prints_the_best_of_all_that_were_computed(run: Run) -> None:
    everything = run("rank", *COMMUTE).stdout.splitlines()
    assert run("rank", *COMMUTE, "--top", 2).stdout.splitlines() == everything[:3]
    document = json.loads(run("rank", *COMMUTE, "--top", 2, "--format", "json").stdout)
    assert (len(document["features"]), len(document["rounds"])) == (2, 6)
    assert "… and 4 more" in run("rank", *COMMUTE, "--top", 2, "--format", "table").stdout


def test_identifiers_are_left_out_unless_they_are_wanted(run: Run) -> None:
    cancer = SAMPLES / "breast_cancer.csv"
    result = run("rank", cancer)
    assert "sample_id" not in result.stdout
    assert result.stdout == run("rank", cancer, "--exclude", "sample_id").stdout
    assert "left out, as identifiers tell rows apart, not classes: 'sample_id' (" in result.stderr
    assert "; --keep-identifiers ranks them" in result.stderr
    kept = run("rank", cancer, "--keep-identifiers", "--format", "json")
    document = json.loads(kept.stdout)
    assert "sample_id" in {feature["feature"] for feature in document["features"]}
    assert document["settings"]["keep_identifiers"] is True
    assert "ranked, but they look like identifiers: 'sample_id'" in kept.stderr


def test_a_european_table_ranks_with_one_option(run: Run, write: Write) -> None:
    cells = [(f"{n // 8 + n % 8 / 8:.3f}", "NA" if n % 9 else str(n), str(n // 40)) for n in range(80)]
    plain = write("plain.csv", "x,z,y\n" + "".join(",".join(row) + "\n" for row in cells))
    rows = "".join(f'"{n}";' + ";".join(row) + "\n" for n, row in enumerate(cells))
    european = '"";"x";"z";"y"\n' + rows.replace(".", ",")
    result = run("rank", "-", "--decimal", ",", stdin=european.encode())
    assert result.returncode == 0, result.stderr
    assert result.stdout == run("rank", plain).stdout
    for note in (
        "probfs: <stdin>: cells are separated by ';'",
        "probfs: <stdin>: the unnamed first column was left out as a row index",
        "probfs: read as numbers with decimal commas (1.234,5): 'x'",
        "probfs: taken as missing among numbers: 'NA' in 'z'; --na none keeps",
    ):
        assert note in result.stderr
    assert "'x'; --decimal , reads them as numbers" in run("rank", "-", stdin=european.encode()).stderr


def test_a_decimal_is_a_point_or_a_comma(run: Run, write: Write) -> None:
    result = run("rank", write("t.csv", "a,y\n1,p\n2,q\n"), "--decimal", ";")
    assert result.returncode == 2
    assert "--decimal" in result.stderr


def test_shrinkage_is_noted_once_and_its_exponent_is_in_every_round(run_here: Run, write: Write) -> None:
    """Sixty columns of two values in ten rows."""
    names = [f"f{number}" for number in range(60)]
    rows = [[str((row * (column + 3) ** 2 // 7) % 2) for column in range(60)] + ["ab"[row % 2]] for row in range(10)]
    path = write("wide.csv", "\n".join(",".join(row) for row in [[*names, "y"], *rows]) + "\n")
    result = run_here("rank", path, "--step", "20", "--format", "json")
    notes = [line for line in result.stderr.splitlines() if "shrunk" in line]
    document = json.loads(result.stdout)
    exponents = [summary["exponent"] for summary in document["rounds"]]
    assert len(notes) == 1
    assert "--shrink off" in notes[0]
    assert exponents == sorted(exponents)
    assert 0 < exponents[0] < 0.1
    plain = run_here("rank", path, "--step", "20", "--format", "json", "--shrink", "off")
    assert "shrunk" not in plain.stderr
    assert {summary["exponent"] for summary in json.loads(plain.stdout)["rounds"]} == {1.0}


def test_uncertainty_is_an_option_and_too_few_rows_are_one_line(run_here: Run, write: Write) -> None:
    result = run_here("rank", *COMMUTE, "--uncertainty", "--format", "json", "--quiet")
    document = json.loads(result.stdout)
    assert document["settings"]["uncertainty"] is True
    assert all(1 <= own["rank_low"] <= own["rank"] <= own["rank_high"] <= 6 for own in document["features"])
    small = run_here("rank", write("t.csv", "a,y\n1,p\n2,q\n1,p\n3,q\n"), "--uncertainty", "--quiet")
    assert small.returncode == 1
    assert small.stderr.endswith("t.csv: --uncertainty needs 20 labelled rows, and there are 4\n")
