"""The table [ladder] of a description: what is read of it, and that every mistake is one clear error."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from adsearch import games
from agents import builtin
from arena.errors import BadLeague
from arena.serve.ladder import FORMATS, LADDER_KEYS, LIMIT_KEYS, OF_TOURNAMENTS, Anchor, HandInLimits, Ladder, read
from arena.tournament import league
from tests.kit.places import EXAMPLES, ROOT

PAGE = (ROOT / "docs" / "reference.md").read_text("utf-8")
SMALL = 'game = "connect4"\n[ladder]\ncloses = "2099-12-20T23:59+00:00"\n'
TWO_PLAYERS = [name for name in games.names() if games.start(name).players == 2]


def described(folder: Path, text: str) -> Ladder:
    """The ladder of this description."""
    path = folder / "cs101.toml"
    path.write_text(text, "utf-8")
    return read(path)


def wrong(folder: Path, text: str) -> str:
    """The error of this description, without its file."""
    with pytest.raises(BadLeague) as caught:
        described(folder, text)
    said = str(caught.value)
    assert said.isprintable()
    return said.removeprefix(f"{folder / 'cs101.toml'}: ")


def test_a_small_description_has_defaults_for_all_else(tmp_path: Path) -> None:
    found = described(tmp_path, SMALL)
    assert found.name == "cs101"
    assert found.opens is None
    assert found.closes == datetime(2099, 12, 20, 23, 59, tzinfo=UTC)
    assert found.limits == HandInLimits(pause=timedelta(minutes=5), burst=3, per_day=20)
    assert (found.agents, found.tournaments) == (1, ())
    assert [anchor.name for anchor in found.anchors[:2]] == ["random", "minimax:depth=1"]
    assert {anchor.rating for anchor in found.anchors} == {None}
    assert found.league.openings == 4
    assert (found.final.name, str(found.final.format)) == ("cs101 final", "round-robin")
    assert (found.final.conditions.clock, found.final.openings) == (found.league.conditions.clock, 4)


def test_the_ladder_of_make_serve_begins_at_once() -> None:
    found = read(EXAMPLES / "web-ladder" / "ladder.toml")
    assert found.league.games_at_once == 2
    assert all(anchor.rating is not None for anchor in found.anchors)  # else they play each other first


def test_a_whole_description_is_read(tmp_path: Path) -> None:
    found = described(
        tmp_path,
        """
        name = "club"
        game = "tictactoe"
        clock = "5"
        openings = 1
        [ladder]
        opens = "2099-11-01T09:00+00:00"
        closes = 2099-12-20T23:59:00Z
        anchors = { "random" = 0, "alphabeta:depth=2" = 420.5 }
        agents = 2
        [ladder.limits]
        pause = "90s"
        burst = 1
        per_day = 0
        [ladder.final]
        format = "knockout"
        best_of = 3
        clock = "20"
        [[ladder.tournament]]
        name = "friday"
        starts = "2099-11-20T18:00+00:00"
        format = "swiss"
        rounds = 5
        """,
    )
    assert found.opens == datetime(2099, 11, 1, 9, tzinfo=UTC)
    assert found.anchors == (
        Anchor("random", "random", 0.0),
        Anchor("alphabeta:depth=2", "alphabeta:depth=2", 420.5),
    )
    assert found.limits == HandInLimits(pause=timedelta(seconds=90), burst=1, per_day=0)
    assert (found.agents, found.league.openings) == (2, 1)
    assert (found.final.name, str(found.final.format), found.final.format.length) == (
        "club final",
        "knockout",
        "best of 3",
    )
    assert (found.final.conditions.clock, found.final.openings, found.league.conditions.clock) == ("20", 1, "5")
    (friday,) = found.tournaments
    assert (friday.name, friday.starts) == ("friday", datetime(2099, 11, 20, 18, tzinfo=UTC))
    assert (friday.league.name, str(friday.league.format), friday.league.format.length) == ("club friday", "swiss", "5")


@pytest.mark.parametrize(
    ("written", "time"),
    [("0", 0), ("45", 45), ('"90s"', 90), ('"5m"', 300), ('"1.5 h"', 5400), ('"1d"', 86400), ('"20"', 20)],
)
def test_a_pause_is_written_in_seconds_or_with_a_unit(tmp_path: Path, written: str, time: int) -> None:
    found = described(tmp_path, f"{SMALL}[ladder.limits]\npause = {written}\n")
    assert found.limits.pause == timedelta(seconds=time)


def test_a_day_alone_opens_at_its_start_and_closes_at_its_end(tmp_path: Path) -> None:
    found = described(tmp_path, 'game = "connect4"\n[ladder]\nopens = 2099-11-01\ncloses = 2099-11-01\n')
    assert found.opens is not None
    assert (found.opens.hour, found.opens.minute) == (0, 0)
    assert (found.closes.hour, found.closes.minute) == (23, 59)


@pytest.mark.parametrize("game", TWO_PLAYERS)
def test_every_game_of_two_has_default_anchors_that_can_play_it(tmp_path: Path, game: str) -> None:
    found = described(tmp_path, SMALL.replace("connect4", game))
    assert 2 <= len(found.anchors) <= 5
    for anchor in found.anchors:
        builtin.check_can_play(anchor.player_text, games.start(game))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('game = "connect4"', "expected a table [ladder] with the key closes"),
        ("[ladder]\ncloses = 2099-12-20 23:59", ", line 2: expected newline or end of document after a statement"),
        ("[ladder]\ncloses = 2099-12-20 23:59", "; write the time in quotes"),
        ('game = "connect4"\n[ladder]', "[ladder]: closes: missing; expected a time such as"),
        ('game = "conect4"\n[ladder]\ncloses = "2099-12-20"', "game: no game 'conect4'"),
        ('game = "ludo"\n[ladder]\ncloses = "2099-12-20"', "game: a ladder needs a game for 2 players, ludo is for 4"),
        (SMALL.replace("2099-12-20T", "soon "), "[ladder]: closes: expected a day, or a day and a time"),
        (SMALL + 'opens = "2100-01-01"', "[ladder]: closes: expected a time after the ladder opens, 2100-01-01 00:00"),
        (SMALL + "close = 1", "[ladder]: unknown key 'close'; did you mean 'closes'?"),
        (SMALL + "rounds = 2", "[ladder]: the key 'rounds' does not belong here: put it below [ladder.final]"),
        (SMALL + "agents = 0", "[ladder]: agents: expected a whole number from 1 to 100, got 0"),
        (SMALL + "anchors = []", "[ladder]: anchors: expected at least one built-in agent"),
        (SMALL + 'goals = { silver = "pvs" }', "[goals]: silver: expected an anchor (random, "),
        (SMALL + f'goals = {{ "{31 * "g"}" = "random" }}', "goals: expected names of 1 to 30 characters, got 'g"),
        (SMALL + "goals = 4", "goals: expected a table"),
        (SMALL + "anchors = 4", "[ladder]: anchors: expected a string or a list of strings"),
        (SMALL + 'anchors = ["my_agent.py"]', "[ladder]: anchors: expected built-in agents, got 'my_agent.py'"),
        (SMALL + 'anchors = ["random", "random"]', "[ladder]: anchors: expected each player once"),
        (SMALL + 'anchors = { random = "strong" }', "[ladder]: [anchors]: random: expected a number, got 'strong'"),
        (SMALL.replace("connect4", "pig") + 'anchors = ["minimax"]', "[ladder]: anchors: minimax cannot play pig"),
        ("rounds = 2\n" + SMALL, "rounds: does not belong here in a ladder: put it below [ladder.final]"),
        ('players = "*.py"\n' + SMALL, "players: a ladder lists no agents; authors hand them in with `arena submit`"),
        ('seeds = ["ann"]\n' + SMALL, "seeds: not possible in a ladder"),
        (
            SMALL + '[ladder.limits]\npause = "5 parsecs"',
            "[limits]: pause: expected a time such as '90s', '5m' or '2h'",
        ),
        (SMALL + '[ladder.limits]\npause = "40d"', "[limits]: pause: expected a time"),
        (SMALL + "[ladder.limits]\npause = -1", "[limits]: pause: expected a time"),
        (SMALL + "[ladder.limits]\nburst = 0", "[limits]: burst: expected a whole number from 1"),
        (SMALL + "[ladder.limits]\nday = 3", "[limits]: unknown key 'day'"),
        (
            SMALL + '[ladder.final]\nformat = "match"',
            "[final]: format: expected 'knockout' or 'round-robin' or 'swiss'",
        ),
        (
            SMALL + '[ladder.final]\ngame = "chess"',
            "[final]: the key 'game' does not belong here: put it above [ladder]",
        ),
        (SMALL + "[ladder.final]\nbest_of = 3", "[final]: best_of: not used with the format round-robin"),
        (SMALL + '[ladder.final]\nseeds = ["ann"]', "[final]: seeds: not possible in a ladder"),
        (SMALL + '[ladder.final]\nclock = "fast"', "[final]: clock: "),
        (SMALL + "[[ladder.tournament]]\nstarts = 2099-12-01", "tournament 1: name: missing"),
        (SMALL + '[[ladder.tournament]]\nname = "friday"', "tournament 1: starts: missing"),
        (SMALL + '[[ladder.tournament]]\nname = "Final"\nstarts = 2099-12-01', "tournament 1: name: expected a name"),
        (
            SMALL + '[[ladder.tournament]]\nname = "friday"\nstarts = 2100-12-01',
            "tournament 1: starts: expected a time while the ladder is open, got 2100-12-01",
        ),
        (SMALL + f'[[ladder.tournament]]\nname = "{60 * "x"}"\nstarts = 2099-12-01', "name of at most 64 characters"),
    ],
)
def test_a_mistake_is_refused_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    assert words in wrong(tmp_path, text)


def test_other_commands_read_the_conditions_of_a_ladder_as_those_of_a_tournament(tmp_path: Path) -> None:
    described(tmp_path, SMALL)
    found = league.read(tmp_path / "cs101.toml")
    assert (found.name, found.game, found.agents) == ("cs101", "connect4", ())


def test_a_ladder_shares_no_seed_with_its_tournaments(tmp_path: Path) -> None:
    section = PAGE.partition("\n### [ladder]\n")[2].partition("\n### ")[0]
    (example,) = re.findall(r"^```toml\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    ladder = described(tmp_path, f"seed = 7\nseats_key = 8\n{example}")
    assert (ladder.league.seed, ladder.league.seats_key) == (7, 8)
    for drawn in (ladder.final, *(one.league for one in ladder.tournaments)):
        assert (drawn.seed, drawn.seats_key) == (None, None)
    own = described(tmp_path, f"seed = 7\n{example}".replace("[ladder.final]", "[ladder.final]\nseed = 9"))
    assert own.final.seed == 9


def test_every_key_is_documented(tmp_path: Path) -> None:
    section = PAGE.partition("\n### [ladder]\n")[2].partition("\n### ")[0]
    (example,) = re.findall(r"^```toml\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert described(tmp_path, example).final.format.name == "swiss"
    ladder, limits, others = re.split("^#### .*", section, flags=re.MULTILINE)
    rows = [dict(re.findall(r"^\| `(\w+)` \| ([^|]*?) \|", part, re.MULTILINE)) for part in (ladder, limits, others)]
    assert {*rows[0], "limits", "final", "tournament"} == {*LADDER_KEYS}
    assert rows[1] == {"pause": '`"5m"`', "burst": "`3`", "per_day": "`20`"}
    assert {*rows[1]} == {*LIMIT_KEYS}
    assert {*rows[2]} == {"name", "starts"}
    assert {f"`{key}`" for key in OF_TOURNAMENTS} <= {*re.findall("`[^`]*`", others)}
    assert {f'`"{format}"`' for format in FORMATS} <= {*re.findall("`[^`]*`", others)}


def test_anchors_can_have_names(tmp_path: Path) -> None:
    assert described(tmp_path, SMALL + 'goals = { bronze = "random" }').goals == {"bronze": "random"}
