"""The maze: its rules, its maps, its positions as text, and what it refuses."""

from pathlib import Path

import pytest

from adsearch import games
from adsearch.errors import BadMove, BadOption, BadPosition
from adsearch.games import maze
from adsearch.games.maze import Maze

MAPS = Path(maze.__file__).with_name("mazes")
SHIPPED = sorted(path.stem for path in MAPS.glob("*.txt"))


def playing(spec: str, *moves: str) -> Maze:
    """The position after those moves from the start of `spec`."""
    state = games.start(spec)
    for move in moves:
        state = state.play(state.from_text(move))
    assert isinstance(state, Maze)
    return state


def on(path: Path, *lines: str, ghosts: str = "1", steps: int = 50) -> str:
    """The game on a map of these lines."""
    file = path / "map.txt"
    file.write_text("\n".join(lines) + "\n")
    return f"maze:ghosts={ghosts},map={file},steps={steps}"


def texts(state: Maze) -> list[str]:
    return [state.to_text(move) for move in state.moves()]


def test_the_ghosts_say_how_many_play_and_whether_the_game_is_zero_sum() -> None:
    for ghosts, players, chance, zero_sum in (
        ("0", 1, False, False),
        ("1", 2, False, True),
        ("2", 3, False, False),
        ("4", 5, False, False),
        ("random", 1, True, False),
        ("random4", 1, True, False),
    ):
        state = games.start(f"maze:{ghosts}")
        assert (state.players, state.chance, state.zero_sum) == (players, chance, zero_sum)
    assert playing("maze:random").ghosts == playing("maze:random2").ghosts
    assert playing("maze").players == 3


def test_without_ghosts_only_the_runner_moves_and_the_rounds_are_the_only_limit(tmp_path: Path) -> None:
    corridor = ("%%%%%", "%P..%", "%%%%%")
    spec = on(tmp_path, *corridor, ghosts="0", steps=3)
    state = playing(spec, "e", "e")
    assert state.utilities() == (518.0,)
    assert texts(playing(spec, "e")) == ["e", "w"], "alone, the runner cannot stay"
    state = playing(spec, "e", "w", "e")
    assert (state.turn, state.utilities()) == (None, (7.0,))
    assert "over: no rounds are left" in str(state)
    assert "G=none" in state.position()


def test_a_power_pellet_without_ghosts_scares_nobody(tmp_path: Path) -> None:
    state = playing(on(tmp_path, "%%%%%%", "%Po .%", "%%%%%%", ghosts="0"), "e")
    assert (state.timer, state.power, state.score) == (0, 0, -1)
    assert games.load(on(tmp_path, "%%%%%%", "%Po .%", "%%%%%%", ghosts="0"), state.position()).turn == 0


def test_a_map_without_ghosts_is_for_ghosts_0_alone(tmp_path: Path) -> None:
    with pytest.raises(BadOption, match=r"ghosts must be 0, because the map .* has no ghosts, got '2'"):
        games.start(on(tmp_path, "%%%%", "%P.%", "%%%%", ghosts="2"))
    with pytest.raises(BadOption, match=r"ghosts must be 0, because the map .* has no ghosts, got 'random'"):
        games.start(on(tmp_path, "%%%%", "%P.%", "%%%%", ghosts="random"))


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_map_is_named_in_the_options_and_can_be_played_with_its_defaults(name: str) -> None:
    assert name in next(option.about for option in Maze.options if option.name == "map")
    state = playing(f"maze:map={name}")
    assert state.moves()
    assert state.max_plies == 200 * 3


def test_the_runner_may_stay_and_walks_through_no_wall() -> None:
    assert texts(playing("maze:map=tiny")) == ["e", "s", "stay"]
    assert texts(playing("maze")) == ["e", "w", "stay"]


def test_the_runner_moves_first_and_then_each_ghost_in_turn() -> None:
    state, turns = playing("maze:3,map=open"), []
    for _ in range(5):
        turns.append(state.turn)
        state = state.play(state.moves()[0])
    assert turns == [0, 1, 2, 3, 0]
    assert playing("maze:random,map=open", "n").turn == games.CHANCE


