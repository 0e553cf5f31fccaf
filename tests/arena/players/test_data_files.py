"""The data files of an agent are copied with it, and nothing that could be of somebody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import BadPlayer
from arena.match.allowance import WallKind
from arena.players import contents, entrants
from arena.players.player import PlayerKind, read_player
from arena.players.submissions import Store, Submission, build_warnings, is_command
from arena.players.versions import version_started_as as started_as
from arena.serve.hand_in_client import packed
from tests.kit.arena_program import arena
from tests.kit.behind_walls import need

AGENT = """
import json
from pathlib import Path
from agents import Agent

class Bookish(Agent):
    def choose(self, state, clock):
        book = json.loads(open("book.json").read())  # a link in the working directory
        weights = (Path(__file__).parent / "data/weights.bin").read_bytes()
        assert weights == b"1"
        return book.get("", state.moves()[0])
"""


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    (folder / "data").mkdir(parents=True)
    (folder / "book.json").write_text("{}")
    (folder / "data" / "weights.bin").write_text("1")
    (folder / "other.json").write_text("{}")
    (folder / "agent_of_mine.py").write_text(AGENT)
    return folder / "agent_of_mine.py"


def test_the_files_whose_names_stand_in_the_program_are_stored_and_sent(agent: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "arena.store")
    taken = store.take(read_player(str(agent)))
    assert {*store.read(taken.hash)} == {"agent_of_mine.py", "book.json", "data/weights.bin"}
    assert started_as(taken.source, "alice") == "agent_of_mine.py"
    # From the store it is the same agent again.
    assert store.take(read_player(taken.command[0])).hash == taken.hash
    sent = packed(agent)
    assert sent.name == "agent_of_mine.zip"


@pytest.mark.parametrize(
    "text",
    [
        "command.json",
        "../secret.txt",
        "{folder}/book.json",
        ".hidden.txt",
        "helper.py",
        "link.txt",
        "nothing.txt",
        "data",
        "a\\0b.txt",
        "data/../book.json",
    ],
)
def test_no_other_files_are(text: str, agent: Path) -> None:
    (agent.parent.parent / "secret.txt").write_text("")
    (agent.parent / ".hidden.txt").write_text("")
    (agent.parent / "command.json").write_text("[1]")
    (agent.parent / "helper.py").write_text("")
    (agent.parent / "link.txt").symlink_to(agent.parent.parent / "secret.txt")
    agent.write_text(f'open("{text.format(folder=agent.parent)}")\n')
    assert contents.named_in(agent) == []


@pytest.mark.parametrize(
    "other",
    [
        "from agents import Agent\nclass Other(Agent):\n    pass\n",
        "class Other(Base):\n    def choose(self, state, clock):\n        pass\n",
        "def my_agent(obs, config):\n    return 0\n",
    ],
)
def test_a_folder_with_several_agents_is_shared(other: str, agent: Path) -> None:
    (agent.parent / "other.py").write_text(other)
    assert contents.named_in(agent) == []


def test_files_of_kaggles_folder_are_those_beside_the_agent(agent: Path) -> None:
    agent.write_text('!ls\nopen("/kaggle_simulations/agent/book.json")\n')
    assert contents.named_in(agent) == ["book.json"]


def test_a_folder_with_programs_is_of_somebody_else(agent: Path) -> None:
    assert "data/weights.bin" in contents.named_in(agent)
    (agent.parent / "data" / "agent.py").write_text("")
    assert contents.named_in(agent) == ["book.json"]
    (agent.parent / "bot.cpp").write_text("")
    assert contents.named_in(agent) == []


@pytest.mark.parametrize("text", ["def choose(:", "\0", "(" * 5000])
def test_a_program_that_cannot_be_read_has_none(text: str, agent: Path) -> None:
    agent.write_text(text)
    assert contents.named_in(agent) == []


def test_the_last_function_of_a_file_is_named_with_kaggle(tmp_path: Path) -> None:
    file = tmp_path / "sub.py"
    file.write_text("def helper(a, b, c):\n    pass\n\ndef play(o, c):\n    return 3\n")
    player = read_player(f"kaggle:{file}")
    assert (player.kind, player.text, player.class_name, player.name) == (
        PlayerKind.FILE,
        f"{file}:play",
        "play",
        "sub",
    )
    file.write_text("x = 1\n")
    with pytest.raises(BadPlayer, match="has no function: expected def agent"):
        read_player(f"kaggle:{file}")
    with pytest.raises(BadPlayer, match=r"expected kaggle:FILE\.py, got 'kaggle:sub'"):
        read_player("kaggle:sub")
    with pytest.raises(BadPlayer, match="no file"):
        read_player(f"kaggle:{tmp_path}/none.py")


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("bot.cpp", 'fprintf(stderr, "don\'t\\n"); ifstream in("book.json");'),
        ("bot.js", "load(`${__dirname}/book.json`)"),
        ("bot.c", 'fopen("./book.json", "rb"); puts("\xff");'),
    ],
)
def test_programs_in_other_languages_have_data_files_too(program: str, text: str, tmp_path: Path) -> None:
    (tmp_path / program).write_text(text)
    (tmp_path / "book.json").write_text("{}")
    store = Store(tmp_path / "arena.store")
    assert {*store.read_source(tmp_path / program, alone=False)} == {program, "book.json"}
    (tmp_path / "another.go").write_text("")
    assert {*store.read_source(tmp_path / program, alone=False)} == {program}


def test_the_working_directory_has_the_files_beside_the_program(tmp_path: Path) -> None:
    source = tmp_path / ("0" * 64)
    (source / "3" / "classes").mkdir(parents=True)

    def folder(*command: str) -> str:
        return entrants._folder_of(Submission(source.name, PlayerKind.COMMAND, command, source))

    assert folder("/usr/bin/java", "-cp", f"{source}/3/classes:{source}/3/lib/x.jar", "A") == f"{source}/3/classes"
    assert folder("/usr/bin/node", f"{source}/1/bot.js") == f"{source}/1"
    assert folder(f"{source}/agent.py:MyAgent") == str(source)
    assert folder("/usr/bin/stockfish") == ""


@pytest.mark.parametrize("content", ["[1]", "not JSON", '{"program": "sh", "built": "x", "arguments": []}'])
def test_a_file_called_like_the_stores_own_is_data_of_a_python_agent(content: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "arena.store")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "single.py").write_text(AGENT)
    taken = store.take(read_player(str(tmp_path / "mine" / "single.py")))
    (taken.source / "command.json").write_text(content)
    assert not is_command(taken.source)
    assert build_warnings(taken.source) == ""


@pytest.mark.costly
def test_many_files_are_neither_written_nor_too_many_for_a_container(tmp_path: Path) -> None:
    need(WallKind.CONTAINER)
    folder = tmp_path / "many"
    folder.mkdir()
    (folder / "agent.py").write_text(AGENT.replace("book.json", "0001.json").replace("data/weights.bin", "0002.json"))
    for number in range(3000):
        (folder / f"{number:04}.json").write_text("1" if number == 2 else "{}")
    (tmp_path / "t.toml").write_text(
        'name = "t"\ngame = "tictactoe"\nwalls = "container"\n[limits]\ndisk = "1M"\n'
        '[[agent]]\nname = "many"\nplayer = "many"\n[[agent]]\nname = "r"\nplayer = "random"\n'
    )
    ended = arena("check", "many", "--tournament", "t.toml", cwd=tmp_path)
    assert "Ready to play: no problems found" in ended.out, ended.out


@pytest.mark.costly
@pytest.mark.parametrize("walls", WallKind)
def test_an_agent_with_data_plays(walls: WallKind, agent: Path, tmp_path: Path) -> None:
    need(walls)
    ended = arena(
        *("play", "tictactoe", str(agent), "random", "--quiet", "--clock", "none", "--walls", walls), cwd=tmp_path
    )
    assert ended.code == 0
    shown = arena("replay", "last", "--show", "--format", "json", cwd=tmp_path)
    assert '"verdict": "normal"' in shown.out
