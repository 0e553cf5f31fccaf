"""Things that are found by name: ours without loading anything, and those of installed packages."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from adsearch import State, games
from adsearch.games import catalog
from adsearch.plugins import BadPlugin, Plugins
from agents.protocol import Verdict
from arena import engines, languages
from arena.cli.terminal import completion
from arena.engines import Engine
from arena.errors import BadPlayer, BadRating, UntrustedCode
from arena.history import recorded_rules
from arena.match.allowance import WallKind
from arena.play import machine
from arena.players import entrants
from arena.players.build_commands import LanguageTable, default
from arena.players.engines import is_engine
from arena.players.player import read_player
from arena.ratings import systems
from arena.student import starter
from arena.student.checking.explanations import Failure, explain
from arena.tournament import formats, league
from arena.tournament.league import changes_between as changes
from arena.walls.agent_process import AgentProcess
from arena.walls.jail import Walls
from db.records import PastGame
from tests.kit.arena_program import arena
from tests.kit.behind_walls import need
from tests.kit.places import ROOT

SYSTEM = """
from arena.ratings import points
from arena.ratings.ranking import RatingSystem, by_points

class Coin(RatingSystem):
    name = "coin"
    method = "a coin"
    unit = "points"
    for_points = True

    def rank(self, games, counts, settings):
        return by_points(self, points.standings(points.of(games)))

COIN = Coin()
BROKEN = 1 / 0 if "broken" in __name__ else None
"""

FORMATS = """
[arena.formats]
chain = arena_chain:Chain
swiss = arena_chain:Chain
ring = arena_chain:Chain
ladder = arena_chain:Chain
"""
FORMAT = """
from dataclasses import dataclass

from arena.tournament.format import InRounds

@dataclass(frozen=True, kw_only=True)
class Chain(InRounds):
    name = "chain"

    reach: int = 1

    @classmethod
    def read(cls, table, agents):
        return cls(rounds=super().read(table, agents).rounds, reach=table.whole("reach", 1, 9, 1))

    @property
    def apart(self):
        return ("agent 0",)

    def next_round(self, so_far):
        if so_far.last_round >= self.rounds:
            return []
        round, met = so_far.last_round + 1, so_far.met()
        pairs = [pair for pair in zip(so_far.names, so_far.names[self.reach :])]
        return [so_far.pairing(pair, cycle=met[pair], round=round) for pair in pairs]

    def pairing_count(self, players, seats):
        return self.rounds * (players - self.reach)
"""
TOURNAMENT = 'game = "tictactoe"\nformat = "chain"\nreach = 2\nclock = "none"\n' + "".join(
    f'[[agent]]\nname = "agent {number}"\nplayer = "random"\n' for number in range(4)
)
OTHERS = """
[arena.languages]
tale = arena_tale:TALE
js = arena_tale:TALE

[arena.engines]
ask = arena_ask:ASK
uci = arena_ask:ASK
"""
LANGUAGE = """
from pathlib import Path
from arena.languages import Language

class Tale(Language):
    title = "Tale"
    run_by = "python3"
    run = ("python3", "{main}")
    frame = "  in .+"
    errors = (("once upon", "the tale has no end", "write one"),)
    templates = Path(__file__).parent

TALE = Tale("tale")
"""
PROTOCOL = """
from agents.protocol import PROTOCOL as VERSION, Bye, Hello, Move, Ready, Start, Turn, Welcome
from arena.engines import EngineProtocol, EngineTranslator
from arena.cli.terminal import completion
from arena.errors import BadPlayer

class Asks(EngineTranslator):
    def say(self, message):
        match message:
            case Start():
                self.game = message.game
                return b"hi\\n"
            case Welcome():
                return b"start\\n"
            case Bye():
                return b"bye\\n"
        return b""

    def hear(self, line):
        return Hello(VERSION, wants=()) if line == b"hi" else Ready(self.game)

class Asking(EngineProtocol):
    game = "nap"
    translator = Asks
    example = "'ask:engine'"

    def check(self, name, value):
        raise BadPlayer("it has no settings")

