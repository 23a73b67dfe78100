"""A real browser, Debian's chromium, without a window: loads pages from files and says what it complained of."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

MISSING = "chromium and chromedriver are not installed (apt-get install chromium chromium-driver)"
_PLACES = "/usr/bin:/usr/lib/chromium:/usr/lib/chromium-browser:/usr/local/bin"
_ARGUMENTS = "headless=new no-sandbox disable-gpu disable-dev-shm-usage disable-background-networking"
_ARGUMENTS += " disable-component-update hide-scrollbars force-color-profile=srgb window-size=1200,900"


def find_browser() -> tuple[str, str] | None:
    """The programs of the browser and of its driver, of the system's own; None where either is missing."""
    browser = shutil.which("chromium", path=_PLACES) or shutil.which("chromium-browser", path=_PLACES)
    driver = shutil.which("chromedriver", path=_PLACES)
    return None if browser is None or driver is None else (browser, driver)


class Browser:
    """Chromium, driven by Selenium."""

    def __init__(self, programs: tuple[str, str], profile: Path) -> None:
        from selenium.webdriver import Chrome, ChromeOptions
        from selenium.webdriver.chrome.service import Service

        options = ChromeOptions()
        options.binary_location = programs[0]
        for argument in (*_ARGUMENTS.split(), f"user-data-dir={profile}"):
            options.add_argument(f"--{argument}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = Chrome(options=options, service=Service(programs[1]))
        self.driver.set_page_load_timeout(120)

    def open(self, path: Path) -> None:
        """Load a page from a file; what was logged before is forgotten."""
        self.driver.get("about:blank")
        self.complaints()
        self.requests()
        self.driver.get(path.resolve().as_uri())

    def complaints(self) -> list[str]:
        """What the page has written to the console since it was opened: errors, and whatever its policy blocked."""
        return [entry["message"] for entry in self._log("browser")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the page was opened, the page's own first."""
        events = (json.loads(entry["message"])["message"] for entry in self._log("performance"))
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def run(self, script: str, *arguments: Any) -> Any:
        """The result of a function body in JavaScript."""
        return self.driver.execute_script(script, *arguments)

    def resize(self, width: int) -> None:
        """The inner size of the window, also below what a window can have."""
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def prefer(self, scheme: str, media: str) -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})

    def set_scripting(self, allowed: bool) -> None:
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not allowed})

    def print_pdf(self) -> bytes:
        return base64.b64decode(self.driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"])

    def press(self, *keys: str) -> None:
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def find(self, selector: str) -> Any:
        from selenium.webdriver.common.by import By

        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> Sequence[str]:
        """What elements that are shown say, in the order of the page."""
        script = (
            "return [...document.querySelectorAll(arguments[0])].filter(e => e.getClientRects().length)"
            ".map(e => e.textContent.trim())"
        )
        found: list[str] = self.run(script, selector)
        return found

    def _log(self, kind: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.driver.get_log(kind)  # type: ignore[no-untyped-call]  # it has no types
        return found


# Tables whose reports are opened

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


def make_frame(kind: str) -> pd.DataFrame:
    """Columns of hostile names and values; or columns that tell the class, near copies of them, and noise, perhaps
    with names of some 40 characters; or much noise. The class is the last.
    """
    if kind == "hostile":
        return _hostile_frame()
    random = np.random.default_rng(1)
    labels = random.integers(0, 2, 300)
    columns: dict[str, object] = {}
    for number in range(5):
        signal = labels * (1.6 - 0.2 * number) + random.normal(size=300)
        columns[f"signal_{number}"] = np.round(signal, 3)
        columns[f"near_copy_{number}"] = np.round(signal + 0.05 * random.normal(size=300), 3)
    noise = {"mixed": 10, "long-named": 2, "large": 190}[kind]
    columns |= {f"noise_{number}": random.integers(0, 4, 300) for number in range(noise)}
    if kind == "long-named":
        columns = {f"ENSG00000000000_expression_{name:_>12}": cells for name, cells in columns.items()}
    frame = pd.DataFrame({**columns, "outcome": np.array(["no", "yes"])[labels]})
    frame.iloc[::29, 2] = np.nan
    return frame


def _hostile_frame() -> pd.DataFrame:
    random = np.random.default_rng(0)
    classes = np.array(["<script>window.hacked=1</script>", "</table>" + "y" * 5_000, "\u202ec"])
    labels = random.integers(0, 3, 90)
    columns = {}
    for number, name in enumerate(HOSTILE_FOR_PAGES):
        telling = random.random(90) < 0.9 - 0.05 * number
        values = np.where(telling, labels, random.integers(0, 3, 90))
        columns[name] = np.array(HOSTILE_FOR_PAGES, dtype=object)[(values + number) % 3]
    return pd.DataFrame({**columns, "<h1>target</h1>": classes[labels]})