def test_a_ghost_never_stays_and_turns_back_only_in_a_dead_end(tmp_path: Path) -> None:
    spec = on(tmp_path, "%%%%%%%", "%P.%  %", "%%%%G%%", "%%%% %%", "%%%%%%%")
    state = playing(spec, "stay")
    assert texts(state) == ["n", "s"], "a ghost that has not moved may take any way"
    state = playing(spec, "stay", "s", "stay")
    assert texts(state) == ["n"], "a dead end"
    state = playing(spec, "stay", "s", "stay", "n", "stay")
    assert texts(state) == ["n"], "on, and not back"
    state = playing(spec, "stay", "s", "stay", "n", "stay", "n", "stay")
    assert texts(state) == ["e"], "round the corner"


def test_chance_moves_a_ghost_to_each_of_its_ways_with_equal_probability() -> None:
    state = playing("maze:random1,map=open", "stay")
    assert state.chances() == ((1, 0.5), (2, 0.5))
    assert texts(state) == ["e", "s"]
    state = playing("maze:random2,map=open", "stay", "e", "w", "stay")
    assert [round(probability, 9) for _, probability in state.chances()] == [0.5, 0.5]
    assert playing("maze:random").chances() == ()


def test_the_score_counts_pellets_and_rounds() -> None:
    assert playing("maze:map=thrashing,ghosts=1", "e").score == 9
    assert playing("maze:map=thrashing,ghosts=1", "e", "e", "stay").score == 8


def test_the_last_pellet_wins_even_where_a_ghost_stands_on_it(tmp_path: Path) -> None:
    spec = on(tmp_path, "%%%%%%", "%P .G%", "%%%%%%")
    state = playing(spec, "e", "w", "e")
    assert state.turn is None
    assert state.moves() == ()
    assert state.utilities() == (508.0, -508.0)
    assert "over: all pellets are eaten" in str(state)


def test_a_runner_that_steps_on_a_ghost_is_caught_after_it_ate_there(tmp_path: Path) -> None:
    spec = on(tmp_path, "%%%%%%%", "%P .G.%", "%%%%%%%")
    state = playing(spec, "e", "w", "e")
    assert state.turn is None
    assert state.utilities() == (10.0 - 2.0 - 500.0, 492.0)
    assert "over: the runner is caught" in str(state)


def test_a_ghost_that_steps_on_the_runner_ends_the_game_before_the_other_ghosts_move(tmp_path: Path) -> None:
    state = playing(on(tmp_path, "%%%%%%%%", "%P G .G%", "%%%%%%%%", ghosts="2"), "e", "w")
    assert state.turn is None
    assert state.utilities() == (-501.0, 501.0, 501.0)


def test_runner_and_ghost_cannot_change_places_unseen(tmp_path: Path) -> None:
    spec = on(tmp_path, "%%%%%%", "%P G.%", "%%%%%%")
    assert playing(spec, "e", "w").turn is None
    assert playing(spec, "stay", "w", "e").turn is None


def test_a_power_pellet_scares_all_ghosts_for_twenty_of_their_moves(tmp_path: Path) -> None:
    spec = on(tmp_path, "%%%%%%%%", "%Po.%  %", "%%%%%GG%", "%%%%%%%%", ghosts="2")
    state = playing(spec, "e")
    assert (state.scared, state.timer, state.score) == (0b11, 20, -1)
    for rounds in range(20):
        assert (state.scared, state.timer) == (0b11, 20 - rounds)
        for _ in range(3):
            # Ghosts take their only way; then the runner, back in its corner, stays.
            state = state.play(state.moves()[-1])
    assert (state.scared, state.timer) == (0, 0)


def test_the_runner_eats_a_scared_ghost_which_is_back_at_its_start(tmp_path: Path) -> None:
    spec = on(tmp_path, "%%%%%%%%", "%Po G .%", "%%%%%%%%")
    state = playing(spec, "e", "w", "e")
    assert (state.score, state.scared, state.timer) == (198, 0, 0), "the runner stepped on it"
    assert "G=2,5:home" in state.position()
    assert texts(state) == ["e", "w"], "from home all ways are open"
    state = playing(spec, "e", "w", "stay", "w")
    assert (state.turn, state.score) == (0, 198), "it stepped on the runner"
    assert "G=2,5:home" in state.position()


