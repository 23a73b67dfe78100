"""Rankings and selections as pages, read as text; `tests/browser` opens them."""

from __future__ import annotations

import base64
import hashlib
import html
import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import probfs
from probfs.output.sentences import ranking_sentences
from tests.conftest import SAMPLES, Run
from tests.support.results import assert_as_before


def rows_of(page: str, table: str = "features") -> list[list[str]]:
    """The cells of a table, row by row."""
    (body,) = re.findall(rf'<table id="{table}".*?<tbody>(.*?)</tbody>', page, re.DOTALL)
    rows = re.split(r"<tr[^>]*>", body)[1:]
    cells = [re.split(r"<t[dh][^>]*>", row)[1:] for row in rows]
    return [[html.unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in row] for row in cells]


def headings_of(page: str) -> list[str]:
    (head,) = re.findall(r'<table id="features".*?<thead>(.*?)</thead>', page, re.DOTALL)
    return re.findall(r"<th[^>]*>(.*?)</th>", head)


@pytest.fixture(scope="module")
def kiln() -> probfs.Ranking:
    return probfs.rank(SAMPLES / "kiln.csv", target="cracked", screen=False, report=True, uncertainty=True)


@pytest.fixture(scope="module")
def page(kiln: probfs.Ranking) -> str:
    return kiln.to_html()


def test_the_page_is_as_before_but_for_its_style_and_script(page: str) -> None:
    content = re.sub(r"<(style|script)>.*?</\1>|default-src.*?\"", "", page, flags=re.DOTALL)
    assert "Make this page again" not in content, "nobody typed a command"
    content = content.replace(probfs.__version__, "VERSION").replace(f"{SAMPLES}/", "")
    assert_as_before(content, "kiln.html")


def test_what_the_answer_rests_on_is_counted_everywhere() -> None:
    rows = [f"{n},r{n},{n / 3:.2f},{'NA' if n % 5 == 0 else n % 4},{'uvw'[n % 3]},x,{'pq'[n % 2]}" for n in range(60)]
    rows += ["60,r60,1,2,u,x,rare"]
    frame = pd.read_csv(io.StringIO("\n".join(["row,key,size,level,letter,gone,y", *rows])), keep_default_na=False)
    mapping = {"drop": ["gone"], "columns": {"letter": {"groups": {"u": ["u"], "others": ["v", "w"]}}}}
    ranking = probfs.rank(frame, target="y", exclude="row", mapping=mapping, report=True, on_note=lambda note: None)
    assert ranking.input.dropped_rows == 1
    assert ranking.input.basis == probfs.Basis({"exclude": 1, "identifier": 1, "mapping": 1}, 12, 1, 1, 0, 1, 1)
    assert ranking.to_dict()["input"]["basis"]["left_out"] == {"exclude": 1, "identifier": 1, "mapping": 1}
    assert probfs.Ranking.from_json(ranking.to_json()).input == ranking.input
    line = (
        "Of the table: 3 columns are left out (1 by exclude=, 1 identifier, 1 by the mapping); 12 cells are missing in "
        "1 column; 1 column in which different spellings are merged; 1 column of numbers cut into intervals."
    )
    assert line in ranking_sentences(ranking)
    told = dict(re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", ranking.to_html()))
    assert told["rows of rare classes, dropped"] == told["columns left out as identifiers"] == "1"
    assert told["missing cells of labelled rows"] == "12"
    assert told["columns left out by include"] == "0"
    earlier = replace(ranking, input=replace(ranking.input, basis=None), background=None)
    assert 'id="basis"' not in earlier.to_html()


def test_a_page_of_the_best_columns_says_so_and_a_single_round_has_no_story(kiln: probfs.Ranking) -> None:
    best = kiln.top(3).to_html()
    assert len(rows_of(best)) == 3
    assert rows_of(best, "rounds") == rows_of(kiln.to_html(), "rounds")
    assert ("The best 3 of 8 columns" in best, "… and 5 more" in best) == (True, True)
    once = probfs.rank(SAMPLES / "kiln.csv", target="cracked", eliminate=False, report=True).to_html()
    assert ('id="story"' in once, 'class="chart"' in once) == (False, False)


def test_a_model_that_was_trained_on_its_rows_shows_errors_of_held_out_ones() -> None:
    ranking = probfs.rank(SAMPLES / "kiln.csv", target="cracked", classifier="svm", step=4, report=True)
    page = ranking.to_html()
    assert [row[2] for row in rows_of(page, "rounds")] == [str(each.cv_errors) for each in ranking.rounds]
    assert "of held-out rows wrong with all columns" in page
    leaving = ["load, peak_temperature, weight", "shelf, humidity, soak_minutes and 1 other", "clay"]
    assert [row[-1] for row in rows_of(page, "rounds")] == leaving


def test_a_selection_has_verdicts_reasons_and_what_they_achieve() -> None:
    page = probfs.select(SAMPLES / "commute.csv", target="mode", folds=3, report=True).to_html()
    assert headings_of(page) == ["rank", "column", "verdict", "gain Ŝ_A", "log-loss", "folds", "p", "q", "why"]
    assert {row[2] for row in rows_of(page)} == {"keep", "noise"}
    assert '<option value="noise">noise</option>' in page
    assert "of unseen rows wrong when columns are chosen this way" in page
    assert len(rows_of(page, "rounds")) == 3


def test_the_policy_allows_the_style_and_the_script_of_the_page_only(page: str) -> None:
    (policy,) = re.findall(r'Content-Security-Policy" content="(.*?)">', page)
    style, script = re.findall("<(?:style|script)>(.*?)</(?:style|script)>", page, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    allowed = f"style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'"
    assert html.unescape(policy) == f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)| style=| on\w+=", page)


def test_no_secret_of_a_url_is_written(run_here: Run, tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    url = "memory://me:s3c@ret@host/t.csv?sig=s3c#access_token=s3c"
    with fsspec.filesystem("memory").open(url.removeprefix("memory://"), "w") as stream:
        stream.write("a,b,y\n" + "1,u,p\n2,v,q\n" * 20)
    result = run_here("rank", url, "-qqo", "r.html", "--plot", "r.svg")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    written = html.unescape((tmp_path / "r.html").read_text())
    assert "probfs rank 'memory://…@host/t.csv?…' -qqo r.html --plot r.svg</code>" in written
    in_python = probfs.rank(url, target="y", report=True).to_html()
    in_json = run_here("rank", url, "--format", "json").stdout
    for text in (written, (tmp_path / "r.svg").read_text(), in_json, in_python):
        assert "s3c" not in text
        assert "host/t.csv" in text
    missing = run_here("rank", "https://me:s3c@localhost:9/t.csv?sig=s3c")
    assert missing.returncode == 1
    assert "s3c" not in missing.stderr


def test_2000_columns_take_about_a_megabyte() -> None:
    random = np.random.default_rng(0)
    names = [f"measurement_{number:04}".ljust(40, "_") for number in range(2000)]
    frame = pd.DataFrame(random.normal(size=(60, 2000)), columns=names).assign(outcome=np.arange(60) % 2)
    page = probfs.rank(frame, target="outcome", screen=False, step=0.02, report=True).to_html()
    assert len(rows_of(page)) == 2000
    assert ">35 of the 260 rounds, and how well" in page
    assert len(page.encode()) < 900_000
