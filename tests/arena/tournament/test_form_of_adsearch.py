"""The form of adsearch in which agents search: it reaches their processes and the record, and a tournament keeps it."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from adsearch import form
from adsearch.form import INTERPRETED, Form
from arena.errors import BadLeague, BadPlayer
from arena.match.conditions import Conditions
from arena.players.submissions import Store
from arena.tournament import host
from arena.tournament import league as leagues
from arena.tournament.preparation import plan_of
from arena.tournament.tournament import Tournament
from arena.walls import library
from db.database import Database
from tests.kit import compiled_twin
from tests.kit.arena_program import arena

AGENT = """
import sys
from agents import Agent

class Asks(Agent):
    def choose(self, state, clock):
        print(sys._xoptions, file=sys.stderr)
        return state.moves()[0]
"""
OURS = ("greedy", "random")
Here = Callable[[Form], None]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Here:
    """Makes this installation, and what it says when it is asked, have the form."""
    ask = library._ask

    def make(there: Form) -> None:
        monkeypatch.setattr(form, "form", lambda: there)
        monkeypatch.setattr(library, "_ask", lambda *asked, **more: ask(*asked, **more) | {"form": there})

    return make


def described(folder: Path, keys: str = "", players: Sequence[str] = ("asks.py", "greedy")) -> leagues.League:
    """The tournament with these keys and players, in a file."""
    (folder / "asks.py").write_text(AGENT, "utf-8")
    agents = [f'[[agent]]\nname = "{player.partition(".")[0]}"\nplayer = "{player}"\n' for player in players]
    head = f'name = "cs101"\ngame = "tictactoe"\nclock = 60\nwalls = "limits"\n{keys}\n'
    (folder / "cs101.toml").write_text(head + "".join(agents), "utf-8")
    return leagues.read(folder / "cs101.toml")


def begun(folder: Path, keys: str = "") -> Tournament:
    """That tournament, of built-in agents, begun or continued, and stopped."""
    league = described(folder, keys, OURS)
    with Database(str(folder / "arena.db")) as database:
        tournament = Tournament.begin(league, database, Store(folder / "store"), scratch=folder, wait=pytest.fail)
        tournament.close()
    return tournament


def recorded(folder: Path, query: str = "SELECT settings FROM tournament") -> Any:
    with closing(sqlite3.connect(folder / "arena.db")) as database:
        return database.execute(query).fetchall()


def stored(folder: Path) -> Form:
    """The form in the tournament's settings."""
    ((settings,),) = recorded(folder)
    found: Form = json.loads(settings)["adsearch"]
    return found


# A tournament keeps its form.


@pytest.mark.parametrize("there", ["compiled", "interpreted"])
def test_a_new_tournament_records_the_form_that_is_here(there: Form, tmp_path: Path, here: Here) -> None:
    here(there)
    tournament = begun(tmp_path)
    assert tournament.league.conditions.adsearch == stored(tmp_path) == there


def test_a_new_tournament_of_another_python_begins_in_the_form_that_both_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(form, "form", lambda: "compiled")
    league = described(tmp_path, f'python = "{sys.executable}"')
    for there in ("interpreted", "compiled"):
        monkeypatch.setattr(library, "_ask", lambda *_asked, there=there: {"form": there})
        assert leagues.with_form(league, None).conditions.adsearch == there


def test_it_goes_on_in_its_form_when_the_installation_has_another(tmp_path: Path, here: Here) -> None:
    here("interpreted")
    begun(tmp_path)
    here("compiled")
    tournament = begun(tmp_path)
    assert tournament.league.conditions.adsearch == stored(tmp_path) == "interpreted"
    assert all(entrant.arguments[:2] == ("-X", INTERPRETED) for entrant in tournament.entrants.values())


def test_a_compiled_one_does_not_go_on_without_and_says_what_to_do(tmp_path: Path, here: Here) -> None:
    here("compiled")
    begun(tmp_path)
    here("interpreted")
    with pytest.raises(BadPlayer) as refused:
        begun(tmp_path)
    assert "this installation cannot search compiled" in str(refused.value)
    assert 'With adsearch = "interpreted" in the description' in str(refused.value)
    assert begun(tmp_path, 'adsearch = "interpreted"').league.conditions.adsearch == stored(tmp_path) == "interpreted"


def test_one_that_began_before_there_were_two_forms_is_interpreted(tmp_path: Path, here: Here) -> None:
    here("interpreted")
    begun(tmp_path)
    with closing(sqlite3.connect(tmp_path / "arena.db")) as database, database:
        database.execute("UPDATE tournament SET settings = json_remove(settings, '$.adsearch')")
    here("compiled")
    assert begun(tmp_path).league.conditions.adsearch == stored(tmp_path) == "interpreted"


