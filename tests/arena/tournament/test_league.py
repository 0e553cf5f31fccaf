"""A description is read as what it says; what is stored of it, and what may change; docs/reference.md tells all of it.

The files are real ones in a folder of the test's own, which is not the working directory.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest

from arena.course.course import BAR_KEYS, COURSE_KEYS, LATE, MARKS_KEYS, Marks
from arena.errors import BadLeague
from arena.match.allowance import Allowance, WallKind
from arena.match.clock import SECOND
from arena.match.conditions import HELLO_WITHIN, Limits
from arena.match.openings import ListedOpening, Opening
from arena.players.player import PlayerKind, read_player
from arena.players.submissions import Store
from arena.ratings.match_statistics import Model
from arena.tournament import collected_file, formats, league
from arena.tournament.collected_file import Collected
from arena.tournament.enrolment import AGENT_KEYS, ALLOWED_KEYS, LANGUAGE_KEYS
from arena.tournament.format import Estimate, SprtTerms
from arena.tournament.league import COURSE_TABLES, KEYS, LADDER_TABLE, LIMIT_KEYS
from arena.tournament.league import changes_between as changes
from tests.kit.course_folder import TWO, course, read
from tests.kit.paper_tournament import described
from tests.kit.places import EXAMPLES, ROOT

PAGE = (ROOT / "docs" / "reference.md").read_text("utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A course's folder."""
    return course(tmp_path)