ASK = Asking("ask")
"""

AGENT = """
from adsearch import games
from agents import Agent

assert games.start("take:5").svg()

class Last(Agent):
    def choose(self, state, clock):
        return state.moves()[-1]
"""
GAMES = """
[arena.games]
take = arena_take:Take
nap = arena_take:Take
heap = arena_take:SIZE
"""
GAME = '''
from adsearch import Option, State
from adsearch.errors import BadPosition
from adsearch.state import Looks
from arena_stones import SIZE

class Take(State[int]):
    """Two players take one or two stones in turn. The player who takes the last stone wins."""

    options = (Option("stones", SIZE, "the stones at the start", 1, 50),)
    notation = "the number of stones to take"
    max_plies = 50
    looks = Looks(sides=("first of all", "second of all"))

    def __init__(self, stones, mover=0):
        self.stones, self.mover, self.turn = stones, mover, mover if stones else None

    @classmethod
    def load(cls, text, *, stones):
        left, _, mover = text.partition(" ")
        if not (left.isdecimal() and int(left) <= stones and mover in ("0", "1")):
            raise BadPosition(f"expected up to {stones} stones and the turn, such as '5 0', got {text!r}")
        return cls(int(left), int(mover))

    def moves(self):
        return tuple(range(1, min(2, self.stones) + 1))

    def play(self, move):
        return Take(self.stones - move, 1 - self.mover)

    def utilities(self):
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)

    def position(self):
        return f"{self.stones} {self.mover}"

    def svg(self, last=None):
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><title>{self.stones} stones</title></svg>'
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package on the path, with entry points."""
    info = tmp_path / "arena_coin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: arena-coin\nVersion: 1.0\n")
    points = (
        "coin = arena_coin:COIN",
        "elo = arena_coin:COIN",
        "heads = arena_coin_broken:COIN",
        "text = arena_coin:SYS",
    )
    (info / "entry_points.txt").write_text("[arena.ratings]\n" + "\n".join(points) + FORMATS + OTHERS + GAMES)
    (tmp_path / "arena_stones.py").write_text("SIZE = 6\n")
    for name, text in (("take", GAME), ("chain", FORMAT), ("tale", LANGUAGE), ("ask", PROTOCOL)):
        (tmp_path / f"arena_{name}.py").write_text(text)
    for name in ("arena_coin", "arena_coin_broken"):
        (tmp_path / f"{name}.py").write_text(SYSTEM)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(catalog, "_of_packages", {})
    return tmp_path


def test_a_package_brings_a_system_and_cannot_take_the_place_of_ours(package: Path) -> None:
    assert package.exists()
    assert str(systems.find("coin")) == "coin"
    assert systems.find("elo").method.startswith("Elo (Bradley-Terry")
    assert "coin" not in systems.names()


def test_what_cannot_be_loaded_says_of_which_package_it_is(package: Path) -> None:
    assert package.exists()
    with pytest.raises(BadPlugin, match=r"'heads' of the package arena-coin 1\.0 cannot be loaded: ZeroDivisionError"):
        systems.find("heads")
    with pytest.raises(BadPlugin, match=r"'text' of the package arena-coin 1\.0 cannot be loaded: AttributeError"):
        systems.find("text")


def test_without_the_package_there_is_no_such_system() -> None:
    with pytest.raises(
        BadRating, match=r"expected a rating system \(elo, glicko2, .*\), got 'elu'; did you mean 'elo'\?"
    ):
        systems.find("elu")


def test_names_are_those_of_the_files_and_nothing_is_loaded_for_them() -> None:
    plugins = Plugins("arena.ratings.systems", "arena.ratings", "SYSTEM")
    files = {path.stem for path in (ROOT / "arena" / "ratings" / "systems").glob("*.py")} - {"__init__"}
    assert {name.replace("-", "_") for name in plugins.names()} == files
    code = "import sys; from arena.ratings import systems; systems.names(); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "False\n"


