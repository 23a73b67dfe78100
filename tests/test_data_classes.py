"""Data classes are frozen, and those that hold arrays are not compared by value."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from importlib import import_module
from pkgutil import walk_packages

import probfs

_ARRAYS = re.compile(r"\b(Floats|Integers|Codes|Flags|Exact|Positions|NDArray|pa\.)")
_FITTED = ("probfs.classifiers.refitting.estimators", "probfs.classifiers.refitting.models")
"""Models keep what was computed of them."""
_ONE_OF_A_KIND = ("HoldOutRequest",)


def test_data_classes_cannot_be_changed_and_arrays_are_not_compared() -> None:
    found = []
    for module in walk_packages(probfs.__path__, "probfs."):
        if not module.name.endswith("__main__"):
            members = vars(import_module(module.name)).values()
            found += [one for one in members if isinstance(one, type) and one.__module__ == module.name]
    classes = [one for one in found if is_dataclass(one)]
    assert len(classes) > 100
    for one in classes:
        parameters = one.__dataclass_params__  # type: ignore[attr-defined]  # what the decorator was given
        assert parameters.frozen or one.__module__ in _FITTED, one
        if any(_ARRAYS.search(str(each.type)) for each in fields(one)) and one.__name__ not in _ONE_OF_A_KIND:
            assert not parameters.eq, one
