"""Every way of misbehaving, with the real referee: it costs the misbehaving player its game, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial

import pytest

from agents.protocol import Verdict
from arena.match.clock import SECOND
from arena.match.conditions import Conditions, Limits
from arena.match.schedule import Entrant, Finished, InOrder, Planned
from arena.play.director import Director
from arena.walls.run_folder import RunFolder
from arena.walls.usage import descendants
from tests.bad_agents import OVER_STDIO, OVER_ZEROMQ, BadAgent
from tests.kit import check_messages

BAD_AGENTS = (*OVER_STDIO, *OVER_ZEROMQ)
OPPONENT = Entrant("good", "alphabeta:depth=2", ("-m", "agents", "alphabeta:depth=2", "--connect", "-"))
ORDINARY_GAMES = 20


def entrant(agent: BadAgent, folder: RunFolder, other_token: str) -> Entrant:
    if agent.transport == "zeromq":
        _, *arguments = agent.command
        if agent.verdict in (Verdict.UNREADY, Verdict.TIME):
            # The referee waits longer for a host of ours, because the machine may be too slow for it.
            return Entrant(str(agent), f"zeromq {agent}", invite=partial(start_by_hand, agent, other_token))
        return Entrant(str(agent), f"zeromq {agent}", tuple(arguments), {"other": other_token})
    patience = int(agent.patience * SECOND)
    orders = {"name": str(agent), "command": agent.command, "scratch": str(folder.scratch)}
    return Entrant(
        str(agent),
        f"stdio {agent}",
        ("-m", "arena.walls.warden"),
        orders | {"start": patience, "ready": patience},
        guarded=True,
    )


def start_by_hand(agent: BadAgent, other_token: str, address: str, token: str) -> None:
    """The process exits with the referee, or when its stdin ends, which is when this process ends."""
    process = subprocess.Popen([sys.executable, *agent.command[1:]], stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(json.dumps({"address": address, "token": token, "other": other_token}).encode() + b"\n")
    process.stdin.flush()
    BY_HAND.append(process)


BY_HAND: list[subprocess.Popen[bytes]] = []


def planned(number: int, agent: BadAgent, first: Entrant) -> Planned:
    patience = int(agent.patience * SECOND)
    return Planned(
        number,
        "tictactoe",
        "tictactoe",
        (first, OPPONENT),
        seed=1,
        identity=(str(agent), agent.transport),
        conditions=Conditions(
            clock=agent.clock,
            limits=Limits(hello=patience if "sit down" in agent.words else 10 * SECOND, ready=patience),
        ),
    )


@pytest.fixture(scope="module")
def played() -> list[Finished]:
    """Each game as it finished."""
    return play()


def play() -> list[Finished]:
    """Plays all of them, four games at the same time, with ordinary games in between; each game as it finished."""
    before = descendants(os.getpid())
    with RunFolder() as folder:
        with Director(folder, at_once=4) as director:
            ordinary = [
                Planned(1000 + n, "connect4", "connect4", (OPPONENT, OPPONENT), 1, (n,)) for n in range(ORDINARY_GAMES)
            ]
            (first,) = director.play(InOrder(ordinary[:1]))
            assert isinstance(first, Finished)
            token = next(iter(director._crew._players))
            games = [
                planned(number, agent, entrant(agent, folder, token)) for number, agent in enumerate(BAD_AGENTS, 1)
            ]
            for place, game in enumerate(ordinary[1:]):
                games.insert(place * 4, game)
            finished = [first, *(event for event in director.play(InOrder(games)) if isinstance(event, Finished))]
            assert not list(folder.scratch.iterdir()), "an agent's folder is left"
        for process in BY_HAND:
            process.kill()
            process.communicate()
        assert descendants(os.getpid()) <= before, "a process is left"
        return finished


@pytest.fixture(scope="module")
def attack_run(played: list[Finished]) -> dict[int, Finished]:
    """The last attempt at each game, by number."""
    return {event.game.number: event for event in played}


@pytest.mark.parametrize("number", range(1, len(BAD_AGENTS) + 1), ids=lambda number: str(BAD_AGENTS[number - 1]))
def test_misbehaving_costs_the_misbehaving_players_game(attack_run: dict[int, Finished], number: int) -> None:
    agent, record = BAD_AGENTS[number - 1], attack_run[number].record
    assert record.verdict == agent.verdict, record.detail
    assert record.fault == (0 if agent.at_fault else None)
    assert agent.words in record.detail
    if agent.at_fault:
        assert [seat.points for seat in record.seats] == [0.0, 1.0]
    assert (record.seats[1].spent or 0) < 5 * SECOND, "the opponent's clock has paid for it"


def test_every_bad_agent_gets_its_message(attack_run: dict[int, Finished]) -> None:
    """The messages of `arena check`. After a change on purpose: python -m tests.kit.check_messages"""
    recorded = {
        name: words for name, words in check_messages.recorded().items() if name.startswith(("stdio: ", "zeromq: "))
    }
    assert check_messages.of_bad_agents(attack_run.values()) == recorded


def test_the_other_games_go_on(attack_run: dict[int, Finished]) -> None:
    for number in range(1000, 1000 + ORDINARY_GAMES):
        record = attack_run[number].record
        assert (record.verdict, record.fault) == (Verdict.NORMAL, None), record.detail


def test_every_game_was_played_until_it_counted(played: list[Finished]) -> None:
    """A game that was lost because the machine was busy is void, and played again."""
    verdicts: dict[int, list[Verdict]] = {}
    for event in played:
        verdicts.setdefault(event.game.number, []).append(Verdict(event.record.verdict))
        assert event.game.attempt == len(verdicts[event.game.number])
    assert len(verdicts) == len(BAD_AGENTS) + ORDINARY_GAMES
    for of_one in verdicts.values():
        assert [verdict is Verdict.VOID for verdict in of_one] == [True] * (len(of_one) - 1) + [False]
