"""Runs every attacker once, under a real director, in a separate process. One such run is called an attack_run.

    python -m tests.attacks.attack_run KIND

The process runs as the user that started it and keeps all files in its TMPDIR. It writes one JSON document to stdout:
the result of each game, and what was left behind.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import secrets
import select
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

import adsearch
from adsearch import games
from arena.errors import ArenaError
from arena.match.allowance import MEBIBYTE, Allowance, WallKind
from arena.match.clock import SECOND
from arena.match.conditions import Conditions
from arena.match.schedule import Entrant, Finished, InOrder, Planned
from arena.play.director import Director
from arena.players.entrants import Confinement, enter
from arena.players.player import read_player
from arena.players.submissions import Store
from arena.walls.run_folder import RunFolder
from arena.walls.usage import LINUX, descendants
from db.records import GameRecord
from tests.attacks import ATTACKS, ORDINARY, Attack, Way

ATTACKERS: Final = Path(__file__).with_name("attackers")
ORDINARY_GAMES: Final = 8
AT_ONCE: Final = 4
_USUAL: Final = "alphabeta:depth=2"
_THINKER: Final = "alphabeta:seconds=0.2"
_PR_SET_CHILD_SUBREAPER: Final = 36
_SMALL: Final = Allowance(memory=256 * MEBIBYTE, disk=64 * MEBIBYTE)


class Played(Struct, frozen=True):
    """One game as it finished."""

    name: str
    attempt: int
    verdict: str
    fault: int | None
    detail: str
    points: tuple[float | None, ...]
    spent: tuple[int, ...]
    cpu: int | None
    moves: tuple[str, ...]
    stderr: str
    leaked: tuple[str, ...]
    """The secrets that are in its log."""
    left: tuple[str, ...]
    """Processes and changed files right after the game."""


class AttackRun(Struct, frozen=True):
    """The results of one run."""

    kind: WallKind
    played: tuple[Played, ...]
    left: tuple[str, ...]
    """Processes, files and sockets that were left at the end."""
    changed: tuple[str, ...]
    """Files and processes that were changed."""
    arrived: tuple[str, ...]
    """Messages from attackers over the network."""


class Bait:
    """Targets of the attacks: files with secret words that cannot be guessed, a process, listening sockets."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.words = {name: secrets.token_hex(16) for name in ("secret", "database", "source", "decoy")}
        self._store = store
        self._files = {name: folder / file for name, file in (("secret", "secret.token"), ("database", "arena.db"))}
        for name, path in self._files.items():
            path.write_text(self.words[name])
            path.chmod(0o600)
        agent = folder / "rival.py"
        agent.write_text(f"# {self.words['source']}\nfrom agents import Agent\n")
        self.source = store.take(read_player(str(agent))).source / agent.name
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.datagrams.bind(str(folder / "datagrams"))
        self.decoy = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", "import sys; sys.stdin.read()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"SECRET": self.words["decoy"]},
            start_new_session=True,
        )
        self.archive = folder / "hidden.zip"
        with zipfile.ZipFile(self.archive, "w") as archive:
            archive.writestr("hidden.py", "found = True\n")

    def targets(self) -> dict[str, Any]:
        """What attackers know of the targets."""
        return {
            **{name: str(path) for name, path in self._files.items()},
            "source": str(self.source),
            "decoy": self.decoy.pid,
            "tcp": self.tcp.getsockname()[1],
            "udp": self.udp.getsockname()[1],
            "datagrams": self.datagrams.getsockname(),
            "archive": str(self.archive),
        }

    def changed(self) -> list[str]:
        """What was changed: files, the store, the decoy process."""
        found = [name for name, path in self._files.items() if _content(path) != self.words[name]]
        for submission in self._store.folder.iterdir():
            try:
                self._store.verify(submission.name)
            except ArenaError as error:
                found.append(str(error))
        if self.decoy.poll() is not None:
            found.append(f"the decoy has ended ({self.decoy.returncode})")
        return found

    def arrived(self) -> list[str]:
        """The messages that arrived over the network."""
        found = []
        while ready := select.select([self.tcp, self.udp, self.datagrams], [], [], 0)[0]:
            for listener in ready:
                if listener is self.tcp:
                    with self.tcp.accept()[0] as line:
                        line.settimeout(1)
                        found.append(line.recv(100).decode())
                else:
                    found.append(listener.recv(100).decode())
        return found

    def close(self) -> None:
        """Ends the decoy and closes the sockets."""
        self.decoy.communicate()
        for listener in (self.tcp, self.udp, self.datagrams):
            listener.close()


