"""Things that are found by name: ours without loading anything, and those of installed packages."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from adsearch import games
from adsearch.plugins import BadPlugin, Plugins
from agents.protocol import Verdict
from arena import engines, languages
from arena.errors import BadPlayer, BadRating
from arena.match.engine import Engine
from arena.play.machine import extras
from arena.players import engine_handshake
from arena.players.build_commands import Language, default
from arena.players.engines import is_engine
from arena.players.player import read_player
from arena.ratings import systems
from arena.student import starter
from arena.student.checking.explanations import Failure, explain
from arena.tournament import formats
from arena.walls.agent_process import AgentProcess
from arena.walls.kinds import WallKind, Walls
from tests.kit.arena_program import arena
from tests.kit.places import ROOT

SYSTEM = """
from arena.ratings.ranking import RatingSystem

class Coin(RatingSystem):
    name = "coin"
    method = "a coin"

    def rank(self, games, counts, settings):
        raise NotImplementedError

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
    (info / "entry_points.txt").write_text("[arena.ratings]\n" + "\n".join(points) + FORMATS + OTHERS)
    for name, text in (("chain", FORMAT), ("tale", LANGUAGE), ("ask", PROTOCOL)):
        (tmp_path / f"arena_{name}.py").write_text(text)
    for name in ("arena_coin", "arena_coin_broken"):
        (tmp_path / f"{name}.py").write_text(SYSTEM)
    monkeypatch.syspath_prepend(tmp_path)
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
    known = arena("standings", "cup", "--format", "csv", cwd=tmp_path)
    assert known.out.count(",yes,") == 1
    changed = TOURNAMENT.replace("reach = 2", "reach = 1")
    file.write_text(changed)
    assert "reach: 2 -> 1" in arena("run", "cup.toml", cwd=tmp_path).err
    file.write_text(TOURNAMENT)

    info = package / "arena_coin-1.0.dist-info"
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: arena-coin\nVersion: 1.1\n")
    assert "of the package arena-coin 1.0: arena-coin 1.1 is installed" in arena("standings", cwd=tmp_path).err
    shutil.rmtree(info)
    gone = "the format 'chain' is that of the package arena-coin 1.0: it is not installed"
    assert gone in arena("run", "cup.toml", cwd=tmp_path).err
    standings = arena("standings", "cup", cwd=tmp_path)
    assert (standings.code, f"ranked by points: {gone}" in " ".join(standings.err.split())) == (0, True)
    for command in ("tournaments", "history", "show last", "crosstable", "rank", "grades", "export"):
        ended = arena(*command.split(), cwd=tmp_path)
        assert ended.code == 0, (command, ended.err)
    assert "chain" in arena("tournaments", cwd=tmp_path).out
    assert formats.ours("chain") is None
    assert formats.recorded("chain", {}) is None
    assert [kind.name for kind in formats.every()] == [*formats.names()]


def test_a_package_brings_a_language(package: Path, tmp_path: Path) -> None:
    assert package.exists()
    tale = languages.find(".tale")
    assert tale is not None
    assert str(languages.find(".js")) != str(tale)
    (tmp_path / "bot.tale").write_text("raise SystemExit('once upon\\n  in a time')")
    with (
        contextlib.chdir(tmp_path),
        pytest.raises(BadPlayer, match=r"for a Tale program write 'cmd:python3 ./bot.tale'"),
    ):
        read_player("./bot.tale")
    commands = starter._commands("my_agent.tale", "connect4", 2, starter.Style.BARE, tale)
    (tmp_path / "bare.tale").write_text(f"my_agent plays connect4\n{starter._block(commands, tale)}")
    made = starter.agent(Path("x.tale"), "kuhn", games.start("kuhn"), None, None)
    assert made.files["x.tale"].startswith('x plays kuhn\n//     arena check "cmd:python3 x.tale" --game kuhn ')
    assert default("tale") == Language("tale", (), ("python3", "{main}"))
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
    text = f"ask:{sys.executable} {tmp_path / 'engine.py'}"
    with pytest.raises(BadPlayer, match="it has no settings"):
        read_player(f"{text}?level=3")
    player = read_player(text)
    assert player.engine == Engine("ask")
    engine_handshake.check_game(text, player.engine, "nap")
    assert engine_handshake.options_of(player, player.engine, games.start("nap").position()) == []
    with pytest.raises(BadPlayer, match="is an engine for nap: it cannot play chess"):
        engine_handshake.check_game(text, player.engine, "chess")
    assert not is_engine(text), "a record must not say what is looked for"


def test_what_cannot_be_loaded_is_a_line_of_the_doctor(package: Path) -> None:
    assert package.exists()
    told = [one.value for one in extras.findings() if one.name == "plugin"]
    assert [text.partition(" cannot")[0] for text in told] == [
        "'heads' of the package arena-coin 1.0",
        "'text' of the package arena-coin 1.0",
    ]
