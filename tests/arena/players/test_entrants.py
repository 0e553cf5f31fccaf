"""The handshake: real engines are ready and play; what cannot play is refused before the first game."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from adsearch import form, games
from adsearch.form import INTERPRETED, Form
from arena.errors import ArenaError, BadPlayer
from arena.match.allowance import Allowance, WallKind
from arena.match.clock import SECOND
from arena.match.conditions import HELLO_WITHIN, Conditions, Limits
from arena.players.entrants import Confinement, built_in, enter
from arena.players.player import read_player
from arena.players.submissions import Store
from arena.walls import probe, seccomp
from arena.walls.jail import Walls
from arena.walls.probe import Offer
from arena.walls.run_folder import RunFolder
from arena.walls.warden_settings import WardenSettings
from tests.kit import behind_walls, engines
from tests.kit.arena_program import arena
from tests.kit.behind_walls import need
from tests.kit.effort import SOAK, tries
from tests.kit.places import COUNTDOWN

PYTHON = shlex.quote(sys.executable)
"""Programs of one line, which speak no protocol of engines."""


@pytest.mark.costly
@pytest.mark.parametrize(
    ("player", "game"),
    [
        ("uci:stockfish?nodes=100&Hash=4", "chess"),
        ("uci:gnuchess?depth=1&OwnBook=false", "chess"),
        ("gtp:gnugo --level 1?set_random_seed=3", "go:size=5"),
        ("gnubg:gnubg?plies=0", "backgammon"),
    ],
)
def test_a_real_engine_wins_a_game_and_plays_again_from_the_record(player: str, game: str, tmp_path: Path) -> None:
    read = read_player(player)
    engines.need(read.command[0])
    for entered in (player, f"{read.name}@1"):
        database = ("--db", str(tmp_path / "arena.db"))
        ended = arena("play", game, entered, "random", "--seed", "3", "--format", "json", *database)
        assert ended.code == 0, ended.err
        (played,) = json.loads(ended.out)
        assert (played["verdict"], played["points"]) == ("normal", [1.0, 0.0])


@pytest.mark.parametrize(
    ("player", "game", "needs", "says"),
    [
        ("uci:stockfish?Hsh=3", "chess", "stockfish", "the engine has no option 'Hsh'; did you mean 'Hash'?"),
        (
            "uci:stockfish?Threads=0",
            "chess",
            "stockfish",
            "option Threads: expected an integer from 1 to 1024, got '0'",
        ),
        ("uci:stockfish?hash=1025", "chess", "stockfish", "more than half of the memory limit; expected at most 1024"),
        ("uci:/bin/echo?EvalFile=./my.nnue", "chess", "", "EvalFile= names './my.nnue': there is no such file"),
        ("uci:stockfish", "connect4", "", "'uci:stockfish' is an engine for chess: it cannot play connect4"),
        ("gtp:gnugo?levle=3", "go:size=5", "gnugo", "answered 'levle 3' with an error: 'unknown command'"),
        ("gtp:gnugo", "chess", "", "'gtp:gnugo' is an engine for go: it cannot play chess"),
        (f"uci:{PYTHON} -c pass", "chess", "", "does not speak UCI: it exited with code 0"),
        ("uci:/bin/echo unknown command", "chess", "", "write 'gtp:' if it is an engine for go"),
        (
            f"gtp:{PYTHON} -c 'import none'",
            "go:size=5",
            "",
            "does not speak GTP: it exited with code 1: M",
        ),
    ],
)
def test_what_cannot_play_is_refused_before_the_first_game(player: str, game: str, needs: str, says: str) -> None:
    if needs:
        engines.need(needs)
    ended = arena("play", game, player, "random", "--no-record")
    assert (ended.code, ended.out) == (2, "")
    assert says in " ".join(ended.err.split())
    assert len(ended.err.splitlines()) == 1


@pytest.mark.costly
@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("while True: print('x')", "wrote more than 1048576 bytes that nobody asked for"),
        (
            "import os, time; [os.fork() or time.sleep(60) for _ in range(200)]; time.sleep(60)",
            "more than the 64 threads and processes",
        ),
        (
            "print('option name Hash type string default', 5000 * '9'); print('uciok')",
            "not ready for a game: it exited",
        ),
    ],
)
def test_the_limits_hold_in_the_handshake_too(program: str, says: str) -> None:
    ended = arena(
        "play", "chess", f"uci:{PYTHON} -c {shlex.quote(program)}", "random", "--walls", "limits", "--no-record"
    )
    assert ended.code == 2
    assert says in " ".join(ended.err.split())


@pytest.mark.parametrize("answer", ["Invalid move: uci", "Illegal move: uci", "Error (unknown command): uci"])
def test_an_engine_for_xboard_is_told_so_by_name(answer: str) -> None:
    program = shlex.quote(f"input(); print({answer!r}, flush=True); input()")
    ended = arena("play", "chess", f"uci:{PYTHON} -c {program}", "random", "--walls", "limits", "--no-record")
    assert ended.code == 2
    assert f"answered '{answer}', as engines for xboard do, which arena does not speak" in " ".join(ended.err.split())


def test_a_program_that_never_answers_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(
        f"""
        name = "Silent"
        game = "chess"
        limits.start = 0.1
        limits.ready = 0.1
        agent = [
          {{ name = "silent", player = "uci:{PYTHON} -c 'input(); input()'" }},
          {{ name = "random", player = "random" }},
        ]
        """
    )
    ended = arena("run", str(tmp_path / "t.toml"), "--db", str(tmp_path / "arena.db"))
    assert ended.code == 2
    assert "does not speak UCI: it did not answer within" in ended.err


@pytest.mark.costly
def test_more_nodes_play_better_chess_in_a_sandbox(tmp_path: Path) -> None:
    engines.need("stockfish")
    behind_walls.need(WallKind.SANDBOX)
    players = {
        "1,000 nodes": "uci:stockfish?nodes=1000",
        "100 nodes": "uci:stockfish?nodes=100",
        "two plies": "pvs:depth=2",
        "random": "random",
    }
    if SOAK:
        players = {"10,000 nodes": "uci:stockfish?nodes=10000", **players}
    agents = "".join(f'[[agent]]\nname = "{name}"\nplayer = "{player}"\n' for name, player in players.items())
    (tmp_path / "t.toml").write_text(
        f'name = "Order"\ngame = "chess"\nwalls = "sandbox"\nrounds = {tries(1, soak=4)}\nseed = 1\n{agents}'
    )
    database = str(tmp_path / "arena.db")
    assert arena("run", str(tmp_path / "t.toml"), "--db", database).code == 0
    standings = json.loads(arena("results", "Order", "--db", database, "--format", "json").out)
    assert [row["name"] for row in standings] == list(players)


# The settings of wardens: what each agent gets, which files it can read, and what users see of it.


AGENT = """
from agents import Agent

