"""The tables [languages.NAME] of a description are read with their defaults, and every mistake is refused."""

import re
from pathlib import Path

import pytest

from arena.errors import BadLeague
from arena.match.allowance import GIBIBYTE, MEBIBYTE, Allowance, WallKind
from arena.tournament.enrolment import LANGUAGE_KEYS
from arena.tournament.enrolment import read_language_tables as read
from tests.arena.tournament.test_league import documented
from tests.kit.built_agent import DEFAULTS


@pytest.fixture
def description(tmp_path: Path) -> Path:
    return tmp_path / "cs101.toml"


def test_an_empty_table_has_the_defaults(description: Path) -> None:
    description.write_text("".join(f"[languages.{name}]\n" for name in DEFAULTS))
    assert read(description) == DEFAULTS


def test_a_description_without_tables_has_no_languages(description: Path) -> None:
    description.write_text('game = "connect4"\n')
    assert read(description) == {}


def test_a_language_of_ones_own(description: Path) -> None:
    description.write_text(
        'memory = "512M"\n[limits]\nthreads = 8\n[languages.rb]\nrun = "ruby -W0 \'{main}\'"\n'
        'build = "ruby -c {files} *.x"\n'
        'walls = "container"\nbuild_walls = "limits"\nmemory = "1G"\nstart = 20\n'
    )
    (language,) = read(description).values()
    assert language.spoken.ending == ".rb"
    assert language.run == ("ruby", "-W0", "{main}")
    assert language.build == ("ruby", "-c", "{files}", "*.x")
    assert (language.walls, language.build_walls) == (WallKind.CONTAINER, WallKind.LIMITS)
    assert language.allowance == Allowance(memory=GIBIBYTE, threads=8, start=20 * 10**9)


def test_limits_are_those_of_all_agents_unless_the_table_has_others(description: Path) -> None:
    description.write_text('memory = "512M"\n[languages.java]\n[languages.c]\nthreads = 8\n')
    java, c = read(description).values()
    assert java.allowance is None
    assert c.allowance == Allowance(memory=512 * MEBIBYTE, threads=8)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[languages.java]\nbuid = 1", "[languages]: [java]: unknown key 'buid'; did you mean 'build'"),
        ("[languages.rb]", "[languages]: [rb]: run: missing; expected the command that runs an agent, such as"),
        ("[languages.py]", "expected the extension of the language's files, such as [languages.java]; Python needs"),
        ('[languages."../x"]', "expected the extension of the language's files"),
        ("languages = 3", "languages: expected a table, [languages], got 3"),
        ("[languages]\njava = 3", "java: expected a table, [java], got 3"),
        ('[languages.c]\nbuild = "gcc {file}"', "build: expected {files} or {main} in a command, got '{file}'"),
        ('[languages.c]\nbuild = "gcc -x={files}"', "build: expected {files} or {main} in a command, got '-x={files}'"),
        ('[languages.js]\nrun = "node {files}"', "run: expected {main} in a command, got '{files}'"),
        ('[languages.js]\nrun = "node \'"', 'run: expected a command, got "node \'": No closing quotation'),
        ('[languages.js]\nrun = " "', "run: expected a string"),
        ('[languages.js]\nwalls = "box"', "walls: expected"),
        ('[languages.js]\nbuild_walls = "box"', "build_walls: expected"),
        ('[languages.js]\nmemory = "1K"', "memory: expected a size"),
    ],
)
def test_mistakes_are_refused(description: Path, text: str, message: str) -> None:
    description.write_text(text)
    with pytest.raises(BadLeague, match=re.escape(message)):
        read(description)


def test_every_key_is_documented() -> None:
    assert [*documented("[languages.java]")] == [*LANGUAGE_KEYS]