def test_a_whole_description_is_read(folder: Path) -> None:
    found = read(
        folder,
        """
        name = "cs101"
        game = "connect4"
        format = "round-robin"
        rounds = 2
        clock = "10+0.10"
        margin = 0.07
        seed = 7
        openings = 2
        max_plies = 400
        games_at_once = 1
        names = "shown"
        quarantine = 0
        reuse = true
        players = "students/*"
        [limits]
        hello = 20
        move = 0.5
        [[agent]]
        name = "staff"
        player = "alphabeta:depth=4"
        anchor = 1500
        """,
    )
    assert (found.name, found.game, found.seats) == ("cs101", "connect4", 2)
    assert (found.format, found.conditions.clock, found.conditions.margin, found.seed) == (
        described("round-robin", rounds=2),
        "10+0.1",
        70_000_000,
        7,
    )
    assert (found.openings, found.conditions.max_plies, found.games_at_once) == (2, 400, 1)
    assert (found.conditions.names, found.quarantine, found.conditions.reuse) == ("shown", 0, True)
    assert found.conditions.limits == Limits(hello=20 * SECOND, ready=5 * SECOND, move=SECOND // 2)
    assert [agent.name for agent in found.agents] == ["alice", "bob", "carol", "staff"]
    assert [agent.player.kind for agent in found.agents] == [
        PlayerKind.FOLDER,
        PlayerKind.FOLDER,
        PlayerKind.FILE,
        PlayerKind.BUILTIN,
    ]
    assert found.agents[2].player.path == folder / "students" / "carol.py"
    assert found.agents[2].player_text == "students/carol.py"
    assert found.agents[3].anchor == 1500
    assert found.estimate == Estimate(12, 24, at_most=24)


def test_matches_that_are_not_agents_are_listed_as_skipped(folder: Path) -> None:
    skipped = read(folder, 'game = "connect4"\nplayers = ["students/*"]').skipped
    assert skipped == (
        "'students/README.md' (not a Python file)",
        "'students/__init__.py' (part of a package)",
        "'students/__pycache__' (a folder without agent.py)",
    )


def test_everything_has_a_default(folder: Path) -> None:
    found = read(folder, 'game = "connect4"\n' + TWO)
    assert found.name == "cs101"
    assert (found.conditions.clock, found.conditions.margin) == ("10+0.1", 50_000_000)
    assert (found.seed, found.openings) == (None, 0)
    assert (found.at_once(8), found.at_once(1)) == (7, 1)
    assert read(folder, 'game = "ludo:players=3"\nplayers = "students/*"').format == described("tables")


def test_files_are_found_from_the_descriptions_folder(folder: Path) -> None:
    found = read(
        folder,
        """
        game = "game.py:Countdown:n=30"
        [[agent]]
        name = "file"
        player = "students/carol.py:Carol"
        [[agent]]
        name = "folder"
        player = "students/alice"
        [[agent]]
        name = "program"
        player = "cmd:./engine --book openings.txt --fast"
        [[agent]]
        name = "java"
        player = "cmd:java -cp students:openings.txt:none Main students/ students"
        """,
    )
    assert (found.game_text, found.game) == ("game.py:Countdown:n=30", f"{folder}/game.py:Countdown:n=30")
    file, inside, java, program = (agent.player for agent in found.agents)
    assert (file.path, file.class_name) == (folder / "students" / "carol.py", "Carol")
    assert inside.path == folder / "students" / "alice"
    assert program.command == (f"{folder}/engine", "--book", f"{folder}/openings.txt", "--fast")
    assert program.text == "cmd:./engine --book openings.txt --fast"
    class_path = f"{folder}/students:{folder}/openings.txt:none"
    assert java.command == ("java", "-cp", class_path, "Main", f"{folder}/students/", "students")


def test_openings_come_from_a_file(folder: Path) -> None:
    found = read(folder, 'game = "connect4"\nopenings = "openings.txt"\n' + TWO)
    assert isinstance(found.openings, ListedOpening)
    assert found.openings.openings == (Opening(("4", "4")), Opening(("1", "7")))
    assert found.settings()["openings"] == [["4", "4"], ["1", "7"]]


def test_a_clock_may_be_a_number(folder: Path) -> None:
    assert read(folder, 'game = "connect4"\nclock = 60\n' + TWO).conditions.clock == "60"
    assert read(folder, 'game = "connect4"\nclock = 0.5\n' + TWO).conditions.clock == "0.5"


def test_a_file_matched_twice_is_one_agent(folder: Path) -> None:
    found = read(folder, 'game = "connect4"\nplayers = ["students/*", "students/carol.py"]')
    assert [agent.name for agent in found.agents] == ["alice", "bob", "carol"]


def test_the_test_of_a_match_is_about_the_agent_that_is_listed_first(folder: Path) -> None:
    first, second = re.findall(r"\[\[agent\]\]\n.*\n.*\n", TWO)
    match = 'game = "connect4"\nformat = "match"\n'
    usual = "sprt = {elo0 = -5, elo1 = 2.5, beta = 0.1}\n"
    assert read(folder, match + usual + first + second).format.test == SprtTerms(of="a", elo0=-5, elo1=2.5, beta=0.1)
    assert read(folder, match + usual + second + first).format.test == SprtTerms(of="b", elo0=-5, elo1=2.5, beta=0.1)
    told = 'sprt = {elo0 = 0, elo1 = 5, of = "b", model = "normalized", alpha = 0.01}\n'
    for agents in (first + second, second + first):
        found = read(folder, match + told + agents).format.test
        assert found == SprtTerms(of="b", elo0=0, elo1=5, alpha=0.01, model=Model.NORMALIZED)
    by_pattern = 'players = "students/c*"\n' + usual + first
    found = read(folder, match + by_pattern).format.test
    assert found is not None
    assert found.of == "carol"
    assert league.from_arguments(
        "connect4", ["pvs", "mcts"], format="match", sprt={"elo0": 0, "elo1": 5}
    ).format.test == (SprtTerms(of="pvs", elo0=0, elo1=5))


# The same without a file.


def test_arguments_describe_a_tournament_as_well() -> None:
    found = league.from_arguments("connect4", ["pvs", "alphabeta:depth=2", "pvs"], rounds=2, clock=None, openings=2)
    assert [agent.name for agent in found.agents] == ["alphabeta:depth=2", "pvs", "pvs#2"]
    assert (found.format.length, found.conditions.clock, found.openings) == ("2", "10+0.1", 2)
    assert re.fullmatch(r"connect4-[0-9a-f]{8}", found.name)


def test_the_same_arguments_name_the_same_tournament() -> None:
    one, same, other = (
        league.from_arguments("connect4", ["pvs", "random"], rounds=rounds, games_at_once=at_once).name
        for rounds, at_once in ((1, 1), (1, 2), (2, 1))
    )
    assert one == same != other
    assert league.from_arguments("connect4", ["pvs", "random"], name="evening").name == "evening"


def test_a_match_with_a_test_is_another_tournament_than_one_without() -> None:
    bounds: tuple[dict[str, float] | None, ...] = (None, {"elo0": 0, "elo1": 5}, {"elo0": 0, "elo1": 6})
    found = {league.from_arguments("connect4", ["pvs", "random"], format="match", sprt=sprt).name for sprt in bounds}
    assert len(found) == 3


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({}, "4b5eaeb7"),
        ({"format": "match"}, "832aeb71"),
        ({"format": "match", "rounds": 9, "sprt": {"elo0": 0, "elo1": 5}}, "9cb9c671"),
        ({"format": "gauntlet", "gauntlet": ["random"]}, "1a6ba493"),
        ({"format": "swiss", "rounds": 2}, "cdc17ded"),
        ({"format": "knockout", "best_of": 3, "seeds": ["random", "pvs"]}, "fa92c646"),
    ],
)
def test_the_default_name_of_a_tournament_has_not_changed(settings: dict[str, Any], name: str) -> None:
    assert league.from_arguments("connect4", ["pvs", "random"], **settings).name == f"connect4-{name}"


