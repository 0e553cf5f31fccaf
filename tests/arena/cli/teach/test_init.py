"""`arena init`: the description runs as it is, has every key with its true default, and overwrites nothing."""

import re
import tomllib
from pathlib import Path

import pytest

from adsearch import games
from arena.student.starter import FOLDER
from arena.tournament import league as leagues
from arena.tournament.enrolment import AGENT_KEYS
from arena.tournament.league import KEYS, LIMIT_KEYS, SPRT_KEYS
from tests.kit.arena_program import arena

TEXT = (FOLDER / "tournament.toml").read_text("utf-8")
SETTING = re.compile(r"^# (?P<setting>(?P<key>\w+) = (?P<value>.*?)) *(?:  # (?P<about>.*))?$", re.MULTILINE)
"""A line that has no effect, but would without its first sign."""
SHOWN = {found["key"]: found for found in SETTING.finditer(TEXT)}
WITHOUT_A_VALUE = (
    "seed",
    "max_plies",
    "games_at_once",
    "walls",
    "modules",
    "python",
    "gauntlet",
    "seeds",
    "sprt",
)
"""Keys whose default is that there is none: an example stands for them."""
FORMATS = {"gauntlet": "gauntlet", "seeds": "knockout", "sprt": "match"}


def changed(key: str, folder: Path) -> leagues.League:
    """The tournament with that line in effect; its format is one that has a use for it."""
    text = TEXT.replace(SHOWN[key][0], SHOWN[key]["setting"])
    if key in FORMATS:
        text = text.replace('# format = "round-robin"', f'format = "{FORMATS[key]}"')
    if key == "sprt":
        text = text.rpartition("[[agent]]")[0]
    file = folder / "cs101.toml"
    file.write_text(text, "utf-8")
    return leagues.read(file)


def test_what_it_writes_is_what_stands_among_the_starters_and_runs_as_it_is() -> None:
    ended = arena("init", "cs101")
    assert ended.code == 0
    assert Path("cs101.toml").read_text("utf-8") == TEXT
    assert "  arena run cs101.toml --plan\n" in ended.out
    planned = arena("run", "cs101.toml", "--plan")
    assert planned.code == 0
    assert "cs101: connect4, round-robin, 3 players" in planned.out


@pytest.mark.parametrize("game", [*games.names(), "tree:three", "tree:alone", "ludo:players=2", "maze:ghosts=4"])
def test_it_can_be_run_for_every_game(game: str) -> None:
    assert arena("init", "cs101", "--game", game).code == 0
    planned = arena("run", "cs101.toml", "--plan")
    assert planned.code == 0, planned.err
    assert f"\ncs101: {game}" in planned.out


def test_every_key_is_in_it() -> None:
    in_effect = tomllib.loads(TEXT)
    there = {*SHOWN, *in_effect, *(key for agent in in_effect["agent"] for key in agent)}
    assert {*KEYS, *LIMIT_KEYS, *AGENT_KEYS} == there
    test = tomllib.loads(SHOWN["sprt"]["setting"])["sprt"]
    assert set(SPRT_KEYS) == set(test)


@pytest.mark.parametrize("key", [key for key in SHOWN if key not in WITHOUT_A_VALUE])
def test_every_value_that_is_shown_is_what_is_usual(key: str, tmp_path: Path) -> None:
    (tmp_path / "cs101.toml").write_text(TEXT, "utf-8")
    usual = leagues.read(tmp_path / "cs101.toml")
    if key == "start":  # has no value of its own where it is not given
        assert changed(key, tmp_path).allowance.start == 10 * 10**9
    else:
        assert changed(key, tmp_path) == usual


@pytest.mark.parametrize("key", WITHOUT_A_VALUE)
def test_where_none_is_usual_an_example_shows_what_it_may_be(key: str, tmp_path: Path) -> None:
    league = changed(key, tmp_path)
    assert getattr(league, key) is not None
    assert getattr(league, key) != ()


def test_every_line_fits_and_every_setting_is_told_in_a_few_words() -> None:
    assert all(len(line) <= 112 for line in TEXT.splitlines())
    assert [key for key, found in SHOWN.items() if not found["about"] and key != "sprt"] == []


@pytest.mark.parametrize(
    ("name", "file"),
    [("cs101.toml", "cs101.toml"), ("CS 101 – Herbst", "CS 101 – Herbst.toml"), ("it's", ""), ("日本", "日本.toml")],
)
def test_it_is_called_as_it_is_told(name: str, file: str) -> None:
    ended = arena("init", name)
    if not file:
        assert (ended.code, list(Path().iterdir())) == (2, [])
        return
    assert leagues.read(Path(file)).name == file.removesuffix(".toml")
    assert arena("run", file, "--plan").code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([""], "expected a name"),
        ([".."], "expected a tournament's name"),
        (['a"b'], "without quotes"),
        (["a#1"], "without '#' and '@'"),
        (["W" * 65], "at most 64"),
        (["nowhere/cs101"], "there is no folder 'nowhere'"),
        (["cs101", "--game", "conect4"], "did you mean 'connect4'?"),
    ],
)
def test_what_it_cannot_write_is_told_and_leaves_no_file(arguments: list[str], message: str) -> None:
    ended = arena("init", *arguments)
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert message in ended.err
    assert list(Path().iterdir()) == []


def test_a_description_that_is_there_stays_as_it_is() -> None:
    Path("cs101.toml").write_text("mine", "utf-8")
    ended = arena("init", "cs101")
    assert ended.code == 2
    assert "the file 'cs101.toml' already exists and is not overwritten" in ended.err
    assert Path("cs101.toml").read_text("utf-8") == "mine"
