"""From a Player to an Entrant, which the director can start, and how one run confines agents that are not built in:
which walls, which limits, which files they can read.

A built-in agent speaks ZeroMQ itself; any other agent is copied to the store and gets a warden. An engine is started
once behind its walls, gets its settings, and must be ready: what is wrong with it is one clear message before the first
game, and loses no game.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from select import select
from time import monotonic
from typing import Any, Final

from msgspec import convert, to_builtins

from adsearch import State, form
from adsearch.errors import quote
from adsearch.form import Form
from adsearch.games import catalog
from agents.errors import BadMessage, CannotPlay
from agents.loading import ALLOWED
from agents.protocol import LIMITS, PROTOCOL, UNREAD_BYTES, Bye, ClockInfo, Failed, Hello, Ready, Start, Welcome
from arena import engines
from arena.engines import Engine, EngineOption
from arena.errors import BadFixture, BadPlayer
from arena.match.allowance import MEBIBYTE, Allowance, WallKind
from arena.match.clock import SECOND
from arena.match.conditions import HELLO_WITHIN, Conditions
from arena.match.schedule import Entrant
from arena.players import builder
from arena.players.player import Player, PlayerKind
from arena.players.submissions import Store, Submission
from arena.walls import file_access, library, probe, seccomp
from arena.walls.agent_process import AgentProcess
from arena.walls.jail import NoProgram, Walls
from arena.walls.warden_settings import WardenSettings


def built_in(text: str, name: str, start: State[Any], adsearch: Form | None) -> Entrant:
    """An entrant for a built-in agent that searches in this form (None: what is there); BadFixture if it cannot play,
    AgentsError if `text` names none."""
    from agents import builtin  # here: it loads every search algorithm, 0.1 s

    try:
        builtin.check_can_play(text, start)
    except CannotPlay as error:
        raise BadFixture(str(error)) from None
    return of_kit(text, name, adsearch)


def of_kit(text: str, name: str, adsearch: Form | None) -> Entrant:
    """An entrant without walls: a built-in agent, or a file of ours. BadPlayer if it cannot search in this form."""
    check_form(adsearch)
    options = library.options(adsearch)
    return Entrant(name, " ".join((text, *options)), (*options, "-m", "agents", text, "--connect", "-"), source=text)


def check_form(adsearch: Form | None) -> None:
    """BadPlayer if agents must search in the compiled form of adsearch, and this installation does not have it."""
    if adsearch == "compiled" and form.form() != adsearch:
        raise library.not_compiled("this installation", form.why_interpreted())


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
        return built_in(player.text, name, start, confinement.conditions.adsearch)
    if player.kind in (PlayerKind.HUMAN, PlayerKind.WAIT):
        raise BadPlayer(f"'{player.text}' can only play in `arena play`, at a terminal")
    if player.engine is not None:
        check_game(player.text, player.engine, confinement.rules)
    submission = builder.take(player, store)
    settings = confinement.warden_settings(name, submission, store, wanted=walls, allowance=allowance)
    if player.engine is not None:
        check(player.text, player.engine, settings, confinement.rules, start.position())
    return Entrant(
        name,
        " ".join((name, submission.hash, *library.options(confinement.conditions.adsearch))),
        ("-m", "arena.walls.warden"),
        settings,
        guarded=True,
        start=confinement.start_limit(allowance),
        walls=confinement.kinds[name],
        source=submission.hash,
    )


# The handshake with an engine before a run: it is started once behind its walls, gets its settings, and must be
# ready.


_SEED: Final = 1
_OF_XBOARD: Final = re.compile(r"(illegal|invalid) move|error \(", re.IGNORECASE)
"""What engines of the protocol xboard answer to a command that they do not know."""
_EXITS_WITHIN: Final = 5.0
"""Seconds to wait for the exit code of a program that has closed its stdout."""
_LOOKS_EVERY: Final = 0.025
"""Seconds between two looks at what the engine uses."""


def check_game(text: str, engine: Engine, rules: str) -> None:
    """BadPlayer if engines of this protocol do not play the game."""
    game = catalog.find(rules)[0].name
    expected = engines.find(engine.protocol).game
    if game != expected:
        raise BadPlayer(f"{quote(text)} is an engine for {expected}: it cannot play {game}")


def options_of(player: Player, engine: Engine, position: str) -> list[EngineOption]:
    """The options that the player's engine says it has: it is started behind walls and ended. BadPlayer if it
    cannot play a game from this position."""
    protocol = engines.find(engine.protocol)
    if protocol.unlisted:
        raise BadPlayer(f"{quote(player.text)}: {protocol.unlisted}")
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder, "run", "scratch")
        scratch.mkdir(parents=True)
        store = Store(Path(folder, "store"))
        settings = Confinement(scratch, protocol.game).warden_settings(player.name, store.take(player), store)
        return check(player.text, engine, settings, protocol.game, position)


def check(text: str, engine: Engine, settings: Mapping[str, Any], rules: str, position: str) -> list[EngineOption]:
    """Starts the engine as its warden will, from the same `settings`, and ends it; BadPlayer if it cannot play.

    Returns the options that the engine says it has."""
    warden = convert({**settings, "address": "", "token": ""}, WardenSettings)
    try:
        process = AgentProcess.start(warden.command, warden.walls, Path(warden.scratch))
    except NoProgram as error:
        raise BadPlayer(f"{quote(text)} cannot be started: {error.strerror or error}") from None
    try:
        return _Handshake(text, warden, engine, process).run(rules, position)
    finally:
        process.kill()


class _Handshake:
    def __init__(self, text: str, warden: WardenSettings, engine: Engine, process: AgentProcess) -> None:
        self._text = text
        self._engine = engine
        self._process = process
        self._memory = warden.walls.allowance.memory
        self._seconds = (warden.start + warden.ready) / SECOND
        self._translator = engines.find(engine.protocol).translator(engine)
        self._greeted = False
        # Bytes of the lines that it has written.
        self._written = 0

    def run(self, rules: str, position: str) -> list[EngineOption]:
        """Returns when the engine is ready for a game with these rules; the options that it says it has."""
        start = Start(1, rules, 0, ("", ""), ClockInfo("none", None), _SEED, position)
        self._process.write(self._translator.say(start))
        look_at = monotonic()
        give_up = look_at + self._seconds
        while not self._is_ready():
            left = max(0, give_up - monotonic())
            if self._process.stdout_ended:
                if (ended := self._process.ended()) is not None:
                    select([ended], [], [], min(left, _EXITS_WITHIN))
                self._refuse(self._process.how_it_ended()[1])
            if left <= 0:
                self._refuse(f"did not answer within {self._seconds:.0f} s")
            pipes = self._process.readers()
            writer = self._process.writer()
            readable, writable, _ = select(pipes, [] if writer is None else [writer], [], min(left, _LOOKS_EVERY))
            if look_at <= monotonic():
                look_at = monotonic() + _LOOKS_EVERY
                self._process.meter.look()
                if (excess := self._process.excess()) is not None:
                    self._refuse(excess[1])
            if writable:
                self._process.flush()
            if readable:
                self._process.read_log()
                self._process.read()
        self._process.write(self._translator.say(Bye()))
        return self._translator.listed()

    def _is_ready(self) -> bool:
        """Takes the lines that have come; whether the engine is ready."""
        while (line := self._process.next_line()) is not None:
            self._written += len(line) + 1
            if self._written > UNREAD_BYTES:
                self._refuse(f"wrote more than {UNREAD_BYTES} bytes that nobody asked for")
            if not line.strip():
                continue
            try:
                message = self._translator.hear(line)
            except BadMessage as error:
                self._refuse(str(error))
            match message:
                case Ready():
                    return True
                case Hello():
                    self._greeted = True
                    if self._memory is not None and (wrong := self._translator.needs_too_much(self._memory)):
                        raise BadPlayer(f"{quote(self._text)}: {wrong}")
                    self._process.write(self._translator.say(Welcome(PROTOCOL, LIMITS)))
                case Failed():
                    raise BadPlayer(f"{quote(self._text)}: {message.detail}")
                case str() if not self._greeted and _OF_XBOARD.match(message):
                    self._refuse(f"answered {quote(message)}, as engines for xboard do, which arena does not speak")
                case str() if not self._greeted and _knows_no_command(message):
                    self._refuse(f"answered {quote(message)}")
        return False

    def _refuse(self, what: str) -> None:
        """BadPlayer: the program is not ready."""
        protocol = self._engine.protocol
        if self._greeted:
            raise BadPlayer(f"{quote(self._text)} is not ready for a game: it {what}")
        ours = engines.ours().values()
        others = (f"'{one.name}:' if it is an engine for {one.game}" for one in ours if one.name != protocol)
        raise BadPlayer(
            f"{quote(self._text)} does not speak {protocol.upper()}: it {what}; look for an argument that it needs, "
            f"or write {', '.join(others)}"
        )


def _knows_no_command(text: str) -> bool:
    """Whether the line is what programs answer to a command that they do not know."""
    return text.startswith("?") or "unknown command" in text.lower()


# How one run confines agents that are not built in: which walls, which limits, and which files they can read.


_DEFAULT: Final = Conditions()


class Confinement:
    """The limits and walls of all agents of a run, and from them the settings of each agent's warden."""

    def __init__(
        self, scratch: Path, rules: str, conditions: Conditions = _DEFAULT, *, traffic: Path | None = None
    ) -> None:
        """`scratch`: a new folder of this run, in which each agent gets its own; `rules`: the game, with files in the
        store; `traffic`: a folder for the whole traffic with engines, if it is to be kept."""
        self._traffic = traffic
        self.conditions = conditions
        self._scratch = scratch
        self.rules = rules
        # The walls of each agent, by name.
        self.kinds: dict[str, WallKind] = {}
        self._allowances: dict[str, Allowance] = {}
        # Warnings about this machine, for instructors.
        self.warnings: list[str] = []

    def wall_kind(self, wanted: WallKind | None = None) -> WallKind:
        """The walls of an agent that `wanted` this kind (None: the run's kind); ArenaError if they do not hold here."""
        offer = probe.chosen(wanted or self.conditions.walls)
        if offer.kind is WallKind.LIMITS and not self.warnings:
            reason = f" ({offer.why}{f'; {offer.advice}' if offer.advice else ''})" if offer.why else ""
            self.warnings.append(f"agents are behind limits only{reason}: {probe.LIMITS_MEAN}. See: arena doctor")
        return offer.kind

    def warden_settings(
        self,
        name: str,
        submission: Submission,
        store: Store,
        *,
        wanted: WallKind | None = None,
        allowance: Allowance | None = None,
    ) -> dict[str, Any]:
        """The settings of this agent's warden; `wanted` and `allowance` replace those of the run."""
        kind = self.wall_kind(wanted)
        allowance = allowance or self.conditions.allowance
        is_kept = self.conditions.reuse or (submission.engine is not None and self.conditions.keep_engines)
        command, walls = self._walls(submission, store, kind, allowance, is_kept=is_kept)
        self.kinds[name] = kind
        self._allowances[name] = allowance
        return {
            "name": name,
            "command": command,
            "scratch": str(self._scratch),
            "fresh": not is_kept,
            "start": self.start_limit(allowance),
            "ready": self.conditions.limits.ready,
            "ponder": self.conditions.ponder,
            "walls": to_builtins(walls),
            "engine": to_builtins(submission.engine),
            "traffic": "" if self._traffic is None else str(self._traffic),
        }

    def _walls(
        self, submission: Submission, store: Store, kind: WallKind, allowance: Allowance, *, is_kept: bool
    ) -> tuple[tuple[str, ...], Walls]:
        """The command that starts the agent, and its walls: readable and hidden files, environment, filter."""
        command = submission.command
        readable = [str(submission.source)]
        environment: dict[str, str] = {}
        hidden = [str(store.folder), str(self._scratch.parent)]
        # A user-supplied game is in the store, too.
        readable += re.findall(re.escape(f"{store.folder}/") + "[0-9a-f]{64}", self.rules)
        if submission.kind is PlayerKind.COMMAND:
            readable += file_access.of_program(command)
        else:
            command = (*self._library.command, *command)
            readable += self._library.readable
            environment["PYTHONPATH"] = os.pathsep.join(self._library.path)
        if self.conditions.modules is not None:
            hidden += self._library.hidden
            environment[ALLOWED] = ", ".join(self.conditions.modules)
        walls = Walls(
            kind,
            allowance,
            cpu=None if is_kept else Walls().cpu,
            environment=environment,
            readable=tuple(dict.fromkeys(readable)),
            beside=_folder_of(submission),
            hidden=tuple(hidden),
            filter=seccomp.compiled(kind),
        )
        return command, walls

    def check(self) -> None:
        """As `check_form`, also of the Python that runs the agents."""
        check_form(self.conditions.adsearch)
        if self.conditions.adsearch == "compiled":
            _ = self._library

    def start_limit(self, allowance: Allowance | None = None) -> int:
        """Nanoseconds that an agent's program can take to start."""
        start = (allowance or self.conditions.allowance).start
        return HELLO_WITHIN if start is None else start

    def described(self, name: str) -> str:
        """A sentence that says how that agent is confined."""
        kind = self.kinds[name]
        allowance = self._allowances[name]
        means = _MEANS[kind]
        if allowance.disk:
            means = means.replace("writes nothing", f"writes at most {allowance.disk / MEBIBYTE:.0f} MiB")
        memory = "" if allowance.memory is None else f", uses at most {allowance.memory / MEBIBYTE:,.0f} MiB of memory"
        paused = "" if self.conditions.ponder else ", and is paused when it is not its turn"
        return f"{name} is confined ({kind}): {means}{memory}{paused}"

    @cached_property
    def _library(self) -> library.Library:
        folder = Path(tempfile.mkdtemp(prefix="library-", dir=self._scratch.parent))
        terms = self.conditions
        return library.lay_out(
            folder, python=terms.python, modules=terms.modules, rules=self.rules, adsearch=terms.adsearch
        )


def _folder_of(submission: Submission) -> str:
    """The folder of an agent's program in the store; empty for an agent that has no file there."""
    words = (entry for word in submission.command for entry in word.split(os.pathsep))  # a class path has several
    own = next((word for word in words if word.startswith(f"{submission.source}/")), "")
    return own if os.path.isdir(own) else os.path.dirname(own)


_MEANS: Final = {
    WallKind.LIMITS: "it runs as this user, within limits",
    WallKind.SANDBOX: "it reads its own source and Python, writes nothing, has no network and no other process",
    WallKind.CONTAINER: "it reads its own source and programs, writes nothing that stays, has no network",
}