def test_a_ghost_that_is_back_home_touches_nobody_until_it_moves(tmp_path: Path) -> None:
    spec = on(tmp_path, "%%%%%%%%", "%PoG  .%", "%%%%%%%%")
    state = playing(spec, "e", "w", "e")
    assert (state.turn, state.score) == (1, 198), "the runner stands where the ghost came home, and lives"
    assert games.load(spec, state.position()).key == state.key
    for way in ("e", "w"):
        gone = playing(spec, "e", "w", "e", way)
        assert (gone.turn, gone.score) == (0, 198)
    assert playing(spec, "e", "w", "e", "e", "e").turn is None, "it has moved, and catches again"


def test_the_dangerous_ghost_decides_where_a_scared_one_stands_on_the_same_cell() -> None:
    text = "P=4,7 G=4,6:e+4,6:e:scared pellets=3:7 power=8:7 score={} scared=9 round=40 turn=0"
    state = games.load("maze:map=open", text.format(230))
    caught = state.play(state.from_text("w"))
    assert caught.turn is None
    assert caught.utilities()[0] == 230 - 1 - 500


def test_the_game_ends_when_the_steps_are_used_up() -> None:
    state = playing("maze:1,map=tiny,steps=2", "stay", "s", "stay")
    assert state.turn == 1
    state = state.play(state.from_text("s"))
    assert state.turn is None
    assert state.utilities() == (-2.0, 2.0)
    assert "over: no rounds are left" in str(state)


@pytest.mark.parametrize("spec", ["maze:1,map=tiny,steps=8", "maze:random1,map=tiny,steps=8"])
def test_on_a_tiny_map_keys_tell_apart_what_positions_do_and_no_utility_leaves_the_bounds(spec: str) -> None:
    start = games.start(spec)
    low, high = start.bounds
    seen, waiting = {start.key: start.position()}, [start]
    while waiting:
        state = waiting.pop()
        again = games.load(spec, state.position())
        assert (again.key, again.moves(), again.turn, str(again)) == (state.key, state.moves(), state.turn, str(state))
        for seat in range(state.players):
            value = state.evaluate(seat)
            assert low <= value <= high if state.turn is None else low < value < high
        for move in state.moves():
            child = state.play(move)
            if child.key not in seen:
                waiting.append(child)
            assert seen.setdefault(child.key, child.position()) == child.position()
    assert len(set(seen.values())) == len(seen) > 300


def test_the_bounds_come_from_map_and_steps() -> None:
    # tiny: 2 pellets, 1 power pellet.
    assert games.start("maze:random1,map=tiny,steps=30").bounds == (-530.0, 2 * 9 + 500 + 199)
    assert games.start("maze:random2,map=tiny,steps=30").bounds == (-530.0, 2 * 9 + 500 + 399)
    assert games.start("maze:random1,map=tiny,steps=1").bounds == (-501.0, 9 + 199)
    assert games.start("maze:1,map=tiny,steps=30").bounds == (-717.0, 717.0)
    assert games.start("maze:2,map=thrashing,steps=30").bounds == (-530.0, 530.0)


def test_the_evaluation_measures_the_ways_and_not_the_distance_as_the_crow_flies(tmp_path: Path) -> None:
    spec = on(tmp_path, "%%%%%%%%%", "%  P   .%", "% %%%%%%%", "%   .  G%", "%%%%%%%%%")
    # Through the wall the pellet below is two cells away, on foot eight; the other is three.
    assert playing(spec, "e").evaluate(0) > playing(spec, "w").evaluate(0)


def test_the_evaluation_fears_a_near_ghost_and_seeks_a_scared_one() -> None:
    text = "P=4,7 G={} pellets=3:7 power=8:7 score={} scared={} round=40 turn=0"
    near, far, scared = (
        games.load("maze:1,map=open", text.format(ghost, 30, timer)).evaluate(0)
        for ghost, timer in (("4,5:e", 0), ("4,12:e", 0), ("4,5:e:scared", 9))
    )
    assert near < far < scared


