"""Games of OpenSpiel: those that are ours too are the same, views hide what a seat does not see, names are checked.

Without OpenSpiel these tests are skipped, except that on the message that says so.
"""

from __future__ import annotations

import pickle
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import pytest

from adsearch import CHANCE, cfr, games, mcts
from adsearch.errors import AdsearchError, BadMove, BadOption, BadPosition
from adsearch.games import contract
from adsearch.openspiel import KEEP_PROMISES, MissingOpenSpiel, rules_of
from tests.kit import needs
from tests.kit.effort import SOAK, tries

needs_openspiel = pytest.mark.skipif(find_spec("pyspiel") is None, reason=needs.extra("openspiel"))

_CHEAP = (
    *(
        "tic_tac_toe",
        "pig",
        "mancala",
        "kuhn_poker",
        "leduc_poker",
        "liars_dice",
        "phantom_ttt",
        "matrix_pd",
        "blackjack",
    ),
    *("matching_pennies_3p", "tiny_bridge_2p", "snake", "ultimate_tic_tac_toe"),
)
_WITH_PARAMETERS = (
    "goofspiel(imp_info=True,num_cards=4,points_order=descending)",
    "kuhn_poker(players=3)",
    "misere(game=tic_tac_toe())",
    "repeated_game(stage_game=matrix_pd(),num_repetitions=3)",
)


@needs_openspiel
@pytest.mark.parametrize("name", [*(KEEP_PROMISES if SOAK else _CHEAP), *_WITH_PARAMETERS])
def test_listed_games_fulfil_the_contract(name: str) -> None:
    assert contract.check(f"openspiel:{name}") >= 10


@needs_openspiel
def test_every_listed_game_can_be_started() -> None:
    for name in KEEP_PROMISES:
        state = games.start(f"openspiel:{name}")
        low, high = state.bounds
        assert low < high, name
        assert state.turn in (CHANCE, *range(state.players)), name


def sign(utility: float) -> int:
    return (utility > 0) - (utility < 0)


@needs_openspiel
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("tictactoe", "tic_tac_toe"),
        ("tictactoe:m=5,n=4,k=3", "mnk(m=4,n=5,k=3)"),
        ("connect4", "connect_four"),
        ("othello", "othello"),
        ("kuhn", "kuhn_poker"),
        ("rps:rounds=1", "matrix_rps"),
    ],
)
def test_a_game_of_both_is_the_same_move_by_move(ours: str, theirs: str) -> None:
    """Both list their moves in the same order. Othello's utilities differ: ours count discs."""
    for seed in range(tries(5)):
        random = Random(f"{ours} {seed}")
        state, other = games.start(ours), games.start(f"openspiel:{theirs}")
        while state.turn is not None:
            assert (other.turn, len(other.moves())) == (state.turn, len(state.moves()))
            assert [chance for _, chance in other.chances()] == pytest.approx([chance for _, chance in state.chances()])
            place = random.randrange(len(state.moves()))
            state, other = state.play(state.moves()[place]), other.play(other.moves()[place])
        assert other.turn is None
        assert [*map(sign, other.utilities())] == [*map(sign, state.utilities())]
        assert ours == "othello" or other.utilities() == state.utilities()


