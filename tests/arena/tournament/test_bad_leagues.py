"""A description that cannot be used is refused in words: the file, the key or the line, what was expected, what came.

Nothing is played to find it out, and no error is of another kind.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import BadLeague
from arena.tournament import league
from arena.tournament.description import what_is_wrong_with
from tests.kit.course_folder import TWO, course, read
from tests.kit.effort import tries

ALL = 'players = "students/*"\n'
"""Three agents."""
FOUR = "".join(f'[[agent]]\nname = "{number}"\nplayer = "random"\n' for number in range(4))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A course's folder."""
    return course(tmp_path)


def wrong(folder: Path, text: str) -> str:
    """The error of a description, without its file's name."""
    with pytest.raises(BadLeague) as caught:
        read(folder, text)
    said = str(caught.value)
    assert said.startswith(f"{folder / 'cs101.toml'}")
    assert said.isprintable()
    return said.removeprefix(f"{folder / 'cs101.toml'}").removeprefix(": ")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rounds == 2", ", line 1: invalid value (column 9)"),
        ('game = "connect4"\nname = "open', ", line 2: "),
        ("[[agent]\n", ", line 1: "),
        ("x = " + "[" * 5000, "tables and lists are nested too deeply"),
        ("", "game: missing; expected a string"),
        ("game = 4", "game: expected a string, got 4"),
        ('game = "conect4"', "game: no game 'conect4'; did you mean 'connect4'?"),
        ('game = "connect4:rows=99"', "game: connect4: rows"),
        ('game = "nowhere.py"', "game: no game in"),
        ('game = "game.py:Nobody"', "no game 'Nobody'; there is Countdown"),
        ('game = "tree:file=absent.json"', "game: tree: "),
        ('game = "ludo:players=9"', "game: ludo: players"),
    ],
)
def test_a_file_that_is_not_a_description_is_refused(folder: Path, text: str, words: str) -> None:
    assert words in wrong(folder, text)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("round = 2", "unknown key 'round'; did you mean 'rounds'?"),
        ("Rounds = 2", "unknown key 'Rounds'; did you mean 'rounds'?"),
        ('format = "roundrobin"', "format: expected 'gauntlet' or 'knockout' or"),
        ('format = "roundrobin"', "got 'roundrobin'; did you mean 'round-robin'?"),
        ("format = 3", "or 'tables', got 3"),
        ("rounds = 0", "rounds: expected a whole number from 1 to 100000, got 0"),
        ("rounds = true", "rounds: expected a whole number from 1 to 100000, got true"),
        ('rounds = "2"', "rounds: expected a whole number from 1 to 100000, got '2'"),
        ("rounds = 1.5", "rounds: expected a whole number from 1 to 100000, got 1.5"),
        ("rounds = 100_000_000", "rounds: expected a whole number from 1 to 100000, got 100000000"),
        ('clock = "10:00"', "clock: expected a clock such as 60, "),
        ("clock = true", "clock: expected a string, got true"),
        ("margin = -1", "margin: expected a number of seconds from 0 to 3600, got -1"),
        ("margin = nan", "margin: expected a number of seconds from 0 to 3600, got nan"),
        ("margin = 12:00:00", "margin: expected a number of seconds from 0 to 3600, got 12:00:00"),
        ("seed = -7", "seed: expected a whole number from 0 to 340282366920938463463374607431768211455, got -7"),
        (f"seed = 1{'0' * 60}", "got a number of more than 30 digits"),
        ("openings = -1", "openings: expected a whole number from 0 to 1000 or a file's name, got -1"),
        ("openings = [2]", "openings: expected a whole number from 0 to 1000 or a file's name, got a list of 1"),
        ("openings = 42", "openings: connect4: expected openings of fewer than 42 plies, got 42"),
        ('openings = "absent.txt"', "openings: cannot read openings from "),
        ('openings = "students/README.md"', "README.md: expected openings, one per line, moves separated by spaces"),
        ('openings = "over.txt"', "over.txt, line 1: an opening must not end the game, but these moves do"),
        ('openings = "wrong.txt"', "wrong.txt, line 2, move 3: expected a legal move"),
        ("max_plies = 0", "max_plies: expected a whole number from 1 to 1000000, got 0"),
        ("games_at_once = 0", "games_at_once: expected a whole number from 1 to 1024, got 0"),
        ("host_tolerance = -1", "host_tolerance: expected a number from 0 to 1000, such as 0.15, got -1"),
        ('host_tolerance = "15%"', "host_tolerance: expected a number from 0 to 1000, such as 0.15, got '15%'"),
        ('names = "hiden"', "names: expected 'hidden' or 'shown', got 'hiden'; did you mean 'hidden'?"),
        ("names = []", "names: expected 'hidden' or 'shown', got a list of 0"),
        ("quarantine = -1", "quarantine: expected a whole number from 0 to 1000000, got -1"),
        ("reuse = 1", "reuse: expected true or false, got 1"),
        ("limits = 3", "limits: expected a table, [limits], got 3"),
        ("limits = {halo = 3}", "[limits]: unknown key 'halo'; did you mean 'hello'?"),
        ("limits = {move = 0}", "[limits]: move: expected a number of seconds from 0.001 to 2592000, got 0"),
        ('limits = {ready = "5"}', "[limits]: ready: expected a number of seconds from 0.1 to 86400, got '5'"),
        ('name = "a\\tb"', "name: expected a name of printable characters without spaces at either end, got 'a\\tb'"),
        ('name = ""', "name: expected a name, got ''"),
        (f'name = "{"x" * 65}"', "name: expected a name of at most 64 characters, got 65"),
        ("players = 3", "players: expected a string or a list of strings, got 3"),
        ('players = ["students/*", 3]', "players: expected a string or a list of strings, got a list of 2"),
        ('players = "student/*"', "players: nothing matches 'student/*' in "),
        ('players = "pvs"', "for a player that is not a file, write [[agent]] with name and player"),
        ('players = "*.txt"', "players: '*.txt' matches no agent, only 'openings.txt' (not a Python file)"),
        ("gauntlet = 3", "gauntlet: expected a string or a list of strings, got 3"),
    ],
)
def test_the_error_of_a_bad_value_names_the_key(folder: Path, line: str, words: str) -> None:
    (folder / "over.txt").write_text("1 2 1 2 1 2 1\n")
    (folder / "wrong.txt").write_text("1 2\n1 2 9\n")
    assert words in wrong(folder, f'game = "connect4"\n{line}\n{TWO}')


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('player = "pvs"', "agent 1: name: missing; expected a name"),
        ('name = ""', "agent 1 (''): name: expected a name, got ''"),
        ("name = 7", "agent 1: name: expected a name, got 7"),
        ('name = "x#2"', "agent 1 ('x#2'): name: expected a name without '#' and '@'"),
        (
            'name = "a\\u202eb"',
            "name: expected a name of printable characters without spaces at either end, got 'a\\u202eb'",
        ),
        ('name = " a"', "name: expected a name of printable characters without spaces at either end"),
        ('name = "a"', "agent 1 ('a'): player: missing; expected a string"),
        (
            'name = "a"\nplayer = "alphabetta"',
            "agent 1 ('a'): player: no player 'alphabetta'; did you mean 'alphabeta'?",
        ),
        ('name = "a"\nplayer = "pvs:deep=3"', "agent 1 ('a'): player: pvs: no option 'deep'"),
        ('name = "a"\nplayer = "absent.py"', "agent 1 ('a'): player: no file "),
        ('name = "a"\nplayer = "students"', "player: expected a file agent.py in the folder"),
        ('name = "a"\nplayer = "cmd:"', "player: expected a program after 'cmd:'"),
        ('name = "a"\nplayer = "human"', "player: 'human' can play in `arena play` only"),
        ('name = "a"\nplayer = "pvs"\nanchor = "high"', "agent 1 ('a'): anchor: expected a number, got 'high'"),
        ('name = "a"\nplayer = "pvs"\nanchor = inf', "agent 1 ('a'): anchor: expected a number, got inf"),
        ('name = "a"\nplayer = "pvs"\nplayr = 1', "agent 1 ('a'): unknown key 'playr'; did you mean 'player'?"),
        (
            'name = "a"\nplayer = "pvs"\nrounds = 2',
            "agent 1 ('a'): the key 'rounds' does not belong here: put it above the first [[agent]]",
        ),
    ],
)
def test_the_error_of_a_bad_agent_has_its_number_and_name(folder: Path, table: str, words: str) -> None:
    assert words in wrong(folder, f'game = "connect4"\n[[agent]]\n{table}')


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            'game = "connect4"',
            "expected at least 2 agents to play connect4, got 0; list them with [[agent]] or players",
        ),
        ('game = "connect4"\nagent = 3', "agent: expected tables, each starting with [[agent]], got 3"),
        ('game = "connect4"\n' + TWO.replace('"b"', '"A"'), "two agents are called 'a': 'pvs' and 'random'; give each"),
        ('game = "pig"\n' + TWO, "agent 'b': pvs cannot play pig: "),
        ('game = "pig"\nopenings = 2\n' + TWO, "openings: pig: openings are for games without chance"),
        (
            'game = "pig"\nopenings = "openings.txt"\n' + TWO,
            "openings: openings from a file need a game without chance; pig has chance events",
        ),
        ('game = "ludo:players=4"\n' + ALL, "expected at least 4 agents to play ludo:players=4, got 3"),
        (
            'game = "ludo:players=3"\nformat = "swiss"\n' + ALL,
            "format: swiss needs a game for 2 players, ludo:players=3 is for 3",
        ),
        ('game = "connect4"\nformat = "match"\n' + ALL, "format: expected 2 agents for a match, got 3"),
        (
            'game = "connect4"\nformat = "gauntlet"\n' + ALL,
            "gauntlet: expected the names of the agents that play against all",
        ),
        (
            'game = "connect4"\nformat = "gauntlet"\ngauntlet = "dave"\n' + ALL,
            "gauntlet: no agent 'dave'; the agents are 'alice', 'bob', 'carol'",
        ),
        (
            'game = "connect4"\ngauntlet = "bob"\n' + ALL,
            "gauntlet: not used with the format round-robin, only with gauntlet",
        ),
        ('game = "connect4"\nformat = "knockout"\nseeds = ["bob", "bob"]\n' + ALL, "seeds: expected each name once"),
        (
            'game = "connect4"\nsprt = {elo0 = 0, elo1 = 5}\n' + TWO,
            "sprt: not used with the format round-robin, only with match",
        ),
        (
            'game = "connect4"\nformat = "knockout"\nrounds = 3\n' + ALL,
            "rounds: not used with the format knockout, only with gauntlet, match",
        ),
        (
            'game = "connect4"\nbest_of = 3\n' + ALL,
            "best_of: not used with the format round-robin, only with knockout",
        ),
        ('game = "connect4"\nrounds = 100000\n' + ALL + FOUR, "expected at most 1,000,000 games, got 4,200,000"),
    ],
)
def test_keys_that_contradict_each_other_are_refused(folder: Path, text: str, words: str) -> None:
    assert words in wrong(folder, text)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("5", "sprt: expected a table, [sprt], got 5"),
        ('"0,5"', "sprt: expected a table, [sprt], got '0,5'"),
        ("{}", "[sprt]: elo0: missing; expected a number"),
        ("{elo0 = 0}", "[sprt]: elo1: missing; expected a number"),
        ("{elo0 = 0, elo_1 = 5}", "[sprt]: unknown key 'elo_1'; did you mean 'elo1'?"),
        ("{elo0 = 5, elo1 = 5}", "[sprt]: expected elo0 below elo1, got 5 and 5"),
        ("{elo0 = 5, elo1 = -5.5}", "[sprt]: expected elo0 below elo1, got 5 and -5.5"),
        ('{elo0 = "0", elo1 = 5}', "[sprt]: elo0: expected a number, got '0'"),
        ("{elo0 = true, elo1 = 5}", "[sprt]: elo0: expected a number, got true"),
        ("{elo0 = 0, elo1 = nan}", "[sprt]: elo1: expected a number, got nan"),
        ("{elo0 = -inf, elo1 = 5}", "[sprt]: elo0: expected a number, got -inf"),
        ("{elo0 = 0, elo1 = 2001}", "[sprt]: elo1: expected a number from -2000 to 2000, got 2001"),
        ("{elo0 = 0, elo1 = 5, alpha = 0}", "[sprt]: alpha: expected a number between 0 and 0.5, got 0"),
        ("{elo0 = 0, elo1 = 5, alpha = -0.1}", "[sprt]: alpha: expected a number between 0 and 0.5, got -0.1"),
        ("{elo0 = 0, elo1 = 5, beta = 0.5}", "[sprt]: beta: expected a number between 0 and 0.5, got 0.5"),
        ("{elo0 = 0, elo1 = 5, beta = nan}", "[sprt]: beta: expected a number, got nan"),
        ("{elo0 = 0, elo1 = 5, model = 1}", "[sprt]: model: expected 'logistic' or 'normalized', got 1"),
        ('{elo0 = 0, elo1 = 5, model = "normal"}', "got 'normal'; did you mean 'normalized'?"),
        ('{elo0 = 0, elo1 = 5, of = "c"}', "[sprt]: of: no agent 'c'; the agents are 'a', 'b'"),
        ("{elo0 = 0, elo1 = 5, of = 1}", "[sprt]: of: expected a string, got 1"),
        ('{elo0 = 0, elo1 = 5, of = ["a"]}', "[sprt]: of: expected a string, got a list of 1"),
    ],
)
def test_bad_settings_of_a_sequential_test_are_refused(folder: Path, value: str, words: str) -> None:
    assert words in wrong(folder, f'game = "connect4"\nformat = "match"\nsprt = {value}\n{TWO}')


