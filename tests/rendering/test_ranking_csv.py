"""The CSV of a ranking, whose header is a contract."""

from __future__ import annotations

import csv
import io

from probfs.ranking.result import Ranking
from probfs.rendering.ranking_csv import CSV_HEADER, ranking_csv, ranking_rows
from tests.support.hostile_names import HOSTILE_NAMES


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_header_is_a_contract(commute: Ranking) -> None:
    header = "rank,feature,s_s,s_a,s_su,round,initial_s_s,initial_s_a,initial_s_su"
    header += ",p,q,se_initial_s_s,se_initial_s_a,rank_low,rank_high"
    assert ",".join(CSV_HEADER) == header
    assert ranking_csv(commute).splitlines()[0] == header


def test_every_digit_is_written(commute: Ranking) -> None:
    rows = read(ranking_csv(commute))
    assert [float(row["s_a"]) for row in rows] == [feature.s_a for feature in commute.features]
    assert ranking_rows(commute)[0] == (
        1,
        *(getattr(commute.features[0], name) for name in CSV_HEADER[1:]),
    )


def test_names_are_kept_and_guarded_only_when_asked(hostile_ranking: Ranking) -> None:
    assert {row["feature"] for row in read(ranking_csv(hostile_ranking))} == set(HOSTILE_NAMES)
    guarded = {row["feature"] for row in read(ranking_csv(hostile_ranking, safe=True))}
    assert guarded ^ set(HOSTILE_NAMES) == {HOSTILE_NAMES[0], f"'{HOSTILE_NAMES[0]}"}
