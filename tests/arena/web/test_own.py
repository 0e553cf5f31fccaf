"""What authors see of their own, and the pages that show it."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from random import Random

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from arena.course import roster
from arena.student.checking import CheckStep, Light, StepName
from arena.web import own
from arena.web.challenging import Challenging
from arena.web.names import Names
from arena.web.own import Own, SubmissionView
from arena.web.pages import own_pages
from arena.web.sight import Role, Viewer
from db import ladder
from db.ladder import SubmissionState
from tests.kit.html_validity import check_html
from tests.kit.ladder_record import hand_in, play_pair
from tests.kit.managed_ladder import NOW, ManagedLadder, later
from tests.kit.sample_record import Book


def of(room: ManagedLadder, author: str, now: datetime = NOW) -> Own:
    """What that author sees at that time."""
    with room.record.reading() as connection:
        return own.own(connection, room.names, room.ladder, author, now=now)


def submitted(room: ManagedLadder, author: str) -> list[SubmissionView]:
    """The submissions of that author, the newest first."""
    with room.record.reading() as connection:
        rows = ladder.submissions(connection, room.ladder.id)
        views = [own.submission(connection, room.names, room.ladder, one.id) for one in rows if one.author == author]
    return [view for view in views if view is not None]


def form(found: Own, *, no_hand_ins: str = "") -> str:
    """The page for handing in."""
    drawn = own_pages.submit(found, no_hand_ins=no_hand_ins).text
    check_html(drawn)
    return drawn


def test_a_version_that_was_replaced_says_so(room: ManagedLadder) -> None:
    newest, *_, first = submitted(room, "alice")
    assert (newest.one.status, first.one.status) == ("active", "replaced")
    assert "It passed its check, and plays." in own_pages.submission(newest).text
    assert "Challenge an agent" not in own_pages.submission(newest).text
    possible = Challenging(closed="", left=3, agents=["alice"], opponents=[("Built-in agents", ["random"])], latest=[])
    drawn = own_pages.submission(newest, possible).text
    check_html(drawn)
    assert re.search('<input type="hidden" name="agent" value="alice">.*<option>random</option>', drawn, re.DOTALL)
    assert "It passed its check; a newer version plays now." in own_pages.submission(first).text


def test_an_author_whose_agent_has_not_entered_yet_reads_its_own_name(room: ManagedLadder) -> None:
    """With a roster, an agent has a public name only when it is recorded."""
    names = Names(roster.read("id,name,alias\n1,Dan D.,kestrel\n", "roster.csv"))
    with room.record.writing() as connection:
        state = SubmissionState.RECEIVED
        id = ladder.add_submission(
            connection, room.ladder.id, "dan", label="x.py", source=None, state=state, words="", now=NOW
        )
        found = own.document(connection, names.seen_by(Viewer(Role.STUDENT, 1, "dan")), room.ladder, id)
    assert found is not None
    assert found.agent == "dan"


@pytest.mark.parametrize(("what", "words"), [("withdraw", "is withdrawn"), ("quarantine", "is put aside")])
def test_a_version_of_an_agent_that_does_not_play_says_so(room: ManagedLadder, what: str, words: str) -> None:
    room.send("agent", agent="alice", what=what, reason="x")
    for view in submitted(room, "alice"):
        drawn = own_pages.submission(view).text
        assert f"agent {words}." in drawn
        assert "It waits for its first game" not in drawn


@pytest.mark.parametrize("author", ["alice", "dan"])
def test_the_last_version_plays_on_only_if_there_is_one(room: ManagedLadder, author: str) -> None:
    failed = SubmissionState.FAILED
    with room.record.writing() as connection:
        ladder.add_submission(
            connection, room.ladder.id, author, label="x.py", source=None, state=failed, words="x", now=NOW
        )
    drawn = own_pages.submission(submitted(room, author)[0]).text
    assert "hand it in again." in drawn
    assert ("your last version plays on" in drawn) == (author == "alice")


def test_what_is_wrong_with_an_agent_is_said_once(room: ManagedLadder) -> None:
    step = CheckStep(
        name=StepName.FOUND, light=Light.FAILED, seconds=0.1, message="line 1: no colon", advice="write one"
    )
    with room.record.writing() as connection:
        id = ladder.add_submission(
            connection,
            room.ladder.id,
            "dan",
            label="x.py",
            source=None,
            state=SubmissionState.RECEIVED,
            words="",
            now=NOW,
        )
        words = "found and importable: line 1: no colon; write one"
        steps = [to_builtins(step)]
        ladder.change_submission(connection, id, SubmissionState.FAILED, NOW, words=words, steps=steps)
    drawn = own_pages.submission(submitted(room, "dan")[0]).text
    assert drawn.count("line 1: no colon") == drawn.count("write one") == 1


def test_the_page_of_a_submission_links_to_its_agent_once_that_has_entered(room: ManagedLadder) -> None:
    with room.record.writing() as connection:
        ladder.add_submission(
            connection, room.ladder.id, "dan", label="", source=None, state=SubmissionState.RECEIVED, words="", now=NOW
        )
    to = 'href="/t/cs101/a/{}"'
    assert to.format("dan") not in own_pages.submission(submitted(room, "dan")[0]).text
    assert all(to.format("bob") in own_pages.submission(one).text for one in submitted(room, "bob"))


def test_first_games_are_called_as_in_the_list_of_games(room: ManagedLadder) -> None:
    with room.record.writing() as connection:
        Book(connection).play(Book(connection).tournament("cup", "tictactoe"), "tictactoe", ("eve", "fay"))
        versions = {name: hand_in(connection, room.ladder, name, "random") for name in ("dan", "eve")}
        play_pair(connection, room.ladder, versions, 1, Random(1))
    (view,) = submitted(room, "dan")
    first, _ = view.games
    assert first.id != first.number
    assert f'<a href="/g/{first.id}">Game {first.number}</a>' in own_pages.submission(view).text


def test_before_the_close_there_is_a_form(room: ManagedLadder) -> None:
    found = of(room, "dan")
    assert (found.is_closed, found.refused) == (False, "")
    drawn = form(found)
    assert re.search(r"Open until <time [^>]*>2026-12-12 08:00 UTC</time>\.", drawn)
    assert 'type="file"' in drawn
    assert "arena new my_agent.py --game tictactoe" in drawn
    assert "an agent has 5 s for all its moves." in drawn
    assert 'type="file"' not in form(found, no_hand_ins="Not here.")


def test_after_the_close_there_is_none_except_for_those_with_more_time(room: ManagedLadder) -> None:
    room.send("extend", author="dan", until="2026-12-20T12:00", reason="ill")
    after = room.ladder.closes + timedelta(hours=1)
    assert (of(room, "dan", after).is_closed, of(room, "dan", after).refused) == (False, "")
    found = of(room, "alice", after)
    assert found.is_closed
    drawn = form(found)
    assert re.search(r"Closed <time [^>]*>2026-12-12 08:00 UTC</time>\.", drawn)
    assert 'type="file"' not in drawn
    drawn = own_pages.author(room.links[0].account, found, (), no_hand_ins="").text
    check_html(drawn)
    assert "Closed" in drawn
    assert "Hand in an agent" not in drawn


def test_an_extension_that_was_taken_back_does_not_end_before_the_close(room: ManagedLadder) -> None:
    room.send("extend", author="dan", until="2026-12-20T12:00", reason="ill")
    room.send("take-back", author="dan")
    assert of(room, "dan").closes == room.ladder.closes


def test_an_author_whose_agent_was_withdrawn_is_told_whom_to_ask(room: ManagedLadder) -> None:
    room.send("agent", agent="alice", what="withdraw", reason="x")
    found = of(room, "alice", later(1))
    assert found.refused == "Your instructor has taken this agent out of the ladder; ask them."
    drawn = form(found)
    assert found.refused in drawn
    assert 'type="file"' not in drawn


def test_a_new_token_is_not_an_argument_of_a_command() -> None:
    drawn = own_pages.new_token("at_x", "http://127.0.0.1").text
    check_html(drawn)
    assert "export ARENA_SERVER=http://127.0.0.1\nexport ARENA_TOKEN=at_x\narena submit my_agent.py" in drawn
    assert "--token" not in drawn


@pytest.mark.parametrize(
    ("clock", "words"),
    [
        ("10+0.1", "an agent has 10 s for all its moves, and 0.1 s more after each move."),
        ("40/300", "an agent has 300 s for 40 moves."),
        ("move=2", "at most 2 s for each move."),
        ("60+3x10", "an agent has 60 s for all its moves, and then 3 periods of 10 s."),
        ("none", "there is no limit."),
    ],
)
def test_the_clock_is_said_in_words(room: ManagedLadder, clock: str, words: str) -> None:
    assert words in form(replace(of(room, "dan"), clock=clock))