def test_the_error_of_two_equal_names_shows_both_files(folder: Path) -> None:
    (folder / "students" / "Alice.py").write_text("")
    said = wrong(folder, 'game = "connect4"\nplayers = "students/*"')
    assert "two agents are called" in said
    assert "'students/Alice.py'" in said
    assert "'students/alice'" in said


def test_a_file_name_that_is_not_printable_is_refused(folder: Path) -> None:
    (folder / "students" / "ev\x1bil.py").write_text("")
    said = wrong(folder, 'game = "connect4"\nplayers = "students/*"')
    assert "'students/ev\\x1bil.py': expected a name of printable characters" in said


@pytest.mark.parametrize(
    ("name", "words"),
    [("absent.toml", "cannot read .*absent.toml': No such file"), ("students", "cannot read .*students': Is a dir")],
)
def test_a_file_that_cannot_be_read_is_an_error(folder: Path, name: str, words: str) -> None:
    with pytest.raises(BadLeague, match=words):
        league.read(folder / name)


def test_a_file_in_another_encoding_is_an_error(folder: Path) -> None:
    (folder / "latin.toml").write_bytes('name = "M\xfcller"'.encode("latin-1"))
    with pytest.raises(BadLeague, match="in UTF-8; byte 10 is not UTF-8"):
        league.read(folder / "latin.toml")