def _waited(record: GameRecord, seat: int) -> int:
    """How long the seat waited for a processor in its turns; this time is not charged."""
    return sum(move.delay or 0 for move in record.moves if move.who == seat)


def _content(path: Path) -> str:
    try:
        return path.read_text()
    except OSError as error:
        return str(error)


def run_attacks(kind: WallKind, attacks: Sequence[Attack] = ATTACKS) -> AttackRun:
    """Runs these attacks behind walls of that kind."""
    if LINUX:  # processes that escape from a warden become children of this process
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    played: list[Played] = []
    home = Path(tempfile.mkdtemp(prefix="e-"))
    store = Store(home / "store")
    with ExitStack() as stack:
        bait = Bait(home, store)
        stack.callback(bait.close)
        with RunFolder() as folder:
            with Director(folder, at_once=AT_ONCE) as director:
                attackers = _entered(kind, home, folder, store, bait, director._crew.referee.pid)
                for event in director.play(InOrder(_schedule(attacks, attackers))):
                    if isinstance(event, Finished):
                        played.append(_told(event, bait, director))
                arrived = bait.arrived()
                written = [*home.rglob("written-by-*"), *folder.path.rglob("written-by-*")]
                left = [f"an agent's folder: {path.name}" for path in folder.scratch.iterdir()]
            left += [f"in the run folder: {path.name}" for path in folder.path.iterdir() if _is_unexpected(path)]
        left += _escaped(bait.decoy.pid)
        changed = [*bait.changed(), *(f"written: {path}" for path in written)]
    for inner, _, _ in os.walk(home):
        os.chmod(inner, 0o700)
    shutil.rmtree(home)
    left += [f"a file: {path.name}" for path in Path(tempfile.gettempdir()).iterdir() if _is_unexpected(path)]
    return AttackRun(kind, tuple(played), tuple(left), tuple(changed), tuple(arrived))


def _is_unexpected(path: Path) -> bool:
    return not path.name.startswith(("library-", "scratch", "players", "control", "live", ".local"))


def _entered(
    kind: WallKind, home: Path, folder: RunFolder, store: Store, bait: Bait, referee: int
) -> dict[tuple[Way, bool], Entrant]:
    """The attackers, entered once for each way of playing and each allowance; each is named after its attack."""
    search = Path(adsearch.__file__).with_name("alphabeta.py")
    installed = Path(msgspec.__file__).parents[1]
    targets = {
        **bait.targets(),
        "kind": kind,
        "director": os.getpid(),
        "referee": referee,
        "run": str(folder.path),
        "of_root": str(Path(pwd.getpwuid(0).pw_dir, ".bashrc")),
        "search": str(search),
        "compiled": str(search.parent / "__pycache__" / f"alphabeta.{sys.implementation.cache_tag}.pyc"),
        "installed": str(installed),
        "others": ["/usr/lib/python3/dist-packages", "/usr/local/lib/python3/dist-packages"],
        "libraries": [str(path) for path in sorted((installed / "zmq" / "backend").rglob("*.so"))[:2]],
    }
    student = home / "student"
    shutil.copytree(ATTACKERS, student, ignore=shutil.ignore_patterns("__pycache__", "bare.py"))
    (student / "targets.json").write_bytes(msgspec.json.encode(targets))
    start = games.start("tictactoe")
    free = Confinement(folder.scratch, "tictactoe", conditions=Conditions(walls=kind))
    homework = Confinement(folder.scratch, "tictactoe", conditions=Conditions(walls=kind, modules=("adsearch.games",)))
    program = f"cmd:{shlex.join([sys.executable, '-I', '-S', str(ATTACKERS / 'bare.py')])}"
    ways = [("kit", str(student), free), ("homework", str(student), homework), ("bare", program, free)]
    if (compiler := shutil.which("cc")) is not None:
        ways.append(("compiled", f"cmd:{shlex.quote(str(compiled(compiler, home)))}", free))
    entered = {}
    for way, text, confinement in ways:
        for small in (False, True):
            name = f"{way}-{'small' if small else 'usual'}"
            entered[way, small] = enter(
                read_player(text), name, start, store, confinement, allowance=_SMALL if small else None
            )
    return entered  # type: ignore[return-value]


