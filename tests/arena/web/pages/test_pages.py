"""The web's pages: valid markup, escaped names, and addresses that lead to what they name."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from arena.pages.drawing import Document
from arena.play.followed_game import FollowedGame
from arena.web import links
from arena.web.links import Wanted
from arena.web.pages import live_parts
from db.records import PastGame, PastSeat
from tests.kit.html_validity import check_html
from tests.kit.plot_reading import AWKWARD
from tests.kit.sample_reports import links as links_on
from tests.kit.web_pages import web_pages

HOSTILE = "<script>alert(1)</script>'\"&amp;/%2F?#\u202e" + "x" * 200
NAMES = (*(name.replace("\ud800", "") for name in AWKWARD), HOSTILE, "cmd:./engine", "Ann", "ann")
PAGES = ("home", "standings", "ladder", "crosstable", "games", "wanted games", "no games", "agent", "message")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Document]:
    return web_pages(tmp_path_factory.mktemp("web") / "arena.db", NAMES, HOSTILE)


def text(page: Document) -> str:
    """What a reader reads."""
    body = re.sub(r"<style>.*?</style>|<[^>]*>", " ", page.text.partition("<body>")[2], flags=re.DOTALL)
    return " ".join(unescape(body).split())


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_valid_and_names_are_escaped(pages: dict[str, Document], name: str) -> None:
    check_html(pages[name].text)
    assert "<script>alert" not in pages[name].text
    assert "'unsafe" not in pages[name].policy


def test_the_page_before_the_first_tournament_says_so(pages: dict[str, Document]) -> None:
    check_html(pages["empty home"].text)
    shown = text(pages["empty home"])
    assert "No game is being played at the moment. Nothing is shown to visitors here." in shown


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_one_segment_of_an_address(name: str) -> None:
    path = urlsplit(links.agent(HOSTILE, name)).path
    assert [unquote(segment) for segment in path.split("/")] == ["", "t", HOSTILE, "a", name]


def test_every_link_of_a_page_begins_at_the_root(pages: dict[str, Document]) -> None:
    for name, page in pages.items():
        assert all(re.match("/|#", to) for to in links_on(page.text)), name
        assert all("//" not in to and not urlsplit(to).netloc for to in links_on(page.text)), name


def test_the_filter_is_part_of_the_address_and_its_parts_keep_it(pages: dict[str, Document]) -> None:
    (newer,) = [to for to in links_on(pages["wanted games"].text) if "opponent=" in to and "/api/" not in to]
    assert parse_qs(urlsplit(newer).query).keys() == {"player", "opponent", "result", "verdict", "round"}
    (older,) = [to for to in links_on(pages["games"].text) if "cursor=" in to]
    assert parse_qs(urlsplit(older).query) == {"cursor": ["c/?&="]}
    assert "form-action 'self'" in pages["games"].policy
    assert len(re.findall("<option[^>]* selected>", pages["wanted games"].text)) == len(Wanted.__struct_fields__)
    assert "No game matches." in text(pages["no games"])


def test_a_ladder_ranks_by_rating_with_the_ranks_that_are_possible(pages: dict[str, Document]) -> None:
    ladder, cup = text(pages["ladder"]), text(pages["standings"])
    assert "Possible ranks" in ladder
    assert re.search(r"It takes submissions until\s+2026-05-05 18:30 UTC\s*\.", ladder)
    assert re.search(r"Possible ranks .* 1–\d+ ", ladder)
    assert "Possible ranks" not in cup
    assert "Rank Agent Points" in cup


def test_an_agent_shows_its_versions_one_after_the_other(pages: dict[str, Document]) -> None:
    shown = text(pages["agent"])
    assert "It plays with version 2." in shown
    assert "version 2" in shown[shown.index("Rating over time") :]
    assert shown.index("Worst losses") < shown.index("Against each opponent") < shown.index("Latest games")


def test_only_a_page_that_follows_a_stream_runs_a_script(pages: dict[str, Document]) -> None:
    assert 'data-stream="/events?t=' in pages["standings"].text
    assert {name for name, page in pages.items() if 'type="module"' in page.text} == {
        "home",
        "empty home",
        "standings",
        "ladder",
    }


class _Unlinked(HTMLParser):
    """Collects the texts of a page that are not links, headings of the page or choices."""

    _WITHOUT = frozenset({"a", "h1", "title", "style", "option", "svg", "nav", "h2", "caption", "abbr"})

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self._WITHOUT or ("class", "unseen") in attrs or self._inside:
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._inside:
            while self._inside.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self.texts.append(data)


def test_agents_are_links_wherever_they_stand(pages: dict[str, Document]) -> None:
    for name, page in pages.items():
        parser = _Unlinked()
        parser.feed(page.text.partition("<body>")[2])
        assert not [text for text in parser.texts for agent in NAMES if agent and agent == text.strip()], name
    for name in ("home", "standings", "ladder", "crosstable", "games", "agent"):
        assert any("/a/" in urlsplit(to).path for to in links_on(pages[name].text)), name


def test_on_a_small_screen_a_long_name_keeps_its_end_where_names_with_options_differ() -> None:
    seats = tuple(PastSeat(seat=seat, player=f"alphabeta:depth={4 + seat}") for seat in range(2))
    game = PastGame(id=7, number=1, pair="", game="tictactoe", status="playing", seats=seats, clock="10")
    shown = live_parts.small_parts(game, FollowedGame())["players"]
    assert re.findall(r"</i>([^<]*)<", shown) == ["alphab…epth=4", "alphab…epth=5"]
