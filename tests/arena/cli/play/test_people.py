"""People at the terminal: hints, moves that are taken back, Ctrl-C, and what of it is recorded."""

import json
import os
import re
import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from adsearch import CHANCE, games
from agents.protocol import Verdict
from arena.cli.play.human_player import Keyboard, TakeBacks
from arena.match.conditions import Conditions
from arena.match.schedule import Began, Entrant, Finished, InOrder, Planned, Ply
from arena.match.seeds import GameSeeds
from arena.student.hint import hint
from db.records import GameRecord, MoveRecord, SeatRecord
from tests.arena.cli.play.test_play import start
from tests.kit.arena_program import arena
from tests.kit.effort import PATIENCE
from tests.kit.every_game import LARGE, SMALL, AnyState, playout
from tests.kit.terminal import Session

QUESTION = "end the program?"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """A terminal in a folder of its own."""
    session = Session(tmp_path)
    yield session
    session.close()


def typed(keys: str, *arguments: str) -> str:
    """What `arena play` prints while a person types these lines."""
    with start(*arguments) as process:
        out, err = process.communicate(keys, timeout=PATIENCE)
    assert process.returncode == 0, err
    return out


def ruling() -> list[str]:
    """The reasons of all rulings on record."""
    return [one["reason"] for one in json.loads(arena("rule", "list", "--format", "json").out)]


# Taking back a move.


@pytest.mark.costly
def test_undo_goes_back_to_the_persons_last_turn_and_further_to_the_start() -> None:
    out = typed("4\n3\nundo\nu\nUndo\n2\nresign\n", "connect4", "human", "pvs:depth=2", "--seed", "1")
    assert "back to the position after 2 plies" in out
    assert "back to the start" in out
    assert "there is no move of yours to take back" in out
    assert "human resigned; pvs:depth=2 wins  2 plies" in out
    (game,) = json.loads(arena("results", "history", "--format", "json").out)
    assert game["plies"] == 2


@pytest.mark.costly
def test_chess_is_played_and_shown_in_the_notation_of_people_and_recorded_in_that_of_programs() -> None:
    out = typed("?\nNf9\nNf3\nhint\ne2e4\nresign\n", "chess", "human", "pvs:depth=1", "--seed", "1")
    assert "human (White), your move" in out
    assert re.search(r"legal moves: .*\bNf3\b", out)
    assert "'Nf9' is not a legal move. Legal moves: a3, b3, c3, d3, e3, f3, ... (20 in total)" in out
    assert "  1  human Nf3   " in out
    assert "  3  human e4   " in out
    assert not re.search(r"hint: [a-h][1-8][a-h][1-8]", out)
    moves = json.loads(arena("replay", "--show", "last", "--format", "json").out)["moves"]
    assert [move["move"] for move in moves][::2] == ["g1f3", "e2e4"]
    assert "  3  human e4   " in arena("replay", "--show", "last").out


@pytest.mark.costly
def test_a_game_in_which_a_move_was_taken_back_is_recorded_and_annulled() -> None:
    out = typed("4\nundo\n4\nresign\n", "connect4", "human", "pvs:depth=1", "--seed", "1")
    assert out.count("annulled, so this result does not count: human took back a move") == 1
    assert ruling() == ["human took back a move"]
    assert arena("results", "rank", "--all").out == "no rated games\n"
    assert arena("replay", "1").code == 0


@pytest.mark.costly
def test_a_game_of_a_person_without_help_counts_for_points_but_for_no_rating() -> None:
    out = typed("?\n4\nresign\n", "connect4", "human", "pvs:depth=1", "--seed", "1")
    assert "this result does not count" not in out
    assert ruling() == []
    for system in ("elo", "glicko2", "incremental"):
        assert arena("results", "rank", "--all", "--system", system).out == "no rated games\n"
    assert "human" in arena("results", "--all").out


@pytest.mark.costly
def test_moves_before_a_take_back_are_moves_of_the_game_and_not_its_opening() -> None:
    typed("4\n3\nundo\n2\nresign\n", "connect4", "human", "pvs:depth=1", "--seed", "1")
    game = json.loads(arena("replay", "--show", "last", "--format", "json").out)
    assert game["opening"] is None
    assert [move["who"] for move in game["moves"]] == [0, 1, 0, 1]
    assert [move["move"] for move in game["moves"]][::2] == ["4", "2"]
    assert arena("data", "verify").code == 0


@pytest.mark.costly
def test_the_second_of_two_games_is_not_annulled_although_the_first_had_help() -> None:
    typed("h\n4\nresign\nresign\n", "connect4", "human", "pvs:depth=1", "--seed", "1", "--games", "2")
    assert ruling() == ["human got a hint"]


