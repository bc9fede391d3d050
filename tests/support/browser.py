"""Headless Chromium for tests of pages."""

import shutil

import pytest


def start(folder):
    """Start a browser with its profile in a folder; skip the test if Chromium or selenium is not installed."""
    webdriver = pytest.importorskip("selenium.webdriver")
    programs = [shutil.which("chromium"), shutil.which("chromedriver")]
    if None in programs:
        pytest.skip("Chromium and its driver are not installed")
    from selenium.webdriver.chrome.service import Service
    options = webdriver.ChromeOptions()
    options.binary_location = programs[0]
    for flag in ("headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-sync",
                 "disable-background-networking", "disable-component-update", "window-size=1400,1000",
                 f"user-data-dir={folder}"):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(programs[1]))
