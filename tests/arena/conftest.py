"""Pages are looked at in a real browser, where there is one."""

from collections.abc import Iterator

import pytest

from tests.kit import chromium, needs
from tests.kit.chromium import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for the tests of a module."""
    sync_api = pytest.importorskip("playwright.sync_api", reason=needs.extra("browser"))
    program = chromium.program()
    if program is None:
        pytest.skip(needs.package("a browser (chromium or google-chrome)", "chromium"))
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield Browser(started)
        started.close()