class First(Agent):
    def choose(self, state, clock):
        return state.moves()[0]
"""


class Course:
    """A store, a run folder, and agents to enter."""

    def __init__(self, folder: Path, run: RunFolder) -> None:
        self.folder, self.run = folder, run
        self.store = Store(folder / "store")
        (folder / "first.py").write_text(AGENT)
        (folder / "team").mkdir()
        (folder / "team" / "agent.py").write_text(AGENT)
        (folder / "team" / "book.txt").write_text("b2")
        (folder / "engine").write_text("#!/bin/sh\n")
        (folder / "engine").chmod(0o755)

    def confinement(self, rules: str = "tictactoe", **settings: Any) -> Confinement:
        return Confinement(self.run.scratch, rules, Conditions(**{"walls": WallKind.LIMITS} | settings))

    def orders(self, text: str, confinement: Confinement | None = None, **settings: Any) -> WardenSettings:
        """The settings of that player's warden, as the warden decodes them."""
        submission = self.store.take(read_player(text))
        told = (confinement or self.confinement()).warden_settings("anne", submission, self.store, **settings)
        return msgspec.convert(told | {"address": "ipc://x", "token": "t"}, WardenSettings)


@pytest.fixture
def course(tmp_path: Path) -> Iterator[Course]:
    with RunFolder() as run:
        yield Course(tmp_path, run)


def test_a_file_is_hosted_and_may_read_itself_and_what_it_imports(course: Course) -> None:
    orders = course.orders(f"{course.folder / 'first.py'}:First")
    source = Path(orders.command[-1].removesuffix(":First"))
    assert orders.command[:-1] == (sys.executable, "-P", "-m", "agents")
    assert source.read_text() == AGENT
    assert source.parent.parent == course.store.folder
    assert str(source.parent) in orders.walls.readable
    assert str(course.folder) not in orders.walls.readable
    library = Path(orders.walls.environment["PYTHONPATH"])
    assert library.parent == course.run.path
    assert str(library) in orders.walls.readable
    assert (library / "agents" / "__main__.py").is_file()


