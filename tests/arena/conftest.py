"""Pages are looked at in a real browser, where there is one."""

from collections.abc import Iterator

import pytest

from tests.kit import chromium
from tests.kit.chromium import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for the tests of a module."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="no browser: playwright is not installed")
    program = chromium.program()
    if program is None:
        pytest.skip("no browser: neither chromium nor google-chrome is on the PATH")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield Browser(started)
        started.close()