def test_with_one_ghost_its_evaluation_is_minus_the_runners() -> None:
    state = playing("maze:1", "e", "e")
    assert state.evaluate(1) == -state.evaluate(0) != 0
    state = playing("maze:2", "e", "e")
    assert state.evaluate(1) == state.evaluate(2) == -state.evaluate(0)


def test_noisy_moves_are_those_that_catch_eat_a_ghost_or_end_the_game(tmp_path: Path) -> None:
    spec = on(tmp_path, "%%%%%%", "%P G.%", "%%%%%%")
    assert playing(spec).noisy_moves() == ()
    state = playing(spec, "e")
    assert [state.to_text(move) for move in state.noisy_moves()] == ["w"]
    spec = on(tmp_path, "%%%%%%", "%P.G %", "%%%%%%")
    assert [playing(spec).to_text(move) for move in playing(spec).noisy_moves()] == ["e"]
    spec = on(tmp_path, "%%%%%%%", "%PoG .%", "%%%%%%%")
    assert playing(spec, "e", "e").noisy_moves() == ()
    state = playing(spec, "e", "e", "e", "e", "stay")
    assert state.noisy_moves() == ()
    state = playing("maze:random1,map=tiny", "stay")
    assert state.noisy_moves() == ()


def test_a_position_is_one_line_that_people_can_read() -> None:
    assert playing("maze:map=tiny").position() == (
        "P=2,2 G=2,5+4,5 pellets=2:4/3:2 power=4:2 score=0 scared=0 round=0 turn=0"
    )
    assert playing("maze:map=tiny", "s", "w", "w", "s").position() == (
        "P=4,2 G=2,4:w:scared+4,4:w:scared pellets=2:4 power=none score=8 scared=20 round=2 turn=1"
    )
    assert "pellets=2:3-8,10,12-17/3:2,5,8-12,15,18/" in playing("maze").position()


def test_the_board_shows_the_maze_the_score_and_who_moves() -> None:
    assert str(playing("maze:map=tiny")).splitlines() == [
        "%%%%%%",
        "%P .1%",
        "%.%% %",
        "%o  2%",
        "%%%%%%",
        "score 0, round 0 of 200, the runner moves",
    ]
    assert str(playing("maze:random,map=tiny", "e")).endswith("score -1, round 1 of 200, ghost 1 moves at random")


def test_a_wrong_move_is_told_what_is_possible() -> None:
    with pytest.raises(BadMove, match=r"\(e, s, stay; move 1 in Python is written e\), got 'n'"):
        playing("maze:map=tiny", "n")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "expected a position such as"),
        ("P=2,2", "expected a position such as"),
        ("P=1,1 G=2,5 pellets=2:4/3:2 power=4:2 score=0 scared=0 round=0 turn=0", "not a wall"),
        (
            "P=2,2 G=2,5+4,5 pellets=2:4/3:2 power=4:2 score=0 scared=0 round=0 turn=0",
            "number of ghosts to be 1, got 2",
        ),
        ("P=2,2 G=2,5 pellets=2:3/3:2 power=4:2 score=0 scared=0 round=0 turn=0", "got one at 2,3"),
        ("P=2,2 G=2,5 pellets=2:4/3:2 power=2:4 score=0 scared=0 round=0 turn=0", "got one at 2,4"),
        ("P=2,2 G=2,5 pellets=2:4/3:2 power=4:2 score=7 scared=0 round=0 turn=0", "expected score=0"),
        ("P=2,2 G=2,5 pellets=2:4/3:2 power=4:2 score=0 scared=0 round=0 turn=2", "expected turn=0..1"),
        ("P=2,2 G=2,5 pellets=2:4/3:2 power=4:2 score=0 scared=0 round=0 turn=over", "(the game is not over)"),
        ("P=2,2 G=2,5 pellets=2:4/3:2 power=4:2 score=0 scared=0 round=0 turn=1", "in which the runner has moved"),
        ("P=2,2 G=2,5 pellets=2:4/3:2 power=4:2 score=-9 scared=0 round=9 turn=0", "(the game has ended)"),
        ("P=2,2 G=2,5 pellets=2:4 power=4:2 score=10 scared=0 round=0 turn=0", "eaten pellet per round"),
        ("P=2,4 G=2,5 pellets=3:2 power=4:2 score=9 scared=0 round=1 turn=1", "at most one step"),
        ("P=2,2 G=2,5 pellets=2:4/3:2 power=4:2 score=0 scared=4 round=0 turn=0", "else scared=0"),
        ("P=2,2 G=4,5:s pellets=2:4/3:2 power=4:2 score=-1 scared=0 round=1 turn=0", "ghost 1 cannot have reached"),
        ("P=2,2 G=2,5 pellets=2:4/3:2 power=4:2 score=-1 scared=0 round=1 turn=0", "ghost 1 cannot have reached"),
        ("P=2,2 G=3,5:s:scared pellets=2:4/3:2 power=4:2 score=-1 scared=3 round=1 turn=0", "after a power pellet"),
        ("P=2,2 G=2,5 pellets=3:2/2:4 power=4:2 score=0 scared=0 round=0 turn=0", "as position() writes them"),
        ("P=2,2 G=2,5 pellets=2:4/3:2 power=4:2 score=-0 scared=0 round=0 turn=0", "as position() writes them"),
    ],
)
def test_a_text_that_is_no_position_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(BadPosition) as error:
        games.load("maze:1,map=tiny,steps=9", text)
    assert why in str(error.value)