def test_a_key_with_its_default_is_allowed_in_every_format() -> None:
    assert league.from_arguments("connect4", ["pvs", "random"], format="knockout", rounds=1).format == described(
        "knockout"
    )


# What is stored, and what may change.


def test_settings_are_json_and_do_not_depend_on_the_order_of_agents(folder: Path) -> None:
    text = 'game = "connect4"\nopenings = "openings.txt"\n'
    one = read(folder, text + TWO)
    stored = json.loads(json.dumps(one.settings()))
    assert stored == one.settings()
    first, second = re.findall(r"\[\[agent\]\]\n.*\n.*\n", TWO)
    assert read(folder, text + second + first).settings() == stored
    assert changes(stored, one.settings()) == changes(stored, one.settings()).__class__()


@pytest.mark.parametrize(
    ("before", "now", "refused", "allowed"),
    [
        ('clock = "10+0.1"', "clock = 5", "clock: 10+0.1 -> 5", ""),
        ("rounds = 1", "rounds = 3", "", "rounds: 1 -> 3"),
        ("rounds = 3", "rounds = 1", "rounds: 3 -> 1", ""),
        ("", "margin = 0.1", "margin: 0.05 -> 0.1", ""),
        ("", "games_at_once = 4", "", "games_at_once: none -> 4"),
        ("", "host_tolerance = 1", "", "host_tolerance: 0.15 -> 1"),
        ("", "quarantine = 0", "", "quarantine: 5 -> 0"),
        ("", "reuse = true", "reuse: false -> true", ""),
        ("", "limits = {move = 90}", "move: 60 -> 90", ""),
        ("openings = 2", 'openings = "openings.txt"', "openings: 2 -> 2 from a file", ""),
        ("seed = 1", "seed = 2", "seed: 1 -> 2", ""),
        ("seed = 1", "", "", ""),
        ("", 'format = "swiss"', "format: round-robin -> swiss", ""),
    ],
)
def test_changes_are_listed_as_text(folder: Path, before: str, now: str, refused: str, allowed: str) -> None:
    old, new = (read(folder, f'game = "connect4"\n{line}\n{TWO}') for line in (before, now))
    found = changes(old.settings(), new.settings())
    assert (found.refused, found.allowed) == ((refused,) if refused else (), (allowed,) if allowed else ())


@pytest.mark.parametrize(
    ("before", "now", "refused"),
    [
        ("", "sprt = {elo0 = 0, elo1 = 5}", "none -> of a, elo0 0, elo1 5, alpha 0.05, beta 0.05, model logistic"),
        ("sprt = {elo0 = 0, elo1 = 5}", "", "of a, elo0 0, elo1 5, alpha 0.05, beta 0.05, model logistic -> none"),
        (
            "sprt = {elo0 = 0, elo1 = 5}",
            'sprt = {elo0 = 0, elo1 = 2.5, of = "b"}',
            "of a, elo0 0, elo1 5, alpha 0.05, beta 0.05, model logistic -> "
            "of b, elo0 0, elo1 2.5, alpha 0.05, beta 0.05, model logistic",
        ),
        ("sprt = {elo0 = 0, elo1 = 5}", 'sprt = {elo1 = 5.0, of = "a", alpha = 0.05, elo0 = 0.0}', ""),
    ],
)
def test_a_test_cannot_be_added_changed_or_removed_later(folder: Path, before: str, now: str, refused: str) -> None:
    old, new = (read(folder, f'game = "connect4"\nformat = "match"\n{line}\n{TWO}') for line in (before, now))
    stored = json.loads(json.dumps(old.settings()))
    assert changes(stored, new.settings()).refused == ((f"sprt: {refused}",) if refused else ())
    if not before:
        del stored["sprt"]  # recorded before there were tests
        assert changes(stored, new.settings()).refused == (f"sprt: {refused}",)


