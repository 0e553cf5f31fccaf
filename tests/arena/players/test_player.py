"""A player's text is read correctly, or refused with a message that says what to do.

The paths are real ones in a folder of the test; no agent is started.
"""

import os
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BadPlayer
from arena.players.player import PlayerKind, read_player, refuse_missing_script, unique_names


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: a folder with agents, and with things that are not agents."""
    (tmp_path / "my_agent.py").write_text("raise SystemExit('nobody may run this')")
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "team.zip").write_text("")
    (tmp_path / "engine").write_text("")
    (tmp_path / "engine").chmod(0o755)
    (tmp_path / "rabbit.js").write_text("")
    (tmp_path / "alice").mkdir()
    (tmp_path / "alice" / "agent.py").write_text("")
    (tmp_path / "strange.py").mkdir()
    (tmp_path / "strange.py" / "agent.py").write_text("")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("pvs", PlayerKind.BUILTIN, "pvs"),
        ("alphabeta:depth=6,table=false", PlayerKind.BUILTIN, "alphabeta:depth=6,table=false"),
        ("  mcts ", PlayerKind.BUILTIN, "mcts"),
        ("my_agent.py", PlayerKind.FILE, "my_agent"),
        ("./my_agent.py:MyAgent", PlayerKind.FILE, "my_agent"),
        ("alice", PlayerKind.FOLDER, "alice"),
        ("alice/", PlayerKind.FOLDER, "alice"),
        ("strange.py", PlayerKind.FOLDER, "strange.py"),
        ("cmd:./engine --fast", PlayerKind.COMMAND, "engine"),
        ("cmd:python3 bot.py 'two words'", PlayerKind.COMMAND, "bot"),
        ("cmd:java -Xmx1g MyAgent.java", PlayerKind.COMMAND, "MyAgent"),
        ("cmd:java -cp classes:gson.jar MyAgent", PlayerKind.COMMAND, "MyAgent"),
        ("human", PlayerKind.HUMAN, "human"),
        ("wait", PlayerKind.WAIT, "wait"),
    ],
)
def test_every_kind_of_player_is_read_and_named(folder: Path, text: str, kind: PlayerKind, name: str) -> None:
    player = read_player(text)
    assert (player.kind, player.name, player.text) == (kind, name, text.strip())


def test_a_file_has_its_absolute_path_and_class(folder: Path) -> None:
    player = read_player("my_agent.py:MyAgent")
    assert (player.path, player.class_name) == (folder / "my_agent.py", "MyAgent")
    assert read_player("my_agent.py").class_name == ""


def test_a_folder_has_its_absolute_path_even_from_inside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_player("alice").path == folder / "alice"
    monkeypatch.chdir(folder / "alice")
    assert (read_player(".").path, read_player(".").name) == (folder / "alice", "alice")
    (folder / "alice" / "inner").mkdir()
    monkeypatch.chdir(folder / "alice" / "inner")
    assert (read_player("..").path, read_player("..").name) == ((folder / "alice").resolve(), "alice")


def test_a_home_directory_is_understood(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert read_player("~/my_agent.py").path == folder / "my_agent.py"
    assert read_player("~/alice").path == folder / "alice"


def test_a_command_is_split_as_a_shell_splits_it(folder: Path) -> None:
    assert read_player("cmd:./engine --name 'two words' \"\"").command == ("./engine", "--name", "two words", "")


def test_a_builtin_hides_a_folder_of_its_name_and_a_path_shows_it(folder: Path) -> None:
    (folder / "pvs").mkdir()
    (folder / "pvs" / "agent.py").write_text("")
    assert read_player("pvs").kind is PlayerKind.BUILTIN
    assert read_player("./pvs").kind is PlayerKind.FOLDER


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected a player: a built-in agent, FILE.py"),
        ("   ", "got an empty text"),
        ("alphabetta", "no player 'alphabetta'; did you mean 'alphabeta'?"),
        ("humann", "no player 'humann'; did you mean 'human'?"),
        ("rabit.js", "no file 'rabit.js'; did you mean 'rabbit.js'?"),
        ("zzzzz", "no player 'zzzzz'; there is "),
        ("alphabeta:depht=6", "depth"),
        ("human:depth=3", "expected 'human' without options"),
        ("wait:", "expected 'wait' without options"),
        ("nobody.py", "no file 'nobody.py': expected an agent's Python file"),
        ("nobody.py:Agent", "no file 'nobody.py'"),
        ("my_agent.py:", "expected FILE.py or FILE.py:CLASS"),
        ("my_agent.py:My Agent", "'My Agent' is not a class name"),
        ("my_agent.py:MyAgent:depth=3", "expected FILE.py or FILE.py:CLASS"),
        ("strange.py:Agent", "'strange.py' is not a file"),
        ("nowhere/alice", "no file or folder 'nowhere/alice'"),
        ("empty", "expected a file agent.py in the folder 'empty'"),
        ("notes.txt", "'notes.txt' is not an agent's file"),
        ("team.zip", "unpack a zip archive"),
        ("./notes.txt", "'./notes.txt' is not an agent's file"),
        ("./engine", "for a program write 'cmd:./engine'"),
        ("engine", "for a program write 'cmd:./engine'"),
        ("cmd:", "expected a program after 'cmd:'"),
        ("cmd:   ", "expected a program after 'cmd:'"),
        ("cmd:'' --fast", "expected a program after 'cmd:'"),
        ("cmd:./engine 'open", "No closing quotation"),
        ("cmd", "expected a program after 'cmd:'"),
        ("pvs\0", "without zero bytes"),
        ("\udcff.py", "expected a player as text in UTF-8"),
        ("x" * 5000, "no player"),
        ("/" + "x" * 5000, "no file or folder"),
        ("~nobody-of-that-name/x.py", "no file '~nobody-of-that-name/x.py'"),
    ],
)
def test_a_text_that_is_not_a_player_is_refused_in_one_line_that_says_what_to_do(
    folder: Path, text: str, words: str
) -> None:
    with pytest.raises(BadPlayer) as caught:
        read_player(text)
    told = str(caught.value)
    assert words in told
    assert "\n" not in told


def test_a_name_can_be_shown_and_sent_whatever_the_file_is_called(folder: Path) -> None:
    (folder / ("\x1b[31m" + "n" * 200 + ".py")).write_text("")
    name = read_player("\x1b[31m" + "n" * 200 + ".py").name
    assert name.startswith("?[31mnnn")
    assert len(name) == 64


def test_a_player_never_changes(folder: Path) -> None:
    with pytest.raises(FrozenInstanceError):
        read_player("human").name = "somebody"  # type: ignore[misc]


def test_nothing_is_compiled_or_run_to_read_a_player(folder: Path) -> None:
    read_player("my_agent.py")
    assert not os.path.exists(folder / "__pycache__")


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["pvs", "mcts"], ["pvs", "mcts"]),
        (["pvs", "pvs", "pvs"], ["pvs", "pvs#2", "pvs#3"]),
        (["pvs", "pvs#2", "pvs"], ["pvs", "pvs#2", "pvs#3"]),
        (["pvs", "pvs", "pvs#2"], ["pvs", "pvs#3", "pvs#2"]),
        ([], []),
    ],
)
def test_players_of_one_name_are_numbered(names: list[str], told: list[str]) -> None:
    assert list(unique_names(names)) == told


@given(st.lists(st.sampled_from(["a", "b", "a#2", "a#3", "a#2#2"]), max_size=12))
def test_unique_names_are_all_different_and_what_was_unique_stays(names: list[str]) -> None:
    told = unique_names(names)
    assert len(set(told)) == len(names)
    assert all(after == before for before, after in zip(names, told, strict=True) if names.count(before) == 1)
    assert unique_names(told) == told


def test_the_script_of_a_command_must_exist(folder: Path) -> None:
    with pytest.raises(BadPlayer, match=r"no file 'rabit\.js'; did you mean 'rabbit\.js'\?"):
        refuse_missing_script(["node", "rabit.js"])
    for command in (["node", "rabbit.js"], ["python3", "-m", "agents"], ["./engine", "none.py"], ["java", "Bot"]):
        refuse_missing_script(command)
