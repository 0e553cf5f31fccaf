"""`arena course init`: the description runs as it is, has every key with its true default, and overwrites nothing.

With a list of students it writes a roster with an alias for each student or group.
"""

import re
import tomllib
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from adsearch import games
from arena.course import course as courses
from arena.course import roster as rosters
from arena.course.course import COURSE_KEYS
from arena.serve import ladder as ladders
from arena.student.starter import FOLDER
from arena.tournament import league as leagues
from arena.tournament.enrolment import AGENT_KEYS
from arena.tournament.league import KEYS, LADDER_TABLE, LIMIT_KEYS
from arena.tournament.sequential_test import SprtTerms
from tests.kit.arena_program import arena

TEXT = (FOLDER / "tournament.toml").read_text("utf-8")
SETTING = re.compile(r"^# (?P<setting>(?P<key>\w+) = (?P<value>.*?)) *(?:  # (?P<about>.*))?$", re.MULTILINE)
"""A line that has no effect, but would without its first sign."""
COURSE = TEXT[TEXT.index("# The course: ") : TEXT.index("# Built-in agents")]
"""The tables that only an instructor's commands read."""
SHOWN = {found["key"]: found for found in SETTING.finditer(TEXT.replace(COURSE, ""))}
WITHOUT_A_VALUE = (
    "seed",
    "seats_key",
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
    ended = arena("course", "init", "cs101")
    assert ended.code == 0
    assert Path("cs101.toml").read_text("utf-8") == TEXT
    assert "  arena run cs101.toml --plan\n" in ended.out
    planned = arena("run", "cs101.toml", "--plan")
    assert planned.code == 0
    assert "cs101: connect4, round-robin, 3 players" in planned.out


@pytest.mark.parametrize("game", [*games.names(), "tree:three", "tree:alone", "ludo:players=2", "maze:ghosts=4"])
def test_it_can_be_run_for_every_game(game: str) -> None:
    assert arena("course", "init", "cs101", "--game", game).code == 0
    planned = arena("run", "cs101.toml", "--plan")
    assert planned.code == 0, planned.err
    assert f"\ncs101: {game}" in planned.out


def test_every_key_is_in_it() -> None:
    in_effect = tomllib.loads(TEXT)
    tables = re.findall(r"^(?:# )?\[(\w+)", COURSE, re.MULTILINE)
    there = {*SHOWN, *in_effect, *tables, *(key for agent in in_effect["agent"] for key in agent)}
    assert {*KEYS, *LIMIT_KEYS, *AGENT_KEYS} - {LADDER_TABLE} == there  # a ladder's file lists no agents
    test = tomllib.loads(SHOWN["sprt"]["setting"])["sprt"]
    assert {each.name for each in fields(SprtTerms)} == set(test)


def test_the_tables_of_the_course_can_be_set_by_removing_the_signs(tmp_path: Path) -> None:
    in_effect = re.sub(r"^# (?=\w+ = |\[)", "", COURSE, flags=re.MULTILINE)
    assert set(tomllib.loads(in_effect)["course"]) == set(COURSE_KEYS)
    file = tmp_path / "cs101.toml"
    file.write_text(TEXT.replace(COURSE, in_effect), "utf-8")
    course = courses.read(file)
    assert course.roster == tmp_path / "cs101.roster.csv"
    assert course.late == courses.LATE[0]
    assert leagues.read(file).name == "cs101"


@pytest.mark.parametrize("key", [key for key in SHOWN if key not in WITHOUT_A_VALUE])
def test_every_value_that_is_shown_is_what_is_usual(key: str, tmp_path: Path) -> None:
    (tmp_path / "cs101.toml").write_text(TEXT, "utf-8")
    usual = leagues.read(tmp_path / "cs101.toml")
    if key == "start":  # has no value of its own where it is not given
        assert changed(key, tmp_path).conditions.allowance.start == 10 * 10**9
    else:
        assert changed(key, tmp_path) == usual


@pytest.mark.parametrize("key", WITHOUT_A_VALUE)
def test_where_none_is_usual_an_example_shows_what_it_may_be(key: str, tmp_path: Path) -> None:
    league = changed(key, tmp_path)
    assert league.settings()[key] not in (None, [], ())


def test_every_line_fits_and_every_setting_is_told_in_a_few_words() -> None:
    assert all(len(line) <= 112 for line in TEXT.splitlines())
    assert [key for key, found in SHOWN.items() if not found["about"] and key != "sprt"] == []


@pytest.mark.parametrize(
    ("name", "file"),
    [("cs101.toml", "cs101.toml"), ("CS 101 – Herbst", "CS 101 – Herbst.toml"), ("it's", ""), ("日本", "日本.toml")],
)
def test_it_is_called_as_it_is_told(name: str, file: str) -> None:
    ended = arena("course", "init", name)
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
        (["lab", "--ladder", "--game", "ludo"], "a ladder needs a game for 2 players, ludo is for 4"),
    ],
)
def test_what_it_cannot_write_is_told_and_leaves_no_file(arguments: list[str], message: str) -> None:
    ended = arena("course", "init", *arguments)
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert message in ended.err
    assert list(Path().iterdir()) == []


