"""`arena replay`: all boards on paper, and on a terminal with keys that leaves it as it was."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from arena.cli.look.replay import ReplayViewer, view, why_no_mistake
from arena.cli.terminal.board import Look
from arena.cli.terminal.game_view import picture
from arena.history import words
from arena.history.replay import replay as steps
from db.records import PastGame
from tests.kit.arena_program import Ended, arena
from tests.kit.html_validity import check_html
from tests.kit.page_games import EVERY_GAME, analysed, named, past_game
from tests.kit.plot_reading import AWKWARD
from tests.kit.terminal import Session

RIGHT, LEFT, HOME, END = "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F"


def test_without_a_terminal_all_boards_are_printed(record: Path) -> None:
    ended = arena("replay", "cs101-1", "--db", str(record))
    assert ended.code == 0
    assert ended.out.count("  a b c") == 6
    assert "  3  ann a2" in ended.out
    assert ended.out.splitlines()[-1] == "ann wins   5 plies"


@pytest.mark.parametrize("id", ["evening-1", "evening-2", "evening-3"])
def test_games_of_chance_and_of_secrets_are_shown_with_all_that_happened(record: Path, id: str) -> None:
    ended = arena("replay", id, "--db", str(record))
    assert ended.code == 0, ended.err
    assert "chance " in ended.out
    assert "?" not in ended.out


def test_what_an_agent_said_and_printed_stands_at_its_move(record: Path) -> None:
    ended = arena("replay", "evening-4", "--db", str(record))
    assert "bob printed without making a move:" in ended.out
    assert "| \\x1b[2Jboom" in ended.out
    assert "\x1b" not in ended.out
    assert "says: depth 3, score +0.25, 1,234 nodes" in arena("replay", "cs101-1", "--db", str(record)).out


def test_a_page_is_written_whole_and_said_where(record: Path, tmp_path: Path) -> None:
    (tmp_path / "game.html").write_text("<!doctype html>\nold", "utf-8")
    ended = arena("replay", "cs101-1", "--html", "game.html", "--db", str(record), cwd=tmp_path)
    assert (ended.code, ended.out, ended.err) == (0, "", "written: game.html\n")
    text = (tmp_path / "game.html").read_text("utf-8")
    check_html(text)
    assert "3. ann: <b>a2" in text
    assert [path.name for path in tmp_path.iterdir()] == ["game.html"]


@pytest.mark.parametrize("file", ["nowhere/game.html", "."])
def test_a_page_that_cannot_be_written_is_one_error(record: Path, tmp_path: Path, file: str) -> None:
    ended = arena("replay", "cs101-1", "--html", file, "--db", str(record), cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert f"cannot write '{file}': " in ended.err
    assert not [*tmp_path.iterdir()]


def test_a_page_of_a_game_without_rules_is_written_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "club.csv").write_text("1,ann,bob,1-0\n", "utf-8")
    assert arena("data", "import", "club.csv", cwd=tmp_path).code == 0
    assert arena("replay", "club-1", "--html", "game.html", cwd=tmp_path).code == 0
    assert "There are no boards" in (tmp_path / "game.html").read_text("utf-8")


def screenful(game: PastGame, viewer: ReplayViewer, *, columns: int, rows: int) -> list[str]:
    """What a screen of that size shows, without colours."""
    return [line.plain for line in picture(view(steps(game), viewer), Look(None, True), columns, rows).lines]


@pytest.mark.parametrize("rules", EVERY_GAME, ids=named)
@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (200, 60), (20, 5)])
def test_every_step_of_every_game_fits_on_the_screen(rules: str, columns: int, rows: int) -> None:
    names = [AWKWARD[3], AWKWARD[4], *AWKWARD[:2], "a", "b"][: len(past_game(rules).players)]
    game = past_game(rules, names, logs=[f"{AWKWARD[2][:-1]}{AWKWARD[3]}\n" * 400] * 2)
    found = steps(game)
    for number in range(0, len(found.steps), max(1, len(found.steps) // 5)):
        shown = screenful(game, ReplayViewer(len(game.moves), number, logs=number % 2 == 0), columns=columns, rows=rows)
        assert len(shown) == rows
        assert all(line.isprintable() for line in shown)
        step = found.steps[number]
        if step.state is not None and rows == 60:
            board = words.drawn(step.state, step.last)
            assert all(any(line.rstrip() in there for there in shown) for line in board.splitlines())


def test_of_what_was_printed_the_end_is_shown_and_all_of_it_on_request() -> None:
    game = past_game("tictactoe", ("ann", "bob"), logs=["".join(f"line {number}\n" for number in range(200))])
    printed = steps(game).steps[1].printed.splitlines()
    for logs in (False, True):
        shown = "\n".join(screenful(game, ReplayViewer(5, 1, logs=logs), columns=80, rows=70))
        assert f"| {printed[-1]}" in shown
        assert (f"| {printed[-10]}" in shown) == logs


@pytest.mark.parametrize("columns", [80, 60, 40, 30])
@pytest.mark.parametrize("keys", [[], [" "], [" ", "-", "-"], ["g", "1", "2"]])
def test_every_key_is_told_on_a_narrow_screen_too(columns: int, keys: list[str]) -> None:
    viewer, game = ReplayViewer(123), past_game("tictactoe", ("ann", "bob"))
    for key in keys:
        viewer.press(key, 0.0)
    viewer.at = 1
    shown = screenful(game, viewer, columns=columns, rows=24)
    assert "   ".join(shown).endswith(viewer.status())


def test_where_there_is_little_room_the_way_out_is_still_told() -> None:
    game = past_game("tictactoe", ("ann", "bob"))
    assert screenful(game, ReplayViewer(9), columns=30, rows=6)[-1].endswith("q: quit")


def test_it_begins_at_the_ply_that_was_asked_for(record: Path) -> None:
    whole = arena("replay", "cs101-1", "--db", str(record)).out
    later = arena("replay", "cs101-1", "--ply", "3", "--db", str(record)).out
    assert later.count("  a b c") == 3
    heading, _, rest = later.partition("\n\n")
    assert whole.startswith(heading)
    assert whole.endswith(rest)
    assert rest.startswith("  3  ann a2")
    assert arena("replay", "cs101-1", "--ply", "0", "--db", str(record)).out == whole


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--ply", "6"], "--ply: expected 0 to 5, the number of plies played, got 6"),
        (["--ply", "-1"], "--ply: expected at least 0"),
    ],
)
def test_a_ply_that_there_is_not_is_one_error(record: Path, arguments: list[str], words: str) -> None:
    ended = arena("replay", "cs101-1", *arguments, "--db", str(record))
    assert (ended.code, ended.out, len(ended.err.splitlines())) == (2, "", 1)
    assert words in ended.err


@pytest.mark.costly
@pytest.mark.parametrize("rules", EVERY_GAME, ids=named)
def test_mistakes_are_marked_in_every_game_that_was_analysed(rules: str) -> None:
    plain = past_game(rules)
    game = analysed(plain)
    found = steps(game, trust=True)
    for before, step in zip(steps(plain, trust=True).steps, found.steps, strict=True):
        said = view(found, ReplayViewer(len(game.moves), step.number)).says
        wanted = words.mistake(step.judged, game.players) if step.judged is not None else ""
        assert (wanted in said) == bool(wanted)
        assert before.judged is None


def test_the_analysis_is_shown_and_made_when_it_is_asked_for() -> None:
    assert arena("play", "tictactoe", "random", "alphabeta:depth=9", "--quiet", "--seed", "5").code == 0
    assert "?" not in arena("replay", "last").out
    shown = arena("replay", "last", "--analyse").out
    mistakes = [line.split()[0] for line in shown.splitlines() if line.partition("   ")[0].endswith("??")]
    assert shown.count("??, better was ") == shown.count("??") // 2 > 0
    assert arena("replay", "last").out == shown
    assert arena("replay", "--mistakes", "last", "--depth", "1").code == 0
    last_wins = arena("replay", "last", "--analyse").out
    assert last_wins == arena("replay", "last").out
    assert len(mistakes) == shown.count("??") // 2


def test_a_page_opens_at_the_ply_and_has_the_analysis(record: Path, tmp_path: Path) -> None:
    arguments = ("cs101-1", "--ply", "3", "--html", "game.html", "--analyse", "--db", str(record))
    assert arena("replay", *arguments, cwd=tmp_path).code == 0
    text = (tmp_path / "game.html").read_text("utf-8")
    check_html(text)
    assert 'id="at" min="0" max="5" value="3"' in text
    assert "Value, by the analysis of arena" in text


def at(*keys: str, mistakes: Sequence[int] = ()) -> int:
    """Where these keys, pressed one after the other at once, lead to in a game of 20 plies."""
    viewer = ReplayViewer(20, mistakes=mistakes)
    for key in keys:
        viewer.press(key, 0.0)
    return viewer.at


@pytest.mark.parametrize(
    ("keys", "number"),
    [
        ("right right", 2),
        ("enter", 1),
        ("left", 0),
        ("end", 20),
        ("end right", 20),
        ("end home", 0),
        ("1 4 enter", 14),
        ("g 1 4 enter", 14),
        ("1 4 rub_out enter", 1),
        ("1 rub_out enter", 0),
        ("g enter", 0),
        ("end g enter", 20),
        ("9 9 9 9 9 9 9 9 enter", 20),
        ("7 right", 1),
        ("7 ? left enter", 1),
        ("end rub_out", 19),
        ("? 5 enter", 1),
    ],
)
def test_keys_lead_to_moves(keys: str, number: int) -> None:
    assert at(*(key.replace("_", " ") for key in keys.split())) == number


@pytest.mark.parametrize(
    ("keys", "number"),
    [
        ("m", 3),
        ("m m", 8),
        ("m m m", 3),
        ("end m", 3),
        ("M", 8),
        ("7 enter M", 3),
        ("3 enter M", 8),
    ],
)
def test_keys_lead_to_mistakes(keys: str, number: int) -> None:
    wanted = [key.replace("_", " ") for key in keys.split()]
    assert at(*wanted, mistakes=[3, 8]) == number
    assert at("5", "enter", *wanted[-1:]) == 5


def test_it_plays_by_the_clock_that_it_is_told() -> None:
    viewer = ReplayViewer(4)
    viewer.press(" ", 100.0)
    viewer.pass_time(100.9)
    assert viewer.at == 0
    viewer.pass_time(101.0)
    viewer.pass_time(101.5)
    assert viewer.at == 1
    viewer.press("+", 101.5)
    assert "2 moves a second" in viewer.status()
    viewer.pass_time(102.0)
    assert viewer.at == 2
    viewer.press(" ", 102.1)
    viewer.pass_time(200.0)
    assert (viewer.at, viewer.due) == (2, None)
    viewer.press(" ", 200.0)
    for moment in range(201, 210):
        viewer.pass_time(moment)
    assert (viewer.at, viewer.due) == (4, None)
    viewer.press(" ", 300.0)
    assert viewer.at == 0


def test_a_step_does_not_stop_at_tiles_that_are_dealt() -> None:
    viewer = ReplayViewer(9, passed={1, 2, 3, 6})
    for key, at in (("right", 4), ("right", 5), ("enter", 7), ("left", 5), ("left", 4), ("left", 0)):
        viewer.press(key, 0.0)
        assert viewer.at == at
    viewer.press("2", 0.0)
    viewer.press("enter", 0.0)
    assert viewer.at == 2


def test_if_no_mistake_is_marked_the_key_says_why_until_the_next_key() -> None:
    viewer = ReplayViewer(4, without="no mistakes are marked yet: arena replay 7 --mistakes")
    viewer.press("m", 0.0)
    assert viewer.status() == "0/4   no mistakes are marked yet: arena replay 7 --mistakes   ?: keys   q: quit"
    viewer.press("right", 0.0)
    assert "no mistakes" not in viewer.status()


def test_the_reason_why_no_mistake_is_marked() -> None:
    for rules, reason in (
        ("tictactoe", ""),
        ("kuhn", "hidden information"),
    ):
        game = past_game(rules, ("ann", "bob"))
        assert reason in why_no_mistake(game, steps(game))
    judged = analysed(past_game("tictactoe", ("ann", "bob")))
    assert why_no_mistake(judged, steps(judged)) == "the analysis found no mistake"


def test_its_speed_has_ends() -> None:
    viewer = ReplayViewer(4)
    viewer.press(" ", 0.0)
    for _ in range(20):
        viewer.press("+", 0.0)
    assert "8 moves a second" in viewer.status()
    for _ in range(20):
        viewer.press("-", 0.0)
    assert "0.25 moves a second" in viewer.status()


def test_a_game_whose_rules_are_not_here_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "club.csv").write_text("1,ann,bob,1-0\n", "utf-8")
    assert arena("data", "import", "club.csv", cwd=tmp_path).code == 0
    ended = arena("replay", "club-1", cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert "no game 'unknown'" in ended.err


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    found = Session(tmp_path)
    yield found
    found.close()


@pytest.mark.costly
def test_keys_step_through_the_boards(session: Session, record: Path) -> None:
    session.give(f"arena replay cs101-1 --db {record}")
    session.until("0/5", "ann", "bob")
    for key, at in (
        (RIGHT, "1/5"),
        ("n", "2/5"),
        ("\r", "3/5"),
        (LEFT, "2/5"),
        (END, "5/5"),
        (HOME, "0/5"),
        ("\x1b[5~x" + RIGHT, "1/5"),
    ):
        session.press(key)
        session.until(at)
    session.press(END)
    session.until("5/5", "ann wins")
    session.press("q")
    assert session.end().code == 0


@pytest.mark.costly
def test_escape_alone_is_a_key(session: Session, record: Path) -> None:
    session.give(f"arena replay cs101-1 --db {record}")
    session.until("0/5")
    session.type("\x1b")
    session.press("q")
    assert session.end().code == 0


@pytest.mark.costly
def test_numbers_jump_and_space_plays(session: Session, record: Path) -> None:
    session.give(f"arena replay cs101-1 --db {record} --ply 4")
    session.until("4/5", "4  bob b2")
    session.press("3")
    session.until("jump to move: 3_")
    session.press("\r")
    session.until("3/5")
    session.press("?")
    session.until("play, pause")
    session.press("?")
    session.until("3/5")
    session.press(" ")
    session.until("playing, 1 moves a second")
    session.until("5/5   right")
    session.press("q")
    assert session.end().code == 0


@pytest.mark.costly
def test_other_keys_show_words_the_other_side_mistakes_and_the_debugger(session: Session, record: Path) -> None:
    session.give(f"arena replay cs101-1 --db {record} --ply 2")
    session.until("2/5", "a     b     c")
    session.press("w")
    session.until("x: a1. o: b1. Last: b1.")
    session.press("w")
    session.until("a     b     c")
    session.press("m")
    session.until("the analysis found no mistake")
    session.press("d")
    session.until("Enter: back to the game")
    session.press("\n")
    session.until("2/5", "q: quit")
    session.press("q")
    assert session.end().code == 0


@pytest.mark.costly
def test_ctrl_z_gives_the_terminal_back_and_fg_draws_again(session: Session, record: Path) -> None:
    session.give(f"arena replay cs101-1 --db {record}")
    session.until("0/5")
    session.press("\x1a")
    session.until_left()
    session.signal(signal.SIGCONT)
    session.until("0/5")
    session.press("q")
    assert session.end().code == 0


@pytest.mark.costly
@pytest.mark.parametrize("how", ["\x03", "signal"])
def test_an_interrupt_leaves_the_terminal_as_it_was(session: Session, record: Path, how: str) -> None:
    session.give(f"arena replay cs101-1 --db {record}")
    session.until("0/5")
    if how == "signal":
        session.signal(signal.SIGINT)
    else:
        session.press(how)
    ended = session.end()
    assert ended.code == 130
    assert "Traceback" not in ended.printed


# The modes.


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ("--depth 3", "--depth is an option of --mistakes, not of stepping"),
        ("--logs --ply 2", "--ply is an option of stepping or --show or --debug, not of --logs"),
        ("--show --turn 2", "--turn is an option of --debug, not of --show"),
        ("--format json", "--format is an option of --show or --mistakes or --logs, not of stepping"),
        ("--show --logs", "expected one of --show, --mistakes, --logs, --debug, got --show and --logs"),
        ("--debug --ply 2 --turn 3", "expected --ply or --turn, got both; --ply 2 is the same as --turn 3"),
    ],
)
def test_an_option_of_another_mode_is_refused_and_names_the_mode(record: Path, options: str, wrong: str) -> None:
    ended = arena("replay", "cs101-1", *options.split(), "--db", str(record))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == f"arena: {wrong} (help: arena replay --help)\n"


def test_a_ply_is_the_position_after_it_in_every_mode(record: Path) -> None:
    def after(*options: str) -> Ended:
        return arena("replay", "cs101-1", *options, "--db", str(record))

    assert after("--ply", "4").out.count("  a b c") == 2
    assert "x" in after("--show", "--ply", "1").out
    assert after("--debug", "--ply", "2") == after("--debug", "--turn", "3")
    assert after("--debug", "--ply", "1").err.startswith("arena: game cs101-1, ply 2: this ply is part of the opening")
