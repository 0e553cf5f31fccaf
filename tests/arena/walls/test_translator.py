"""Our own JSON lines: what an agent gets of each message, and which messages an agent cannot send."""

from __future__ import annotations

import json

import pytest

from agents.errors import BadMessage
from agents.protocol import ClockInfo, Failed, Hello, Over, Report, Start, Turn, Verdict, to_line
from arena.walls.guard import JsonLines

OPEN, HIDDEN = "tictactoe", "kuhn"


def started(rules: str = OPEN) -> JsonLines:
    lines = JsonLines()
    said = lines.say(Start(1, rules, 0, ("ann", "bob"), ClockInfo("none", None), 1, "", core=3))
    assert "core" not in json.loads(said)
    return lines


def keys(lines: JsonLines) -> set[str]:
    """What a turn has besides what every turn has."""
    said = lines.say(Turn(1, "id", 1, (), None, None, position="...", legal=("a1",), limit=10**9))
    return set(json.loads(said)) - {"type", "game", "id", "ply", "events", "left", "budget"}


def test_an_agent_gets_what_it_wants_and_nothing_for_hosts() -> None:
    lines = started()
    assert keys(lines) == {"position", "legal"}
    assert lines.hear(b'{"type":"hello","protocol":1,"wants":["legal"]}') == Hello(1, wants=("legal",))
    assert keys(lines) == {"legal"}


def test_where_something_is_hidden_the_position_always_comes() -> None:
    lines = started(HIDDEN)
    lines.hear(b'{"type":"hello","protocol":1,"wants":[]}')
    assert keys(lines) == {"position"}


def test_other_messages_are_sent_as_they_are() -> None:
    over = Over(1, (1.0, -1.0), Verdict.NORMAL, None, ())
    assert started().say(over) == to_line(over)


@pytest.mark.parametrize("message", [Failed(1, Verdict.TIME, "late"), Report(1)])
def test_an_agent_cannot_send_what_only_its_warden_sends(message: Failed | Report) -> None:
    with pytest.raises(BadMessage, match="only the server sends that"):
        started().hear(to_line(message))
