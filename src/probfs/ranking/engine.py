"""Where tables are read and rows are kept: the stages of a ranking that depend on it, and those of this process."""

from __future__ import annotations

from typing import Protocol

from probfs.classifiers.protocol import Classifier
from probfs.ranking import stages
from probfs.ranking.inputs import InputRequest, Inputs, read_inputs
from probfs.ranking.settings import Settings
from probfs.ranking.stages import EncodedInputs, Listeners


class Engine(Protocol):
    """The stages from tables to a fitted classifier; what comes after them is the same everywhere."""

    def read(self, request: InputRequest) -> Inputs: ...

    def encode(self, inputs: Inputs, settings: Settings, listeners: Listeners) -> EncodedInputs: ...

    def screen(self, inputs: Inputs, encoded: EncodedInputs, settings: Settings) -> dict[str, tuple[float, float]]:
        """p and q of each feature."""

    def arrange(self, encoded: EncodedInputs, settings: Settings) -> EncodedInputs:
        """The rows as the classifier wants them."""

    def fit(self, encoded: EncodedInputs, settings: Settings, listeners: Listeners) -> Classifier: ...


class LocalEngine:
    """Everything in this process."""

    def read(self, request: InputRequest) -> Inputs:
        return read_inputs(request)

    def encode(self, inputs: Inputs, settings: Settings, listeners: Listeners) -> EncodedInputs:
        return stages.encode_rows(inputs, settings, listeners)

    def screen(self, inputs: Inputs, encoded: EncodedInputs, settings: Settings) -> dict[str, tuple[float, float]]:
        return stages.screen_features(inputs, encoded, settings)

    def arrange(self, encoded: EncodedInputs, settings: Settings) -> EncodedInputs:
        return stages.arrange_rows(encoded, settings)

    def fit(self, encoded: EncodedInputs, settings: Settings, listeners: Listeners) -> Classifier:
        return stages.fit_classifier(encoded.dataset, settings, listeners)
