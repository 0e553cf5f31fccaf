"""What feedback says about the games of one agent: faults once, then mistakes against the weakest; nothing that does
not count."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from arena.course.aliases import own_names
from arena.course.feedback import agent_feedback
from arena.course.feedback.agent_feedback import FeedbackAgent, Findings, GameConditions, GameToSee, command_as_typed
from arena.course.feedback.sentences import about_game, game_heading, next_commands, to_see
from arena.course.feedback.write import Shared, write_feedback
from arena.course.report import gather
from db import games as record
from db import lookup
from db.database import Database
from db.records import Mark, PastGame, PastSeat
from tests.kit.lost_games import make
from tests.kit.sample_record import Book

KESTREL = FeedbackAgent(name="kestrel", file="agent.py", python=True)
WHERE = GameConditions(rules="tictactoe", clock="10+0.1", bundle="kestrel.arena", trust=False)
PLACES = {"otter": 0, "heron": 1, "kestrel": 2, "staff": 3}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[PastGame], dict[str, int]]:
    """All games with their moves, and the ids of special ones."""
    folder = tmp_path_factory.mktemp("course")
    special = make(folder)
    with Database(str(folder / "arena.db")) as database, database.reading() as connection:
        return record.games(connection, record.ids(connection, None, every=True), whole=True), special


def found_for(agent: FeedbackAgent, games: list[PastGame], places: dict[str, int] = PLACES) -> Findings:
    own = [game for game in games if agent.name in game.players]
    counting = agent_feedback.of_current_version(own, agent.name)
    return agent_feedback.findings(
        agent,
        games=len(counting),
        at_fault=[game for game in counting if agent_feedback.failed(game, agent.name)],
        candidates=agent_feedback.spread_out(agent_feedback.order(counting, agent.name, places)),
        shown={player: player for game in games for player in game.players},
        trust=False,
    )


def test_the_same_fault_is_said_once_and_the_most_frequent_first(
    course: tuple[list[PastGame], dict[str, int]],
) -> None:
    games, special = course
    found = found_for(KESTREL, games)
    assert [(fault.games, fault.example) for fault in found.faults] == [
        (2, special["crash"]),
        (1, special["elsewhere"]),
    ]
    assert found.faults[0].why.message == "choose stopped with an error at agent.py, line 9: KeyError: 'middle'"
    assert found.faults[0].why.advice == "the dictionary does not have this key: test with 'in' first, or use .get()"


def test_time_runs_out_anywhere_so_it_is_one_fault(course: tuple[list[PastGame], dict[str, int]]) -> None:
    (fault,) = found_for(FeedbackAgent(name="heron", file="agent.py", python=True), course[0]).faults
    assert (fault.verdict, fault.games) == ("time", 2)
    assert "machine" not in fault.why.advice, "a student cannot close programs on the server"


def test_void_annulled_and_forfeited_games_do_not_count(course: tuple[list[PastGame], dict[str, int]]) -> None:
    games, special = course
    counted = {
        game.id for game in agent_feedback.of_current_version([g for g in games if "kestrel" in g.players], "kestrel")
    }
    assert counted == {special[name] for name in ("weakest", "strongest", "draw", "crash", "again", "elsewhere")}
    heron = agent_feedback.of_current_version([game for game in games if "heron" in game.players], "heron")
    assert special["forfeit"] not in {game.id for game in heron}


def test_a_fault_comes_first_then_mistakes_against_the_weakest(course: tuple[list[PastGame], dict[str, int]]) -> None:
    games, special = course
    to_see = found_for(KESTREL, games).to_see
    assert [game.id for game in to_see] == [special["crash"], special["weakest"], special["elsewhere"]]
    fault, mistake, _ = to_see
    assert (fault.ply, fault.seat, len(fault.pictures)) == (3, 0, 1)
    assert mistake.mistake is not None
    assert (mistake.ply, mistake.mistake.mark, mistake.mistake.move) == (2, Mark.BLUNDER, "b1")
    assert [picture.caption for picture in mistake.pictures] == ["played at ply 2: b1", "better at ply 2: b2"]
    assert " ".join(about_game(mistake)) == (
        "At ply 2 your agent played b1, a serious mistake. Better was b2, which leads to "
        f"{' '.join(mistake.mistake.better[1:])}. Before this move the position was a draw, after it lost (proven)."
    )
    assert special["strongest"] not in {game.id for game in to_see}, "there it made the same mistake"
    reversed_places = {name: -place for name, place in PLACES.items()}
    assert found_for(KESTREL, games, reversed_places).to_see[1].id == special["strongest"]


def test_an_agent_that_won_everything_is_sent_to_stronger_opponents(
    course: tuple[list[PastGame], dict[str, int]],
) -> None:
    otter = FeedbackAgent(name="otter", file="agent.py", python=True)
    found = found_for(otter, course[0])
    assert (found.faults, found.to_see) == ([], [])
    (command,) = next_commands(found, otter, WHERE)
    assert command.line == "arena climb agent.py --game tictactoe --clock 10+0.1"


def test_a_program_in_another_language_is_not_sent_to_the_debugger(
    course: tuple[list[PastGame], dict[str, int]],
) -> None:
    program = FeedbackAgent(name="kestrel", file="cmd:node agent.js", python=False)
    lines = [command.line for command in next_commands(found_for(program, course[0]), program, WHERE)]
    assert lines == ["arena check 'cmd:node agent.js' --game tictactoe --clock 10+0.1"]


@pytest.mark.parametrize(
    ("started_as", "typed"),
    [
        ("cmd:./agent", "cmd:./agent"),
        ("cmd:../built/engine --net ../nets/net.bin", "cmd:./engine --net net.bin"),
        ("cmd:node ./agent.js", "cmd:node agent.js"),
        ("cmd:/usr/bin/java -cp . MyAgent", "cmd:java -cp . MyAgent"),
    ],
)
def test_a_program_is_named_as_in_the_folder_with_its_files(started_as: str, typed: str) -> None:
    assert command_as_typed(started_as) == typed


def test_only_games_of_the_version_that_is_entered_now_are_looked_at(
    course: tuple[list[PastGame], dict[str, int]],
) -> None:
    def outdated(seat: PastSeat) -> PastSeat:
        return replace(seat, current=seat.player != "kestrel")

    games = [replace(game, seats=tuple(map(outdated, game.seats))) for game in course[0]]
    assert found_for(KESTREL, games) == Findings(games=0, faults=[], to_see=[])
    assert found_for(FeedbackAgent(name="heron", file="agent.py", python=True), games).games > 0


def test_games_against_different_opponents_are_chosen_first() -> None:
    def game(id: int, opponent: str) -> PastGame:
        seats = tuple(PastSeat(seat=seat, player=player) for seat, player in enumerate(("a", opponent)))
        return PastGame(id=id, number=id, pair="", game="tictactoe", seats=seats)

    games = [game(id, opponent) for id, opponent in enumerate("bbbbcd")]
    assert [one.id for one in agent_feedback.spread_out(games)] == [0, 4, 5, 1, 2, 3]


@pytest.mark.costly
@pytest.mark.parametrize("rules", ["ludo:players=3", "pig:goal=20", "kuhn", "othello:size=4"])
def test_every_kind_of_game_gets_feedback(tmp_path: Path, rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With dice, hidden cards, three players, and faults at any ply; random games, so nothing is known of them."""
    monkeypatch.chdir(tmp_path)
    random = Random(rules)
    names = ["ann", "bob", "cleo"][: 3 if "players=3" in rules else 2]
    with Database("arena.db") as database, database.writing() as connection:
        book = Book(connection)
        course = book.tournament("cs101", rules, status="finished")
        book.enter(course, *names, source="0" * 64)
        for number in range(3):
            seats = random.sample(names, len(names))
            how = {"verdict": random.choice(("time", "memory", "garbage")), "fault": 0} if number % 3 == 0 else {}
            book.play(course, rules, seats, sources=dict.fromkeys(names, "0" * 64), **how)
    folder = tmp_path / "feedback"
    folder.mkdir()
    with Database("arena.db", create=False) as database, database.reading() as connection:
        tournament = lookup.find_tournament(connection, "cs101")
        report, shown = gather(connection, tournament, None, now=datetime(2026, 5, 1, tzinfo=UTC))
        assert shown == own_names(names)
        shared = Shared(report=report, names=shown, folder=str(folder), tournament=tournament, roster=None, trust=False)
        letters = write_feedback(connection, shared, database="arena.db", processes=1, done=lambda *_: None)
    assert sorted(letter.agent for letter in letters) == names
    for letter in letters:
        assert letter.left_out == ("no submission 000000000000 in " + f"{tmp_path}/arena.store: enter it again",)
        assert "GAMES TO LOOK AT" in letter.text
        assert (rules == "kuhn") == ("no move is called a mistake" in " ".join(letter.text.split()))


def test_an_agent_that_has_not_played_is_checked_first(course: tuple[list[PastGame], dict[str, int]]) -> None:
    newt = FeedbackAgent(name="newt", file="my_agent.py", python=True)
    (command,) = next_commands(found_for(newt, course[0]), newt, WHERE)
    assert command.line == "arena check my_agent.py --game tictactoe --clock 10+0.1"


def test_a_game_is_called_by_the_name_that_commands_take() -> None:
    seen = GameToSee(id=36, name="cs101-12", players=("ann", "bob"), seat=0, ply=0)
    assert game_heading(seen, "tictactoe") == "Game cs101-12 against bob (your agent: x)"
    assert " replay cs101-12 " in to_see(seen, WHERE)
