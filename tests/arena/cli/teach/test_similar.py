"""`arena course similar` as an instructor meets it: after collecting, before any game, with wrong words."""

from __future__ import annotations

import csv
import io
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from arena.players.player import read_player
from arena.players.submissions import Store
from arena.tournament import collected_file
from arena.tournament.collected_file import Collected
from benchmarks.similar import AGENTS, everything, renamed
from db import store as writing
from db.database import Database
from tests.arena.cli import test_json
from tests.kit.arena_program import Ended, arena
from tests.kit.hand_ins import folder

UCT, TABLE, FLAG, WINDOWS, THREATS = (
    (AGENTS / f"{name}.txt").read_text("utf-8") for name in ("uct", "table", "flag", "windows", "threats")
)
COPY = renamed(UCT, Random(1))["agent.py"]
DESCRIPTION = """\
name = "cs101"
game = "connect4"
players = "cs101.collected.toml"

[course]
roster = "roster.csv"
"""
ROSTER = """\
id,name,group,alias
1,Ann Berger,,kestrel
2,Ben Costa,A,merlin
3,Cleo Diaz,A,merlin
4,Dan Evans,,osprey
"""
VERSIONS = {"kestrel": [TABLE, UCT, FLAG], "merlin": [COPY], "osprey": [FLAG + WINDOWS], "buzzard": [THREATS]}


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course that has collected: its description, roster, database, store and collected file."""
    store = Store(tmp_path / "arena.store")
    kept = {}
    with Database(str(tmp_path / "arena.db")) as database, database.writing() as connection:
        for agent, texts in VERSIONS.items():
            for number, text in enumerate(texts, 1):
                file = folder(tmp_path / f"{agent}-{number}", {"my_agent.py": text}) / "my_agent.py"
                source = store.take(read_player(str(file))).hash
                writing.version(connection, agent, source, "my_agent.py", datetime(2026, 5, 1, tzinfo=UTC))
            kept[agent] = Collected(
                name=agent,
                version=len(texts),
                source=source,
                started_as="my_agent.py",
                submission="",
                handed_in="",
                light="good",
                told="",
                checked="",
            )
    collected_file.write_collected(tmp_path / "cs101.collected.toml", kept, store)
    return folder(tmp_path, {"cs101.toml": DESCRIPTION, "roster.csv": ROSTER})


def similar(place: Path, *arguments: str, columns: int = 80) -> Ended:
    return arena("course", "similar", *arguments, columns=columns, cwd=place)


def test_the_table_names_students_and_teams_of_collected_agents(course: Path) -> None:
    ended = similar(course, "cs101.toml", "--html", "similar.html")
    assert (ended.code, ended.err) == (0, "written: similar.html\n")
    lines = ended.out.splitlines()
    assert lines[0].split() == ["student", "other", "kind", "share", "of", "other", "tokens", "longest"]
    assert lines[1].startswith("Ann Berger")
    assert "Ben Costa, Cleo Diaz  same code" in lines[1]
    assert "100%" in lines[1]
    assert "4 agents were compared, 2 pairs are similar. This is evidence, never a verdict" in ended.out
    assert max(map(len, lines)) <= 80
    assert "Ann Berger (kestrel@2)" in (course / "similar.html").read_text("utf-8")


def test_json_and_csv_have_every_part_and_every_version(course: Path) -> None:
    first, *others = json.loads(similar(course, "cs101.toml", "--format", "json").out)
    assert (first["agent"], first["version"], first["other"], first["other_version"]) == ("kestrel", 2, "merlin", 1)
    assert (first["student"], first["other_student"], first["kind"]) == (
        "Ann Berger",
        "Ben Costa, Cleo Diaz",
        "same code",
    )
    assert first["tokens"] == sum(part["tokens"] for part in first["parts"])
    assert first["parts"][0]["file"] == "my_agent.py"
    assert {*first} == test_json.listed("course similar")
    assert {(row["agent"], row["other"]) for row in others} == {("kestrel", "osprey")}
    listed = list(csv.DictReader(io.StringIO(similar(course, "cs101.toml", "--format", "csv").out)))
    assert [row["other"] for row in listed] == ["merlin", *(row["other"] for row in others)]


def test_handed_out_code_does_not_count_and_other_programs_are_compared(course: Path) -> None:
    folder(course, {"given/uct.py": UCT, "given/flag.py": FLAG, "old/1.py": TABLE, "old/2/agent.py": "x = 1\n"})
    ended = similar(course, "cs101.toml", "--ignore", "given")
    assert ended.out == "4 agents were compared; no two of them are similar\n"
    (row,) = json.loads(similar(course, "cs101.toml", "--ignore", "given", "--against", "old", "--format", "json").out)
    assert (row["agent"], row["version"], row["other"], row["other_version"]) == ("kestrel", 1, "old/1.py", None)
    assert (row["other_student"], row["kind"]) == ("old/1.py", "same content")


def test_before_any_game_the_files_of_a_description_are_compared(tmp_path: Path) -> None:
    folder(tmp_path / "in", {"a.py": UCT, "b/agent.py": everything(UCT, Random(1))["agent.py"]})
    folder(tmp_path / "in", {"c.py": "def (((", "d.py": "x = 1;" * 100_000, "e.py": b"\0\xff" * 999})
    (tmp_path / "in" / "f.py").symlink_to("a.py")
    folder(tmp_path, {"t.toml": 'game = "connect4"\nplayers = "in/*"\n'})
    ended = similar(tmp_path, "t.toml", "--format", "json")
    assert [(row["agent"], row["other"]) for row in json.loads(ended.out)] == [("a", "b")]
    assert ended.err == "d: too long; only the first 20,000 tokens are compared\n"
    assert not (tmp_path / "arena.db").exists()


def test_a_source_that_is_missing_or_changed_is_left_out_and_said(course: Path) -> None:
    source = Store(course / "arena.store").take(read_player(str(course / "kestrel-2" / "my_agent.py"))).source
    os.chmod(source / "my_agent.py", 0o644)
    (source / "my_agent.py").write_text("changed")
    ended = similar(course, "cs101.toml", "--format", "json")
    assert ended.code == 0
    assert ended.err.startswith("left out: kestrel@2: the stored submission was changed")
    assert [row["other"] for row in json.loads(ended.out)] == ["osprey"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none"], "none"),
        (["cs102.toml"], "cs102.toml"),
        (["cs101.toml", "--against", "nothing"], "cannot read 'nothing': No such file or directory"),
        (["cs101.toml", "--against", "roster.csv"], "there is no code in 'roster.csv'"),
        (["cs101.toml", "--ignore", "nothing"], "cannot read 'nothing': No such file or directory"),
        (["cs101.toml", "--html", "no/such/page.html"], "there is no folder 'no/such'"),
        (["cs101.toml", "--roster", "none.csv"], "cannot read 'none.csv'"),
    ],
)
def test_wrong_words_are_named(course: Path, arguments: list[str], message: str) -> None:
    ended = similar(course, *arguments, columns=300)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err


def test_the_private_page_is_never_inside_a_published_site(course: Path) -> None:
    (course / "site" / "agents").mkdir(parents=True)
    (course / "site" / "arena-report.txt").write_text("")
    (course / "elsewhere").symlink_to(course / "site")
    for page in ("site/similar.html", "site/agents/similar.html", "elsewhere/similar.html"):
        ended = similar(course, "cs101.toml", "--html", page)
        assert ended.code == 2
        assert "which `arena course report` wrote to be published" in ended.err
        assert not (course / page).exists()
