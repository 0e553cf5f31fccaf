"""The window of `arena play --web`: who gets in, and what the page of a game answers."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from tests.kit.play_window import PlayWindow, play_window

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="needs Linux or macOS"),
    pytest.mark.costly,
]


GAME: Final = ("maze", "random", "human", "greedy", "--no-record")


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlayWindow]:
    """A window that its person has opened."""
    with play_window(tmp_path_factory.mktemp("window"), *GAME) as window:
        window.enter()
        yield window


@pytest.fixture
def closed_window(tmp_path: Path) -> Iterator[PlayWindow]:
    """A window that nobody has opened yet."""
    with play_window(tmp_path, *GAME) as window:
        yield window


def test_before_the_secret_came_nobody_sees_anything(closed_window: PlayWindow) -> None:
    window = closed_window
    secret = window.link.removeprefix("/in/")
    for path in ("/", "/p/x", "/events?p=x", "/static/style.css", "/in/", "/in/x", f"/in/{secret}x", "/in/%E9", "/g/1"):
        answer = window.ask(path)
        assert answer.status == 403
        assert "maze" not in answer.everything
    assert window.ask(window.link, method="HEAD").status == 403
    assert window.ask("/p/x", form={"seat": "0"}).status == 403


def test_the_address_lets_in_one_browser_once(closed_window: PlayWindow) -> None:
    window = closed_window
    answer = window.enter()
    assert answer.status == 200
    assert answer.headers["refresh"] == "0; url=/"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert re.fullmatch(r"arena-window-\d+=[\w-]{43}; HttpOnly; Path=/; SameSite=strict", answer.headers["set-cookie"])
    for cookie in ("", f"{window.cookie}x", window.cookie[:-1], f"{window.cookie.partition('=')[0]}="):
        for path in (window.link, "/", "/static/style.css"):
            assert window.ask(path, cookie=cookie).status == 403
    again = window.ask(window.link)
    assert (again.status, again.headers["location"]) == (303, "/")


def test_a_foreign_name_or_another_site_is_refused(window: PlayWindow) -> None:
    assert window.ask("/", host="evil.example").status == 400
    assert window.ask("/", host="localhost:1").status == 303
    for headers in ({"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}):
        assert window.ask("/p/x", form={"seat": "0"}, **headers).status == 403
        with_token = {"authorization": f"Bearer at_{'A' * 43}", **headers}  # the window knows no tokens
        assert window.ask("/p/x", form={"seat": "0"}, **with_token).status == 403


def test_the_game_begins_once_and_its_page_leads_nowhere_else(window: PlayWindow) -> None:
    game = window.ask("/").headers["location"]
    assert window.ask("/").headers["location"] == game
    for _ in range(2):
        assert window.ask(game, form={"seat": "0"}).headers["location"] == game
    page = window.ask(game)
    assert page.status == 200
    assert page.headers["cache-control"] == "no-store"
    for name in ("random", "you", "greedy"):
        assert f'title="{name}"' in page.text
    links = {*re.findall(r'(?:href|action|src)="(/[^"]*)"', page.text)}
    assert links <= {game, "/static/style.css", "/static/reader.js", "/static/live.js", "/static/play.js"}
    assert all(window.ask(link).status == 200 for link in links)


def test_what_is_not_there_is_said_in_words(window: PlayWindow) -> None:
    for path in ("/p/x", "/events?p=x", "/events", "/g/1", "/g/x", "/play", "/static/x.js", "/me"):
        answer = window.ask(path)
        assert answer.status == 404
        assert "Not found" in answer.text
    game = window.ask("/").headers["location"]
    for seat in ("3", "-1", "x", ""):
        answer = window.ask(game, form={"seat": seat})
        assert answer.status == 400
        assert "seat: expected a number below 3" in answer.text
