"""Claims and exact scores in every output format."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from probfs.output.formats import OutputFormats
from probfs.output.writers import Presentation
from probfs.paper.claims import Claim
from probfs.paper.rendering.claims import CLAIM_FORMATS, Reproduction, claims_csv, claims_markdown
from probfs.paper.rendering.population import POPULATION_FORMATS, PopulationReport
from probfs.paper.theory import PopulationScores
from probfs.text import is_unseen

CLAIMS = (
    Claim("example", "section 4.1", "S_S(x1) = 0.15", "0.15", "holds", 1),
    Claim("bound", "eq. (9), a | b", "S_A <= S_S", "1.2 > 1", "does not hold", 20),
    Claim("misfit", "section 6", "Ŝ_A is better", "+0.01 ± 0.02", "undecided", 8),
)
REPRODUCTION = Reproduction("1.0", {"runs": {"example": 1}, "seed": 0}, CLAIMS)
REPORT = PopulationReport("1.0", "joint.csv", (PopulationScores("a\x1b|b", 0.15, 0.0495, 1 / 220),))


def render(formats: OutputFormats[Any], name: str, document: object, presentation: Presentation | None = None) -> str:
    text = formats[name].render(document, presentation or Presentation())
    assert isinstance(text, str)
    return text


def test_claims_as_csv_have_all_that_is_known() -> None:
    rows = list(csv.DictReader(io.StringIO(claims_csv(CLAIMS))))
    assert list(rows[0]) == ["experiment", "place", "says", "measured", "verdict", "runs"]
    assert [row["verdict"] for row in rows] == ["holds", "does not hold", "undecided"]
    assert render(CLAIM_FORMATS, "csv", REPRODUCTION) == claims_csv(CLAIMS)


def test_claims_as_json_say_how_they_were_put_to_the_test() -> None:
    document = json.loads(render(CLAIM_FORMATS, "json", REPRODUCTION))
    assert list(document) == ["schema", "version", "settings", "claims"]
    assert document["schema"] == "probfs.reproduction/1"
    assert document["settings"] == {"runs": {"example": 1}, "seed": 0}
    assert len(document["claims"]) == 3


def test_claims_as_markdown_are_escaped() -> None:
    assert claims_markdown(CLAIMS[1:2]).splitlines() == [
        "| where | the paper says | measured | verdict |",
        "| --- | --- | --- | --- |",
        "| eq. (9), a \\| b | S\\_A &lt;= S\\_S | 1.2 &gt; 1 | does not hold |",
    ]
    assert render(CLAIM_FORMATS, "markdown", REPRODUCTION) == claims_markdown(CLAIMS)


def test_claims_as_a_table_are_counted_and_colored_on_a_terminal_only() -> None:
    plain = render(CLAIM_FORMATS, "table", REPRODUCTION)
    assert plain.splitlines()[-1] == "1 of 3 hold."
    assert "\x1b" not in plain
    colored = render(CLAIM_FORMATS, "table", REPRODUCTION, Presentation(100, color=True))
    for color, verdict in (("32", "holds"), ("31", "does not hold"), ("33", "undecided")):
        assert f"\x1b[{color}m{verdict}" in colored


def test_exact_scores_keep_their_digits_in_data_and_six_for_eyes() -> None:
    (row,) = csv.DictReader(io.StringIO(render(POPULATION_FORMATS, "csv", REPORT)))
    assert row == {"feature": "a\x1b|b", "s_s": "0.15", "s_a": "0.0495", "s_b": str(1 / 220)}
    document = json.loads(render(POPULATION_FORMATS, "json", REPORT))
    assert list(document) == ["schema", "version", "source", "features"]
    assert document["features"][0]["s_b"] == 1 / 220
    table = render(POPULATION_FORMATS, "table", REPORT)
    assert table.split() == ["column", "S_S", "S_A", "S_B", "a\\x1b|b", "0.150000", "0.049500", "0.004545"]
    assert not any(map(is_unseen, table.replace("\n", "")))
    assert "a\\\\x1b\\|b" in render(POPULATION_FORMATS, "markdown", REPORT)
