"""Texts that mean missing."""

from __future__ import annotations

import probfs
from tests.support.table_content import Write


def test_missing_texts_and_declared_missing_are_the_same(write: Write) -> None:
    given_, plain = "a,y\nx,0\n?,0\ny,1\nNA,1\nx,1\n", "a,y\nx,0\n,0\ny,1\n,1\nx,1\n"
    expected = probfs.rank(write("plain.csv", plain)).to_csv()
    assert probfs.rank(write("t.csv", given_), na=["?", "NA"]).to_csv() == expected
    assert probfs.rank(write("t.csv", given_), mapping=write("m.toml", 'missing = ["?", "NA"]')).to_csv() == expected