def test_one_position_can_be_played_on_with_ghosts_that_play_or_that_chance_moves() -> None:
    text = playing("maze:2,map=trap", "e").position()
    assert games.load("maze:random2,map=trap", text).position() == text
    assert games.load("maze:random2,map=trap", text).turn == games.CHANCE


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([""], "expected 1 to 40 lines, got 0"),
        (["%%%", "%P"], "line 2: expected 3 characters as in line 1, got 2"),
        (["PxG."], "line 1, column 2: expected a wall (% or #), a pellet (.)"),
        (["P.G\t"], "line 1, column 4"),
        ([". G "], "expected one runner (P), got none"),
        (["P.G ", "  P "], "line 2: expected one runner (P), got a second; line 1 has the first"),
        (["P.GG", "GGG "], "line 2: expected at most 4 ghosts (G), got a fifth"),
        (["P oG"], "expected at least one pellet (.), got none"),
        (["PG%.", "  %%"], "line 1, column 4: expected a pellet that the runner can reach"),
        (["P.%G"], "line 1, column 4: expected a ghost that can move"),
        (["P.G" + " " * 60] + [" " * 63] * 30, "expected at most 512 cells"),
        (["P.G" + " " * 90], "line 1: expected 1 to 78 characters, got 93"),
        (["P.G"] + ["%%%"] * 40, "expected 1 to 40 lines, got 41"),
        (["%" * 78] * 400, "expected at most 10000 bytes"),
    ],
)
def test_a_bad_map_is_refused_with_what_was_expected_and_where(lines: list[str], why: str, tmp_path: Path) -> None:
    with pytest.raises(BadOption) as error:
        games.start(on(tmp_path, *lines))
    assert why in str(error.value)


def test_a_map_that_is_not_there_or_is_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadOption, match=r"map must be one of classic, detour, open, .* or a file, got 'labyrinth'"):
        games.start("maze:map=labyrinth")
    with pytest.raises(BadOption, match="expected a file, got a folder"):
        games.start(f"maze:map={tmp_path}")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe%%")
    with pytest.raises(BadOption, match="expected text in UTF-8"):
        games.start(f"maze:map={tmp_path}/bytes.txt")


def test_more_ghosts_than_the_map_has_are_refused() -> None:
    with pytest.raises(BadOption, match="ghosts must be at most 2, as many as the map 'tiny' has, got '3'"):
        games.start("maze:3,map=tiny")
    with pytest.raises(BadOption, match="ghosts must be one of 0, 1, 2, 3, 4, random"):
        games.start("maze:5")


def test_walls_may_be_either_sign_and_fewer_ghosts_leave_the_later_places_empty(tmp_path: Path) -> None:
    state = playing(on(tmp_path, "#####", "#P.G#", "#  G%", "#####", ghosts="1"))
    assert str(state).splitlines()[:4] == ["%%%%%", "%P.1%", "%   %", "%%%%%"]