@pytest.mark.costly
def test_ten_thousand_agents_are_refused_or_read(folder: Path) -> None:
    text = "".join(f'[[agent]]\nname = "n{number}"\nplayer = "random"\n' for number in range(10_000))
    assert "expected at most 1,000,000 games, got 99,990,000" in wrong(folder, f'game = "connect4"\n{text}')
    assert "at most 1000 agents for a swiss tournament, got 10000" in wrong(
        folder, f'game = "connect4"\nformat = "swiss"\n{text}'
    )


@settings(max_examples=tries(200))
@given(st.text(max_size=80))
def test_every_name_is_either_printable_or_refused(name: str) -> None:
    said = what_is_wrong_with(name)
    assert said.isprintable()
    if not said:
        assert name.isprintable()
        assert name.strip() == name != ""


@pytest.mark.parametrize(
    ("players", "options", "words"),
    [
        (["pvs"], {}, "^expected at least 2 agents to play connect4, got 1; name them after the game$"),
        (["pvs", "randon"], {}, "^player 2: no player 'randon'; did you mean 'random'?"),
        (["pvs", "random"], {"openings": -1}, "^openings: expected a whole number from 0 to 1000 or a file's name"),
        (["pvs", "random"], {"colour": 1}, "^unknown key 'colour'"),
        (["pvs", "wait"], {}, "^player 2: 'wait' can play in `arena play` only"),
    ],
)
def test_bad_arguments_have_the_same_errors(players: list[str], options: dict[str, Any], words: str) -> None:
    with pytest.raises(BadLeague, match=words):
        league.from_arguments("connect4", players, **options)