def compiled(compiler: str, folder: Path) -> Path:
    """The program of the attackers in C."""
    program = folder / "off_turn"
    subprocess.run([compiler, "-O1", "-pthread", "-o", program, ATTACKERS / "off_turn.c"], check=True)
    return program


def _schedule(attacks: Sequence[Attack], attackers: dict[tuple[Way, bool], Entrant]) -> list[Planned]:
    """The attackers' games, and ordinary ones among them."""
    games: list[Planned] = []
    for number, attack in enumerate(attacks, 1):
        if (attack.way, attack.small) not in attackers:
            continue
        games.append(_game(number, replace(attackers[attack.way, attack.small], name=attack.name), attack))
        if number % (len(attacks) // ORDINARY_GAMES + 1) == 0:
            games.append(_game(1000 + number, _opponent(_USUAL)))
    return games


def _opponent(text: str) -> Entrant:
    return Entrant("good", text, ("-m", "agents", text, "--connect", "-"))


def _game(number: int, first: Entrant, attack: Attack = ORDINARY) -> Planned:
    thinks = attack.opponent_thinks
    rules = "connect4" if thinks else "tictactoe"
    return Planned(
        number,
        rules,
        rules,
        (first, _opponent(_THINKER if thinks else _USUAL)),
        seed=1,
        # The same for all games, so all have the same seeds, and the same moves give the same game.
        identity=("attack",),
        conditions=Conditions(
            clock=attack.clock, margin=round(attack.margin * SECOND), max_plies=8 if thinks else None
        ),
    )


def _told(finished: Finished, bait: Bait, director: Director) -> Played:
    record, game = finished.record, finished.game
    stderr = record.seats[0].stderr or ""
    wardens = [member.process.pid for member in director._crew._idle if member.guarded and member.process is not None]
    left = [f"a process: {_command(pid)}" for warden in wardens for pid in descendants(warden)]
    return Played(
        name=game.entrants[0].name,
        attempt=game.attempt,
        verdict=record.verdict,
        fault=record.fault,
        detail=record.detail,
        points=tuple(seat.points for seat in record.seats),
        spent=tuple((seat.spent or 0) + _waited(record, seat.seat) for seat in record.seats),
        cpu=record.seats[0].cpu,
        moves=tuple(move.move for move in record.moves),
        stderr=stderr,
        leaked=tuple(name for name, word in bait.words.items() if word in stderr),
        left=(*left, *bait.changed()),
    )


def _escaped(decoy: int) -> list[str]:
    """Running processes that this process got as orphans; ended ones are reaped."""
    for pid in descendants(os.getpid()) - {decoy}:
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
    return [f"a process: {_command(pid)}" for pid in descendants(os.getpid()) - {decoy}]


def _command(pid: int) -> str:
    try:
        return f"{pid} {Path(f'/proc/{pid}/cmdline').read_bytes()!r}"
    except OSError:
        return str(pid)


@contextmanager
def _stdout_kept() -> Iterator[int]:
    """Keeps stdout for the answer: all other output goes to stderr."""
    kept = os.dup(1)
    os.dup2(2, 1)
    yield kept
    os.close(kept)


def main() -> None:
    """Runs the attacks that the command line names."""
    with _stdout_kept() as out:
        names = sys.argv[2:]
        attack_run = run_attacks(
            WallKind(sys.argv[1]), [attack for attack in ATTACKS if not names or attack.name in names]
        )
        data = msgspec.json.encode(attack_run)
        while data:
            data = data[os.write(out, data) :]


if __name__ == "__main__":
    main()
