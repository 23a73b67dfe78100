"""Names that steer terminals, spreadsheets or Markdown: kept in data, escaped for eyes."""

from __future__ import annotations

import csv
import io
import json

from tests.support.commands import Run, run_in_terminal
from tests.support.hostile_names import HOSTILE_NAMES, hostile_csv
from tests.support.table_content import Write


def test_hostile_names_are_kept_in_data_and_escaped_for_eyes(run: Run, write: Write) -> None:
    path = write("t.csv", hostile_csv())
    rows = list(csv.DictReader(io.StringIO(run("rank", path).stdout)))
    assert {row["feature"] for row in rows} == set(HOSTILE_NAMES)
    assert {f["feature"] for f in json.loads(run("rank", path, "--format", "json").stdout)["features"]} == set(
        HOSTILE_NAMES
    )
    for command in ("rank", "inspect"):
        for chosen in ("table", "markdown", *(["html"] if command == "rank" else [])):
            result = run(command, path, "--format", chosen)
            assert result.returncode == 0, result.stderr
            for text in (result.stdout, result.stderr):
                assert "\x1b" not in text
                assert "\u202e" not in text
            assert "\\x1b[31mred" in result.stdout.replace("\\\\x1b\\[", "\\x1b[")
            if chosen != "table":
                assert "<b>" not in result.stdout
            if chosen == "markdown":
                assert "pipe\\|pipe" in result.stdout
    shown = run_in_terminal("rank", path)
    assert "\x1b[31mred" not in shown
