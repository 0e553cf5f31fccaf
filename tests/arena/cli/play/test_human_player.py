"""JoiningPlayers: how programs that are started by hand are told where to sit down."""

import json

import pytest

from arena.cli.play.game_screen import GameScreen
from arena.cli.play.human_player import JoiningPlayers
from arena.errors import BadPlayer
from arena.players.player import read_player
from arena.walls.run_folder import RunFolder


def test_who_comes_after_a_player_that_was_lost_gets_a_token_of_its_own() -> None:
    with RunFolder() as folder:
        entrant = JoiningPlayers(folder, GameScreen(quiet=True, on_stderr=True)).invited(read_player("wait"), "wait")
        assert entrant is not None
        assert entrant.invite is not None
        for token in ("first", "second"):
            entrant.invite("ipc://here", token)
            (file,) = folder.path.glob("*.json")
            assert json.loads(file.read_text()) == {"address": "ipc://here", "token": token}
            assert file.stat().st_mode & 0o777 == 0o600


def test_a_person_needs_a_keyboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with RunFolder() as folder, pytest.raises(BadPlayer, match="stdin is closed"):
        JoiningPlayers(folder, GameScreen(quiet=True)).invited(read_player("human"), "human")
