"""A parameter of an estimator whose name scikit-learn takes for a method."""

from __future__ import annotations

from typing import Any


class OnlyAParameter:
    """A parameter that is set as all are, but is not seen as an attribute."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __set__(self, instance: object, value: object) -> None:
        vars(instance)[self._name] = value

    def __get__(self, instance: object, owner: type) -> Any:
        reading = f"get_params()[{self._name!r}]"
        raise AttributeError(f"{self._name!r} is a parameter of {owner.__name__}, not a method; {reading} reads it")