def test_python_agents_search_in_the_form_that_is_required(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    confinement = course.confinement(adsearch="interpreted", python=sys.executable)
    command = course.orders(str(course.folder / "first.py"), confinement).command
    assert command[:-1] == (sys.executable, "-X", INTERPRETED, "-P", "-m", "agents")
    assert INTERPRETED not in course.orders(f"cmd:{course.folder / 'engine'}", confinement).command
    start = games.start("tictactoe")
    forms: tuple[Form | None, ...] = ("interpreted", None)
    for text in ("greedy", str(course.folder / "first.py")):
        # Players with another key are other programs: an idle one does not play in the other form.
        terms = [course.confinement(adsearch=each) for each in forms]
        interpreted, free = (enter(read_player(text), "it", start, course.store, each) for each in terms)
        assert interpreted.key == f"{free.key} -X {INTERPRETED}"
        assert interpreted.source == free.source
    monkeypatch.setattr(form, "form", lambda: "interpreted")
    for check in (lambda: built_in("greedy", "it", start, "compiled"), course.confinement(adsearch="compiled").check):
        with pytest.raises(BadPlayer, match="this installation cannot search compiled"):
            check()


def test_a_folder_is_readable_whole(course: Course) -> None:
    orders = course.orders(str(course.folder / "team"))
    source = Path(orders.command[-1]).parent
    assert sorted(path.name for path in source.iterdir()) == ["agent.py", "book.txt"]
    assert str(source) in orders.walls.readable


def test_a_command_runs_as_it_is_and_reads_its_program_and_its_files(course: Course) -> None:
    book = course.folder / "team" / "book.txt"
    orders = course.orders(f"cmd:{course.folder / 'engine'} --book {book}")
    assert orders.command[:2] == (str(course.folder / "engine"), "--book")
    copy = Path(orders.command[2])
    assert copy.read_text() == "b2"
    assert copy.is_relative_to(course.store.folder)
    assert {str(course.folder / "engine"), "/bin/sh", str(copy.parent.parent)} <= set(orders.walls.readable)
    assert str(book) not in orders.walls.readable
    assert orders.walls.environment == {}


def test_for_a_command_nothing_is_laid_out(course: Course) -> None:
    before = sorted(course.run.path.iterdir())
    course.orders(f"cmd:{course.folder / 'engine'}", course.confinement(python="/no/such/python"))
    assert sorted(course.run.path.iterdir()) == before


def test_one_library_is_for_all_agents(course: Course) -> None:
    confinement = course.confinement()
    first = course.orders(str(course.folder / "first.py"), confinement)
    second = course.orders(str(course.folder / "team"), confinement)
    assert first.walls.environment == second.walls.environment
    assert len(list(course.run.path.glob("library-*"))) == 1


def test_the_store_and_the_run_are_hidden(course: Course) -> None:
    hidden = course.orders(str(course.folder / "first.py")).walls.hidden
    assert hidden == (str(course.store.folder), str(course.run.path))


def test_with_a_list_what_is_installed_is_hidden_too(course: Course) -> None:
    orders = course.orders(str(course.folder / "first.py"), course.confinement(modules=("adsearch.games",)))
    assert orders.walls.hidden[:2] == (str(course.store.folder), str(course.run.path))
    installed = [path for path in sys.path if os.path.basename(path) == "site-packages"]
    assert set(installed) <= set(orders.walls.hidden)
    assert not set(installed) & set(orders.walls.readable)
    assert orders.command[1] == "-S"


def test_user_supplied_rules_can_be_read_in_the_store(course: Course) -> None:
    game = course.folder / "game.py"
    game.write_text(COUNTDOWN.read_text())
    rules = course.store.take_game(f"{game}:Countdown")
    assert rules.startswith(str(course.store.folder))
    orders = course.orders(str(course.folder / "first.py"), course.confinement(rules))
    kept = [path for path in orders.walls.readable if Path(path).parent == course.store.folder]
    assert {Path(path) for path in kept} == {Path(orders.command[-1]).parent, Path(rules.partition(":")[0]).parent}


def test_orders_say_what_the_tournament_says(course: Course) -> None:
    usual = course.orders(str(course.folder / "first.py"))
    assert (usual.fresh, usual.ponder, usual.start, usual.ready) == (True, False, HELLO_WITHIN, Limits().ready)
    assert (usual.walls.kind, usual.walls.allowance, usual.walls.cpu) == (WallKind.LIMITS, Allowance(), Walls().cpu)
    assert usual.scratch == str(course.run.scratch)
    other = course.orders(
        str(course.folder / "first.py"),
        course.confinement(
            reuse=True,
            ponder=True,
            limits=Limits(ready=7 * SECOND),
            allowance=Allowance(memory=1 << 28, threads=3, start=SECOND),
        ),
    )
    assert (other.fresh, other.ponder, other.start, other.ready) == (False, True, SECOND, 7 * SECOND)
    assert (other.walls.allowance.memory, other.walls.allowance.threads) == (1 << 28, 3)
    assert other.walls.cpu is None, "a process that plays all games needs more than one game's time"


def test_an_agent_may_have_something_of_its_own(course: Course) -> None:
    need(WallKind.SANDBOX)
    confinement = course.confinement(allowance=Allowance(threads=2))
    own = Allowance(memory=1 << 30, start=30 * SECOND)
    orders = course.orders(str(course.folder / "first.py"), confinement, wanted=WallKind.SANDBOX, allowance=own)
    assert (orders.walls.kind, orders.walls.allowance, orders.start) == (WallKind.SANDBOX, own, 30 * SECOND)
    assert confinement.kinds == {"anne": WallKind.SANDBOX}
    assert confinement.start_limit() == HELLO_WITHIN
    usual = course.orders(str(course.folder / "first.py"), confinement)
    assert (usual.walls.kind, usual.walls.allowance) == (WallKind.LIMITS, Allowance(threads=2))


@pytest.mark.parametrize("kind", WallKind)
def test_a_filter_is_the_one_of_the_kind(kind: WallKind, course: Course) -> None:
    need(kind)
    orders = course.orders(str(course.folder / "first.py"), course.confinement(walls=kind))
    assert orders.walls.filter == seccomp.compiled(kind)


# What users see.


def offering(*kinds: WallKind) -> object:
    """A machine that offers these."""

    def offer(kind: WallKind) -> Offer:
        return Offer(kind, True) if kind in kinds else Offer(kind, False, "it is too old", "buy another one")

    return offer


def test_limits_alone_come_with_one_warning(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "offer", offering(WallKind.LIMITS))
    confinement = course.confinement(walls=None)
    assert confinement.warnings == []
    assert [confinement.wall_kind(), confinement.wall_kind()] == [WallKind.LIMITS, WallKind.LIMITS]
    (warning,) = confinement.warnings
    assert warning == (
        f"agents are behind limits only (it is too old; buy another one): {probe.LIMITS_MEAN}. See: arena doctor"
    )


def test_limits_that_were_asked_for_are_warned_of_without_a_reason(course: Course) -> None:
    confinement = course.confinement()
    confinement.wall_kind()
    assert confinement.warnings == [f"agents are behind limits only: {probe.LIMITS_MEAN}. See: arena doctor"]


def test_a_sandbox_is_the_usual_and_needs_no_warning(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "offer", offering(*WallKind))
    confinement = course.confinement(walls=None)
    assert confinement.wall_kind() is WallKind.SANDBOX
    assert confinement.wall_kind(WallKind.CONTAINER) is WallKind.CONTAINER
    assert confinement.warnings == []


def test_what_is_demanded_and_not_there_is_an_error(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "offer", offering(WallKind.LIMITS))
    with pytest.raises(ArenaError, match="this machine offers no sandbox"):
        course.orders(str(course.folder / "first.py"), course.confinement(walls=WallKind.SANDBOX))
    with pytest.raises(ArenaError, match="this machine offers no container"):
        course.orders(str(course.folder / "first.py"), wanted=WallKind.CONTAINER)


def test_how_an_agent_is_confined_is_described(course: Course) -> None:
    confinement = course.confinement(allowance=Allowance(memory=512 << 20))
    course.orders(str(course.folder / "first.py"), confinement)
    words = confinement.described("anne")
    assert words.startswith("anne")
    for part in ("limits", "512 MiB", "paused"):
        assert part in words
    pondering = course.confinement(allowance=Allowance(memory=None), ponder=True)
    course.orders(str(course.folder / "first.py"), pondering)
    words = pondering.described("anne")
    assert "MiB" not in words
    assert "paused" not in words


def test_nothing_is_tried_or_laid_out_before_an_agent_needs_it(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "offer", lambda _: pytest.fail("it was tried"))
    course.confinement(walls=None, python="/no/such/python", modules=("no_such_module",))
    assert list(course.run.path.glob("library-*")) == []