@pytest.mark.costly
def test_two_people_take_back_the_last_move_of_either() -> None:
    out = typed("a1\nb2\nundo\nc3\nresign\n", "tictactoe", "human", "human")
    assert "human (x), your move (? for help): back to the position after 1 ply" in out
    assert "2  human#2 c3" in out


@pytest.mark.costly
def test_the_same_dice_fall_after_a_move_is_taken_back() -> None:
    out = typed("roll\nundo\nroll\nresign\n", "pig:goal=50", "human", "random", "--seed", "5")
    first, second = re.findall(r"^ 11  chance .*$", out, re.MULTILINE)
    assert first == second


@pytest.mark.costly
def test_the_opening_of_the_options_is_not_taken_back() -> None:
    out = typed("undo\nresign\n", "connect4", "human", "random", "--openings", "2", "--seed", "1")
    assert "there is no move of yours to take back" in out


def finished(game: Planned, verdict: Verdict, moves: list[MoveRecord]) -> Finished:
    """The end of a game."""
    seats = tuple([SeatRecord(seat, entrant.name, None, None, 0, 0) for seat, entrant in enumerate(game.entrants)])
    record = GameRecord(game.number, verdict, 0, "", seats, tuple(moves), 0)
    return Finished(game, record, datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize("name", [*SMALL, *LARGE])
def test_the_game_that_continues_has_the_position_of_the_earlier_turn(name: str) -> None:
    """The plies are played as arena/match/match.py plays them: those that are given and chance first, then moves."""
    random = Random(name)
    first = games.start(name)
    entrants = tuple([Entrant(f"p{seat}", f"p{seat}") for seat in range(first.players)])
    planned = Planned(1, name, name, entrants, seed=7, identity=("x",), conditions=Conditions(max_plies=300))
    helped: dict[int, str] = {}
    schedule = TakeBacks(InOrder([planned]), {"p0"}, helped)
    before: dict[int, str] = {}
    taken_back = 0
    game = schedule.next()
    while game is not None:
        seeds = GameSeeds.of(game.seed, game.identity, leg=game.leg, attempt=game.attempt)
        schedule.see(Began(game))
        state: AnyState = games.start(name)
        given, moves, again = list(game.played), list[MoveRecord](), False
        while state.turn is not None and len(moves) < 40 and not again:
            ply = len(moves)
            if state.turn == 0 and not given:
                if ply in before and taken_back and ply == schedule.kept:
                    assert state.position() == before[ply]
                before[ply] = state.position()
                again = taken_back < 6 and random.random() < 0.4 and schedule.take_back("p0")
                if again:
                    break
            who: int | str = state.turn
            if state.turn == CHANCE:
                move, who = seeds.outcome(ply + 1, state.chances()), "chance"
            elif given:
                assert given[0].who == who
                move = state.from_text(given.pop(0).move)
            else:
                move = random.choice(state.moves())
            moves.append(MoveRecord(ply + 1, who, state.to_text(move)))
            state = state.play(move)
            schedule.see(Ply(game, moves[-1]))
        taken_back += again
        before = {ply: text for ply, text in before.items() if ply <= schedule.kept} if again else before
        schedule.note(finished(game, Verdict.RESIGNED if again else Verdict.NORMAL, moves))
        assert schedule.was_taken_back(game) == again
        game = schedule.next()
    assert bool(helped) == bool(taken_back)


# Hints.


@pytest.mark.parametrize("name", [*SMALL, "othello:size=6", "checkers", "ludo"])
def test_a_hint_is_a_legal_move_in_every_game(name: str) -> None:
    seats_turn = [state for state, _ in playout(name, "hint") if state.turn not in (None, CHANCE)]
    state = Random(name).choice(seats_turn)
    seen = games.load(name, state.view(state.turn))
    move, said = hint(seen)
    has_value = not (state.hidden and state.evaluation)
    found = re.fullmatch(r"hint: (.*?)(?: \(then .*\))?" + (": .*" if has_value else ""), said)
    assert found, said
    assert found[1] == seen.shown(seen.from_text(move))


def test_a_hint_knows_no_more_than_the_person() -> None:
    deals: dict[str, set[str]] = {}
    deal = games.start("kuhn")
    for first in deal.moves():
        for second in deal.play(first).moves():
            state = deal.play(first).play(second)
            if state.turn == 0:
                deals.setdefault(state.view(0), set()).add(hint(games.load("kuhn", state.view(0))).text)
    assert len(deals) == 3
    assert all(len(hints) == 1 for hints in deals.values())


@pytest.mark.costly
def test_of_very_many_moves_the_help_lists_some() -> None:
    out = typed("?\n8h hello\nresign\n", "words", "human", "random", "--seed", "1")
    listed = re.search(r"legal moves: (.*), [.]{3} [(]\d+ in total[)]", out)
    assert listed is not None
    assert listed[1].count(", ") == 59
    assert "'8h hello' is not a legal move: write 8D-HELLO across, D8-HELLO down" in out


def test_a_hint_in_words_is_the_best_word_with_the_own_tiles() -> None:
    board = "15/15/15/15/15/15/15/7PORT4/5COIN6/15/15/15/15/15/15"
    position = f"{board} racks=???????,AEIRST_ scores=27,0 next=1 scoreless=0"
    assert hint(games.load("words", position)).text == "hint: 8H-PORTRAIT"


def test_a_hint_shows_the_winning_move_and_that_it_wins() -> None:
    assert hint(games.load("tictactoe", "xx./oo./...")) == ("c1", "hint: c1: you win in 1 ply")


@pytest.mark.costly
def test_a_hint_is_shown_and_the_game_is_recorded_as_annulled() -> None:
    out = typed("hint\n4\nresign\n", "connect4", "human", "random", "--seed", "1")
    assert re.search(r"hint: \d \(then [\d ]+\): its value for you is about [+-]\d\.\d\d \(from -1 to 1\)", out)
    assert ruling() == ["human got a hint"]


@pytest.mark.costly
def test_in_a_game_with_a_clock_there_is_no_help() -> None:
    out = typed("?\nhint\nundo\nresign\n", "connect4", "human", "random", "--clock", "600")
    assert out.count("in a game with a clock there is no hint and no undo") == 2
    assert "'hint'" not in out
    assert ruling() == []


@pytest.mark.costly
def test_a_word_that_is_a_legal_move_is_a_move(tmp_path: Path) -> None:
    (tmp_path / "halma.py").write_text(UNDO_IS_A_MOVE, "utf-8")
    out = typed("u\nresign\n", "halma.py:Halma", "human", "random", "--seed", "1")
    assert "1  human u" in out
    assert ruling() == []


UNDO_IS_A_MOVE = """
from adsearch import State

class Halma(State):
    def __init__(self, made=()):
        self.made = tuple(made)
        self.turn = None if len(self.made) == 4 else len(self.made) % 2

    @classmethod
    def load(cls, text):
        return cls(text.removeprefix("-"))

    def moves(self):
        return () if self.turn is None else ("u", "h")

    def play(self, move):
        return Halma((*self.made, move))

    def utilities(self):
        return (0.0, 0.0)

    def position(self):
        return "-" + "".join(self.made)
"""


@pytest.mark.costly
def test_a_hint_in_a_game_whose_rules_are_broken_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "halma.py").write_text(UNDO_IS_A_MOVE.replace("(0.0, 0.0)", "1 / 0"), "utf-8")
    out = typed("hint\nresign\n", "halma.py:Halma", "human", "random", "--seed", "1")
    assert "there is no hint: the rules failed with ZeroDivisionError" in out