def test_agents_can_be_added_and_changed_but_not_removed(folder: Path) -> None:
    two = read(folder, 'game = "connect4"\n' + TWO)
    more = read(folder, 'game = "connect4"\nplayers = "students/c*"\n' + TWO.replace('"pvs"', '"mcts"'))
    found = changes(two.settings(), more.settings())
    assert (found.refused, found.added) == ((), ("carol",))
    assert found.allowed == ("agent 'b': player: pvs -> mcts", "agents: added: 'carol'")
    assert changes(more.settings(), two.settings()).refused == (
        "agents: no longer listed: 'carol' (list them again; to take one out, use `arena rule withdraw`)",
    )


def test_nobody_is_added_to_a_knockout(folder: Path) -> None:
    two = read(folder, 'game = "connect4"\nformat = "knockout"\n' + TWO)
    more = read(folder, 'game = "connect4"\nformat = "knockout"\nplayers = "students/c*"\n' + TWO)
    assert changes(two.settings(), more.settings()).refused == (
        "agents: added: 'carol' (a knockout's bracket is drawn once)",
    )


def test_seed_and_seats_key_are_drawn_where_they_are_not_given() -> None:
    drawn = league.from_arguments("connect4", ["pvs", "random"]).drawn()
    assert len({*drawn, *league.from_arguments("connect4", ["pvs", "random"]).drawn()}) == 4
    seed, key = league.from_arguments("connect4", ["pvs", "random"], seed=7).drawn()
    assert seed == 7
    assert key.bit_length() > 64
    assert league.from_arguments("connect4", ["pvs", "random"], seed=7, seats_key=9).drawn() == (7, 9)


def test_a_short_seed_is_warned_of_where_it_tells_dice_or_cards() -> None:
    def warning(game: str, seed: int | None) -> str:
        return league.from_arguments(game, ["random", "random"], seed=seed).short_seed()

    assert [bool(warning(game, 7)) for game in ("kuhn", "backgammon", "connect4")] == [True, True, False]
    assert [bool(warning("kuhn", seed)) for seed in (None, 2**64, 2**64 - 1)] == [False, False, True]


# The page and the example.


def documented(heading: str) -> dict[str, str]:
    """Key and default of the table under that heading of docs/reference.md."""
    section = PAGE.partition(f"\n### {heading}\n")[2].partition("\n### ")[0]
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| ([^|]*?) \|", section, re.MULTILINE)
    return {key: default for keys, default in rows for key in re.findall(r"\w+", keys)}


