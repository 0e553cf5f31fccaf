"""The game that an agent's own file names."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from adsearch import games
from adsearch.openspiel import KEEP_PROMISES
from arena.errors import BadPlayer
from arena.players.player import read_player
from arena.student import starter
from arena.student.checking.agent_lookup import named_game
from arena.student.starter import Style
from tests.kit.every_game import SMALL


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("game", SMALL)
def test_every_template_names_its_game(game: str) -> None:
    start = games.start(game)
    for style in Style:
        Path("my_agent.py").write_text(
            starter.agent(Path("my_agent.py"), game, start, style, None).files["my_agent.py"]
        )
        assert named_game(read_player("my_agent.py")) == game
    for language in starter.with_templates().values():
        if not language.hosted:
            file = Path(f"Bot{language.ending}")
            file.write_text(starter.agent(file, game, start, None, None).files[file.name])
            assert named_game(read_player(f"cmd:./Bot {file}")) == game
            file.unlink()


@pytest.mark.parametrize(
    ("file", "text", "player"),
    [
        ("a.py", '"""Run `arena check a.py --game nap`."""', "a.py"),
        ("a.py", "# arena climb a.py --game=nap, or with a clock", "a.py:MyAgent"),
        ("team/agent.py", "# --game nap\n", "team"),
        ("bot.c", "/* arena check cmd:./bot --game nap */", "cmd:./bot"),
        ("Bot.java", "// --game nap", "cmd:java -cp . Bot"),
        ("a.py", "# --game nap\n# --game GAME\n# --game 'nap'\n", "a.py"),
        ("a.py", "# It plays one game (--game nap), always.", "a.py"),
        ("a.py", "\N{LATIN SMALL LETTER U WITH DIAERESIS} --game nap", "cmd:python3 a.py --fast"),
    ],
)
def test_it_is_read_from_the_file_of_the_agent(file: str, text: str, player: str) -> None:
    Path(file).parent.mkdir(exist_ok=True)
    Path(file).write_text(text, encoding="latin-1")
    assert named_game(read_player(player)) == "nap"


@pytest.mark.parametrize(
    ("text", "game"),
    [
        ('class MyAgent(Agent):\n    game = "othello:size=6"\n', "othello:size=6"),
        ("class MyAgent(Agent):\n    game = 'go'\n    # not chess, and not --game nap\n", "go"),
        ('"""An agent that plays Othello."""\nfrom agents import Agent\n', "othello"),
        ("# My Connect-Four agent goes deep into the tree.\n", "connect4"),
        ('class A(Agent):\n    """Tic-tac-toe,\n    with a book."""\n', "tictactoe"),
        ("# It is playing go.\n", "go"),
        ("/* It plays chess. */\n", "chess"),
    ],
)
def test_it_is_an_attribute_of_the_class_or_the_only_game_in_the_comments(text: str, game: str) -> None:
    Path("a.py").write_text(text)
    assert named_game(read_player("a.py")) == game


def test_a_game_with_blanks_in_its_path_is_quoted() -> None:
    Path("a.py").write_text("# arena check a.py --game 'my rules.py:Game'\n")
    assert named_game(read_player("a.py")) == "my rules.py:Game"


OPTIONS = [
    name if option is None else f"{name}:{option.name}={option.default_value()}"
    for name, game in games.names().items()
    for option in (None, *game.options)
]
PARAMETERS = ("", "(rows=6,columns=6)", "(game=goofspiel(num_cards=4,imp_info=True))")
SPECS = [*OPTIONS, *(f"openspiel:{name}{parameters}" for name in KEEP_PROMISES for parameters in PARAMETERS)]


@pytest.mark.parametrize(
    "sentence",
    ["(arena check a.py --game {})", "arena check a.py --game {}", "(`arena climb a.py --game={}`), and then:"],
)
def test_every_game_survives_the_comment(sentence: str) -> None:
    for spec in SPECS:
        Path("a.py").write_text(f"# {sentence.format(shlex.quote(spec))}\n")
        assert named_game(read_player("a.py")) == spec


def test_parentheses_of_a_game_without_quotes_belong_to_it() -> None:
    Path("a.py").write_text("# --game openspiel:breakthrough(rows=6,columns=6), on a small board")
    assert named_game(read_player("a.py")) == "openspiel:breakthrough(rows=6,columns=6)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "'a.py' does not name its game: add --game GAME, such as --game connect4"),
        ("", 'or write into the file the line: game = "connect4"'),
        ("# Like chess, othello needs a book.\n", "does not name its game"),
        ("# We go deeper into the tree, in other words.\nchess = othello\n", "does not name its game"),
        ("# --game nap\n# --game connect4\n", r"'a.py' names several games \(nap, connect4\): add --game"),
        ('parser.add_argument("--game", default="nap")', "does not name its game"),
    ],
)
def test_a_file_that_names_none_or_several_is_refused(text: str, words: str) -> None:
    Path("a.py").write_text(text)
    with pytest.raises(BadPlayer, match=words):
        named_game(read_player("a.py"))


def test_a_player_without_a_readable_file_names_none() -> None:
    Path("a.py").write_text("# --game nap")
    os.mkfifo("pipe")  # a file that would be waited for
    for player in ("random", "cmd:./pipe", "cmd:nothing a.txt"):
        with pytest.raises(BadPlayer, match="does not name its game"):
            named_game(read_player(player))


@pytest.mark.parametrize(
    ("player", "words"),
    [("cmd:./bto", "no file './bto'; did you mean 'bot'"), ("cmd:java Bto.java", "no file 'Bto.java'; did you mean")],
)
def test_a_mistyped_file_is_named_before_the_missing_game(player: str, words: str) -> None:
    Path("bot").touch()
    Path("Bot.java").touch()
    with pytest.raises(BadPlayer, match=words):
        named_game(read_player(player))
