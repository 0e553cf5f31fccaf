"""Pages and pictures of a record in which all that an agent, a student or an imported file can choose is hostile.

They are opened in a real browser that is online. Nothing of theirs runs, loads, links, breaks the page's policy or
leaves its place; leaving a page fails for every request, dialog, error or complaint (`tests/kit/chromium.py`).
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest
from msgspec.structs import replace

from adsearch import games
from adsearch.pictures import svg, tree_drawing
from adsearch.pictures.tree_picture import game_tree
from arena.cli.asking.recorded_game import write_board
from arena.course.aliases import own_names
from arena.course.report import write_site
from arena.errors import ArenaError
from arena.history import words
from arena.pages.replay_page import page
from arena.ratings import plots
from arena.ratings.plots import MistakeMark, PlottedLine, Point, values
from db import store
from db.database import Database
from db.records import PastGame, PastRuling
from tests.attacks import hostile_game
from tests.attacks.hostile_game import DOCUMENTS, IN_MEMORY, LISTENER, PICTURES, TEXTS
from tests.kit.chromium import Browser, check_width
from tests.kit.html_validity import check_html
from tests.kit.page_games import past_game
from tests.kit.sample_record import Book
from tests.kit.sample_reports import reported

if TYPE_CHECKING:
    from playwright.sync_api import Page

OUR_LINK: Final = re.compile(r"#content|#sheet|#ply-\d+|(\.\./)?((agents|pairs|games)/)?[a-z0-9][a-z0-9.-]*\.html")
POLICY: Final = re.compile(
    r"default-src 'none'; style-src 'sha256-[\w+/=]{44}'; script-src 'sha256-[\w+/=]{44}'( 'sha256-[\w+/=]{44}')?; "
    r"img-src data:; base-uri 'none'; form-action 'none'"
)
FOREIGN: Final = """() => {
  const found = [];
  const ours = new Set(["auto", "static", "relative", "sticky"]);
  const icon = document.querySelector("head > link[rel=icon]");
  if (icon && !icon.href.startsWith("data:")) found.push("an icon from elsewhere");
  for (const e of document.querySelectorAll("*")) {
    if (e === icon) continue;
    const what = e.outerHTML.slice(0, 80);
    if (/^(iframe|object|embed|form|base|link|foreignobject|textarea|set)$/i.test(e.localName)) found.push(what);
    if (e.localName === "img" && !e.src.startsWith("data:image/svg+xml;base64,")) found.push(what);
    if (e.localName === "image" && !e.getAttribute("href").startsWith("data:")) found.push(what);
    for (const { name, value } of e.attributes) {
      if (/^(on|style$|srcdoc|action|autofocus)/i.test(name)) found.push(`${name} of ${what}`);
      if (/href$/.test(name) && e.localName !== "a" && !/^#b\\d+$|^data:/.test(value)) found.push(`${name} of ${what}`);
    }
    const style = getComputedStyle(e);
    const isUnseen = e.matches(".unseen, .shared, .skip, .tabbed input, .share .card");
    if (!ours.has(style.position) && !isUnseen) found.push(`floating ${what}`);
    if (/url/.test(style.backgroundImage)) found.push(`background of ${what}`);
  }
  const scripts = document.querySelectorAll("script").length, sheets = document.styleSheets.length;
  if (scripts > 2 || sheets > 1) found.push(`${scripts} scripts, ${sheets} style sheets`);
  return found;
}"""


class Listener:
    """A server that nobody may reach."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.setblocking(False)
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}/"

    def was_reached(self) -> bool:
        """Whether a connection was opened."""
        try:
            self._socket.accept()[0].close()
        except BlockingIOError:
            return False
        return True

    def wait(self) -> None:
        """Waits for a connection; TimeoutError where there is none."""
        self._socket.settimeout(60)
        self._socket.accept()[0].close()

    def close(self) -> None:
        """Ends it."""
        self._socket.close()


class Record(NamedTuple):
    """The hostile record, and what would be loaded."""

    game: Path
    """The file of the hostile game."""
    texts: list[str]
    listener: Listener

    def rules(self, picture: int, text: int) -> str:
        """The hostile game with these."""
        return f"{self.game}:Hostile:picture={picture % len(PICTURES)},text={text % len(TEXTS)}"

    def played(self, number: int, text: str) -> PastGame:
        """A game in which that text stands in every field that holds text; its boards hold others."""
        game = past_game(self.rules(number, number), (text, f"{text}2"))
        moves = tuple(replace(move, text=text, line=text, score=float(number), log=None) for move in game.moves)
        seats = (replace(game.seats[0], stderr=f"{text}\n" * 9), replace(game.seats[1], stderr=text))
        ruling = PastRuling("award", 0, text, text, 1)
        facts = {"tournament": text, "opening": text, "clock": text, "pair": text, "finished": text, "detail": text}
        return replace(game, verdict="crashed", fault=1, moves=moves, seats=seats, rulings=(ruling,), **facts)


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Record]:
    """The hostile game, with the address of a listener in it."""
    listener = Listener()
    game = tmp_path_factory.mktemp("game") / "hostile.py"
    source = Path(hostile_game.__file__).read_text("utf-8")
    game.write_text(source.replace(LISTENER, listener.address), "utf-8")
    yield Record(game, [text.replace(LISTENER, listener.address) for text in TEXTS], listener)
    listener.close()


