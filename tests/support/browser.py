"""A real browser, Debian's chromium, without a window: loads pages from files and says what it complained of."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

MISSING = "chromium and chromedriver are not installed (apt-get install chromium chromium-driver)"
_DRIVER_PLACES = ("/usr/bin", "/usr/lib/chromium", "/usr/lib/chromium-browser", "/usr/local/bin")


def find_browser() -> tuple[str, str] | None:
    """The programs of the browser and of its driver, of the system's own; None where either is missing."""
    places = ":".join(_DRIVER_PLACES)
    browser = next(filter(None, (shutil.which(name, path=places) for name in ("chromium", "chromium-browser"))), None)
    driver = shutil.which("chromedriver", path=places)
    return None if browser is None or driver is None else (browser, driver)


class Browser:
    """Chromium, driven by Selenium."""

    def __init__(self, programs: tuple[str, str], profile: Path) -> None:
        from selenium.webdriver import Chrome, ChromeOptions
        from selenium.webdriver.chrome.service import Service

        options = ChromeOptions()
        options.binary_location = programs[0]
        for argument in (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--hide-scrollbars",
            "--force-color-profile=srgb",
            "--window-size=1200,900",
            f"--user-data-dir={profile}",
        ):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = Chrome(options=options, service=Service(programs[1]))
        self.driver.set_page_load_timeout(120)

    def open(self, path: Path, query: str = "") -> None:
        """Load a page from a file; what was logged before is forgotten."""
        self.driver.get("about:blank")
        self._log("browser")
        self._log("performance")
        self.driver.get(path.resolve().as_uri() + query)

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

    def resize(self, width: int, height: int = 900) -> None:
        """The inner size of the window, also below what a window can have."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def prefer(self, scheme: Literal["light", "dark"], media: Literal["", "print"] = "") -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})

    def set_scripting(self, allowed: bool) -> None:
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not allowed})

    def print_pdf(self) -> bytes:
        return base64.b64decode(self.driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"])

    def screenshot(self) -> bytes:
        """The whole page, also where it is longer than the window."""
        options = {"format": "png", "captureBeyondViewport": True}
        return base64.b64decode(self.driver.execute_cdp_cmd("Page.captureScreenshot", options)["data"])

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


@contextmanager
def open_browser(programs: tuple[str, str], profile: Path) -> Iterator[Browser]:
    browser = Browser(programs, profile)
    try:
        yield browser
    finally:
        browser.driver.quit()
