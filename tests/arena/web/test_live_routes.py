"""The mistakes of a game are found for those whose game it is, by a process that can fail and be killed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from arena.play.helper import Asker
from arena.web import analyses
from tests.kit import fake_searches
from tests.kit.managed_ladder import ManagedLadder
from tests.kit.pages_in_process import PagesInProcess

SCRIPT: Final = {"accept": "text/plain"}
BUTTON: Final = "Find the mistakes</button>"


def games_of(room: ManagedLadder, author: str) -> list[int]:
    """The games over, with moves, in which an agent of the author has played."""
    own = f"SELECT game FROM seat WHERE name = '{author}' OR name LIKE '{author}.%'"
    query = f"SELECT DISTINCT game FROM move WHERE game IN ({own}) ORDER BY game"
    return [int(str(row[0])) for row in room.sql(query)]


def plies(room: ManagedLadder, game: int, table: str = "analysis") -> int:
    ((count,),) = room.sql(f"SELECT COUNT(*) FROM {table} WHERE game = {game}")
    return int(str(count))


def test_an_author_finds_the_mistakes_of_an_own_game_which_all_see_then(
    room: ManagedLadder, pages: PagesInProcess
) -> None:
    ann = room.student()
    game = games_of(room, "alice")[0]
    place, total = f"/g/{game}", plies(room, game, "move")
    assert BUTTON in pages.ask(place, by=ann).text
    answer = pages.ask(f"{place}/mistakes", by=ann, fields={}, **SCRIPT)
    assert answer.status == 200
    judged = [int(line) for line in answer.text.split()]
    assert judged == sorted(judged)
    assert judged[-1] == total == plies(room, game)
    for by in (ann, room.instructor):
        text = pages.ask(place, by=by).text
        assert "Analysed by arena" in text
        assert BUTTON not in text
    again = pages.ask(f"{place}/mistakes", by=ann, fields={}, **SCRIPT)
    assert (again.status, again.headers["location"]) == (303, place)


def test_without_a_script_the_form_leads_back_to_the_game(room: ManagedLadder, pages: PagesInProcess) -> None:
    game = games_of(room, "bob")[0]
    answer = pages.ask(f"/g/{game}/mistakes", by=room.instructor, fields={}, accept="text/html,*/*")
    assert (answer.status, answer.headers["location"]) == (303, f"/g/{game}")
    assert plies(room, game) == plies(room, game, "move")


def test_for_others_there_is_no_such_thing(room: ManagedLadder, pages: PagesInProcess) -> None:
    ann, bob = room.student(), room.student(1)
    game = next(game for game in games_of(room, "bob") if game not in games_of(room, "alice"))
    assert BUTTON not in pages.ask(f"/g/{game}", by=ann).text
    assert BUTTON in pages.ask(f"/g/{game}", by=bob).text
    refused = [pages.ask(f"/g/{id}/mistakes", by=ann, fields={}, **SCRIPT) for id in (game, 10**6)]
    assert refused[0].status == refused[1].status == 404
    assert refused[0].text == refused[1].text
    assert pages.ask(f"/g/{game}/mistakes", fields={}, **SCRIPT).status == 401
    assert plies(room, game) == 0


def test_everyone_can_ask_for_one_game_at_a_time_and_who_asks_for_the_same_waits_for_the_same(
    room: ManagedLadder, pages: PagesInProcess, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gate, begun = tmp_path / "gate", tmp_path / "begun"
    monkeypatch.setenv("GATE", str(gate))
    monkeypatch.setenv("BEGUN", str(begun))
    monkeypatch.setattr(analyses, "judge", fake_searches.waits)
    progress, waiting = analyses._Running.progress, []

    def wait(running: analyses._Running) -> AsyncIterator[int]:
        waiting.append(running)
        return progress(running)

    monkeypatch.setattr(analyses._Running, "progress", wait)
    ann = room.student()
    one, other = games_of(room, "alice")[:2]

    async def several() -> list[Any]:
        asked = (pages.asked(f"/g/{one}/mistakes", by=by, fields={}, **SCRIPT) for by in (ann, room.instructor))
        first = [*map(asyncio.create_task, asked)]
        while not (begun.exists() and len(waiting) == 2):
            await asyncio.sleep(0)
        refused = await pages.asked(f"/g/{other}/mistakes", by=ann, fields={}, **SCRIPT)
        gate.touch()
        return [refused, *await asyncio.gather(*first)]

    refused, *answers = pages.run(several())
    assert (refused.status, refused.text) == (409, "another game of yours is being analysed: wait until it is done")
    assert [(answer.status, answer.text.split()[-1]) for answer in answers] == [(200, "1"), (200, "1")]
    assert begun.read_text() == "x"


def test_there_is_a_limit_for_each_person(
    room: ManagedLadder, pages: PagesInProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analyses, "judge", fake_searches.fails)
    game = games_of(room, "alice")[0]
    for by in (room.student(), room.instructor):
        found = [pages.ask(f"/g/{game}/mistakes", by=by, fields={}, **SCRIPT) for _ in range(11)]
        assert [answer.status for answer in found] == [200] * 10 + [409]
        assert found[-1].text.startswith("too many games in a row; the next one is possible in ")


@pytest.mark.parametrize(
    ("search", "why"),
    [
        (fake_searches.fails, "the rules failed"),
        (fake_searches.raises, "in one line"),
        (fake_searches.is_killed, "the search was ended"),
        (fake_searches.ends, "the search was ended"),
        (fake_searches.lies, "the search was ended"),
    ],
    ids=lambda one: one.__name__ if callable(one) else "",
)
def test_a_search_that_fails_is_said_and_can_be_tried_again(
    room: ManagedLadder,
    pages: PagesInProcess,
    monkeypatch: pytest.MonkeyPatch,
    search: Callable[[Asker], None],
    why: str,
) -> None:
    ann, game = room.student(), games_of(room, "alice")[0]
    with monkeypatch.context() as patch:
        patch.setattr(analyses, "judge", search)
        answer = pages.ask(f"/g/{game}/mistakes", by=ann, fields={}, **SCRIPT)
        assert answer.text.splitlines()[-1].startswith(f"the mistakes were not found: {why}")
        shown = pages.ask(f"/g/{game}/mistakes", by=ann, fields={}, accept="text/html")
        assert shown.status == 409
        assert "The mistakes were not found: " in shown.text
    assert plies(room, game) == 0
    assert pages.ask(f"/g/{game}/mistakes", by=ann, fields={}, accept="text/html").status == 303
    assert plies(room, game) == plies(room, game, "move")