def test_a_package_brings_a_format_with_a_key_of_its_own_and_its_record_stays_without_it(
    package: Path, tmp_path: Path
) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(TOURNAMENT.replace("reach = 2", "reach = 10"))
    assert "reach: expected a whole number from 1 to 9, got 10" in arena("run", "cup.toml", cwd=tmp_path).err
    file.write_text(TOURNAMENT.replace("reach", "reech"))
    assert "unknown key 'reech'; did you mean 'reach'?" in arena("run", "cup.toml", cwd=tmp_path).err
    file.write_text(TOURNAMENT.replace("chain", "ring"))
    assert (
        "'ring' of the package arena-coin 1.0 is not a format of that name"
        in arena("run", "cup.toml", cwd=tmp_path).err
    )
    file.write_text(TOURNAMENT.replace("chain", "ladder"))
    assert "or 'tables', got 'ladder'" in " ".join(arena("run", "cup.toml", cwd=tmp_path).err.split())
    file.write_text(TOURNAMENT)
    played = arena("run", "cup.toml", cwd=tmp_path)
    assert played.code == 0, played.err
    assert "cup: tictactoe, chain, 4 players, clock none: 2 pairings, 4 games" in played.out
    known = arena("results", "cup", "--format", "csv", cwd=tmp_path)
    assert known.out.count(",yes,") == 1
    changed = TOURNAMENT.replace("reach = 2", "reach = 1")
    file.write_text(changed)
    assert "reach: 2 -> 1" in arena("run", "cup.toml", cwd=tmp_path).err
    file.write_text(TOURNAMENT)

    info = package / "arena_coin-1.0.dist-info"
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: arena-coin\nVersion: 1.1\n")
    assert "of the package arena-coin 1.0: arena-coin 1.1 is installed" in arena("results", cwd=tmp_path).err
    shutil.rmtree(info)
    gone = "the format 'chain' is that of the package arena-coin 1.0: it is not installed"
    assert gone in arena("run", "cup.toml", cwd=tmp_path).err
    standings = arena("results", "cup", cwd=tmp_path)
    assert (standings.code, f"ranked by points: {gone}" in " ".join(standings.err.split())) == (0, True)
    for command in ("tournaments", "history", "show last", "crosstable", "rank", "grades", "export"):
        ended = arena(*command.split(), cwd=tmp_path)
        assert ended.code == 0, (command, ended.err)
    assert "chain" in arena("results", "tournaments", cwd=tmp_path).out
    assert formats.ours("chain") is None
    assert formats.recorded("chain", {}) is None
    assert [kind.name for kind in formats.every()] == [*formats.names()]


def test_a_package_brings_a_language(package: Path, tmp_path: Path) -> None:
    assert package.exists()
    tale = languages.find(".tale")
    assert tale is not None
    assert str(languages.find(".js")) != str(tale)
    (tmp_path / "bot.tale").write_text("raise SystemExit('once upon\\n  in a time')")
    assert read_player(str(tmp_path / "bot.tale")).language == default("tale")
    commands = starter._commands("my_agent.tale", "connect4", 2, starter.Style.BARE, tale)
    (tmp_path / "bare.tale").write_text(f"my_agent plays connect4\n{starter._block(commands, tale)}")
    made = starter.agent(Path("x.tale"), "kuhn", games.start("kuhn"), None, None)
    assert made.files["x.tale"].startswith("x plays kuhn\n//     arena check x.tale --game kuhn ")
    assert default("tale") == LanguageTable("tale", (), ("python3", "{main}"))
    process = AgentProcess.start([sys.executable, str(tmp_path / "bot.tale")], Walls(WallKind.LIMITS), tmp_path)
    try:
        while process.confined.exit() is None:
            process.read_log()
        assert process.how_it_ended()[1] == "exited with code 1: once upon"
    finally:
        process.kill()
    failure = Failure(
        Verdict.CRASHED, "exited with code 1: once upon", python=False, command=["python3", "/x/bot.tale"]
    )
    assert (explain(failure).message, explain(failure).advice) == ("the tale has no end", "write one")


