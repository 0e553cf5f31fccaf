"""Every page of the web in a real browser, over the hostile record: everyone can use it, and nothing of the names runs.

Leaving a page fails for every foreign request, dialog, complaint or breach of its policy (`tests/kit/chromium.py`).
"""

from __future__ import annotations

from typing import Final

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from tests.kit.chromium import Browser, check_axe, check_contrast, check_hints, check_keyboard, check_width
from tests.kit.web_record import CUP, KNOCKOUT, LADDER, NAMES, STUDENTS, WebRecord, in_addresses
from tests.kit.web_room import PageServer


def at(title: str, *rest: str) -> str:
    """The address of a page of that tournament."""
    return "/".join(("/t", *(in_addresses(part) for part in (title, *rest))))


PAGES: Final = {
    "home": "/",
    "ladder": at(LADDER),
    "ladder's agent": at(LADDER, "a", STUDENTS[0]),
    "standings": at(CUP),
    "crosstable": at(CUP, "crosstable"),
    "bracket": at(KNOCKOUT, "bracket"),
    "games": f"{at(CUP, 'games')}?player={in_addresses(NAMES[0])}&result=win",
    "agent": at(CUP, "a", NAMES[0]),
    "replay": "/g/{replayed}",
    "hostile board": "/g/{hostile}",
    "cards": "/g/{cards}",
    "in progress": "/g/{playing}",
    "cancelled": "/g/{cancelled}",
    "not begun": "/g/{scheduled}",
    "tv": "/tv",
    "tv of one": f"/tv?t={in_addresses(CUP)}",
    "docs": "/docs?q=out+of+time",
    "page of the docs": "/docs/languages",
    "not found": at("nobody"),
    "bad filter": f"{at(CUP, 'games')}?round=x",
}
"""An address of every kind of page; a name in braces is a game of the record."""
FAILED: Final = ("not found", "bad filter")
"""Pages with a status that the browser complains about."""


def address(server: PageServer, record: WebRecord, page: str) -> str:
    """Where the page is."""
    games = {name: str(getattr(record, name)) for name in record.__struct_fields__}
    place = PAGES[page]
    return server.address + (place.format_map(games) if place.startswith("/g/") else place)


@pytest.mark.parametrize("page", PAGES)
def test_everyone_can_use_it(browser: Browser, server: PageServer, record: WebRecord, page: str) -> None:
    """On a phone: as wide as the screen, nothing for axe to find, all within reach of the tab key."""
    with browser.open(address(server, record, page), width=360, outages=page in FAILED) as shown:
        check_width(shown)
        check_axe(shown)
        check_keyboard(shown)
        assert shown.evaluate("window.owned") is None
        shown.emulate_media(color_scheme="dark")
        check_contrast(shown)
        check_axe(shown, "color-contrast")


@pytest.mark.parametrize("page", ["ladder", "standings", "crosstable", "games", "ladder's agent"])
@pytest.mark.parametrize("dark", [False, True])
def test_a_phone_shows_that_a_table_or_picture_goes_on(
    browser: Browser, server: PageServer, record: WebRecord, page: str, dark: bool
) -> None:
    with browser.open(address(server, record, page), width=360, dark=dark) as shown:
        assert check_hints(shown)


@pytest.mark.costly
@pytest.mark.parametrize("page", PAGES)
def test_it_is_the_same_without_scripts(browser: Browser, server: PageServer, record: WebRecord, page: str) -> None:
    with browser.open(address(server, record, page), script=False, outages=page in FAILED) as shown:
        assert (shown.locator("h1").first.text_content() or "").strip()
        assert len((shown.locator("main").text_content() or "").split()) >= 3
