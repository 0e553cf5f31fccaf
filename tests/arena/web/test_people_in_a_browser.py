"""People in a real browser, with all processes of a ladder: they sign in, hand in, watch their agent, and play.

Each person has a browser with cookies of its own. Leaving a page fails for every foreign request, dialog, complaint or
breach of its policy (`tests/kit/chromium.py`). All tests share a ladder, each with a student of its own; those whose
agents play on it are the last ones, because its games never end.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from tests.kit.arena_program import arena
from tests.kit.chromium import Browser, check_axe, check_hints, check_keyboard, check_width
from tests.kit.ladder_room import LadderRoom

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

ROSTER: Final = "id,name,email,alias\n" + "".join(
    f"{number},Anna Berger {number},anna{number}@example.org,kestrel{number}\n" for number in range(20)
)
SAID: Final = "zzprivate"
AGENT: Final = f'''
import sys

from agents import Agent


class Careful(Agent):
    """Takes the first move, and says so."""

    def choose(self, state, clock):
        print("{SAID}", file=sys.stderr)
        return state.moves()[0]
'''
BROKEN: Final = {
    "syntax.py": ("from agents import Agent\nclass A(Agent:\n", "failed its check"),
    "forks.py": (
        "import os\nfrom agents import Agent\nclass A(Agent):\n    def choose(self, state, clock):\n"
        "        while True:\n            os.fork()\n",
        "failed its check",
    ),
    "illegal.py": (
        "from agents import Agent\nclass A(Agent):\n    def choose(self, state, clock):\n        return 99\n",
        "failed its check",
    ),
}


class Course:
    """A ladder that is served with its pages, and links for its people."""

    def __init__(self, room: LadderRoom) -> None:
        self.room = room
        (room.folder / "roster.csv").write_text(ROSTER, "utf-8")
        room.serve("--web", "--listen", "127.0.0.1:0", "--roster", "roster.csv")
        self.address = next(line for line in room.printed if " pages: " in line).split()[-1]
        self.instructor = next(line for line in room.printed if "sign in as instructor" in line).split()[-1]
        invited = arena("course", "invite", "cs101", "--roster", "roster.csv", "--out", "-", cwd=room.folder)
        assert invited.code == 0, invited.err
        self.links = [row["link"] for row in csv.DictReader(io.StringIO(invited.out))]

    def file(self, name: str, content: bytes) -> Path:
        path = self.room.folder / name
        path.write_bytes(content)
        return path


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Course]:
    with LadderRoom(tmp_path_factory.mktemp("course")) as room:
        room.describe(games_at_once=1, game="connect4")
        yield Course(room)
        room.stop()


@pytest.fixture
def link(course: Course) -> str:
    """The invitation of a student who has not signed in."""
    return course.links.pop()


def sign_in(page: Page) -> None:
    """Presses the button of an invitation."""
    page.get_by_role("button", name="Sign in").click()


def hand_in(page: Page, address: str, file: Path) -> None:
    """Hands in a file with the form; the page of the submission is open then."""
    page.goto(f"{address}/me/submit")
    page.set_input_files("#file", file)
    page.get_by_role("button", name="Hand in").click()


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_with_an_agent_is_told_in_words(browser: Browser, course: Course, link: str, name: str) -> None:
    code, state = BROKEN[name]
    with browser.session(link) as page:
        sign_in(page)
        page.wait_for_url("**/me")
        hand_in(page, course.address, course.file(name, code.encode()))
        page.get_by_text(state).first.wait_for()
        page.get_by_text("What to do:").first.wait_for()


def test_files_that_cannot_be_an_agent_are_refused_in_words(browser: Browser, course: Course, link: str) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("agent.py", "w") as written:
        for _ in range(64):
            written.write(bytes(2**20))
    climbing = io.BytesIO()
    with zipfile.ZipFile(climbing, "w") as archive:
        archive.writestr("../../x.py", AGENT)
    with browser.session(link, outages=True) as page:
        sign_in(page)
        page.wait_for_url("**/me")
        hand_in(page, course.address, course.file("large.py", bytes(33 * 2**20)))
        page.get_by_text(re.compile("32 MiB.*33|33.*32 MiB|at most 32 MiB, got|larger than 32 MiB")).wait_for()
        for name, content in {"bomb.zip": bomb.getvalue(), "climbing.zip": climbing.getvalue()}.items():
            hand_in(page, course.address, course.file(name, content))
            page.get_by_text("was refused").wait_for()
            assert len((page.text_content("#progress .notice") or "").split()) >= 4


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_a_person_plays(browser: Browser, course: Course, link: str, by: str) -> None:
    with browser.session(link) as page:
        sign_in(page)
        page.wait_for_url("**/me")
        for game in ("connect4", "othello", "chess", "backgammon", "leduc", "words"):
            play(page, course, game, by)


def test_a_person_sees_the_board_from_its_own_side_and_where_a_piece_can_go(
    browser: Browser, course: Course, link: str
) -> None:
    with browser.session(link) as page:
        sign_in(page)
        page.wait_for_url("**/me")
        page.goto(f"{course.address}/play")
        page.get_by_text("very easy: plays at random").wait_for()
        page.get_by_role("link", name="chess").click()
        page.get_by_role("button", name="Play as second player (Black) against random").click()
        page.locator('[data-field="a7"]').wait_for()
        page.get_by_text("you are the second player (Black)").wait_for()
        own, far = page.eval_on_selector_all(
            '[data-field="a7"], [data-field="a5"]',
            "all => ['a7', 'a5'].map(name => all.find(one => one.dataset.field === name).getBoundingClientRect().y)",
        )
        assert own > far
        page.get_by_text("All moves").click()
        for let_go in ("Escape", "click"):
            page.locator('[data-field="a7"]').click()
            assert marked(page, "chosen") == {"a7"}
            assert marked(page, "target") == {"a6", "a5"}
            assert page.locator(".legal:visible").count() == 2
            assert page.locator("#choices [name=move]:visible").count() == 2
            if let_go == "click":
                page.locator('[data-field="a7"]').click()
            else:
                page.keyboard.press(let_go)
            assert marked(page, "chosen") == marked(page, "target") == set()
            assert page.locator("#choices [name=move]:visible").count() == 20
        page.locator('[data-field="a7"]').click()
        page.locator('[data-field="b7"]').click()
        assert marked(page, "target") == {"b6", "b5"}
        page.locator('[data-field="b6"]').click()
        page.locator("#moves li:not(.begin) >> nth=1").wait_for()
        assert page.locator("#moves li:not(.begin) >> nth=1").inner_text() == "b6"
        page.get_by_role("button", name="Take back my last move (20 left)").click()
        page.locator("#moves li:not(.begin) >> nth=1").wait_for(state="detached")
        page.locator('[data-field="b7"]').wait_for()
        page.get_by_text("End game").click()
        page.get_by_role("button", name="Give up").click()
        page.get_by_role("link", name="Other opponents").wait_for()
        game = page.url
        page.get_by_role("button", name="Rematch, seats swapped").click()
        page.wait_for_url(lambda url: url != game and "/p/" in url)
        page.get_by_text("you are the first player (White)").wait_for()
        page.locator('[data-field="a2"]').wait_for()
        page.get_by_text("End game").click()
        page.get_by_role("button", name="Give up").click()
        page.get_by_role("button", name="Play again").click()
        page.locator('[data-field="a2"]').wait_for()
        page.get_by_text("End game").click()
        page.get_by_role("button", name="Give up").click()
        page.get_by_text("Play again").wait_for()


def marked(page: Page, kind: str) -> set[str]:
    """The names of the fields with this mark."""
    found: list[str] = page.eval_on_selector_all(f".field.{kind}", "all => all.map(one => one.dataset.field)")
    return set(found)


def play(page: Page, course: Course, game: str, by: str) -> None:
    """Plays some moves against a built-in agent, and gives up unless the game is over."""
    page.goto(f"{course.address}/play/random?game={game}")
    page.get_by_role("button", name=re.compile("^Play as first player .*random$")).click()
    page.wait_for_url(re.compile("/p/"))
    check_axe(page)
    for _ in range(3):
        page.locator("#choices [name=move], #choices .again").first.wait_for(state="attached")
        if page.locator("#choices .again").count():
            break
        before = page.locator("#moves li").count()
        fields = page.evaluate("document.querySelector('#choices [data-fields]')?.dataset.fields")
        written = page.locator("#choices input:not([type=hidden])")
        if written.count():
            written.fill("pass")
            written.press("Enter")
        elif by == "mouse" and fields:
            for step in reversed(next(iter(json.loads(fields).values()))[-1]):
                for name in step:
                    page.locator(f'[data-field="{name}"]').click()
        elif by == "mouse":
            page.locator("#choices [name=move]").first.click()
        else:
            page.evaluate("document.querySelector('.moves-as-buttons')?.setAttribute('open', '')")
            page.locator("#choices [name=move]").first.focus()
            page.keyboard.press("Enter")
            page.locator("#choices:focus, #choices input:focus").wait_for()
            page.keyboard.press("Enter")  # by mistake
        page.locator("#moves li").nth(before).or_(page.locator("#choices .again")).first.wait_for()
    # The game may end at any moment by the other player's move: then the button is not there any more.
    page.evaluate("document.querySelector('[name=do][value=give_up]')?.click()")
    page.get_by_text("Play again").wait_for()


def test_an_instructor_sees_names_and_the_submissions_of_all(browser: Browser, course: Course) -> None:
    with browser.session(course.instructor, width=360) as page:
        sign_in(page)
        page.wait_for_url("**/t/cs101")
        page.get_by_role("link", name="Manage").click()
        page.wait_for_url("**/manage")
        assert "Anna Berger" in (page.text_content("main") or "")
        for tab in ("State", "Latest submissions", "People", "Rulings"):
            page.get_by_role("link", name=tab, exact=True).click()
            page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
            check_hints(page)
            check_width(page)
            check_axe(page)
            check_keyboard(page)


def test_requests_from_other_sites_are_refused(browser: Browser, course: Course, link: str) -> None:
    with browser.session(link) as page:
        sign_in(page)
        page.wait_for_url("**/me")
        for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}):
            for place in ("/out", "/me/submit", "/me/tokens", "/play/random"):
                answer = page.request.post(course.address + place, headers=headers, form={"label": "x"})
                assert answer.status == 403, (place, headers)
        assert "Anna Berger" in page.request.get(f"{course.address}/me").text()


PAGES: Final = ("/me", "/me/submit", "/me/why", "/play", "/play/random")


@pytest.mark.costly
def test_everyone_can_use_the_pages_of_a_person(browser: Browser, course: Course, link: str) -> None:
    with browser.session(link, width=360) as page:
        check_width(page)
        check_axe(page)
        sign_in(page)
        page.wait_for_url("**/me")
        hand_in(page, course.address, course.file("careful.py", AGENT.encode()))
        page.get_by_text("passed its check").wait_for()
        submission = page.url.removeprefix(course.address)
        for place in (*PAGES, submission):
            page.goto(course.address + place)
            check_width(page)
            check_hints(page)
            check_axe(page)
            check_keyboard(page)


@pytest.mark.costly(seconds=20)
def test_a_student_hands_in_and_watches_the_agent_play(browser: Browser, course: Course, link: str) -> None:
    with browser.session(link, outages=True) as page:
        assert "Anna Berger" in (page.text_content("main") or "")
        sign_in(page)
        page.wait_for_url("**/me")
        hand_in(page, course.address, course.file("careful.py", AGENT.encode()))
        page.wait_for_url(re.compile(r"/s/\d+$"))
        own = page.url.removeprefix(course.address)
        page.get_by_text("passed its check, and plays").wait_for()
        assert page.locator(".check li").count() >= 5
        page.get_by_text(re.compile(r"^Rank \d+ of \d+\. Rating -?\d+ ± \d+")).wait_for()
        assert page.evaluate("performance.getEntriesByType('navigation')[0].type") == "navigate"  # by the stream
        page.locator("#progress ul a").first.click()
        page.wait_for_url(re.compile(r"/g/\d+$"))
        game = page.url
        page.wait_for_function("said => document.documentElement.outerHTML.includes(said)", arg=SAID)
        page.get_by_role("button", name="Find the mistakes").click()
        page.get_by_text("Analysed by arena").wait_for()
        assert page.get_by_role("button", name="Find the mistakes").count() == 0
        page.goto(f"{course.address}/me")
        (own_name,) = page.locator("#agents tbody th").all_inner_texts()
        page.goto(f"{course.address}/t/cs101")
        assert [row.split()[0] for row in page.locator("tr.own th").all_inner_texts()] == [own_name]
    # The link works once, and nobody else sees what the agent said, the submission, or its files.
    with browser.session(link, outages=True) as page:
        assert "does not work" in (page.text_content("main") or "")
    with browser.session(course.links.pop(), outages=True) as page:
        sign_in(page)
        page.wait_for_url("**/me")
        for place in (own, f"{own}/files", f"/api/v1{own}", "/t/cs101/manage"):
            answer = page.request.get(course.address + place)
            assert answer.status == 404, place
        assert SAID not in page.request.get(game).text()
        assert SAID not in page.request.get(game.replace("/g/", "/api/v1/g/")).text()
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url(f"{course.address}/")
        assert "Sign in" in page.request.get(f"{course.address}/me/submit").text()
