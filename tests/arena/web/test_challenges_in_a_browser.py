"""A challenge in a real browser, with all processes of a ladder: a click, the live board, and the replay."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from tests.kit.arena_program import arena
from tests.kit.chromium import Browser, check_axe, check_keyboard, check_width
from tests.kit.effort import PATIENCE
from tests.kit.ladder_room import LadderRoom

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

ROSTER: Final = "id,name,email,alias\n1,Ann Berg,ann@example.org,kestrel\n2,Bob Lind,bob@example.org,otter\n"
AGENT: Final = """
import sys
from time import sleep

from agents import Agent


class Mine(Agent):
    def choose(self, state, clock):
        print("zzwords-of-{name}", file=sys.stderr)
        sleep({seconds})
        return state.moves()[0]
"""


@pytest.fixture
def course(tmp_path: Path) -> Iterator[LadderRoom]:
    """A ladder with its pages, on which kestrel and otter play."""
    with LadderRoom(tmp_path) as room:
        room.describe(games_at_once=1, game="connect4")
        (tmp_path / "roster.csv").write_text(ROSTER, "utf-8")
        room.serve("--web", "--listen", "127.0.0.1:0", "--roster", "roster.csv")
        for author, seconds in (("kestrel", 0.3), ("otter", 0)):
            room.submit(author, AGENT.format(name=author, seconds=seconds)).communicate(timeout=PATIENCE)
        room.wait_until_checked()
        yield room
        room.stop()


def links(room: LadderRoom) -> dict[str, str]:
    """The invitation of each student."""
    invited = arena("course", "invite", "cs101", "--roster", "roster.csv", "--out", "-", cwd=room.folder)
    return {row["alias"]: row["link"] for row in csv.DictReader(io.StringIO(invited.out))}


def sign_in(page: Page) -> None:
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/me")


@pytest.mark.costly(seconds=40)
def test_a_student_challenges_an_agent_and_watches_the_game_at_once(browser: Browser, course: LadderRoom) -> None:
    address = next(line for line in course.printed if " pages: " in line).split()[-1]
    invitations = links(course)
    with browser.session(invitations["kestrel"], outages=True) as page:
        sign_in(page)
        page.get_by_text("10 more today").wait_for()
        for check in (check_axe, check_width, check_keyboard):
            check(page)
        # From the page of the opponent; then from the own page, where one at a time is possible. Nothing is played
        # meanwhile, so the first one is not over.
        with course.stopped():
            page.goto(f"{address}/t/cs101/a/otter")
            page.get_by_role("button", name="Challenge with kestrel").click()
            page.wait_for_url(re.compile(r"/g/\d+$"))
            game = page.url
            page.get_by_text("challenge, which counts nowhere").wait_for()
            page.goto(f"{address}/me")
            page.get_by_label("Against").select_option("random")
            page.get_by_role("button", name="Challenge", exact=True).click()
            page.get_by_text("you can have one challenge at a time").wait_for()
            page.locator("#challenges").get_by_text("waits").wait_for()
            page.goto(game)
        page.locator("#board svg").first.wait_for()
        page.locator("#moves .move >> nth=2").wait_for()
        page.locator("#board").wait_for()
        page.locator("#controls").wait_for()  # the replay
        page.wait_for_function("document.documentElement.outerHTML.includes('zzwords-of-kestrel')")
        assert "zzwords-of-otter" not in page.content()
        page.goto(f"{address}/me")
        page.locator("#challenges").get_by_text(re.compile("won|lost|drew")).wait_for()
        page.get_by_text("9 more today").wait_for()
        page.goto(f"{address}/t/cs101/games")
        assert game.removeprefix(address) not in page.content()
    with browser.session(invitations["otter"], outages=True) as page:
        sign_in(page)
        found = page.request.get(game).text()
        assert "zzwords-of-otter" in found
        assert "zzwords-of-kestrel" not in found
