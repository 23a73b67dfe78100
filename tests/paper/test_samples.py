"""The tables that come with the package."""

from __future__ import annotations

from tests.support.paths import ROOT


def test_the_tables_that_come_along_are_the_samples() -> None:
    """They are links, so that a table is in the repository once."""
    for path in (ROOT / "src" / "probfs" / "paper" / "experiments" / "data").iterdir():
        assert path.read_bytes() == (ROOT / "sample_data" / path.name).read_bytes()
