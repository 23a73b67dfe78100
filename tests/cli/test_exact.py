"""probfs exact."""

from __future__ import annotations

import json

import pytest

from tests.support.commands import Run
from tests.support.paths import SAMPLES
from tests.support.table_content import Write


def test_section_4_1(run: Run) -> None:
    result = run("exact", SAMPLES / "joint.csv")
    assert (result.returncode, result.stderr) == (0, "")
    header, first, second = result.stdout.splitlines()
    assert header == "feature,s_s,s_a,s_b"
    assert [float(cell) for cell in first.split(",")[1:]] == pytest.approx([0.15, 0.0495, 1 / 220], abs=1e-15)
    assert [float(cell) for cell in second.split(",")[1:]] == pytest.approx([12 / 110, 0.0765, 1 / 22], abs=1e-15)


def test_probabilities_may_be_fractions(run: Run, write: Write) -> None:
    joint = write("thirds.csv", "x,p,p_y\na,1/3,1/3\nb,1/3,1/3\nc,1/3,1\n")
    result = run("exact", joint, "--format", "json")
    (feature,) = json.loads(result.stdout)["features"]
    assert feature["s_s"] == pytest.approx(8 / 27, abs=1e-15)


def test_names_are_shown_escaped_and_kept_in_csv(run: Run, write: Write) -> None:
    joint = write("names.csv", '"a\x1b[31m|b",p,p_y\n0,0.5,0\n1,0.5,1\n')
    assert "\x1b" not in run("exact", joint, "--format", "table").stdout
    assert "\\|b" in run("exact", joint, "--format", "markdown").stdout
    assert run("exact", joint).stdout.splitlines()[1].startswith("a\x1b[31m|b,")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x,p,p_y\na,0.5,0.1\nb,0.4,0.2\n", ": the probabilities in 'p' add up to 0.9, not to 1"),
        ("x,p,p_y\na,1.5,0.1\nb,-0.5,0.2\n", ":2: column 'p': '1.5' is no probability; they lie between 0 and 1"),
        (
            "x,p,p_y\na,1.0,0.1\nb,-0.0001,0.2\n",
            ":3: column 'p': '-0.0001' is no probability; they lie between 0 and 1",
        ),
        ("x,p,p_y\na,0.5,0.1\nb,0.5,1.2\n", ":3: column 'p_y': '1.2' is no probability; they lie between 0 and 1"),
        ("x,p,p_y\na,0.5,nan\nb,0.5,1\n", ":2: column 'p_y': 'nan' is no number; write it like 0.25 or 1/4"),
        ("x,p,p_y\na,٠.٥,0.1\nb,0.5,1\n", ":2: column 'p': '٠.٥' is no number; write it like 0.25 or 1/4"),
        ("x,p,p_y\na,1e99999,0.1\nb,0.5,1\n", ":2: column 'p': '1e99999' is no probability; they lie between 0 and 1"),
        ("x,p,p_y\na,1/0,0\nb,0.5,1\n", ":2: column 'p': '1/0' is no number; write it like 0.25 or 1/4"),
        ("x,p,p_y\na,0.5,\nb,0.5,1\n", ":2: column 'p_y': the probability is missing; write 0 for what never happens"),
        ("x,p,p_y\n,0.5,1\nb,0.5,1\n", ":2: column 'x': the value is missing; every cell has one"),
        (
            "x,z,p,p_y\na,1,0.5,0.1\nb,2,0.25,1\na,1,0.25,1\n",
            ":4: the cell of line 2 again, 'x=a', 'z=1'; give each cell once",
        ),
        ("x,P,p_y\na,1,0\n", ": no column 'p'; did you mean 'P'?; p and p_y hold the probabilities"),
        ("p,p_y\n1,0.5\n", ": no column beside p and p_y; the others are the features"),
        ("x,p,p_y\n", ": has no data rows below the header; is the file cut off?"),
    ],
)
def test_a_wrong_distribution_is_one_clear_line(run: Run, write: Write, content: str, message: str) -> None:
    joint = write("joint.csv", content)
    result = run("exact", joint)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"probfs: error: {joint}{message}\n"


def test_probabilities_with_decimal_commas_are_read_on_the_users_word(run: Run, write: Write) -> None:
    plain = "a,b,p,p_y\n0,0,0.25,0.5\n0,1,1/4,0.125\n1,0,0.5,1\n"
    european = "".join(f"{number};{line}\n" for number, line in enumerate(plain.replace(",", ";").splitlines()))
    path = write("c.csv", european.replace(".", ",").replace("0;a", ";a", 1))
    expected = run("exact", write("p.csv", plain)).stdout
    result = run("exact", path, "--decimal", ",")
    assert result.stdout == expected
    assert result.stderr.splitlines() == [
        f"probfs: {path}: cells are separated by ';'",
        f"probfs: {path}: the unnamed first column was left out as a row index",
    ]
    assert "'0,25' is no number" in run("exact", path).stderr


def test_a_distribution_in_several_files(run: Run, write: Write) -> None:
    whole = write("whole.csv", "a,p,p_y\n0,0.5,0.2\n1,0.5,0.8\n")
    parts = [write("1.csv", "a,p,p_y\n0,0.5,0.2\n"), write("2.csv", "a,p,p_y\n1,0.5,0.8\n")]
    assert run("exact", *parts).stdout == run("exact", whole).stdout
