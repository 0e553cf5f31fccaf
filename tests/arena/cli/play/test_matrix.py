"""`arena matrix`: some players against some others, as a table of games won and mean scores."""

import json
from pathlib import Path

import pytest

from tests.kit.arena_program import arena
from tests.kit.places import EXAMPLES

TRAP = ("matrix", "maze:2,map=trap", "paranoid:rounds=3", "expectimax:rounds=3")


@pytest.mark.costly
def test_each_cell_has_the_games_won_and_the_mean_score_of_the_first_seat() -> None:
    ended = arena(*TRAP, "--against", "random", "--against", "greedy", "--games", "4", "--seed", "1")
    assert ended.code == 0, ended.err
    assert [line.split() for line in ended.out.splitlines()[2:5]] == [
        ["player", "random", "greedy"],
        ["paranoid:rounds=3", "0/4", "-501.0", "0/4", "-501.0"],
        ["expectimax:rounds=3", "4/4", "512.8", "0/4", "-502.0"],
    ]
    assert "games repeat another game of their cell move for move; --openings 4 gives" in ended.out


@pytest.mark.costly
def test_a_small_mean_score_has_the_digits_that_say_something() -> None:
    asked = ("matrix", "kuhn", "cfr:iterations=50", "--against", "random", "--games", "40", "--seed", "1")
    (cell,) = json.loads(arena(*asked, "--format", "json").out)
    shown = arena(*asked).out
    assert shown.split()[-1] == str(cell["mean_score"])
    assert cell["mean_score"] * 10 % 1
    assert "repeat" not in shown  # short games with cards are often the same


@pytest.mark.costly
def test_the_same_seed_gives_the_same_table_and_the_cells_are_the_games_of_arena_play() -> None:
    asked = ("matrix", "othello:size=4", "random", "--against", "greedy", "--games", "3", "--seed", "7", "--format")
    first, second = (json.loads(arena(*asked, "json").out) for _ in range(2))
    assert first == second
    (cell,) = first
    assert (cell["player"], cell["against"], cell["games"]) == ("random", "greedy", 3)
    assert cell["won"] in range(4)
    assert -16 <= cell["mean_score"] <= 16
    header, row = arena(*asked, "csv").out.splitlines()
    assert header == "player,against,games,won,mean_score"
    assert row == f"random,greedy,3,{cell['won']},{cell['mean_score']!r}"


@pytest.mark.costly
def test_a_game_for_one_player_has_one_column_and_is_won_by_a_score_above_0() -> None:
    asked = ("matrix", "maze:random2,map=trap", "expectimax:rounds=3", "paranoid:rounds=3", "--games", "1")
    ended = arena(*asked)
    assert ended.code == 0, ended.err
    assert ended.out.splitlines()[2].split() == ["player", "alone"]
    for cell in json.loads(arena(*asked, "--format", "json").out):
        assert cell["against"] is None
        assert cell["won"] == (cell["mean_score"] > 0)


@pytest.mark.costly
def test_an_agent_of_a_student_plays_too_and_its_faults_are_counted(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text(
        "from agents import Agent\n\nclass Broken(Agent):\n    def choose(self, state, clock):\n        1 / 0\n"
    )
    asked = ("matrix", "tictactoe", str(EXAMPLES / "greedy.py"), str(broken), "--against", "random", "--games", "1")
    ended = arena(*asked, "--walls", "limits", "--seed", "1")
    assert ended.code == 0, ended.err
    rows = [line.split() for line in ended.out.splitlines()[3:5]]
    assert rows[0][0] == "greedy"
    assert rows[1] == ["broken", "0/1", "-1"]
    assert "games that ended by a fault of a player: 1; arena play shows what went wrong" in ended.out


@pytest.mark.costly
def test_the_examples_of_its_help_can_be_played() -> None:
    text = " ".join(arena("matrix", "--help").out.split())
    examples = [each.split("╭")[0].split() for each in text.split("Example: arena ")[1:]]
    assert len(examples) == 2
    for example in examples:
        ended = arena(*example, "--games", "1", "--clock", "move=0.05")
        assert ended.code == 0, ended.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["connect4", "random"], "connect4 is for 2 players: give opponents, such as --against random"),
        (["maze:0", "random", "--against", "random"], "maze:0 is for one player: leave out --against"),
        (["connect4", "rando", "--against", "random"], "no player 'rando'; did you mean 'random'?"),
        (
            ["maze:1", "pvs:evaluate=scor", "--against", "random"],
            "pvs:evaluate=scor cannot play maze: no feature 'scor'",
        ),
        (["connect4", "human", "--against", "random"], "'human' can only play in `arena play`, at a terminal"),
    ],
)
def test_what_cannot_be_played_is_one_clear_error(arguments: list[str], words: str) -> None:
    ended = arena("matrix", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
