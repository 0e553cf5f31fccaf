"""The player: its answer to each message of the referee, without input or output, with simulated time."""

from collections.abc import Iterator
from typing import Any

import pytest

from adsearch import State, games
from adsearch.form import form
from agents import Agent, Clock, Resign
from agents.player import Dismissed, Player
from agents.protocol import Bye, ClockInfo, Move, Over, Ready, Refuse, Report, Start, Turn, Verdict, Welcome
from agents.protocol import Resign as Resignation

MILLISECOND = 1_000_000


class Noting(Agent):
    """Notes all that it is shown, and plays what the test put into `plays`, else the first move."""

    plays: Any = None
    made: list["Noting"]

    def __init__(self) -> None:
        self.notes: list[Any] = []
        Noting.made.append(self)

    def begin(self, state: State[Any], seat: int) -> None:
        self.notes.append(("begin", state.position(), seat, self.name, self.random.random()))

    def choose(self, state: State[Any], clock: Clock) -> Any:
        self.notes.append((state.position(), clock.left, clock.budget, clock.remaining()))
        if isinstance(self.plays, Exception):
            raise self.plays
        self.tell(depth=1)
        return state.moves()[0] if self.plays is None else self.plays

    def end(self, utilities: tuple[float, ...] | None, verdict: str) -> None:
        self.notes.append((utilities, verdict, type(verdict)))
        if self.plays == "fails at the end":
            raise RuntimeError


@pytest.fixture(autouse=True)
def _none_made() -> Iterator[None]:
    Noting.made, Noting.plays = [], None
    yield
    Noting.made, Noting.plays = [], None


class Instants:
    """A clock that a test turns."""

    now = 0

    def __call__(self) -> int:
        return self.now


def start(rules: str = "tictactoe", *, game: int = 1, seat: int = 0, position: str | None = None) -> Start:
    """The start of a game."""
    told = games.start(rules).position() if position is None else position
    return Start(game, rules, seat, ("me", "you"), ClockInfo("60", (60_000, 60_000)), 7, told)


def turn(*events: tuple[Any, str], game: int = 1, **told: Any) -> Turn:
    """A turn after these events."""
    return Turn(game, "abcd1234", len(events) + 1, events, told.pop("left", None), told.pop("budget", None), **told)


def test_a_player_is_ready_after_begin() -> None:
    player = Player(Noting)
    assert player.name == "Noting"
    assert player.answer(Welcome(1, {}), 0) is None
    assert player.answer(start(seat=1), 0) == Ready(1, adsearch=form())
    (agent,) = Noting.made
    assert agent.notes[0][:4] == ("begin", games.start("tictactoe").position(), 1, "you")


def test_an_agent_sees_the_state_after_all_that_happened() -> None:
    player = Player(Noting)
    player.answer(start(), 0)
    answer = player.answer(turn(("opening", "b2"), (1, "a1")), 0)
    state = games.start("tictactoe").play(4)
    state = state.play(state.from_text("a1"))
    assert Noting.made[0].notes[-1][0] == state.position()
    assert isinstance(answer, Move)
    assert (answer.game, answer.id, answer.move) == (1, "abcd1234", state.to_text(state.moves()[0]))
    assert answer.info is not None
    assert answer.info.depth == 1


def test_a_turn_is_measured_from_its_arrival() -> None:
    instants = Instants()
    player = Player(Noting, now=instants)
    player.answer(start(), 0)
    instants.now = 30 * MILLISECOND
    answer = player.answer(turn(left=(2000, 1000), budget=100), 10 * MILLISECOND)
    assert Noting.made[0].notes[-1][1:] == (2.0, 0.1, pytest.approx(1.98))
    assert isinstance(answer, Move)
    assert answer.spent == 20 * MILLISECOND
    assert answer.cpu is not None
    assert answer.cpu >= 0


def test_with_hidden_information_the_state_is_the_view() -> None:
    player = Player(Noting)
    player.answer(start("kuhn", seat=1, position="--"), 0)
    player.answer(turn(("chance", "?"), ("chance", "Q"), (0, "check"), position="?Q check"), 0)
    assert [note[0] for note in Noting.made[0].notes[1:]] == ["?Q check"]


def test_an_illegal_choice_is_sent_as_text() -> None:
    player = Player(Noting)
    player.answer(start(), 0)
    Noting.plays = "b2"
    answer = player.answer(turn(), 0)
    assert isinstance(answer, Move)
    assert answer.move == "choose returned 'b2'"


def test_raising_resign_resigns() -> None:
    player = Player(Noting)
    player.answer(start(), 0)
    Noting.plays = Resign()
    answer = player.answer(turn(), 0)
    assert isinstance(answer, Resignation)
    assert (answer.game, answer.id) == (1, "abcd1234")


@pytest.mark.parametrize(("told", "known"), [((1.0, -1.0), (1.0, -1.0)), ((None, None), None), (None, None)])
def test_an_agent_gets_the_utilities_if_they_are_numbers(told: Any, known: Any) -> None:
    player = Player(Noting)
    player.answer(start(), 0)
    player.answer(Over(1, told, Verdict.NORMAL, None, ()), 0)
    assert Noting.made[0].notes[-1] == (known, "normal", str)


def test_a_game_that_is_over_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    player = Player(Noting)
    player.answer(start(), 0)
    Noting.plays = "fails at the end"
    report = player.answer(Over(1, (1.0, -1.0), Verdict.TIME, 1, ()), 0)
    assert isinstance(report, Report)
    assert report.cpu is not None
    assert report.memory is None or report.memory > 1_000_000
    assert Noting.made[0].notes[-1] == ((1.0, -1.0), "time", str)
    shown = capsys.readouterr().err
    assert shown.startswith("Traceback")
    assert "RuntimeError" in shown
    assert "agents/player.py" not in shown


def test_each_game_has_a_fresh_agent_with_the_games_seed() -> None:
    player = Player(Noting)
    for game in (1, 2):
        player.answer(start(game=game), 0)
        player.answer(Over(game, None, Verdict.VOID, None, ()), 0)
    first, second = Noting.made
    assert first.notes[0] == second.notes[0]


def test_messages_of_another_game_are_not_answered() -> None:
    player = Player(Noting)
    assert player.answer(turn(), 0) is None
    player.answer(start(), 0)
    assert player.answer(turn(game=2), 0) is None
    assert player.answer(Over(2, None, Verdict.VOID, None, ()), 0) is None


def test_a_player_ends_after_bye_or_refuse() -> None:
    player = Player(Noting)
    with pytest.raises(Dismissed, match=r"^$"):
        player.answer(Bye(), 0)
    with pytest.raises(Dismissed, match="no such seat"):
        player.answer(Refuse("no such seat"), 0)
