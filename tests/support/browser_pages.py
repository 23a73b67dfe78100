"""Tables whose reports are opened in a browser."""

from __future__ import annotations

import numpy as np
import pandas as pd

HOSTILE_FOR_PAGES = [
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "<!--",
    "]]><svg onload=window.hacked=1>",
    '"><b id=injected>',
    "' onmouseover='window.hacked = 1",
    "{{ 7 * 7 }}${window.hacked = 1}",
    "javascript:window.hacked=1",
    "\u202eright to left\u2066",
    "\u05d2\u05d9\u05dc 12 \u0627\u0644\u0639\u0631\u0628\u064a\u0629",
    "x" * 10_000,
    "W" * 150 + " " + "W" * 149,
    "\U0001f9ec\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "tab\tnew\nline\x1b[31m\x00\x7f",
    "line\u2028paragraph\u2029",
    "z" + "\u0301" * 60,
    "__proto__",
    "constructor",
]
"""Names that would be markup, scripts or templates if a page were careless, or would push its layout apart."""


def hostile_frame() -> pd.DataFrame:
    """Columns of those names, with such values and classes."""
    random = np.random.default_rng(0)
    classes = np.array(["<script>window.hacked=1</script>", "</table>" + "y" * 5_000, "\u202ec"])
    labels = random.integers(0, 3, 90)
    columns = {}
    for number, name in enumerate(HOSTILE_FOR_PAGES):
        telling = random.random(90) < 0.9 - 0.05 * number
        values = np.where(telling, labels, random.integers(0, 3, 90))
        columns[name] = np.array(HOSTILE_FOR_PAGES, dtype=object)[(values + number) % 3]
    return pd.DataFrame({**columns, "<h1>target</h1>": classes[labels]})


def mixed_frame() -> pd.DataFrame:
    """Columns that tell the class, near copies of them, and noise; a few cells are missing."""
    random = np.random.default_rng(1)
    labels = random.integers(0, 2, 300)
    columns: dict[str, object] = {}
    for number in range(5):
        signal = labels * (1.6 - 0.2 * number) + random.normal(size=300)
        columns[f"signal_{number}"] = np.round(signal, 3)
        columns[f"near_copy_{number}"] = np.round(signal + 0.05 * random.normal(size=300), 3)
    columns |= {f"noise_{number}": random.integers(0, 4, 300) for number in range(10)}
    frame = pd.DataFrame({**columns, "outcome": np.array(["no", "yes"])[labels]})
    frame.loc[::29, "signal_1"] = np.nan
    return frame


def long_named_frame() -> pd.DataFrame:
    """Columns with names of 40 characters."""
    random = np.random.default_rng(4)
    labels = random.integers(0, 2, 100)
    columns = {f"ENSG{number:011}_expression_log2_tpm_{number:04}": random.normal(size=100) for number in range(12)}
    columns["ENSG00000000000_expression_log2_tpm_0000"] += 2.0 * labels
    return pd.DataFrame({**columns, "outcome": np.array(["no", "yes"])[labels]})


def large_frame() -> pd.DataFrame:
    """200 columns, most of them noise."""
    random = np.random.default_rng(2)
    labels = random.integers(0, 2, 80)
    noise = random.normal(size=(80, 200))
    noise[:, :8] += labels[:, np.newaxis]
    frame = pd.DataFrame(np.round(noise, 3), columns=[f"measurement_{number}" for number in range(200)])
    return frame.assign(outcome=np.array(["no", "yes"])[labels])