def test_a_description_that_is_there_stays_as_it_is() -> None:
    Path("cs101.toml").write_text("mine", "utf-8")
    ended = arena("course", "init", "cs101")
    assert ended.code == 2
    assert "the file 'cs101.toml' already exists and is not overwritten" in ended.err
    assert Path("cs101.toml").read_text("utf-8") == "mine"


LADDER = (FOLDER / "ladder.toml").read_text("utf-8")


@pytest.mark.parametrize("game", [name for name in games.names() if games.start(name).players == 2])
def test_a_ladder_can_be_run_as_it_is_for_every_game_of_two(game: str) -> None:
    ended = arena("course", "init", "lab", "--ladder", "--game", game)
    assert (ended.code, ended.err) == (0, "")
    assert "  arena serve lab.toml\n" in ended.out
    found = ladders.read(Path("lab.toml"))
    assert (found.name, found.league.game_text) == ("lab", game)
    assert timedelta(weeks=7) < found.closes - datetime.now(UTC) < timedelta(weeks=9)


def test_every_key_of_a_ladder_is_in_its_file_and_shows_its_default() -> None:
    assert arena("course", "init", "lab", "--ladder").code == 0
    text = Path("lab.toml").read_text("utf-8")
    usual = ladders.read(Path("lab.toml"))
    of_ladder = text.index("# When it is open")
    in_effect = text[:of_ladder] + re.sub(r"^# (?=\w+ = |\[\[)", "", text[of_ladder:], flags=re.MULTILINE)
    Path("lab.toml").write_text(in_effect, "utf-8")
    keys = tomllib.loads(in_effect)
    assert {*keys["ladder"]} == {*ladders.LADDER_KEYS}
    assert {*keys["ladder"]["limits"]} == {*ladders.LIMIT_KEYS}
    found = ladders.read(Path("lab.toml"))
    assert (found.limits, found.agents, found.final) == (usual.limits, usual.agents, usual.final)
    assert [one.name for one in found.tournaments] == ["friday"]
    assert courses.read(Path("lab.toml")).roster == Path("lab.roster.csv")


def test_a_ladder_has_the_settings_of_a_tournaments_games() -> None:
    assert arena("course", "init", "cs101", "--ladder").code == 0
    of_games = TEXT[TEXT.index("# Each game.") : TEXT.index("# The course: ")]
    assert of_games in Path("cs101.toml").read_text("utf-8")


def test_a_ladder_with_a_roster_names_it() -> None:
    Path("participants.csv").write_text(LIST, "utf-8")
    ended = arena("course", "init", "cs101", "--ladder", "--roster", "participants.csv")
    assert ended.out.startswith("cs101.roster.csv: 4 students, 4 agents\ncs101.toml describes a ladder"), ended.err
    assert len(roster().students) == 4


LIST = """\
First name,Last name,ID number,Email address,Groups
Anna,Müller,00123,anna@uni.example,Team 1
Ben,Fox,00124,ben@uni.example,Team 1
Eva,Wolf,,eva@uni.example,Team 2
Zoe,Ünal,,zoe@uni.example,
"""