def test_every_key_is_documented_with_its_default() -> None:
    keys = documented("The tournament")
    assert sorted([*keys, *ALLOWED_KEYS, "limits", "agent", "languages", *COURSE_TABLES, LADDER_TABLE]) == sorted(KEYS)
    usual = league.from_arguments("connect4", ["pvs", "random"]).settings() | {"margin": 0.05}
    for kind in formats.every():
        usual |= kind.defaults()
    for key, told in keys.items():
        if key not in ("name", "game", "format", "players"):
            value = usual[key]
            shown = "none" if value in (None, [], "") else f"`{json.dumps(value)}`"
            assert told == shown, key
    assert sorted(documented("[[agent]]")) == sorted(AGENT_KEYS)
    assert sorted(documented("[course]")) == sorted(COURSE_KEYS)
    assert documented("[course]")["late"] == f'`"{LATE[0]}"`'
    assert sorted(documented("[marks]")) == sorted({*MARKS_KEYS, *BAR_KEYS})
    assert sorted(documented("[languages.java]")) == sorted(LANGUAGE_KEYS)
    limits = {key: f"`{time // SECOND}`" for key, time in usual["limits"].items()}
    allowed = usual["allowance"] | {"memory": '"2G"', "start": HELLO_WITHIN // SECOND}
    assert usual["allowance"]["memory"] == 2 * 1024**3
    assert documented("[limits]") == limits | {key: f"`{allowed[key]}`" for key in ALLOWED_KEYS}
    assert sorted(documented("[limits]")) == sorted(LIMIT_KEYS)


def test_the_defaults_of_a_test_and_of_marks_are_documented() -> None:
    terms = {each.name: each.default for each in fields(SprtTerms)}
    told = documented("[sprt]")
    assert sorted(told) == sorted(terms)
    assert {key: told[key] for key in told if key != "of"} == {
        key: "must be given" if value is MISSING else f"`{json.dumps(value)}`"
        for key, value in terms.items()
        if key != "of"
    }
    worth = Marks()
    told = documented("[marks]")
    numbers = {key: getattr(worth, key) for key in MARKS_KEYS}
    assert {key: told[key] for key in numbers} == {
        key: f"`{value:g}`" if isinstance(value, (int, float)) else "none" for key, value in numbers.items()
    }


def test_every_format_is_documented() -> None:
    section = PAGE.partition("\n### Formats\n")[2].partition("\n### ")[0]
    assert set(re.findall(r"^\| `([\w-]+)` \|", section, re.MULTILINE)) == {*formats.names()}


def test_the_descriptions_shown_can_be_used(folder: Path) -> None:
    shown = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    tournaments = [text for text in shown if f"[{LADDER_TABLE}]" not in text]
    assert tournaments
    for text in tournaments:
        assert read(folder, text).estimate.games > 0


def test_the_example_can_be_used() -> None:
    found = league.read(EXAMPLES / "cs101.toml")
    assert [agent.name for agent in found.agents] == ["greedy", "random", "staff"]


# Walls, and what agents may use.


def test_walls_are_described_for_all(folder: Path) -> None:
    (folder / "engine").chmod(0o755)
    found = read(
        folder,
        """
        game = "connect4"
        players = "students/*"
        walls = "container"
        ponder = true
        python = "./engine"
        modules = ["adsearch.games", "numpy"]
        memory = "1G"
        threads = 4
        open_files = 32
        disk = "16M"
        start = 2.5
        """,
    )
    terms = found.conditions
    assert (terms.walls, terms.ponder, terms.modules) == (WallKind.CONTAINER, True, ("adsearch.games", "numpy"))
    assert terms.allowance == Allowance(1 << 30, 4, 32, 16 << 20, 5 * SECOND // 2)
    assert [agent.allowance for agent in found.agents] == [None] * len(found.agents)
    told = found.settings()
    assert (told["walls"], told["ponder"], told["modules"]) == ("container", True, ["adsearch.games", "numpy"])
    assert told["allowance"]["memory"] == 1 << 30


def test_walls_have_their_defaults(folder: Path) -> None:
    found = read(folder, 'game = "connect4"\n' + TWO)
    terms = found.conditions
    assert (terms.walls, terms.ponder, terms.python, terms.modules) == (None, False, None, None)
    assert terms.allowance == Allowance()
    assert read(folder, 'game = "connect4"\nmodules = []\n' + TWO).conditions.modules == ()


def test_limits_of_agents_can_be_set_in_the_table_limits(folder: Path) -> None:
    found = read(folder, 'game = "connect4"\nthreads = 8\n' + TWO + '[limits]\nmemory = "512M"\ndisk = "2M"\n')
    assert found.conditions.allowance == Allowance(memory=512 << 20, threads=8, disk=2 << 20)


def test_a_limit_that_is_set_twice_is_refused(folder: Path) -> None:
    with pytest.raises(BadLeague, match=r"\[limits\]: memory: set here and above the tables"):
        read(folder, 'game = "connect4"\nmemory = "1G"\n' + TWO + '[limits]\nmemory = "1G"\n')


@pytest.mark.parametrize(
    ("modules", "told"),
    [
        ('["numpy>=1.2"]', "expected names of modules, such as 'numpy' or 'adsearch.games', got 'numpy>=1.2'"),
        ('["../x"]', "expected names of modules"),
        ('["arena.match.match"]', "'arena.match.match' is part of the server; agents cannot import it"),
        ('"db"', "'db' is part of the server"),
    ],
)
def test_modules_that_agents_cannot_import_are_refused(modules: str, told: str, folder: Path) -> None:
    with pytest.raises(BadLeague, match=f"modules: {re.escape(told)}"):
        read(folder, f'game = "connect4"\nmodules = {modules}\n' + TWO)


def test_one_agent_can_have_its_own_limits_and_walls(folder: Path) -> None:
    found = read(
        folder,
        """
        game = "connect4"
        memory = "1G"
        threads = 8
        [[agent]]
        name = "same"
        player = "students/carol.py"
        memory = "1024M"
        [[agent]]
        name = "own"
        player = "students/alice"
        walls = "limits"
        memory = 268435456
        start = 30
        """,
    )
    own, same = found.agents
    assert (own.walls, own.allowance) == (
        WallKind.LIMITS,
        Allowance(memory=1 << 28, threads=8, start=30 * SECOND),
    )
    assert (same.walls, same.allowance) == (None, None)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ('"1G"', 1 << 30),
        ('"1.5G"', 3 << 29),
        ('"64m"', 64 << 20),
        ('"32 MiB"', 32 << 20),
        ('"20000K"', 20000 << 10),
        ("33554432", 1 << 25),
        ("0", None),
        ('"0"', None),
    ],
)
def test_sizes_are_written_as_people_do(text: str, size: int | None, folder: Path) -> None:
    assert read(folder, f'game = "connect4"\nmemory = {text}\n' + TWO).conditions.allowance.memory == size


