"""Practice: whole games in one process, as in a student's debugger, test or notebook."""

from typing import Any

import pytest

from adsearch import State, games
from adsearch.errors import BadMove, BadPosition, UnknownGame
from agents import Agent, BadAgent, CannotPlay, Clock, Resign, practice
from tests.kit.every_game import EVERY


class Plays(Agent):
    """Plays what it is told to: a function of the state."""

    def __init__(self, play: Any = lambda state: state.moves()[0]) -> None:
        self.play = play
        self.seen: list[str] = []
        self.ended: list[Any] = []

    def begin(self, state: State[Any], seat: int) -> None:
        self.seen.append(state.position())

    def choose(self, state: State[Any], clock: Clock) -> Any:
        self.seen.append(state.position())
        return self.play(state)

    def end(self, utilities: tuple[float, ...] | None, verdict: str) -> None:
        self.ended.append((utilities, verdict))


def resigns(state: State[Any]) -> Any:
    raise Resign


def test_a_game_is_played_to_its_end() -> None:
    first, second = Plays(), Plays()
    played = practice("tictactoe", first, second)
    assert (played.utilities, played.verdict, played.fault) == ((1.0, -1.0), "normal", None)
    assert played.state.turn is None
    assert [who for who, _ in played.moves] == [0, 1, 0, 1, 0, 1, 0]
    assert (first.name, first.seat, second.seat) == ("Plays", 0, 1)
    assert first.ended == second.ended == [((1.0, -1.0), "normal")]


def test_a_played_game_prints_as_people_read_it() -> None:
    printed = str(practice("tictactoe", Plays(), "random:seed=3", seed=1))
    assert printed.startswith("tictactoe: 0 Plays, 1 random:seed=3\n")
    assert printed.splitlines()[-1].startswith("0 Plays: ")


def test_a_played_game_is_one_line_in_a_list() -> None:
    played = practice("tictactoe", Plays(), Plays())
    assert repr(played) == "<Played tictactoe: 0 Plays, 1 Plays; 7 plies; 0 Plays: +1, 1 Plays: -1>"


def test_a_played_game_has_every_position() -> None:
    played = practice("pig:goal=20", "random", "random")
    assert played.state is played.states[-1]
    assert len(played.states) == len(played.moves) + 1
    for before, (_, text), after in zip(played.states, played.moves, played.states[1:], strict=False):
        assert before.play(before.from_text(text)).position() == after.position()


@pytest.mark.parametrize("spec", EVERY)
def test_a_notebook_shows_a_played_game_with_its_last_move(spec: str) -> None:
    start = games.start(spec)
    played = practice(spec, *["random"] * start.players, max_plies=20)
    before, move = played.states[-2], played.moves[-1][1]
    assert played._repr_svg_() == played.state.svg(before.from_text(move))


def test_the_same_seed_plays_the_same_game() -> None:
    def once(seed: int) -> object:
        return practice("pig:goal=20", "random", "mcts:simulations=5", seed=seed).moves

    assert once(1) == once(1)
    assert len({once(seed) for seed in range(4)}) > 1


def test_both_seats_draw_from_seeds_of_their_own() -> None:
    one, other = Plays(), Plays()
    practice("tictactoe", one, other)
    assert one.random.random() != other.random.random()


def test_chance_is_nobodys_move() -> None:
    played = practice("pig:goal=5", "random", "random")
    assert {who for who, _ in played.moves} == {0, 1, "chance"}
    assert any(f"({text})" in str(played) for who, text in played.moves if who == "chance")


def test_a_seat_sees_no_more_than_it_may() -> None:
    first, second = Plays(), Plays()
    practice("kuhn", first, second, seed=5)
    assert all(position[1] in "?-" for position in first.seen)
    assert all(position[0] in "?-" for position in second.seen)
    assert any(position[0] in "JQK" for position in first.seen)


def test_an_illegal_choice_names_what_came_and_what_was_legal() -> None:
    with pytest.raises(BadMove) as raised:
        practice("nap:n=4", Plays(), Plays(lambda _: "one"))
    assert str(raised.value) == "Plays: choose returned 'one', expected one of 2, 3, 4 (nap:n=4, ply 2)"


def test_what_an_agent_raises_comes_out() -> None:
    with pytest.raises(ZeroDivisionError):
        practice("nap:n=4", Plays(lambda _: 1 / 0), Plays())


@pytest.mark.parametrize(
    ("game", "lost", "won"), [("tictactoe", -1.0, 1.0), ("kuhn", -2.0, 2.0), ("rps:rounds=2", -2.0, 2.0)]
)
def test_who_resigns_gets_the_least(game: str, lost: float, won: float) -> None:
    played = practice(game, Plays(resigns), Plays())
    assert (played.utilities, played.verdict, played.fault) == ((lost, won), "resigned", 0)
    assert practice(game, Plays(), Plays(resigns)).utilities == (won, lost)
    assert "0 Plays resigned" in str(played)


def test_nobody_can_say_what_a_resignation_is_worth_among_several() -> None:
    assert practice("ludo:players=3", *(Plays(resigns) for _ in range(3))).utilities is None


def test_a_game_may_begin_elsewhere_and_stop_early() -> None:
    position = games.start("nap:n=4").play(1).position()
    played = practice("nap:n=4", Plays(), Plays(), position=position, max_plies=1)
    assert played.moves == ((1, "2"),)
    assert (played.utilities, played.verdict) == (None, "adjudicated")
    assert "too many plies" in str(played)
    with pytest.raises(BadPosition):
        practice("nap:n=4", Plays(), Plays(), position="nowhere")


def test_who_cannot_play_is_told_before_the_game() -> None:
    once = Plays()
    with pytest.raises(BadAgent, match="nap is for 2 players, got 1"):
        practice("nap", once)
    with pytest.raises(BadAgent, match="an Agent object can have only one seat; create another Plays"):
        practice("nap", once, once)
    with pytest.raises(BadAgent, match=r"seat 0: expected an Agent, such as Plays\(\) or a text, got"):
        practice("nap", Plays, once)  # type: ignore[arg-type]
    with pytest.raises(BadAgent, match=r"seat 1: expected an Agent or a text, got None"):
        practice("nap", once, None)  # type: ignore[arg-type]
    with pytest.raises(CannotPlay, match="minimax cannot play pig"):
        practice("pig", once, "minimax")
    with pytest.raises(UnknownGame):
        practice("shogi", once, "minimax")
    assert not once.seen
