"""From a tournament to messages, and back to players: what a host needs to play, without any path of another machine.

Home names files by the hash of their source, and sends them; a host checks the hash, keeps them in a store of its own,
and makes its own players of them, behind walls of its own.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Final

from msgspec import structs

from adsearch import games
from adsearch.errors import quote
from arena import installation
from arena.errors import ArenaError
from arena.hosts.messages import AgentSent, Batch, FileSent, GameSent, Joining
from arena.match.allowance import WallKind
from arena.match.schedule import Entrant, Planned
from arena.players import versions
from arena.players.engines import split_engine
from arena.players.entrants import Confinement, enter
from arena.players.player import Player, PlayerKind
from arena.players.submissions import Store, built_as
from arena.tournament.tournament import Tournament
from db.audit import StoredVersion
from db.sources import HASH, StoredFile

_STORE: Final = "STORE/"
"""In rules that travel: the folder of the store."""
_STORED: Final = re.compile(re.escape(_STORE) + f"({HASH.pattern})")


class Sender:
    """What one run of a tournament sends to hosts."""

    def __init__(self, run: str, tournament: Tournament, store: Store) -> None:
        """ArenaError if the tournament needs something that is not sent to other machines."""
        league = tournament.league
        if (python := league.conditions.python) is not None:
            raise ArenaError(
                f"{league.name}: python = {quote(python)} is a program of this machine, and hosts use their own "
                "Python: leave it out"
            )
        self._store = store
        self._agents = {
            agent.name: AgentSent(
                agent.name, _started_as(agent.name, agent.player, source, store), source, agent.walls, agent.allowance
            )
            for agent in league.agents
            for source in [tournament.entrants[agent.name].source]
        }
        self._rules = tournament.confinement.rules.replace(f"{store.folder}/", _STORE)
        foreign = [agent for agent in league.agents if agent.player.kind is not PlayerKind.BUILTIN]
        self.joining = Joining(
            run=run,
            tournament=league.name,
            software=installation.software(league.game_text),
            game=league.game_text,
            rules=self._rules,
            seed=str(tournament.seed),
            seats_key=None if tournament.seats_key is None else str(tournament.seats_key),
            conditions=league.conditions,
            needed=tuple(sorted({walls_on_hosts(agent.walls, league.conditions.walls) for agent in foreign})),
            cores_a_game=league.cores_a_game,
        )

    def batch(self, key: str, planned: Sequence[Planned], has: Collection[str]) -> Batch:
        """The message for these games; `has`: the hashes of the sources that the host has been sent."""
        names = list(dict.fromkeys(entrant.name for game in planned for entrant in game.entrants))
        agents = [self._agents[name] for name in names]
        return Batch(
            self.joining.run,
            key,
            tuple(agents),
            tuple(
                GameSent(
                    game.number,
                    str(game.identity[0]),
                    game.leg,
                    game.attempt,
                    game.position,
                    game.opening,
                    tuple(names.index(entrant.name) for entrant in game.entrants),
                )
                for game in planned
            ),
            {
                source: tuple(
                    FileSent(name, file.content, file.executable) for name, file in self._store.read(source).items()
                )
                for source in _needed(agents, self._rules)
                if source not in has
            },
        )


class Receiver:
    """The games and players of one run, on a host."""

    def __init__(self, joining: Joining, store: Store, scratch: Path) -> None:
        self.joining = joining
        self._store = store
        self._scratch = scratch
        self._entrants: dict[AgentSent, Entrant] = {}
        self._confinement: Confinement | None = None

    def missing(self, batch: Batch) -> tuple[str, ...]:
        """Keeps the sources that came with the batch; the hashes of those that are missing all the same."""
        for source, files in batch.sources.items():
            self._store.keep(source, {file.name: StoredFile(file.content, file.executable) for file in files})
        needed = _needed(batch.agents, self.joining.rules)
        return tuple(source for source in needed if not (self._store.folder / source).is_dir())

    def planned(self, batch: Batch) -> list[Planned]:
        """The games of the batch; ArenaError if a player cannot play here. Its sources must be there."""
        about = self.joining
        rules = _STORED.sub(lambda found: f"{self._store.folder}/{found[1]}", about.rules)
        entrants = [self._entrant(agent, rules) for agent in batch.agents]
        return [
            Planned(
                number=game.number,
                game=about.game,
                rules=rules,
                entrants=tuple(entrants[place] for place in game.players),
                seed=int(about.seed),
                seats_key=None if about.seats_key is None else int(about.seats_key),
                identity=(game.pair,),
                leg=game.leg,
                attempt=game.attempt,
                conditions=about.conditions,
                position=game.position,
                opening=game.opening,
            )
            for game in batch.games
        ]

    def _entrant(self, agent: AgentSent, rules: str) -> Entrant:
        if agent not in self._entrants:
            terms = self.joining.conditions
            terms = structs.replace(terms, walls=walls_on_hosts(None, terms.walls))
            self._confinement = self._confinement or Confinement(self._scratch, rules, terms)
            version = StoredVersion(agent.name, 1, agent.source, agent.started_as)
            entrant = enter(
                versions.player_of(version, self._store),
                agent.name,
                games.start(rules),
                self._store,
                self._confinement,
                walls=agent.walls,
                allowance=agent.allowance,
            )
            if entrant.source != agent.source:
                raise ArenaError(
                    f"{agent.name} ({agent.started_as}) is another program here: install the version that the "
                    "tournament's machine has"
                )
            self._entrants[agent] = entrant
        return self._entrants[agent]


def walls_on_hosts(of_agent: WallKind | None, of_all: WallKind | None) -> WallKind:
    """The walls of an agent on a host: never weaker than a sandbox, unless the description says so."""
    return of_agent or of_all or WallKind.SANDBOX


def _needed(agents: Iterable[AgentSent], rules: str) -> list[str]:
    hashes = {agent.source for agent in agents if HASH.fullmatch(agent.source)}
    return sorted(hashes | {*_STORED.findall(rules)})


def _started_as(name: str, player: Player, source: str, store: Store) -> str:
    """How the agent is started, without folders: its files are in the store."""
    if player.kind is PlayerKind.BUILTIN:
        return player.text
    if player.kind is PlayerKind.FOLDER:
        return f"{name}/"
    if player.path is not None and player.kind is PlayerKind.FILE:
        return f"{player.path.name}:{player.class_name}" if player.class_name else player.path.name
    if player.path is not None:
        return built_as(store.folder / source)
    prefix = "cmd:"
    program = player.command[0]
    if player.engine is not None:
        protocol, words, _ = split_engine(player.text)
        prefix, program = f"{protocol}:", words[0]
    if "/" in program:
        raise ArenaError(
            f"{name}: the program {quote(program)} itself is not sent to other machines: put it on the PATH of "
            f"each and write {prefix}{Path(program).name}, or let `arena course collect` build it"
        )
    return f"{prefix}{shlex.quote(program)}"
