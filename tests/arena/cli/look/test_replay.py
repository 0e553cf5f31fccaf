"""`arena replay`: all boards on paper, and on a terminal with keys that leaves it as it was."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.cells import cell_len

from arena.cli.look.replay import Viewer, screenful, why_no_mistake
from arena.history import words
from arena.history.replay import replay as steps
from tests.kit.arena_program import Ended, arena, environment
from tests.kit.effort import PATIENCE
from tests.kit.html_validity import check_html
from tests.kit.page_games import EVERY_GAME, analysed, named, past_game
from tests.kit.places import ROOT
from tests.kit.plot_reading import AWKWARD

RIGHT, LEFT, HOME, END = b"\x1b[C", b"\x1b[D", b"\x1b[H", b"\x1b[F"
HERE, GONE = b"\x1b[?1049h\x1b[?25l", b"\x1b[?25h\x1b[?1049l"


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


@pytest.mark.parametrize("rules", EVERY_GAME, ids=named)
@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (200, 60), (20, 5)])
def test_every_step_of_every_game_fits_on_the_screen(rules: str, columns: int, rows: int) -> None:
    names = [AWKWARD[3], AWKWARD[4], *AWKWARD[:2], "a", "b"][: len(past_game(rules).players)]
    game = past_game(rules, names, logs=[f"{AWKWARD[2][:-1]}{AWKWARD[3]}\n" * 400] * 2)
    found = steps(game)
    for number in range(0, len(found.steps), max(1, len(found.steps) // 5)):
        shown = screenful(game, found, number, "1/2", columns=columns, rows=rows)
        assert len(shown) == rows
        assert all(line.isprintable() and cell_len(line) <= columns for line in shown)
        step = found.steps[number]
        if step.state is not None and columns == 80:
            board = words.drawn(step.state, step.last)
            assert {line.rstrip() for line in board.splitlines()} <= {line.rstrip() for line in shown}


def test_a_screen_shows_the_end_of_what_was_printed_and_a_larger_one_more() -> None:
    game = past_game("tictactoe", ("ann", "bob"), logs=["".join(f"line {number}\n" for number in range(200))])
    small, large = (screenful(game, steps(game), 1, "", columns=80, rows=rows) for rows in (24, 70))
    printed = steps(game).steps[1].printed.splitlines()
    assert f"     | {printed[-1]}" in small
    assert "     ann printed (the end of it):" in small
    assert "     ann printed:" in large
    assert f"     | {printed[0]}" in large


@pytest.mark.parametrize("columns", [80, 60, 40, 30])
@pytest.mark.parametrize("keys", [[], ["play"], ["play", "slower", "slower"], ["jump", "1", "2"], ["help"]])
def test_every_key_is_told_on_a_narrow_screen_too(columns: int, keys: list[str]) -> None:
    viewer, game = Viewer(123), past_game("tictactoe", ("ann", "bob"))
    for key in keys:
        viewer.press(key, 0.0)
    shown = screenful(game, steps(game), 1, viewer.status(), columns=columns, rows=24)
    assert len(shown) == 24
    assert "   ".join(shown).endswith(viewer.status())


def test_where_there_is_little_room_the_way_out_is_still_told() -> None:
    game = past_game("tictactoe", ("ann", "bob"))
    shown = screenful(game, steps(game), 1, Viewer(9).status(), columns=30, rows=6)
    assert shown[-1] == "0/9   ?: all keys   q: quit"


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
    for before, step in zip(steps(plain, trust=True).steps, steps(game, trust=True).steps, strict=True):
        shown = screenful(game, steps(game, trust=True), step.number, "", columns=200, rows=60)
        wanted = words.mistake(step.judged, game.players) if step.judged is not None else ""
        assert (f"     {wanted}" in shown) == bool(wanted)
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
    viewer = Viewer(20, mistakes=mistakes)
    for key in keys:
        viewer.press(key, 0.0)
    return viewer.at


@pytest.mark.parametrize(
    ("keys", "number"),
    [
        ("next next", 2),
        ("enter", 1),
        ("back", 0),
        ("end", 20),
        ("end next", 20),
        ("end home", 0),
        ("1 4 enter", 14),
        ("jump 1 4 enter", 14),
        ("1 4 rub_out enter", 1),
        ("1 rub_out enter", 0),
        ("jump enter", 0),
        ("end jump enter", 20),
        ("9 9 9 9 9 9 9 9 enter", 20),
        ("7 next", 1),
        ("7 help back enter", 1),
        ("end rub_out", 19),
        ("help 5 enter", 1),
    ],
)
def test_keys_lead_to_moves(keys: str, number: int) -> None:
    assert at(*(key.replace("_", " ") for key in keys.split())) == number


@pytest.mark.parametrize(
    ("keys", "number"),
    [
        ("mistake", 3),
        ("mistake mistake", 8),
        ("mistake mistake mistake", 3),
        ("end mistake", 3),
        ("earlier_mistake", 8),
        ("7 enter earlier_mistake", 3),
        ("3 enter earlier_mistake", 8),
    ],
)
def test_keys_lead_to_mistakes(keys: str, number: int) -> None:
    wanted = [key.replace("_", " ") for key in keys.split()]
    assert at(*wanted, mistakes=[3, 8]) == number
    assert at("5", "enter", *wanted[-1:]) == 5


def test_it_plays_by_the_clock_that_it_is_told() -> None:
    viewer = Viewer(4)
    viewer.press("play", 100.0)
    viewer.pass_time(100.9)
    assert viewer.at == 0
    viewer.pass_time(101.0)
    viewer.pass_time(101.5)
    assert viewer.at == 1
    viewer.press("faster", 101.5)
    assert "2 moves a second" in viewer.status()
    viewer.pass_time(102.0)
    assert viewer.at == 2
    viewer.press("play", 102.1)
    viewer.pass_time(200.0)
    assert (viewer.at, viewer.due) == (2, None)
    viewer.press("play", 200.0)
    for moment in range(201, 210):
        viewer.pass_time(moment)
    assert (viewer.at, viewer.due) == (4, None)
    viewer.press("play", 300.0)
    assert viewer.at == 0


def test_a_step_does_not_stop_at_tiles_that_are_dealt() -> None:
    viewer = Viewer(9, passed={1, 2, 3, 6})
    for key, at in (("next", 4), ("next", 5), ("enter", 7), ("left", 5), ("left", 4), ("left", 0)):
        viewer.press(key, 0.0)
        assert viewer.at == at
    viewer.press("2", 0.0)
    viewer.press("enter", 0.0)
    assert viewer.at == 2


def test_if_no_mistake_is_marked_the_key_says_why_until_the_next_key() -> None:
    viewer = Viewer(4, without="no mistakes are marked yet: arena replay 7 --mistakes")
    viewer.press("mistake", 0.0)
    assert viewer.status() == "0/4   no mistakes are marked yet: arena replay 7 --mistakes   ?: all keys   q: quit"
    viewer.press("next", 0.0)
    assert "no mistakes" not in viewer.status()


def test_the_reason_why_no_mistake_is_marked() -> None:
    for rules, reason in (
        ("tictactoe", "no mistakes are marked yet: arena replay "),
        ("kuhn", "hidden information"),
    ):
        game = past_game(rules, ("ann", "bob"))
        assert reason in why_no_mistake(game, steps(game))
    judged = analysed(past_game("tictactoe", ("ann", "bob")))
    assert why_no_mistake(judged, steps(judged)) == "the analysis found no mistake"


def test_its_speed_has_ends() -> None:
    viewer = Viewer(4)
    viewer.press("play", 0.0)
    for _ in range(20):
        viewer.press("faster", 0.0)
    assert "8 moves a second" in viewer.status()
    for _ in range(20):
        viewer.press("slower", 0.0)
    assert "0.25 moves a second" in viewer.status()


def test_a_game_whose_rules_are_not_here_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "club.csv").write_text("1,ann,bob,1-0\n", "utf-8")
    assert arena("data", "import", "club.csv", cwd=tmp_path).code == 0
    ended = arena("replay", "club-1", cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert "no game 'unknown'" in ended.err


@dataclass(slots=True)
class Terminal:
    """A terminal with a replay in it."""

    keyboard: int
    process: subprocess.Popen[bytes]
    before: list[object]
    seen: bytes = b""

    def until(self, words: str) -> bytes:
        """What comes on the screen up to these words; they are taken from it."""
        wanted = words.encode()
        while wanted not in self.seen:
            assert select.select([self.keyboard], [], [], 60)[0], f"{words!r} did not come: {self.seen!r}"
            self.seen += os.read(self.keyboard, 4096)
        shown, _, self.seen = self.seen.partition(wanted)
        return shown + wanted

    def press(self, key: bytes) -> None:
        """Somebody presses a key."""
        os.write(self.keyboard, key)

    def end(self) -> int:
        """Waits for the end; how the process ended."""
        code = self.process.wait(PATIENCE)
        while select.select([self.keyboard], [], [], 0)[0]:
            try:
                self.seen += os.read(self.keyboard, 4096)
            except OSError:
                break
        return code


@pytest.fixture
def terminal(record: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    """A terminal with the replay of a game of five plies, and more arguments if a test has some."""
    keyboard, screen = pty.openpty()
    termios.tcsetwinsize(screen, (24, 80))
    before = termios.tcgetattr(screen)
    process = subprocess.Popen(
        [sys.executable, "-m", "arena", "replay", "cs101-1", "--db", str(record), *getattr(request, "param", ())],
        stdin=screen,
        stdout=screen,
        stderr=screen,
        env=environment(80) | {"TERM": "xterm"},
        cwd=ROOT,
        start_new_session=True,
        preexec_fn=lambda: __import__("fcntl").ioctl(0, termios.TIOCSCTTY, 0),
    )
    shown = Terminal(keyboard, process, before)
    yield shown
    if process.poll() is None:
        process.kill()
        process.wait()
    assert termios.tcgetattr(screen) == before
    os.close(keyboard)
    os.close(screen)


@pytest.mark.costly
def test_keys_step_through_the_boards(terminal: Terminal) -> None:
    assert HERE in terminal.until("0/5")
    for key, at in (
        (RIGHT, "1/5"),
        (b" ", "2/5"),
        (b"\r", "3/5"),
        (LEFT, "2/5"),
        (END, "5/5"),
        (RIGHT, "5/5"),
        (HOME, "0/5"),
        (LEFT, "0/5"),
        (b"\x1b[5~x" + RIGHT, "1/5"),
    ):
        terminal.press(key)
        assert b"/5" not in terminal.until(at)[: -len(at)]
    terminal.press(END)
    assert b"ann wins" in terminal.until("5/5")
    terminal.press(b"q")
    assert terminal.end() == 0
    assert terminal.seen.endswith(GONE)


def test_keys_that_arrive_in_pieces_are_keys(terminal: Terminal) -> None:
    terminal.until("0/5")
    terminal.press(b"\x1b")
    terminal.press(b"[")
    terminal.press(b"C")
    terminal.until("1/5")
    terminal.press(b"\x1b")
    terminal.press(b"q")
    assert terminal.end() == 0


def test_numbers_jump_and_p_plays(terminal: Terminal) -> None:
    terminal.until("0/5")
    terminal.press(b"4")
    terminal.until("jump to move: 4_")
    terminal.press(b"\r")
    terminal.until("4/5")
    terminal.press(b"?")
    terminal.until("play, pause")
    terminal.press(b"?")
    terminal.until("4/5")
    terminal.press(b"p")
    terminal.until("playing, 1 moves a second")
    terminal.until("5/5   right")
    terminal.press(b"q")
    assert terminal.end() == 0


@pytest.mark.costly
@pytest.mark.parametrize("terminal", [["--ply", "4"]], indirect=True, ids=["ply 4"])
def test_on_a_terminal_it_begins_there_too(terminal: Terminal) -> None:
    assert b"  4  bob b2" in terminal.until("4/5   right or space: next")
    terminal.press(LEFT)
    terminal.until("3/5")
    terminal.press(b"q")
    assert terminal.end() == 0


def test_another_size_is_another_screen(terminal: Terminal) -> None:
    terminal.until("0/5")
    termios.tcsetwinsize(terminal.keyboard, (24, 30))
    assert "…" in terminal.until("0/5   right or space").decode()
    terminal.until("q: quit")
    terminal.press(b"?")
    terminal.until("replay ID --logs shows all.")
    terminal.press(b"q")
    assert terminal.end() == 0


def test_ctrl_c_leaves_the_terminal_as_it_was(terminal: Terminal) -> None:
    terminal.until("0/5")
    terminal.press(b"\x03")
    assert terminal.end() == 130
    assert GONE in terminal.seen
    assert b"Traceback" not in terminal.seen


def test_an_interrupt_from_elsewhere_does_so_too(terminal: Terminal) -> None:
    terminal.until("0/5")
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.end() == 130
    assert GONE in terminal.seen


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