def test_every_limit_but_open_files_can_be_0(folder: Path) -> None:
    found = read(folder, 'game = "connect4"\nmemory = 0\nthreads = 0\ndisk = 0\n' + TWO)
    allowance = found.conditions.allowance
    assert (allowance.memory, allowance.threads, allowance.disk) == (None, None, 0)
    with pytest.raises(BadLeague, match="open_files: expected a whole number from 16 to 100000, got 0"):
        read(folder, 'game = "connect4"\nopen_files = 0\n' + TWO)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ('walls = "moat"', "walls: expected 'limits' or 'sandbox' or 'container', got 'moat'"),
        ('walls = "Sandbox"', "walls: expected 'limits' or 'sandbox' or 'container', got 'Sandbox'"),
        ("walls = true", "walls: expected 'limits' or 'sandbox' or 'container', got true"),
        ("ponder = 1", "ponder: expected true or false, got 1"),
        ('memory = "1Q"', "memory: expected a size from 16M to 1024T, such as '512M' or '1.5G', or 0 for no limit"),
        ('memory = "1M"', "memory: expected a size from 16M to 1024T, such as '512M' or '1.5G', or 0 for no limit"),
        ("memory = -1", "or 0 for no limit; got -1"),
        ("memory = 1.5", "or 0 for no limit; got 1.5"),
        ("memory = true", "or 0 for no limit; got true"),
        ('memory = "999999T"', "or 0 for no limit; got '999999T'"),
        ("threads = -1", "threads: expected a whole number from 0 to 100000, got -1"),
        ('threads = "4"', "threads: expected a whole number from 0 to 100000, got '4'"),
        ("open_files = 3", "open_files: expected a whole number from 16 to 100000, got 3"),
        ('disk = "1K"', "disk: expected a size from 1M to 1024T, such as '512M' or '1.5G', or 0 for no files"),
        ("start = 0", "start: expected a number of seconds from 0.1 to 86400, got 0"),
        ('start = "10"', "start: expected a number of seconds from 0.1 to 86400, got '10'"),
        ('python = "no-such-python"', "python: expected a Python interpreter, got 'no-such-python'"),
        ('python = "./students"', "python: expected a Python interpreter, got './students'"),
        ('python = "./openings.txt"', "python: expected a Python interpreter, got './openings.txt'"),
        ("python = 3.12", "python: expected a string, got 3.12"),
        ("modules = 1", "modules: expected a string or a list of strings, got 1"),
        ('modules = ["numpy", 1]', "modules: expected a string or a list of strings, got a list of 2"),
        ('wall = "sandbox"', "unknown key 'wall'"),
        ("processes = 4", "unknown key 'processes'"),
    ],
)
def test_the_error_of_a_bad_limit_names_the_key(keys: str, words: str, folder: Path) -> None:
    with pytest.raises(BadLeague) as refused:
        read(folder, f'game = "connect4"\n{keys}\n' + TWO)
    told = str(refused.value)
    assert told.startswith(f"{folder / 'cs101.toml'}: ")
    assert words in told
    assert "\n" not in told


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ('memory = "lots"', "agent 1 ('own'): memory: expected a size from"),
        ('walls = "none"', "agent 1 ('own'): walls: expected 'limits' or 'sandbox' or 'container', got 'none'"),
        ("ponder = true", "agent 1 ('own'): the key 'ponder' does not belong here: put it above the first [[agent]]"),
        ('modules = "numpy"', "agent 1 ('own'): the key 'modules' does not belong here: put it above"),
        ('python = "python3"', "agent 1 ('own'): the key 'python' does not belong here: put it above"),
    ],
)
def test_the_error_of_an_agents_bad_limit_names_the_agent(keys: str, words: str, folder: Path) -> None:
    with pytest.raises(BadLeague) as refused:
        read(folder, f'game = "connect4"\n[[agent]]\nname = "own"\nplayer = "students/alice"\n{keys}\n' + TWO)
    assert words in str(refused.value)


