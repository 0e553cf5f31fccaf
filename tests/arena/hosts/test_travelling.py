"""What travels to a host: sources by their hash, no path; and what the host makes of it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from adsearch import form
from adsearch.form import INTERPRETED
from arena import installation
from arena.errors import ArenaError
from arena.hosts.messages import Batch, FileSent, Joining, received, sent
from arena.hosts.travelling import Receiver, Sender
from arena.match.allowance import WallKind
from arena.match.schedule import Planned
from arena.players.submissions import Store
from arena.tournament import league as leagues
from arena.tournament.tournament import Tournament
from arena.walls import probe
from arena.walls.run_folder import RunFolder
from db.database import Database
from tests.kit import needs

_AGENT = "from agents import Agent\n\n\nclass Mine(Agent):\n    def choose(self, state, clock):\n        return 0\n"
_OTHER = _AGENT.replace("Mine", "Other")
_GAME = "from adsearch.games.tictactoe import TicTacToe\n\n\nclass MyGame(TicTacToe):\n    pass\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent_of_ann.py").write_text(_AGENT + _OTHER.partition("\n\n\n")[2], "utf-8")
    (tmp_path / "bob").mkdir()
    (tmp_path / "bob" / "agent.py").write_text(_AGENT, "utf-8")
    (tmp_path / "my_game.py").write_text(_GAME, "utf-8")
    return tmp_path


@contextmanager
def begun(
    folder: Path, *players: str, game: str = "tictactoe", **settings: object
) -> Iterator[tuple[Sender, list[Planned]]]:
    """What a tournament of these players sends, and its games."""
    with Database(str(folder / "arena.db")) as database, RunFolder() as running:
        league = leagues.from_arguments(game, players, **settings)
        store = Store(folder / "store")
        tournament = Tournament.begin(league, database, store, scratch=running.scratch, wait=print)
        try:
            sender = Sender("run", tournament, store)
            yield sender, list(iter(tournament.next, None))
        finally:
            tournament.close()


@contextmanager
def arrived(sender: Sender, games: list[Planned]) -> Iterator[tuple[Receiver, Batch, bytes]]:
    """What comes to a host of it, with all games in one batch."""
    with RunFolder() as running:
        data = [sent(sender.joining), sent(sender.batch("key", games, ()))]
        receiver = Receiver(received(data[0], Joining), Store(running.path / "store"), running.scratch)
        yield receiver, received(data[1], Batch), b"".join(data)


def test_a_host_makes_the_same_games_of_what_it_is_sent_and_no_path_travels(folder: Path) -> None:
    players = ("agent_of_ann.py:Other", str(folder / "bob"), "greedy")
    with (
        begun(folder, *players, game="my_game.py:MyGame", openings=1) as (sender, games),
        arrived(sender, games) as (host, batch, data),
    ):
        assert str(folder).encode() not in data
        assert str(Path.home()).encode() + b"/" not in data
        assert len(batch.sources) == 3
        assert host.missing(batch) == ()
        planned = host.planned(batch)
        same = ("number", "seed", "identity", "leg", "attempt", "conditions", "opening")
        for ours, theirs in zip(games, planned, strict=True):
            assert [getattr(ours, name) for name in same] == [getattr(theirs, name) for name in same]
            assert [each.key for each in ours.entrants] == [each.key for each in theirs.entrants]
            for entrant in theirs.entrants:
                assert str(folder) not in str(entrant.settings)
        assert planned[0].rules.endswith("/my_game.py:MyGame")
        assert str(folder) not in planned[0].rules
        commands = {str(entrant.settings.get("command", ""))[-30:] for game in planned for entrant in game.entrants}
        assert any("agent_of_ann.py:Other" in command for command in commands)


def test_sources_that_are_missing_or_changed_are_noticed(folder: Path) -> None:
    with begun(folder, "agent_of_ann.py:Mine", "greedy") as (sender, games), arrived(sender, games) as (host, batch, _):
        (source,) = batch.sources
        without = Batch(batch.run, batch.key, batch.agents, batch.games, {})
        assert host.missing(without) == (source,)
        for wrong in ((FileSent("agent_of_ann.py", b"other", False),), (FileSent("../out.py", b"", False),), ()):
            changed = Batch(batch.run, batch.key, batch.agents, batch.games, {source: wrong})
            with pytest.raises(ArenaError, match="expected the files of the submission"):
                host.missing(changed)


@pytest.mark.parametrize(
    ("players", "settings", "wrong"),
    [
        (("cmd:./engine", "random"), {}, "the program './engine' itself is not sent to other machines"),
        (("agent_of_ann.py:Mine", "random"), {"python": sys.executable}, "is a program of this machine"),
    ],
)
def test_what_cannot_travel_is_refused_before_the_first_game(
    folder: Path, players: tuple[str, ...], settings: dict[str, Any], wrong: str
) -> None:
    (folder / "engine").write_text("#!/bin/sh\n", "utf-8")
    (folder / "engine").chmod(0o755)
    with pytest.raises(ArenaError, match=wrong), begun(folder, *players, **settings):
        pass


def test_another_program_of_the_same_name_does_not_play(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / "bin" / "engine"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n', "utf-8")
    program.chmod(0o755)
    with (
        begun(folder, "cmd:engine bob/agent.py", "random") as (sender, games),
        arrived(sender, games) as (host, batch, _),
    ):
        assert host.missing(batch) == ()
        assert len(host.planned(batch)) == 2
        program.write_text("#!/bin/sh\n", "utf-8")
        host._entrants.clear()
        with pytest.raises(ArenaError, match=r"engine \(cmd:engine\) is another program here"):
            host.planned(batch)


def test_agents_on_hosts_search_in_the_form_of_the_tournament(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason=needs.extra("scale"))
    from arena.hosts.game_host import GameHost

    host = GameHost(1)
    monkeypatch.setattr(form, "form", lambda: "interpreted")
    with (
        begun(folder, "agent_of_ann.py:Mine", "greedy") as (sender, games),
        arrived(sender, games) as (receiver, batch, _),
    ):
        assert host._why_not(sender.joining) == ""
        assert receiver.missing(batch) == ()
        for entrant in receiver.planned(batch)[0].entrants:
            assert INTERPRETED in entrant.settings.get("command", entrant.arguments)
    monkeypatch.setattr(form, "form", lambda: "compiled")
    with begun(folder, "random", "greedy") as (sender, _):
        assert host._why_not(sender.joining) == ""
        monkeypatch.setattr(form, "form", lambda: "interpreted")
        assert "but it cannot search compiled" in host._why_not(sender.joining)
    host._bell.close()
    host._rope.close()


def test_hosts_refuse_walls_that_do_not_hold_another_version_and_too_few_cores(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason=needs.extra("scale"))
    from arena.hosts.game_host import GameHost

    host = GameHost(1)
    with begun(folder, "agent_of_ann.py:Mine", "random") as (sender, _):
        assert sender.joining.needed == (WallKind.SANDBOX,)
        monkeypatch.setattr(probe, "offer", lambda kind: probe.Offer(kind, False, "no Landlock", "update Linux"))
        assert host._why_not(sender.joining) == "it offers no sandbox (no Landlock); update Linux"
    with begun(folder, "greedy", "random", ponder=True) as (sender, _):
        assert sender.joining.needed == ()
        assert "ponder = true needs 2 cores for each game" in host._why_not(sender.joining)
        monkeypatch.setattr(installation, "software", lambda _: "arena-referee 0.1")
        assert host._why_not(sender.joining).startswith("it has arena-referee 0.1, and the tournament arena-referee ")
    host._bell.close()
    host._rope.close()
