"""A deadline that was given in a time zone is shown in it, and in UTC, on every page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.pages import event
from arena.pages.drawing import Document
from arena.serve import ladder as descriptions
from arena.serve import open_ladders
from arena.serve.submissions import refusal
from arena.web import own
from arena.web.pages import manage_page, own_pages
from db.records import in_zone
from tests.kit.ladder_record import CLOSES, DESCRIPTION
from tests.kit.managed_ladder import NOW, ManagedLadder, managed_ladder

BERLIN = "2026-12-25 23:59 Europe/Berlin (22:59 UTC)"


@pytest.fixture
def room(tmp_path: Path) -> Iterator[ManagedLadder]:
    """A ladder that closes when clocks in Berlin show one minute to midnight."""
    file = tmp_path / "cs101.toml"
    given = DESCRIPTION.replace(f"{CLOSES:%Y-%m-%dT%H:%M:%SZ}", '"2026-12-25 23:59 Europe/Berlin"')
    assert given != DESCRIPTION
    file.write_text(given, "utf-8")
    described = descriptions.read(file)
    with managed_ladder(str(tmp_path / "arena.db"), tmp_path) as room:
        with room.record.writing() as connection:
            open_ladders.updated(connection, described, rules=described.league.game, now=NOW)
            ladder = open_ladders.opened(connection, "cs101")
        yield replace(room, ladder=ladder)


def manage(room: ManagedLadder) -> Document:
    return manage_page.page(room.page(), room.people(), (), now=NOW, given={})


def test_it_is_the_same_moment_on_all_pages(room: ManagedLadder) -> None:
    assert room.ladder.closes == datetime(2026, 12, 25, 22, 59, tzinfo=UTC)
    with room.record.reading() as connection:
        theirs = own.own(connection, room.names, room.ladder, "dan", now=NOW)
        late = refusal(connection, room.ladder, "dan", room.ladder.closes + timedelta(hours=1))
    pages = {
        "me": own_pages.author(room.links[0].account, theirs, (), no_hand_ins=""),
        "hand in": own_pages.submit(theirs, no_hand_ins=""),
        "manage": manage(room),
    }
    for name, page in pages.items():
        assert BERLIN in page.text, name
        assert "23:59 UTC" not in page.text, name
    assert BERLIN in event.closing(room.ladder.closes, None, NOW)
    assert late.endswith(BERLIN)


def test_more_time_is_given_in_the_ladders_zone(room: ManagedLadder) -> None:
    room.send("extend", author="dan", until="2026-12-27 12:00", reason="ill")
    assert room.acts() == [("extended", "cs101: dan until 2026-12-27 11:00 UTC")]
    assert "2026-12-27 12:00 Europe/Berlin (11:00 UTC)" in manage(room).text
    assert "Until (Europe/Berlin)" in manage(room).text


def test_a_zone_that_this_machine_does_not_know_leaves_the_offset(room: ManagedLadder) -> None:
    assert in_zone(room.ladder.closes, "Europe/Nowhere") is room.ladder.closes
    assert in_zone(room.ladder.closes, "") is room.ladder.closes