def test_a_package_brings_a_protocol_of_engines(package: Path, tmp_path: Path) -> None:
    assert package.exists()
    assert (engines.find("ask").game, engines.find("uci").game) == ("nap", "chess")
    (tmp_path / "engine.py").write_text("import sys\nfor line in sys.stdin: print(line.strip(), flush=True)\n")
    text = f"ask:{shlex.join([sys.executable, str(tmp_path / 'engine.py')])}"
    with pytest.raises(BadPlayer, match="it has no settings"):
        read_player(f"{text}?level=3")
    player = read_player(text)
    assert player.engine == Engine("ask")
    entrants.check_game(text, player.engine, "nap")
    assert entrants.options_of(player, player.engine, games.start("nap").position()) == []
    with pytest.raises(BadPlayer, match="is an engine for nap: it cannot play chess"):
        entrants.check_game(text, player.engine, "chess")
    assert not is_engine(text), "a record must not say what is looked for"


@pytest.mark.costly
@pytest.mark.parametrize("modules", ["", "modules = []\n"])
@pytest.mark.parametrize("walls", [WallKind.SANDBOX, WallKind.CONTAINER])
def test_a_package_brings_a_game_that_agents_play_behind_walls(
    package: Path, tmp_path: Path, walls: WallKind, modules: str
) -> None:
    need(walls)
    (tmp_path / "mine.py").write_text(AGENT)
    (tmp_path / "cup.toml").write_text(
        f'game = "take:stones=8"\nformat = "round-robin"\nrounds = 2\nclock = "none"\n{modules}'
        f'walls = "{walls.value}"\n'
        '[[agent]]\nname = "mine"\nplayer = "mine.py"\n[[agent]]\nname = "random"\nplayer = "random"\n'
    )
    played = arena("run", "cup.toml", cwd=tmp_path)
    assert played.code == 0, played.err
    assert arena("data", "verify", cwd=tmp_path).out.startswith("4 games with")
    won = json.loads(arena("results", "cup", "--format", "json", cwd=tmp_path).out)
    assert {row["name"]: row["faults"] for row in won} == {"mine": {}, "random": {}}
    assert arena("replay", "last", "--html", "last.html", cwd=tmp_path).code == 0
    page = (tmp_path / "last.html").read_text("utf-8")
    assert "8 stones" in page
    assert "second of all" in page
    (noted,) = {
        row["software"] for row in json.loads(arena("results", "hosts", "cup", "--format", "json", cwd=tmp_path).out)
    }
    assert noted.endswith(", arena-coin 1.0")

    assert (
        "to replay its games, install arena-coin 1.0\n"
        in arena("course", "bundle", "mine", "m.arena", cwd=tmp_path).out
    )


@pytest.fixture
def environment(package: Path, tmp_path: Path) -> Path:
    """An environment with what this one has, and a folder beside it in which the package is installed as a wheel."""
    folder, wheel = tmp_path / "environment", tmp_path / "arena_coin-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        for path in (*package.glob("arena_*.py"), *package.glob("arena_coin-1.0.dist-info/*")):
            packed.write(path, path.relative_to(package))
        packed.writestr(
            "arena_coin-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        packed.writestr("arena_coin-1.0.dist-info/RECORD", "")
    venv.create(folder, symlinks=True)
    (there,) = folder.glob("lib/python*/site-packages")
    (there / "more.pth").write_text(f"{sysconfig.get_path('purelib')}\n{ROOT}\n")
    pip(folder, "install", "--no-index", "--no-deps", str(wheel))
    return folder


def pip(folder: Path, *words: str) -> None:
    command = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), *words]
    subprocess.run(command, env=without_path(), check=True, capture_output=True)