@needs_openspiel
def test_leduc_is_the_same_where_the_suits_do_not_count() -> None:
    words = {"check": "Call", "call": "Call", "bet": "Raise", "raise": "Raise", "fold": "Fold"}
    for seed in range(tries(20)):
        random = Random(seed)
        state, other = games.start("leduc"), games.start("openspiel:leduc_poker")
        while other.turn is not None:
            assert state.turn == other.turn
            move = random.choice(other.moves())
            if other.turn == CHANCE:
                of_rank: dict[str, float] = defaultdict(float)
                for card, chance in other.chances():
                    of_rank["JQK"[card // 2]] += chance
                assert dict(state.chances()) == pytest.approx(of_rank)
                state = state.play("JQK"[move // 2])
            else:
                texts = {words[word]: word for word in state.moves()}
                assert {other.to_text(each) for each in other.moves()} == {*texts} - (
                    {"Fold"} if "check" in state.moves() else set()
                )
                state = state.play(texts[other.to_text(move)])
            other = other.play(move)
        assert state.utilities() == other.utilities()


@needs_openspiel
def test_the_equilibrium_of_their_kuhn_poker_is_that_of_ours() -> None:
    """With the moves in the same order, every iteration is the same."""
    theirs = cfr.solve(games.start("openspiel:kuhn_poker"), iterations=200)
    ours = cfr.solve(games.start("kuhn"), iterations=200)
    assert theirs.value == pytest.approx(-1 / 18, abs=1e-3)
    assert (theirs.value, theirs.exploitability) == pytest.approx((ours.value, ours.exploitability), rel=1e-9)
    assert (theirs.nodes, len(theirs.strategy)) == (58, 12)


def nodes(spec: str) -> Iterator[tuple[Any, tuple[tuple[Any, int], ...]]]:
    """Every node of a game, with the positions and moves before it."""
    stack: list[tuple[Any, tuple[tuple[Any, int], ...]]] = [(games.start(spec), ())]
    while stack:
        state, before = stack.pop()
        yield state, before
        stack += [(state.play(move), (*before, (state, move))) for move in state.moves()]


@pytest.mark.costly
@needs_openspiel
@pytest.mark.parametrize(
    "name",
    [
        "kuhn_poker",
        "matrix_rps",
        "tiny_hanabi",
        "lewis_signaling",
        "goofspiel(num_cards=3)",
        "goofspiel(imp_info=True,num_cards=3,points_order=descending)",
        "liars_dice(dice_sides=2)",
        "dark_hex(board_size=2)",
    ],
)
def test_a_seat_sees_what_it_has_seen_and_nothing_else(name: str) -> None:
    """By going through the whole game: histories that look the same to a seat, and no others, have the same view. Their
    last move is shown if all of them end with it. A sample is one of them, and each of them can be sampled."""
    whole = [*nodes(f"openspiel:{name}")]
    for seat in range(whole[0][0].players):
        alike = defaultdict(list)
        for state, before in whole:
            seen = [(each.turn, each.seen(seat), move if each.turn == seat else None) for each, move in before]
            alike[(*seen, (state.turn, state.seen(seat)))].append((state, before))
        views = [{state.view(seat) for state, _ in group} for group in alike.values()]
        assert all(len(view) == 1 for view in views)
        assert len(set.union(*views)) == len(alike)
        for group in alike.values():
            last = [before[-1] for _, before in group if before]
            shown = {each.view_move(seat, move) for each, move in last}
            assert shown == (
                {each.to_text(move) for each, move in last} if len({move for _, move in last}) < 2 else {"?"}
            )
            state, random = group[0][0], Random(1)
            if len(group) <= 6:
                sampled = {state.sample(seat, random).key for _ in range(40 * len(group))}
                assert sampled == {each.key for each, _ in group}


@needs_openspiel
def test_a_view_can_be_played_and_sampled_by_an_agent() -> None:
    state = games.start("openspiel:kuhn_poker")
    for text in ("Deal:2", "Deal:1", "Bet"):
        state = state.play(state.from_text(text))
    assert state.view(1) == "seat1 0 1 1 | 1b"
    seen = games.load("openspiel:kuhn_poker", state.view(1))
    assert (seen.turn, seen.moves(), str(seen), seen.view(1)) == (1, (0, 1), "1b", state.view(1))
    assert {seen.sample(1, Random(number)).position() for number in range(40)} == {"0 1 1", "2 1 1"}
    assert mcts.search(seen, simulations=50).move in seen.moves()
    assert games.load("openspiel:kuhn_poker", seen.position()).position() == seen.position()


@needs_openspiel
def test_a_position_can_be_sent_to_another_process() -> None:
    state = games.load("openspiel:leduc_poker(players=3)", "seat1 0 1 2 1")
    assert repr(pickle.loads(pickle.dumps(state))) == repr(state)


@needs_openspiel
def test_moves_are_texts_without_spaces_that_differ() -> None:
    state = games.start("openspiel:battleship")
    texts = [state.to_text(move) for move in state.moves()]
    assert max(map(len, texts)) <= 64
    assert not any(" " in text for text in texts)
    assert len({text.lower() for text in texts}) == len(texts) > 100
    with pytest.raises(BadMove, match="expected a legal move"):
        state.from_text("Pl0: place ship")


@needs_openspiel
@pytest.mark.parametrize("text", ["", "4 4", "x", "9", "seat2 4", "4 0 8 ", "-1", "seat0", "99999999999999999999"])
def test_what_is_no_position_is_refused(text: str) -> None:
    with pytest.raises(BadPosition, match=r"openspiel:tic_tac_toe: expected .*actions"):
        games.load("openspiel:tic_tac_toe", text)


@needs_openspiel
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "expected a game of OpenSpiel, such as openspiel:tic_tac_toe"),
        ("tictactoe", "openspiel: no game 'tictactoe'; did you mean 'tic_tac_toe'?"),
        ("leduc_poker(player=2)", "openspiel:leduc_poker: no parameter 'player'; did you mean 'players'?"),
        ("leduc_poker(players=11)", "num_players_ = 11"),
        ("leduc_poker(players=2,players=3)", "expected each parameter once"),
        ("leduc_poker(name=go)", "expected each parameter once"),
        ("leduc_poker())", "expected parameters in parentheses"),
        ("leduc_poker(players=2", "expected parameters in parentheses"),
        ("leduc_poker(players=2)x", "expected parameters in parentheses"),
        ("universal_poker(betting=x)", "betting should be limit or nolimit, not x"),
        ("nosuchgame", "no game 'nosuchgame'; arena games openspiel lists the games that can be played"),
        (
            "breakthrough(rows=0)",
            "openspiel:breakthrough(rows=0): a trial fails (maybe a parameter is wrong): rows_ = 0",
        ),
        ("connect_four(rows=0)", "OpenSpiel crashes (SIGSEGV)"),
        ("misere(game=connect_four(rows=0))", "OpenSpiel crashes (SIGSEGV)"),
        ("2048(max_tile=3)", "the utilities [12.0] are not between 0 and 1.75489"),
        ("go(max_game_length=1)", "a game took 2 plies, not at most 1"),
        ("oware(num_seeds_per_house=100)", "history_.size() = 1000"),
        ("morpion_solitaire", "can crash the process"),
        ("misere", "Missing parameter game"),
        ("efg_game(filename=/etc/passwd)", "reads its rules from a file"),
        ("colored_trails(boards_file=/etc/passwd)", "boards_file names a file"),
        ("mfg_garnet", "a mean-field game has no players that could be seated"),
        ("tarok", "does not list its chance events with their probabilities"),
    ],
)
def test_another_name_is_refused_with_one_reason(name: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AdsearchError) as found:
        games.find(f"openspiel:{name}")
    assert message in str(found.value)
    assert "\n" not in str(found.value)
    assert capfd.readouterr().err == ""


@needs_openspiel
def test_a_game_that_takes_too_much_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = tmp_path / "ends.py"
    ends.write_text("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    monkeypatch.setattr("adsearch.openspiel._TRIAL", str(ends))
    with pytest.raises(BadOption, match="takes more than 10 s of processor time, or too much memory"):
        games.find("openspiel:mnk(m=100000)")


@needs_openspiel
def test_what_a_game_is_depends_on_its_parameters() -> None:
    game, options = games.find("openspiel:leduc_poker(players=3)")
    assert (game.name, options, game.seats, game.chance, game.hidden) == (
        "openspiel:leduc_poker(players=3)",
        {},
        (3,),
        True,
        True,
    )
    assert game.start().zero_sum is False
    assert games.find("openspiel:goofspiel")[0].chance
    assert not games.find("openspiel:goofspiel(points_order=descending)")[0].chance
    assert not games.find("openspiel:connect_four")[0].hidden


def test_without_openspiel_the_message_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    rules_of.cache_clear()
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(MissingOpenSpiel, match="openspiel:hex: OpenSpiel is not installed") as found:
        games.start("openspiel:hex")
    assert found.value.extra == "openspiel"
