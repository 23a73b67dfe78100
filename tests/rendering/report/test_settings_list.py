"""Settings as names and values."""

from __future__ import annotations

from probfs.rendering.report.settings_list import settings_list
from tests.support.results import make_ranking


def test_what_does_not_apply_is_left_out() -> None:
    shown = dict(settings_list(make_ranking(["a"]).settings.to_dict()))
    assert shown["classifier"] == "nb"
    assert shown["uncertainty"] == "no"
    assert "folds" not in shown
    assert "kernel" not in shown


def test_names_are_shortened_and_escaped() -> None:
    ((_, few), (_, many), (_, path)) = settings_list(
        {"na": ("?", "\x1b"), "exclude": tuple("abcdefghijklmnop"), "mapping": "m" * 999}
    )
    assert few == "'?', '\\x1b'"
    assert many.endswith("'l' and 4 more")
    assert len(path) == 200
