"""probfs suggest."""

from __future__ import annotations

import csv
import io

from probfs.columns.mapping import parse_mapping
from tests.support.commands import Run
from tests.support.table_content import Write


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


def test_suggest_cuts_a_target_that_is_a_quantity(run: Run, write: Write) -> None:
    path = write("t.csv", "a,y\n" + "".join(f"{n % 3},{n * 1.37}\n" for n in range(400)))
    write("m.toml", run("suggest", path).stdout)
    result = run("rank", path, "--mapping", "m.toml")
    assert result.returncode == 0, result.stderr