@pytest.mark.parametrize("keys", ['walls = "sandbox"', 'memory = "1G"', "threads = 1", "start = 3"])
def test_walls_for_a_built_in_agent_are_refused(keys: str, folder: Path) -> None:
    with pytest.raises(BadLeague, match=r"'pvs' is a built-in agent"):
        read(folder, f'game = "connect4"\n[[agent]]\nname = "own"\nplayer = "pvs"\n{keys}\n' + TWO)


def test_limits_do_not_belong_among_the_agents_own_keys_nor_walls_among_limits(folder: Path) -> None:
    with pytest.raises(BadLeague, match=r"\[limits\]: the key 'walls' does not belong here: put it above \[limits\]"):
        read(folder, 'game = "connect4"\n' + TWO + '[limits]\nwalls = "sandbox"\n')
    with pytest.raises(BadLeague, match=r"the key 'ready' does not belong here: put it below \[limits\]"):
        read(folder, 'game = "connect4"\nready = 5\n' + TWO)


def test_an_interpreter_is_found_by_its_path_or_its_name(folder: Path) -> None:
    python = folder / "bin" / "python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    assert read(folder, 'game = "connect4"\npython = "bin/python"\n' + TWO).conditions.python == str(python)
    assert read(folder, 'game = "connect4"\npython = "sh"\n' + TWO).conditions.python == shutil.which("sh")


# Whoever was collected.


def collected_course(folder: Path, *names: str) -> list[str]:
    """Files of these students, collected; the hashes of their sources."""
    store = Store(folder / "arena.store")
    hashes = [store.take(read_player(str(folder / "students" / f"{name}.py"))).hash for name in names]
    kept = {
        name: Collected(name, 1, hash, f"{name}.py", name, "", "good", "", "")
        for name, hash in zip(names, hashes, strict=True)
    }
    collected_file.write(folder / "cs101.collected.toml", kept, store)
    return hashes


def test_every_collected_agent_plays_from_the_store(folder: Path) -> None:
    (hash,) = collected_course(folder, "carol")
    (folder / "students" / "carol.py").unlink()
    found = read(folder, f'game = "connect4"\nplayers = ["cs101.collected.toml", "students/*/"]\n{TWO}')
    assert [agent.name for agent in found.agents] == ["a", "alice", "b", "bob", "carol"]
    carol = found.agents[-1]
    assert carol.player_text == "carol.py"
    assert Store(folder / "arena.store").take(carol.player).hash == hash


def test_a_collected_submission_that_is_not_in_the_store_is_an_error(folder: Path) -> None:
    (hash,) = collected_course(folder, "carol")
    (folder / "arena.store" / hash).rename(folder / "arena.store" / ("0" * 64))
    with pytest.raises(BadLeague, match=rf"cs101\.collected\.toml.*'carol@1': no submission {hash[:12]}"):
        read(folder, f'game = "connect4"\nplayers = "*.collected.toml"\n{TWO}')


def test_the_conditions_can_be_read_before_agents_exist(folder: Path) -> None:
    (folder / "cs101.toml").write_text('game = "connect4"\nclock = "7"\nplayers = "cs101.collected.toml"\n')
    found = league.read(folder / "cs101.toml", agents=False)
    assert (found.agents, found.conditions.clock) == ((), "7")
    with pytest.raises(BadLeague, match="expected at least 2 agents"):
        league.read(folder / "cs101.toml")
    (folder / "cs101.toml").write_text(f'game = "connect4"\nplayers = "cs101.collected.toml"\n{TWO}')
    (told,) = league.read(folder / "cs101.toml").skipped
    assert told == "'cs101.collected.toml' (does not exist yet: `arena course collect` writes it)"
