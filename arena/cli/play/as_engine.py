"""`arena engine uci` and `arena engine gtp`: an agent of chess or Go as an engine for other programs.

The other program starts this process and reads its stdout, so nothing else is printed there. The agent runs in this
process, as in `arena replay --debug`: without a sandbox, with the user's permissions.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from adsearch import games
from arena.cli.asking.record_options import DatabaseOption, TrustOption, named_players
from arena.errors import BadPlayer, UntrustedCode
from arena.players.player import Player, PlayerKind, loaded

if TYPE_CHECKING:
    from agents.agent import Agent
    from arena.as_engine.host import EngineHost

EngineArgument = Annotated[
    str,
    typer.Argument(
        metavar="AGENT", help="Built-in agent, FILE.py, FILE.py:CLASS, folder, recorded agent or 'cmd:PROGRAM'."
    ),
]


def uci(agent: EngineArgument, trust_rules: TrustOption = False, db: DatabaseOption = None) -> None:
    """Run an agent of chess as a UCI engine, for chess programs such as cutechess, fastchess or lichess-bot.

    Give the chess program this command. The agent is not confined: it has your permissions.

    Example: arena engine uci my_agent.py

    Example: arena engine uci pvs:depth=4
    """
    from agents import builtin
    from agents.streams import claim
    from arena.as_engine.program import Wire
    from arena.as_engine.uci import GAME, Uci

    player = _player(agent, db, trust=trust_rules)
    _greet(player, GAME, "UCI", "uci")
    streams = claim()
    known = builtin.find(player.text) if player.kind is PlayerKind.BUILTIN else None
    host = _host(player, GAME)
    _serve(host, Uci(host, Wire(streams), builtin=known).run)


def gtp(agent: EngineArgument, trust_rules: TrustOption = False, db: DatabaseOption = None) -> None:
    """Run an agent of Go as a GTP engine, for Go programs such as GoGui or Sabaki.

    Give the Go program this command. The agent is not confined: it has your permissions.

    Example: arena engine gtp my_agent.py

    Example: arena engine gtp mcts:seconds=2
    """
    from agents.streams import claim
    from arena.as_engine.gtp import GAME, Gtp
    from arena.as_engine.program import Wire

    player = _player(agent, db, trust=trust_rules)
    _greet(player, GAME, "GTP", "list_commands")
    streams = claim()
    host = _host(player, GAME)
    _serve(host, Gtp(host, Wire(streams)).run)


def _greet(player: Player, game: str, protocol: str, command: str) -> None:
    """Says so if the agent's own file names another game than the one that it is going to play, and on a terminal what
    can be typed."""
    from arena.student.checking.agent_lookup import named_game

    with suppress(BadPlayer):
        if (named := named_game(player)).partition(":")[0] != game:
            print(f"arena: warning: {player.text} names the game {named}, and plays {game} here", file=sys.stderr)
    if sys.stdin.isatty():
        print(
            f"arena: reading {protocol} commands from stdin, such as '{command}'; end with 'quit' or Ctrl-D",
            file=sys.stderr,
        )


def _serve(host: EngineHost, run: Callable[[], None]) -> None:
    """Runs the engine until the other program has no more commands; then this process ends, whatever the agent does."""
    from arena.as_engine.host import end_process_soon

    with suppress(BrokenPipeError):
        run()
    end_process_soon()
    host.new_game()


def _player(text: str, db: str | None, *, trust: bool) -> Player:
    """The player that `text` names; BadPlayer or UntrustedCode if it cannot run in this process."""
    from arena.players import own_sources
    from arena.players.own_sources import OwnSource

    ((player, version),) = named_players([text], db)
    if player.kind in (PlayerKind.HUMAN, PlayerKind.WAIT) or player.engine is not None:
        raise BadPlayer(f"expected an agent that is a built-in, a file, a folder or cmd:PROGRAM, got {text!r}")
    if player.language is not None:
        raise BadPlayer(f"{player.text}: build it first, and write cmd: and the command that runs it")
    own = version is None or player.kind is PlayerKind.BUILTIN or own_sources.is_noted(OwnSource.AGENT, version.source)
    if not own and not trust:
        raise UntrustedCode(
            f"{text} was not recorded by this account, and this command runs it without a sandbox; if you trust its "
            "author, add --trust-rules"
        )
    return player


def _host(player: Player, game: str) -> EngineHost:
    """The host of the agent; a Python file is executed now, and its first agent is created."""
    from agents import hosting
    from arena.as_engine.host import EngineHost

    make = _maker(player, game)
    try:
        return EngineHost(make, player.name)
    except Exception as error:
        hosting.show(error)
        raise BadPlayer(f"{player.text}: the agent cannot be created: {type(error).__name__}: {error}") from None


def _maker(player: Player, game: str) -> Callable[[], Agent]:
    from agents import builtin
    from arena.as_engine.program import ProgramAgent
    from arena.players.submissions import find_program

    if player.kind is PlayerKind.BUILTIN:
        builtin.check_can_play(player.text, games.start(game))
        # Built-in agents create no cycles.
        gc.disable()
        return builtin.find(player.text).make
    if player.kind is PlayerKind.COMMAND:
        program = str(find_program(player.command[0]))
        return lambda: ProgramAgent((program, *player.command[1:]))
    return loaded(player)
