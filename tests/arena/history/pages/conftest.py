"""Pages are looked at in a real browser, where there is one."""

from collections.abc import Iterator

import pytest

from tests.arena.pages import browsing


@pytest.fixture(scope="module")
def browser() -> Iterator[browsing.Browser]:
    """A browser for the tests of a module."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="no browser: playwright is not installed")
    program = browsing.program()
    if program is None:
        pytest.skip("no browser: neither chromium nor google-chrome is on the PATH")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browsing.Browser(chromium)
        chromium.close()
