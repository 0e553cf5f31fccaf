"""From a Player to an Entrant, which the director can start.

A built-in agent speaks ZeroMQ itself; any other agent is copied to the store and gets a warden. An engine is started
once, to see that it is ready. A player that cannot play the game is refused here, before any game starts.
"""

from __future__ import annotations

from typing import Any

from adsearch import State
from agents.errors import CannotPlay
from arena.errors import BadFixture, BadPlayer
from arena.match.allowance import Allowance, WallKind
from arena.match.schedule import Entrant
from arena.players import builder
from arena.players.confinement import Confinement
from arena.players.player import Player, PlayerKind
from arena.players.submissions import Store


def built_in(text: str, name: str, start: State[Any]) -> Entrant:
    """An entrant for a built-in agent; BadFixture if it cannot play, AgentsError if `text` names none."""
    from agents import builtin  # here: it loads every search algorithm, 0.1 s

    try:
        builtin.check_can_play(text, start)
    except CannotPlay as error:
        raise BadFixture(str(error)) from None
    return Entrant(name, text, ("-m", "agents", text, "--connect", "-"), source=text)


def enter(
    player: Player,
    name: str,
    start: State[Any],
    store: Store,
    confinement: Confinement,
    *,
    walls: WallKind | None = None,
    allowance: Allowance | None = None,
) -> Entrant:
    """An entrant for `player`, with this `name`, in the game that starts at `start`.

    An agent that is not built in is confined as `confinement` says; `walls` and `allowance` replace its defaults."""
    if player.kind is PlayerKind.BUILTIN:
        return built_in(player.text, name, start)
    if player.kind in (PlayerKind.HUMAN, PlayerKind.WAIT):
        raise BadPlayer(f"'{player.text}' can only play in `arena play`, at a terminal")
    if player.engine is not None:
        from arena.players import engine_handshake  # here: it loads the rules of chess and Go

        engine_handshake.check_game(player.text, player.engine, confinement.rules)
    submission = builder.take(player, store)
    settings = confinement.warden_settings(name, submission, store, wanted=walls, allowance=allowance)
    if player.engine is not None:
        engine_handshake.check(player.text, player.engine, settings, confinement.rules, start.position())
    return Entrant(
        name,
        f"{name} {submission.hash}",
        ("-m", "arena.walls.warden"),
        settings,
        guarded=True,
        start=confinement.start_limit(allowance),
        walls=confinement.kinds[name],
        source=submission.hash,
    )
