"""`arena play --web` at the terminal: what is refused, which browser is opened, Ctrl-C, and what is recorded."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from arena.cli.play import web_window
from tests.kit import needs
from tests.kit.arena_program import arena
from tests.kit.play_window import PlayWindow, play_window

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs Linux or macOS")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["random", "greedy"], "--web shows a page on which a human plays: write human for the seat that is yours"),
        (["human", "human"], "--web is for one human, got 2: leave it out to play at this terminal"),
        (["human", "wait"], "wait cannot play with --web"),
        (["human", "random", "--games", "2"], "--games is of no use with --web"),
        (["human", "random", "--swap"], "--swap is of no use with --web"),
        (["human", "random", "--format", "json"], "--format json shows no boards"),
        (["human"], "tictactoe needs 2 players, got 1"),
    ],
)
def test_what_makes_no_sense_in_a_browser_is_refused(arguments: list[str], said: str) -> None:
    ended = arena("play", "tictactoe", *arguments, "--web")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"arena: {said}")
    assert ended.err.count("\n") == 1


def test_without_the_extra_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("arena.web.web_process.find_spec", lambda _: None)
    ended = arena("play", "tictactoe", "human", "random", "--web", cwd=tmp_path)
    assert ended.code == 2
    assert ended.err.startswith("arena: --web needs starlette, uvicorn, ")
    assert "; to install: " in ended.err
    assert ended.err.count("\n") == 1
    assert [*tmp_path.iterdir()] == []


def test_over_ssh_a_command_says_how_to_reach_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER", "ann")
    monkeypatch.setenv("LOGNAME", "ann")
    monkeypatch.setattr("socket.gethostname", lambda: "lab")
    connection = "192.0.2.7 50022 192.0.2.1 "
    assert web_window.ssh_command({}, 8123) is None
    for variables, command in (
        ({"SSH_TTY": "/dev/pts/1"}, "ssh -L 8123:127.0.0.1:8123 ann@lab"),
        ({"SSH_CONNECTION": connection + "22"}, "ssh -L 8123:127.0.0.1:8123 ann@192.0.2.1"),
        ({"SSH_CONNECTION": connection + "2022"}, "ssh -p 2022 -L 8123:127.0.0.1:8123 ann@192.0.2.1"),
        ({"SSH_CONNECTION": "nonsense"}, "ssh -L 8123:127.0.0.1:8123 ann@lab"),
    ):
        assert web_window.ssh_command(variables, 8123) == command


def begin(window: PlayWindow) -> str:
    """Opens the page; the address of the game, in which it is the person's turn."""
    window.enter()
    game = window.ask("/").headers["location"]
    while "Your turn" not in window.ask(game).text:
        pass
    return game


def history(folder: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(arena("results", "history", "--format", "json", cwd=folder).out)
    return found


@pytest.mark.costly
def test_ctrl_c_in_a_game_ends_the_program_and_that_game_is_not_recorded(tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason=needs.extra("web"))
    with play_window(tmp_path, "tictactoe", "human", "random", "--clock", "100", "--db", "arena.db") as window:
        assert "no browser can be opened from here" in window.printed + window.line()
        game = begin(window)
        assert window.ask(game, form={"move": "b2"}).status == 200
        code, said = window.interrupt()
    assert (code, said) == (130, "\nthe game in progress is not recorded\n\ninterrupted\n")
    assert history(tmp_path) == []


@pytest.mark.costly
def test_a_game_is_recorded_with_its_agent_and_annulled_after_a_move_was_taken_back(tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason=needs.extra("web"))
    agent = tmp_path / "mine.py"
    agent.write_text(
        "from agents import Agent\nclass Mine(Agent):\n    def choose(self, state, clock):\n"
        "        return state.moves()[0]\n"
    )
    with play_window(tmp_path, "tictactoe", "mine.py", "human", "--openings", "1", "--db", "arena.db") as window:
        game = begin(window)
        free = next(cell for cell in ("a1", "b2", "c3") if f'value="{cell}"' in window.ask(game).text)
        assert window.ask(game, form={"move": "zz"}).status == 400
        for what in ({"move": free}, {"do": "take_back"}, {"do": "resign"}):
            while "Your turn" not in window.ask(game).text:
                pass
            assert window.ask(game, form=what).text == ""
        window.wait_for("annulled, so this result does not count: human took back a move")
        assert window.interrupt() == (0, "\n")
    assert "human resigned; mine wins" in window.printed
    assert "to step through this game: arena replay 1" in window.printed
    (recorded,) = history(tmp_path)
    assert recorded["players"] == ["mine", "human"]
    (ruling,) = json.loads(arena("rule", "list", "--format", "json", cwd=tmp_path).out)
    assert ruling["reason"] == "human took back a move"


@pytest.mark.costly
def test_a_browser_is_opened_at_the_address_and_without_recording_nothing_is_left(tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason=needs.extra("web"))
    opened = tmp_path / "opened"
    opener = tmp_path / "browser"
    opener.write_text(f'#!/bin/sh\nmkfifo {opened}.pipe\necho "$1" > {opened}\ncat {opened}.pipe\n')
    opener.chmod(0o700)
    with play_window(tmp_path, "tictactoe", "human", "random", "--no-record", BROWSER=str(opener)) as window:
        game = begin(window)  # the browser has not ended
        assert window.ask(game, form={"do": "resign"}).text == ""
        window.wait_for("human resigned")
        while not (opened.exists() and opened.read_text()):
            pass
        assert opened.read_text().strip() == window.server + window.link
        assert window.interrupt()[0] == 0
        (tmp_path / "opened.pipe").write_text("the browser ends")
    assert "arena replay" not in window.printed
    assert not (tmp_path / "arena.db").exists()
