"""The engines that users may name; light, as every ``--help`` imports it."""

from __future__ import annotations

ENGINES = ("local", "dask")
