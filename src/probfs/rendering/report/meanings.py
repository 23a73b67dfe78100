"""What scores, tests and verdicts mean, in a sentence each, for readers who were sent a page."""

from __future__ import annotations

from collections.abc import Iterable

from probfs.classifiers.scores import ABSOLUTE, SIGNED, UNLABELED, Score

_SCORES = {
    ABSOLUTE.key: "is how much the probabilities of the classes change, on average, when the feature is taken away",
    SIGNED.key: "is how much the probability of a row's own class falls, on average, when the feature is taken away",
    UNLABELED.key: f"is {ABSOLUTE.symbol} of labelled and unlabelled rows together",
}
_VERDICTS = {
    "redundant": "redundant features say what a kept one says",
    "weak": "weak ones add too little",
    "noise": "those called noise cannot be told from noise by these rows",
}
TESTS = "p and q test the feature alone against the class; q allows for how many features were tested."


def meaning_of_scores(scores: Iterable[Score], when: str) -> str:
    """What these scores are; ``when`` says in which round they were taken.

    >>> meaning_of_scores([SIGNED], "in the round in which it left")[-45:]
    'is taken away, in the round in which it left.'
    """
    known = [f"{score.symbol} {_SCORES[score.key]}" for score in scores if score.key in _SCORES]
    return f"{'; '.join(known)}, {when}." if known else ""


def meaning_of_verdicts(verdicts: Iterable[str]) -> str:
    """What those of some verdicts mean that need a word.

    >>> meaning_of_verdicts(["keep", "weak"]), meaning_of_verdicts(["keep"])
    ('Weak ones add too little.', '')
    """
    present = set(verdicts)
    words = "; ".join(meaning for verdict, meaning in _VERDICTS.items() if verdict in present)
    return f"{words[0].upper()}{words[1:]}." if words else ""
