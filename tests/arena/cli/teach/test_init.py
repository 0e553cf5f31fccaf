"""`arena course init`: the description runs as it is, shows true defaults, and overwrites nothing.

With a list of students it writes a roster with an alias for each student or group.
"""

import re
import tomllib
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
from arena.tournament.league import KEYS, LIMIT_KEYS
from tests.kit.arena_program import arena
from tests.kit.places import ROOT

TEXT = (FOLDER / "tournament.toml").read_text("utf-8")
LADDER = (FOLDER / "ladder.toml").read_text("utf-8")
SETTING = re.compile(r"^# (?P<setting>(?P<key>\w+) = (?P<value>.*?)) *(?:  # (?P<about>.*))?$", re.MULTILINE)
"""A line that has no effect, but would without its first sign."""
SHOWN = {found["key"]: found for found in SETTING.finditer(TEXT.partition("[course]")[0])}
PAGE = (ROOT / "docs" / "reference.md").read_text("utf-8")
MOST = 35
"""Lines of a file: it fits on a screen."""


def in_effect(text: str) -> str:
    """The file with each of its settings in effect."""
    return SETTING.sub(lambda found: found["setting"], text)


def written(text: str, folder: Path) -> Path:
    file = folder / "cs101.toml"
    file.write_text(text, "utf-8")
    return file


def changed(key: str, folder: Path) -> leagues.League:
    """The tournament with that setting in effect."""
    return leagues.read(written(TEXT.replace(SHOWN[key][0], SHOWN[key]["setting"]), folder))


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


def test_every_key_is_in_the_file_or_in_the_page() -> None:
    shown = {*tomllib.loads(in_effect(TEXT)), *tomllib.loads(in_effect(LADDER))["ladder"]}
    rows = " ".join(re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", PAGE, re.MULTILINE))
    told = {*re.findall(r"`(\w+)`", rows), *re.findall(r"\[(?:ladder\.)?(\w+)\]", PAGE)}
    known = {*KEYS, *LIMIT_KEYS, *AGENT_KEYS, *COURSE_KEYS, *ladders.LADDER_KEYS, *ladders.LIMIT_KEYS}
    assert known - told - shown == set()
    assert shown <= known


@pytest.mark.parametrize("key", [key for key in SHOWN if key != "walls"])
def test_every_value_that_is_shown_is_the_default(key: str, tmp_path: Path) -> None:
    assert changed(key, tmp_path) == leagues.read(written(TEXT, tmp_path))


def test_where_none_is_the_default_an_example_shows_what_it_may_be(tmp_path: Path) -> None:
    assert changed("walls", tmp_path).settings()["walls"] == "sandbox"


def test_the_table_of_the_course_can_be_set_by_removing_the_signs(tmp_path: Path) -> None:
    course = courses.read(written(in_effect(TEXT), tmp_path))
    assert course.roster == tmp_path / "cs101.roster.csv"
    assert course.deadline is not None


@pytest.mark.parametrize("text", [TEXT, LADDER])
def test_a_file_is_short_and_says_where_the_other_keys_are(text: str) -> None:
    assert text.count("\n") <= MOST
    assert "The other keys are in `arena docs reference`" in text


@pytest.mark.parametrize("text", [TEXT, LADDER])
def test_every_line_fits_and_every_setting_is_told_in_a_few_words(text: str) -> None:
    assert all(len(line) <= 120 for line in text.splitlines())
    assert [found["key"] for found in SETTING.finditer(text) if not found["about"]] == []


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


@pytest.mark.parametrize("game", [name for name in games.names() if games.start(name).players == 2])
def test_a_ladder_can_be_run_as_it_is_for_every_game_of_two(game: str) -> None:
    ended = arena("course", "init", "lab", "--ladder", "--game", game)
    assert (ended.code, ended.err) == (0, "")
    assert "  arena serve lab.toml\n" in ended.out
    found = ladders.read(Path("lab.toml"))
    assert (found.name, found.league.game_text) == ("lab", game)
    assert timedelta(weeks=7) < found.closes - datetime.now(UTC) < timedelta(weeks=9)


def test_every_value_that_a_ladders_file_shows_is_its_default(tmp_path: Path) -> None:
    default = ladders.read(written(LADDER, tmp_path))
    changed = LADDER.partition("[course]")[0]
    for example in ("openings", "walls", "opens", "anchors"):
        changed = changed.replace(f"\n# {example} = ", "\n# ")
    assert ladders.read(written(in_effect(changed), tmp_path)) == default


def test_every_setting_of_a_ladders_file_can_be_in_effect(tmp_path: Path) -> None:
    found = ladders.read(written(in_effect(LADDER), tmp_path))
    assert (found.opens is None, [one.name for one in found.anchors]) == (False, ["random"])
    assert courses.read(tmp_path / "cs101.toml").roster == tmp_path / "cs101.roster.csv"


def test_the_settings_of_games_are_told_alike_in_both_files() -> None:
    of_ladder = {found["key"]: found[0] for found in SETTING.finditer(LADDER.partition("[ladder]")[0])}
    assert {key for key, line in of_ladder.items() if SHOWN[key][0] != line} == {"openings"}


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