def check_harmless(page: Page, record: Record) -> None:
    """Fails where anything on the page is not of our making, or anything ran or was loaded."""
    page.mouse.move(200, 300)
    assert page.evaluate("window.owned") is None
    assert page.evaluate(FOREIGN) == []
    hrefs = page.evaluate(
        "[...document.querySelectorAll('a, [*|href]')].map(e => e.getAttribute('href')).filter(h => h)"
    )
    assert [href for href in hrefs if not OUR_LINK.fullmatch(href) and not re.match("data:|#b", href)] == []
    assert not record.listener.was_reached()


def check_page(browser: Browser, file: Path, record: Record, *, width: int = 1280) -> None:
    """Opens a page and looks at it all."""
    text = file.read_text("utf-8")
    check_html(text)
    (policy,) = re.findall('<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
    assert POLICY.fullmatch(unescape(policy))
    with browser.open(file, online=True, width=width) as shown:
        check_harmless(shown, record)
        check_width(shown)
        shown.keyboard.press("End")
        check_harmless(shown, record)


@pytest.mark.parametrize("number", range(max(len(TEXTS), len(PICTURES))))
def test_a_replay_with_everything(browser: Browser, record: Record, tmp_path: Path, number: int) -> None:
    file = tmp_path / "replay.html"
    file.write_text(page(record.played(number, record.texts[number % len(TEXTS)])).text, "utf-8")
    check_page(browser, file, record, width=390 if number % 2 else 1280)


@pytest.mark.parametrize("text", IN_MEMORY, ids=range(len(IN_MEMORY)))
def test_a_replay_with_what_no_database_holds(browser: Browser, record: Record, tmp_path: Path, text: str) -> None:
    file = tmp_path / "replay.html"
    file.write_text(page(record.played(0, text)).text, "utf-8")
    check_page(browser, file, record)


@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_a_replay_of_rules_with_a_hostile_name(browser: Browser, record: Record, tmp_path: Path, number: int) -> None:
    """It has no boards, and says why."""
    game = replace(record.played(0, "a"), game=record.texts[number])
    file = tmp_path / "replay.html"
    file.write_text(page(game).text, "utf-8")
    check_page(browser, file, record)
    assert "There are no boards" in file.read_text("utf-8")


@pytest.fixture(scope="module")
def report(record: Record, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report in which the agents, the tournament, the rules and the moves have hostile names."""
    folder = tmp_path_factory.mktemp("report")
    names = [f"{number}{text[:80]}" for number, text in enumerate(record.texts)]
    title = "".join(text[:40] for text in record.texts)
    with Database(str(folder / "arena.db")) as database, database.writing() as connection:
        book = Book(connection)
        course = book.tournament(title, record.rules(0, 0), status="finished")
        book.enter(course, *names)
        for number, two in enumerate(pairwise(names)):
            fault = {"verdict": "crashed", "fault": 1, "stderr": names[number]} if number % 4 == 0 else {}
            game = book.play(course, record.rules(number, number), two, **fault)
            if number % 5 == 0:
                store.rule_on_game(connection, game, "award", names[number], book.now, seat=1)
        book.enter(course, names[0], source=names[1])
        book.play(course, record.rules(1, 1), names[:2], sources={names[0]: names[1]})
        store.rule_on_entry(connection, course, names[2], "withdraw", names[2], book.now)
    found = reported(folder / "arena.db", title)
    site = folder / "site"
    site.mkdir()
    shown = own_names(names)
    write_site(
        found, shown, site, database=str(folder / "arena.db"), replays=found.games, processes=1, done=lambda _: None
    )
    return site


@pytest.mark.parametrize("place", ["*.html", "agents/*.html", "pairs/*.html", "games/*.html"])
def test_a_report_with_everything(browser: Browser, record: Record, report: Path, place: str) -> None:
    files = sorted(report.glob(place))
    assert len(files) >= 2
    for number, file in enumerate(files):
        check_page(browser, file, record, width=390 if number % 2 else 1280)


def test_every_page_of_a_report_is_one_of_those(report: Path) -> None:
    assert {file.suffix for file in report.rglob("*") if file.is_file()} == {".html"}
    assert {str(file.parent.relative_to(report)) for file in report.rglob("*.html")} == {
        ".",
        "agents",
        "pairs",
        "games",
    }


def test_seats_stay_in_order_where_names_are_read_from_right_to_left(
    browser: Browser, record: Record, tmp_path: Path
) -> None:
    """Two Hebrew names with a dash between them would else be shown as one phrase, the second name first."""
    hebrew, other = "\u05d0\u05d1\u05d2", "\u05d3\u05d4\u05d5"
    file = tmp_path / "replay.html"
    file.write_text(page(past_game("tictactoe", (hebrew, other), moves="a1 b1 a2 b2 a3")).text, "utf-8")
    left = """([selector, text]) => {
      const node = document.querySelector(selector).firstChild;
      const range = document.createRange();
      const at = node.data.indexOf(text);
      range.setStart(node, at);
      range.setEnd(node, at + text.length);
      return range.getBoundingClientRect().left;
    }"""
    with browser.open(file) as shown:
        assert shown.evaluate(left, ["h1", hebrew]) < shown.evaluate(left, ["h1", other])
        shown.keyboard.press("ArrowRight")
        places = [shown.evaluate(left, ["#step h3", text]) for text in ("1.", hebrew)]
        places.append(shown.evaluate(left, ["#step h3 b", "a1"]))
        assert places == sorted(places)


def pictures(record: Record, number: int, folder: Path) -> Iterator[Path]:
    """The files that commands write with `--svg`: boards, trees, ratings, progress, values."""
    text = record.texts[number % len(TEXTS)]
    state = games.start(record.rules(number, number))
    board = folder / "board.svg"
    if number % len(PICTURES) < len(DOCUMENTS):
        write_board(board, state)
        yield board
    line = PlottedLine(text, (Point(0, 1.0), Point(1, 2.0)))
    drawn = {
        "tree": tree_drawing.as_svg(game_tree(state, depth=2, title=text)),
        "ratings": plots.ratings([plots.RatingBar(text, 1500.0, 20.0, text, 1, text)], title=text),
        "progress": plots.progress([line], title=text),
        "values": values(
            [line], [MistakeMark(1, 1.0, 0, True, text)], title=text, sides=(text, text), bounds=(0.0, 3.0)
        ),
    }
    for name, picture in drawn.items():
        file = folder / f"{name}.svg"
        file.write_text(picture, "utf-8")
        yield file


@pytest.mark.parametrize("number", range(max(len(TEXTS), len(PICTURES))))
def test_pictures_opened_by_themselves(browser: Browser, record: Record, tmp_path: Path, number: int) -> None:
    for file in pictures(record, number, tmp_path):
        with browser.open(file, online=True) as shown:
            check_harmless(shown, record)


@pytest.mark.parametrize("picture", range(len(DOCUMENTS), len(PICTURES)))
def test_what_is_not_a_picture_is_not_written(record: Record, tmp_path: Path, picture: int) -> None:
    with pytest.raises(ArenaError, match=r"svg of Hostile: (expected a picture as text|not an SVG document)"):
        write_board(tmp_path / "board.svg", games.start(record.rules(picture, 0)))


@pytest.mark.costly
def test_what_looks_at_the_pages_sees_these_attacks(browser: Browser, record: Record, tmp_path: Path) -> None:
    """The same attacks on a page without our care do run and load: so the tests above look in the right places."""
    unsafe = tmp_path / "unsafe.html"
    unsafe.write_text(f"<!doctype html><p>{''.join(record.texts[:2])}", "utf-8")
    listener = Listener()

    def look() -> None:
        with browser.open(unsafe, online=True) as shown:
            assert shown.evaluate("window.owned") == 1
            assert shown.evaluate(FOREIGN) != []
            shown.evaluate("address => { fetch(address).catch(() => 0) }", listener.address)
            listener.wait()

    with pytest.raises(AssertionError, match="asks for"):
        look()
    listener.close()


@pytest.mark.costly(seconds=10)
@pytest.mark.parametrize("text", [*TEXTS, *IN_MEMORY], ids=range(len(TEXTS) + len(IN_MEMORY)))
def test_texts_in_markup_hold_nothing_that_acts_on_what_is_around_them(text: str) -> None:
    shown = svg.words(text)
    shown.encode("utf-8")
    assert not set(shown) & set("<>\"'\x00\x1b\x7f\x9b\u202e\u2066\u2067\u200f\u061c\u2028\u2029\ud800\udfff")
    assert shown.count("\N{FIRST STRONG ISOLATE}") == shown.count("\N{POP DIRECTIONAL ISOLATE}")
    assert not re.search("[\u0300-\u036f\u0488\u0489\u20d0-\u20ff]{5}", shown)
    assert len(words.without_store(text)) <= len(text)