def test_a_plan_does_not_count_a_key_that_is_left_out_as_a_change(tmp_path: Path, here: Here) -> None:
    here("interpreted")
    league = begun(tmp_path).league
    here("compiled")
    plain = described(tmp_path, players=OURS)
    assert plain.conditions.adsearch is None
    changes = leagues.changes_between(league.settings(), plain.settings())
    assert (changes.refused, changes.allowed) == ((), ())
    with Database(str(tmp_path / "arena.db")) as database, database.reading() as connection:
        assert plan_of(connection, plain, Store(tmp_path / "store")) is not None


def test_a_change_of_the_key_is_said_and_allowed(tmp_path: Path) -> None:
    before, after = (described(tmp_path, f'adsearch = "{word}"') for word in ("compiled", "interpreted"))
    changes = leagues.changes_between(before.settings(), after.settings())
    assert (changes.refused, changes.allowed) == ((), ("adsearch: compiled -> interpreted",))


def test_another_word_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadLeague, match="adsearch: expected 'compiled' or 'interpreted', got 'fast'"):
        described(tmp_path, 'adsearch = "fast"')


@pytest.mark.parametrize("adsearch", [None, "compiled", "interpreted"])
def test_the_default_name_of_a_tournament_does_not_depend_on_the_form(adsearch: Form | None) -> None:
    described = leagues.from_arguments("tictactoe", ["random", "greedy"], clock="60", adsearch=adsearch)
    assert described.name == "tictactoe-6c936ada"


# It reaches the processes.


@pytest.mark.journey
def test_agents_are_started_and_recorded_as_the_tournament_says(tmp_path: Path) -> None:
    described(tmp_path, 'adsearch = "interpreted"')
    ended = arena("run", "cs101.toml", cwd=tmp_path)
    assert ended.code == 0, ended.err
    seats = recorded(tmp_path, "SELECT name, adsearch, stderr FROM seat")
    assert {(name, adsearch) for name, adsearch, _ in seats} == {("greedy", "interpreted"), ("asks", "interpreted")}
    assert all("{'adsearch': 'interpreted'}" in stderr for name, _, stderr in seats if name == "asks")
    shown = json.loads(arena("replay", "last", "--show", "--format", "json", cwd=tmp_path).out)
    assert [seat["adsearch"] for seat in shown["seats"]] == ["interpreted", "interpreted"]


@pytest.mark.costly
def test_results_say_if_games_were_not_searched_alike(tmp_path: Path) -> None:
    described(tmp_path, 'adsearch = "interpreted"', OURS)
    assert arena("run", "cs101.toml", cwd=tmp_path).code == 0
    note = "not all games are alike: agents searched compiled in some"
    for command in (("results",), ("results", "rank")):
        assert note not in arena(*command, cwd=tmp_path).out
    with closing(sqlite3.connect(tmp_path / "arena.db")) as database, database:
        database.execute("UPDATE seat SET adsearch = 'compiled' WHERE game = 1")
    for command in (("results",), ("results", "rank")):
        assert note in arena(*command, cwd=tmp_path).out


@pytest.mark.costly
def test_agents_search_in_the_compiled_form_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: Here
) -> None:
    compiled_twin.install(tmp_path, monkeypatch)
    here("compiled")
    described(tmp_path, 'modules = ["adsearch"]')
    ended = arena("run", "cs101.toml", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert stored(tmp_path) == "compiled"
    seats = recorded(tmp_path, "SELECT DISTINCT name, adsearch FROM seat ORDER BY name")
    assert seats == [("asks", "compiled"), ("greedy", "compiled")]


@pytest.mark.parametrize("players", [OURS, ("asks.py", "greedy")])
def test_a_form_that_is_not_here_is_one_error_before_any_game(
    players: Sequence[str], tmp_path: Path, here: Here
) -> None:
    here("interpreted")
    described(tmp_path, 'adsearch = "compiled"', players)
    ended = arena("run", "cs101.toml", cwd=tmp_path)
    assert ended.code == 2
    assert "cannot search compiled" in " ".join(ended.err.split())
    assert recorded(tmp_path, "SELECT count(*) FROM game") == [(0,)]


def test_single_games_are_played_with_what_is_here(tmp_path: Path) -> None:
    assert Conditions().adsearch is None
    ended = arena("play", "tictactoe", "random", "greedy", "--format", "json", cwd=tmp_path)
    assert ended.code == 0, ended.err
    (game,) = json.loads(ended.out)
    assert [seat["adsearch"] for seat in game["seats"]] == [form.form()] * 2


# How fast a machine is does not depend on it.


def test_speeds_are_measured_in_one_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "_best", 0.0)
    monkeypatch.setattr(form, "why_interpreted", pytest.fail)  # what a search asks before it runs compiled
    assert host.measure_speed() > 1
