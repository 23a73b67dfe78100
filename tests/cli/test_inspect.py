"""probfs inspect."""

from __future__ import annotations

import json

from tests.support.commands import Run
from tests.support.paths import SAMPLES
from tests.support.table_content import Write


def test_inspect_says_what_rank_would_do(run: Run) -> None:
    document = json.loads(run("inspect", SAMPLES / "breast_cancer.csv", "--format", "json").stdout)
    assert document["classes"] == {"benign": 458, "malignant": 241}
    by_name = {column["column"]: column for column in document["columns"]}
    assert by_name["bare_nuclei"]["missing"] == 16
    assert by_name["sample_id"]["use"] == "left out (identifier: named like an identifier, 645 values in 699 rows)"
    assert by_name["sample_id"]["flags"] == ["identifier"]
    assert by_name["class"]["use"] == "target (the last column)"
    mapped = run("inspect", SAMPLES / "breast_cancer.csv", "--mapping", SAMPLES / "breast_cancer.toml").stdout
    assert "left out (dropped by the mapping)" in mapped
    assert "yes/no: <= 5 (mapping)" in mapped


def test_inspect_says_what_rank_would_refuse(run: Run, write: Write) -> None:
    table, mapping = write("t.csv", "a,y\nx,p\nz,q\nx,p\nz,q\n"), write("m.toml", "[columns]\na = { cut = [1] }\n")
    inspected = run("inspect", table, "--mapping", mapping)
    assert inspected.returncode == 0
    refused = run("rank", table, "--mapping", mapping)
    assert refused.returncode == 1
    reason = refused.stderr.splitlines()[-1].removeprefix("probfs: error: ")
    assert inspected.stderr.splitlines()[-1] == f"probfs: warning: rank would refuse this: {reason}"