# Ctrl-C.


@pytest.mark.costly
def test_ctrl_c_asks_first_and_enter_plays_on(session: Session) -> None:
    session.give("arena play connect4 human pvs:depth=1 --seed 1")
    session.until("your move (? for help)")
    session.type("\x03")
    session.until(QUESTION)
    session.press("\n")
    session.until("human (x), your move (? for help)")
    session.press("4\n")
    session.until("1. 4", "2. ", "human (x), your move")
    session.press("resign\n")
    ended = session.end()
    assert ended.code == 0
    assert "human resigned" in ended.printed


@pytest.mark.costly
@pytest.mark.parametrize("answer", ["y\n", "\x03", "\x04"], ids=["y", "ctrl-c", "ctrl-d"])
def test_the_second_ctrl_c_or_a_yes_ends_the_program(session: Session, answer: str) -> None:
    session.give("arena play connect4 human pvs:depth=1 --seed 1")
    session.until("your move (? for help)")
    session.type("\x03")
    session.until(QUESTION)
    session.type(answer)
    ended = session.end()
    assert ended.code == 130
    assert "interrupted" in ended.printed


def test_a_question_gets_the_next_line_and_the_player_the_one_after_it() -> None:
    read, write = os.pipe()
    keyboard = Keyboard(read, lambda: os.read(read, 4096))
    answers: list[tuple[str, str | None]] = []
    os.write(write, b"typed before")
    keyboard.read()
    keyboard.ask(lambda line: answers.append(("move", line)))
    keyboard.ask_first(lambda line: answers.append(("question", line)))
    os.write(write, b"no\n4\n")
    keyboard.read()
    assert answers == [("question", "no"), ("move", "4")]
    os.close(write)
    keyboard.read()
    keyboard.ask_first(lambda line: answers.append(("question", line)))
    assert answers[2:] == [("question", None)]
    os.close(read)


@pytest.mark.costly
def test_without_a_terminal_ctrl_c_ends_at_once() -> None:
    with start("tictactoe", "human", "random") as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("3 "):
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert QUESTION not in out
    assert err.strip() == "interrupted"