def roster() -> rosters.Roster:
    """The roster that the description names."""
    file = courses.read(Path("cs101.toml")).roster
    assert file is not None
    return rosters.read(file.read_text("utf-8"), str(file))


def test_a_list_of_students_becomes_a_roster_with_aliases() -> None:
    Path("participants.csv").write_text(LIST, "utf-8-sig")
    ended = arena("course", "init", "cs101", "--roster", "participants.csv", "--seed", "5")
    assert ended.code == 0, ended.err
    assert ended.out.startswith("cs101.roster.csv: 4 students, 4 agents\ncs101.toml describes a tournament")
    assert "  arena course collect cs101.toml submissions.zip\n" in ended.out
    written = Path("cs101.roster.csv").read_text("utf-8").splitlines()
    assert [line.rpartition(",")[0] for line in written] == LIST.splitlines()
    assert len({one.alias for one in roster().students}) == 4
    assert leagues.read(Path("cs101.toml")).name == "cs101"


def test_the_students_of_a_group_are_a_team() -> None:
    Path("participants.csv").write_text(LIST, "utf-8")
    ended = arena("course", "init", "cs101", "--roster", "participants.csv", "--teams")
    assert ended.out.startswith("cs101.roster.csv: 4 students, 3 agents\n"), ended.err
    anna, ben, eva, zoe = roster().students
    assert roster().team(anna) == (anna, ben)
    assert len({anna.alias, eva.alias, zoe.alias}) == 3


def test_a_roster_with_aliases_is_used_where_it_is() -> None:
    Path("lists").mkdir()
    Path("lists/r.csv").write_text("name,alias\nAnna,Fox\nBen,Fox\n", "utf-8")
    Path("here").mkdir()
    ended = arena("course", "init", "here/cs101", "--roster", "lists/r.csv")
    assert ended.out.startswith("lists/r.csv: 2 students, 1 agents\n"), ended.err
    assert [path.name for path in Path("here").iterdir()] == ["cs101.toml"]
    assert courses.read(Path("here/cs101.toml")).roster == Path("here/../lists/r.csv")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--teams"], "add --roster FILE"),
        (["--roster", "none.csv"], "cannot read 'none.csv'"),
        (["--roster", "bad.csv"], "bad.csv, line 3: the id '1' is also the id in line 2"),
        (["--roster", "bad.csv", "--teams"], "bad.csv, line 3: the id '1'"),
        (["--roster", "plain.csv", "--teams"], "plain.csv: expected a group for each team"),
        (["--roster", "mixed.csv", "--teams"], "mixed.csv, line 3: expected the alias 'Fox' as in line 2"),
        (["--roster", "plain.csv", "--game", "conect4"], "did you mean 'connect4'?"),
    ],
)
def test_what_is_wrong_with_a_list_is_an_error_and_leaves_no_file(arguments: list[str], message: str) -> None:
    Path("bad.csv").write_text("id,name\n1,Ann\n1,Bob\n", "utf-8")
    Path("plain.csv").write_text("name\nAnn\nBob\n", "utf-8")
    Path("mixed.csv").write_text("name,group,alias\nAnn,A,Fox\nBob,A,Owl\nEve,A,\n", "utf-8")
    ended = arena("course", "init", "cs101", *arguments)
    assert ended.code == 2
    assert message in ended.err
    assert sorted(path.name for path in Path().iterdir()) == ["bad.csv", "mixed.csv", "plain.csv"]


@pytest.mark.parametrize("there", ["cs101.toml", "cs101.roster.csv"])
def test_neither_a_description_nor_a_roster_is_overwritten(there: str) -> None:
    Path("list.csv").write_text(LIST, "utf-8")
    Path(there).write_text("mine", "utf-8")
    ended = arena("course", "init", "cs101", "--roster", "list.csv")
    assert ended.code == 2
    assert f"the file '{there}' already exists and is not overwritten" in ended.err
    assert Path(there).read_text("utf-8") == "mine"
    assert sorted(path.name for path in Path().iterdir()) == sorted([there, "list.csv"])
