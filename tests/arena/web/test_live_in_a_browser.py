"""Live pages in a real browser, with a real page server. The director is the test: it plays each move."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic_ns
from typing import TYPE_CHECKING

import pytest
import zmq

from arena.match.conditions import Conditions
from arena.match.schedule import Entrant, Finished, Planned
from arena.play import control
from arena.play.director import LiveGames
from arena.tournament.lock import tournament_lock
from arena.walls.run_folder import RunFolder
from db import store
from db.database import Database
from db.records import GameRecord, MoveRecord, SeatRecord
from tests.kit.chromium import Browser, check_axe, check_keyboard, check_width, until
from tests.kit.sample_record import Book
from tests.kit.web_room import PageServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

SECOND = 1_000_000_000
NAMES = ("ann <img src=x onerror=alert(1)>", "bob")
RULES = "tictactoe"


class Director:
    """Plays the games of one tournament, by hand."""

    def __init__(self, folder: Path, database: Database) -> None:
        self._folder, self._database = folder, database
        with database.writing() as connection:
            self._book = Book(connection)
            self._tournament = self._book.tournament("evening", RULES)
            self._book.enter(self._tournament, *NAMES)
        self._playing: dict[int, Planned] = {}
        self._moves: dict[int, list[MoveRecord]] = {}
        self._lock = Lock()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Inside, the tournament is running."""
        with ExitStack() as stack:
            lock = stack.enter_context(tournament_lock(self._folder, "evening"))
            run = stack.enter_context(RunFolder())
            context = stack.enter_context(zmq.Context[zmq.Socket[bytes]]())
            self._live = LiveGames(context, run.path, lambda _: None)
            stack.callback(self._live.close)
            lock.note(run.path)
            ends = Event()
            publishing = Thread(target=self._publish, args=(ends,))
            publishing.start()
            try:
                yield
            finally:
                ends.set()
                publishing.join()
                self._playing.clear()

    def _publish(self, ends: Event) -> None:
        while not ends.wait(0.01):
            with self._lock:
                self._report()

    def _report(self) -> None:
        """Reads who follows, and publishes what has happened, as the referee would have reported it."""
        self._live.read(self._playing)
        for game in self._playing:
            self._live.note_began(control.GameBegan(game, monotonic_ns()))
            for move in self._moves[game]:
                self._live.note_ply(control.PlyPlayed(game, move, monotonic_ns(), False))

    def plan(self) -> int:
        """A new game, which has not begun."""
        with self._database.writing() as connection:
            self._book.connection = connection
            return self._book.plan(self._tournament, RULES, NAMES)

    def begin(self, game: int | None = None) -> int:
        """Begins a new game, or this one."""
        game = self.plan() if game is None else game
        with self._database.writing() as connection:
            store.begin(connection, game, datetime.now(UTC))
        entrants = tuple(Entrant(name, name) for name in NAMES)
        with self._lock:
            self._moves[game] = []
            self._playing[game] = Planned(
                game, RULES, RULES, entrants, seed=1, identity=(game,), conditions=Conditions(clock="10")
            )
            self._live.note_begun(game)
        return game

    def play(self, game: int, *moves: str) -> None:
        """Plays these moves; each took a second of the clock."""
        for move in moves:
            ply = len(self._moves[game]) + 1
            left = (10 - (ply + 1) // 2) * SECOND
            self._moves[game].append(MoveRecord(ply, (ply - 1) % 2, move, spent=SECOND, left=left))

    def end(self, game: int) -> None:
        """The first player wins."""
        seats = tuple(SeatRecord(seat, name, 1.0 - seat, 1.0 - 2 * seat, 0, 0) for seat, name in enumerate(NAMES))
        record = GameRecord(game, "normal", None, "", seats, tuple(self._moves[game]), 0)
        now = datetime.now(UTC)
        with self._database.writing() as connection:
            store.finish(connection, game, record, host=None, now=now)
        with self._lock:
            self._report()
            self._live.note_finished(Finished(self._playing.pop(game), record, now, now))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("evening")


@pytest.fixture(scope="module")
def director(folder: Path) -> Iterator[Director]:
    with Database(str(folder / "arena.db")) as database:
        found = Director(folder, database)
        with database.writing() as connection:
            connection.exec_driver_sql("""UPDATE tournament SET settings = '{"public": true}'""")
        yield found


@pytest.fixture(scope="module")
def server(folder: Path, director: Director) -> Iterator[PageServer]:
    with PageServer(str(folder / "arena.db"), folder, served="evening") as running:
        yield running


COUNT_MOTIONS = """() => {
  const { animate } = Element.prototype;
  window.motions = 0;
  Element.prototype.animate = function (...how) { window.motions += 1; return animate.apply(this, how); };
}"""


def moves(page: Page) -> int:
    return page.locator("#moves .move").count()


def text(page: Page, where: str) -> str:
    return page.locator(where).text_content() or ""


@pytest.mark.costly
def test_a_page_opened_in_mid_game_is_right_is_paused_without_a_server_and_becomes_the_replay(
    browser: Browser, director: Director, server: PageServer
) -> None:
    with director.running():
        game = director.begin()
        director.play(game, "a1", "b2")
        with browser.open(f"{server.address}/g/{game}", alone=True, outages=True) as page:
            until(page, lambda: moves(page) == 2)
            assert text(page, "h1") == f"{NAMES[0]} – bob"
            assert text(page, "#last").startswith("2. bob: b2")
            clock = page.locator(".turn .time")
            first = clock.text_content()
            until(page, lambda: clock.text_content() != first)
            assert 0 <= float((clock.text_content() or "").removeprefix("0:")) < 9
            check_axe(page)
            check_keyboard(page)
            page.set_viewport_size({"width": 360, "height": 740})
            check_width(page)
            director.play(game, "a2")
            until(page, lambda: moves(page) == 3)
            server.kill()
            until(page, lambda: text(page, "#paused").startswith("Paused"))
            director.play(game, "b1")
            server.start()
            until(page, lambda: moves(page) == 4 and text(page, "#paused") == "")
            director.play(game, "a3")
            director.end(game)
            until(page, lambda: page.locator("#step").count() == 1)
            assert "wins" in text(page, ".verdict >> nth=0")
            assert page.url.partition("#")[0] == f"{server.address}/g/{game}"
            until(page, lambda: text(page, "#where") == "5 of 5")


def test_without_scripts_a_game_in_progress_is_shown_as_it_was_when_the_page_was_loaded(
    browser: Browser, director: Director, server: PageServer
) -> None:
    with director.running():
        game = director.begin()
        director.play(game, "a1", "b2", "a3")
        with browser.open(f"{server.address}/g/{game}", script=False) as page:
            # The server may have to hear from the director first; such a page is loaded again by hand.
            until(page, lambda: page.reload() is not None and moves(page) == 3)
            assert text(page, "#state") == "in progress"
            assert page.locator("#board svg[data-board]").count() == 1
        director.end(game)


def test_a_game_whose_director_ended_goes_on_when_it_is_played_again(
    browser: Browser, director: Director, server: PageServer
) -> None:
    with browser.open(f"{server.address}/", alone=True) as page:
        with director.running():
            game = director.begin()
            director.play(game, "a1", "b2", "a3")
            page.goto(f"{server.address}/g/{game}")
            until(page, lambda: moves(page) == 3)
        page.get_by_text("interrupted").wait_for()
        with director.running():
            director.begin(game)
            director.play(game, "b2")
            until(page, lambda: moves(page) == 1)
            assert text(page, "#state") == "in progress"
            director.end(game)
            until(page, lambda: page.locator("#step").count() == 1)


CUT = """() => [...document.querySelectorAll(".tv .side > *")]
  .map((part) => ({ id: part.id || part.className || part.innerText, box: part.getBoundingClientRect() }))
  .filter(({ box }) => box.height > 0 && box.left < innerWidth && box.bottom > innerHeight)
  .map(({ id }) => id)"""
"""What is seen in part beside the board of a TV page."""


def test_a_game_that_was_too_fast_to_be_watched_is_played_from_its_beginning(
    browser: Browser, director: Director, server: PageServer
) -> None:
    with director.running():
        game = director.plan()
        with browser.open(f"{server.address}/g/{game}", alone=True, moves=True) as page:
            page.locator("#board svg[data-board]").wait_for()
            assert text(page, "#state").startswith("not begun yet")
            director.begin(game)
            director.play(game, "a1", "b2", "a2", "b1", "a3")
            director.end(game)
            page.locator("#play.playing").wait_for()
            page.locator("#moves").wait_for(state="detached")
            until(page, lambda: text(page, "#where") in ("1 of 5", "2 of 5", "3 of 5"))


def test_the_tv_waits_for_a_game_shows_it_and_its_end(browser: Browser, director: Director, server: PageServer) -> None:
    with director.running(), browser.open(f"{server.address}/tv", alone=True, moves=True) as page:
        until(page, lambda: page.locator("#waiting").is_visible())
        game = director.begin()
        director.play(game, "a1")
        until(page, lambda: page.locator("#board svg[data-board]").is_visible() and moves(page) == 1)
        assert not page.locator("#waiting").is_visible()
        assert page.locator("#game").get_attribute("href") == f"/g/{game}"
        check_axe(page)
        for width, height in ((1280, 720), (1366, 768), (1920, 1080), (3840, 2160)):
            page.set_viewport_size({"width": width, "height": height})
            assert page.locator(".hint").evaluate("it => it.getBoundingClientRect().bottom <= innerHeight"), height
            assert page.evaluate(CUT) == [], height
        page.set_viewport_size({"width": 1280, "height": 800})
        for state in (":fullscreen", ":not(:fullscreen)"):
            page.keyboard.press("f")
            page.locator(f"html{state}").wait_for()
        page.evaluate(COUNT_MOTIONS)
        director.play(game, "b2", "a2", "b1", "a3")
        director.end(game)
        until(page, lambda: text(page, "#state").startswith("1-0"))
        assert page.evaluate("motions") >= 4, "each new mark comes in by itself"
        assert moves(page) == 5
        until(page, lambda: "1-0" in text(page, "#results"))


@pytest.mark.costly
def test_the_front_page_shows_new_games_on_small_boards_until_they_are_over(
    browser: Browser, director: Director, server: PageServer
) -> None:
    with director.running(), browser.open(f"{server.address}/", alone=True) as page:
        page.locator("#tournaments a").first.focus()
        game = director.begin()
        screen = page.locator(f'[data-screen]:has(a[href="/g/{game}"])')
        screen.wait_for()
        assert page.evaluate("document.activeElement.tagName") == "A"
        over = text(page, "#tournaments .facts")
        director.play(game, "a1", "b2", "a2", "b1", "a3")
        until(page, lambda: screen.locator(".figure svg").count() == 1)
        until(page, lambda: page.locator(".figure .x").count() == 3)
        director.end(game)
        screen.get_by_text("1-0").wait_for()
        screen.wait_for(state="hidden")
        until(page, lambda: text(page, "#tournaments .facts") != over)