def without_path() -> dict[str, str]:
    """The variables of a shell that does not say where the package lies."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"COLUMNS": "200"}


@pytest.mark.costly
def test_what_a_package_brings_is_known_everywhere_and_missed_by_name_when_it_is_gone(
    environment: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "mine.py").write_text(AGENT)
    (home / "cup.toml").write_text(
        'game = "take:stones=8"\nformat = "chain"\nreach = 2\nclock = "none"\n'
        '[[agent]]\nname = "mine"\nplayer = "mine.py"\n'
        + "".join(f'[[agent]]\nname = "agent {number}"\nplayer = "random"\n' for number in range(3))
    )

    def run(*words: str, code: int = 0) -> str:
        command = [str(environment / "bin" / "python"), *words]
        done = subprocess.run(command, cwd=home, env=without_path(), capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == code, done
        return done.stdout + done.stderr

    assert "\ntake " in run("-m", "arena", "games")
    offered = "from arena.cli.terminal import completion; print(*completion._games(None))"
    assert "take" in run("-c", offered).split()
    assert "wins" in run("-m", "arena", "play", "take:4", "random", "mine.py")
    assert "chain, 4 players" in run("-m", "arena", "run", "cup.toml")
    assert "\na coin\n" in run("-m", "arena", "rank", "cup", "--system", "coin")
    run("-m", "arena", "replay", "last", "--html", "last.html")
    assert "8 stones" in (home / "last.html").read_text("utf-8")
    assert "no errors" in run("-m", "arena", "db", "verify")

    pip(environment, "uninstall", "--yes", "arena-coin")
    for words in ("tournaments", "history", "show last", "crosstable", "rank cup", "export", "replay last"):
        assert "mine" in run("-m", "arena", *words.split()) or words == "tournaments", words
    gone = "it is of the package arena-coin 1.0, which is not installed here"
    assert gone in " ".join(run("-m", "arena", "replay", "last").split())
    verified = run("-m", "arena", "db", "verify", code=1)
    assert gone in " ".join(verified.split())
    assert "0 wrong, " in verified
    missed = "the format 'chain' is that of the package arena-coin 1.0: it is not installed"
    assert missed in run("-m", "arena", "standings", "cup")
    assert missed in run("-m", "arena", "run", "cup.toml", code=2)
    assert "coin" in run("-m", "arena", "rank", "cup", "--system", "coin", code=2)


def test_games_of_packages_are_listed_and_never_take_the_place_of_ours(package: Path) -> None:
    assert package.exists()
    listed = arena("games")
    assert re.search(r"^take  +2 ", listed.out, re.MULTILINE)
    assert "'heap' of the package arena-coin 1.0 is not a subclass of State" in listed.err
    assert "tested in" in arena("games", "take").out
    assert games.start("nap").position() != games.start("take:20").position()
    assert games.looks("take").sides == ("first of all", "second of all")
    with pytest.raises(BadPlugin, match="'heap' of the package arena-coin"):
        games.start("heap")
    assert "take" in [*completion._games(None)]


def test_a_record_does_not_decide_which_package_is_loaded(package: Path) -> None:
    assert package.exists()
    assert games.looks("take:5") == State.looks
    game = PastGame(id=1, number=1, pair="", game="take:5", host={"software": "arena-referee 1.0, arena-coin 1.0"})
    with pytest.raises(UntrustedCode, match=r"the rules 'take:5' of the package arena-coin 1\.0"):
        recorded_rules.start(game, trust=False)
    assert catalog._of_packages == {}
    assert recorded_rules.start(game, trust=True).position() == "5 0"


def test_a_tournament_goes_on_only_with_the_version_of_the_game_that_it_began_with(package: Path) -> None:
    assert package.exists()
    now = league.from_arguments("take:5", ["random", "random"]).settings()
    assert now["game_package"] == "arena-coin 1.0"
    assert not changes(now, now).refused
    assert changes(now | {"game_package": "arena-coin 0.9"}, now).refused == (
        "game_package: arena-coin 0.9 -> arena-coin 1.0",
    )
    assert "game_package" not in league.from_arguments("nap", ["random", "random"]).settings()


def test_what_cannot_be_loaded_is_a_line_of_the_doctor(package: Path) -> None:
    assert package.exists()
    told = [one.value for one in machine.of_extras() if one.name == "plugin"]
    assert [text.partition(" cannot")[0] for text in told] == [
        "'heads' of the package arena-coin 1.0",
        "'text' of the package arena-coin 1.0",
    ]
