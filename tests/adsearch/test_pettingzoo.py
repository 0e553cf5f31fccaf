"""Every game is an environment that PettingZoo's own tests accept, and shows an agent only what its seat sees."""

from __future__ import annotations

import runpy
import sys
from random import Random
from typing import Any

import pytest

from adsearch import games
from adsearch.errors import BadGame, BadMove
from tests.kit import needs
from tests.kit.every_game import EVERY, AnyState, positions
from tests.kit.places import ROOT


def test_without_the_package_its_name_and_a_command_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("gymnasium", "gymnasium.spaces", "pettingzoo"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        ImportError, match=r"^adsearch.pettingzoo needs the package gymnasium\S*: pip install pettingzoo"
    ):
        runpy.run_path(str(ROOT / "adsearch" / "pettingzoo.py"))


pettingzoo = pytest.importorskip("pettingzoo", reason=needs.extra("pettingzoo"))
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:pettingzoo", "ignore::UserWarning:gymnasium")

if pettingzoo:
    import numpy as np
    from pettingzoo.test import api_test, seed_test

    from adsearch.pettingzoo import env


def made(spec: str, **options: Any) -> Any:
    return env(spec, most_moves=20_000, **options)


@pytest.mark.parametrize("spec", EVERY)
def test_pettingzoo_accepts_every_game(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    api_test(made(spec), num_cycles=30)
    seed_test(lambda: made(spec), num_cycles=30)


def test_the_legal_actions_are_the_moves_and_the_rewards_the_utilities() -> None:
    for spec in ("connect4:rows=4,columns=4,line=3", "backgammon", "leduc", "ludo:players=3,tokens=1"):
        random, environment = Random(spec), made(spec)
        environment.reset(seed=3)
        total = dict.fromkeys(environment.possible_agents, 0.0)
        for agent in environment.agent_iter():
            seen, reward, terminated, truncated, _ = environment.last()
            total[agent] += reward
            state = environment.unwrapped.game_state
            if terminated or truncated:
                assert not seen["action_mask"].any()
                environment.step(None)
                continue
            legal = np.flatnonzero(seen["action_mask"])
            assert agent == f"player_{state.turn}"
            assert {environment.move(state, action) for action in legal} == {*state.moves()}
            others = [other for other in environment.agents if other != agent]
            assert not any(environment.observe(other)["action_mask"].any() for other in others)
            environment.step(random.choice(legal))
        assert [*total.values()] == [*environment.unwrapped.game_state.utilities()]


def test_an_action_means_the_same_in_every_position() -> None:
    environment = made("connect4")
    environment.reset()
    for _ in range(6):
        environment.step(2)
    assert environment.action_space("player_0").n == 7
    assert [*environment.last()[0]["action_mask"]] == [1, 1, 0, 1, 1, 1, 1]
    assert environment.move(environment.unwrapped.game_state, 3) == 3
    assert environment.last()[0]["observation"][5].tolist() == [0, 0, 1, 0, 0, 0, 0]
    assert environment.observe("player_1")["observation"][5].tolist() == [0, 0, -1, 0, 0, 0, 0]


@pytest.mark.parametrize("spec", ["kuhn", "leduc", "rps:rounds=2"])
def test_an_observation_depends_only_on_what_the_seat_sees(spec: str) -> None:
    environment: Any = made(spec).unwrapped
    environment.reset()
    seen: dict[tuple[int, str], bytes] = {}
    hidden = 0
    for state in positions(spec):
        if state.turn is None or state.turn < 0:
            continue
        environment.game_state = state
        for seat in range(state.players):
            found = environment.observe(f"player_{seat}")
            shown = found["observation"].tobytes() + (found["action_mask"].tobytes() if seat == state.turn else b"")
            hidden += (seat, state.view(seat)) in seen
            assert seen.setdefault((seat, state.view(seat)), shown) == shown
    assert hidden  # there are positions that look alike


def test_the_seed_decides_what_chance_does() -> None:
    def boards(seed: int) -> list[str]:
        environment = made("pig")
        found = []
        for number in range(2):
            environment.reset(seed=seed if number == 0 else None)
            for _ in range(30):
                if environment.agents and not environment.terminations[environment.agent_selection]:
                    environment.step(0)
            found.append(str(environment.unwrapped.game_state))
        return found

    assert boards(1) == boards(1) != boards(2)
    assert boards(1)[0] != boards(1)[1]


def test_a_game_can_be_truncated() -> None:
    environment = made("chess", most_plies=2)
    environment.reset()
    for _ in range(2):
        environment.step(int(np.flatnonzero(environment.last()[0]["action_mask"])[0]))
    assert environment.truncations == {"player_0": True, "player_1": True}
    assert environment.terminations == {"player_0": False, "player_1": False}
    assert environment.last()[1] == 0


@pytest.mark.parametrize("action", [3, -1, 9, "1", None, 1.5])
def test_what_is_no_legal_action_is_refused(action: Any) -> None:
    environment = made("tictactoe:m=2,n=4,k=3")
    environment.reset()
    environment.step(3)
    with pytest.raises(BadMove, match="player_1: expected an action whose action_mask is 1, got"):
        environment.step(action)


def test_a_game_with_too_many_moves_or_letters_says_what_to_do() -> None:
    for option, most in (("most_moves", 3), ("most_letters", 4)):
        environment = env("backgammon", **{option: most})
        environment.reset(seed=1)
        with pytest.raises(BadGame, match=f"{option}="):
            environment.last()
    with pytest.raises(ValueError, match="expected render_mode 'ansi' or 'human', got 'rgb'"):
        env("chess", render_mode="rgb")


def test_an_unknown_agent_and_a_wrong_order_are_told() -> None:
    environment = made("connect4")
    with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before step"):
        environment.step(3)
    environment.reset()
    with pytest.raises(ValueError, match="no agent 'player_7'; did you mean 'player_1'"):
        environment.observe("player_7")


def test_the_board_is_shown_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    state: AnyState = games.start("tictactoe").play(4)
    for mode in ("ansi", "human"):
        environment = made("tictactoe", render_mode=mode)
        environment.reset()
        environment.step(4)
        assert (environment.render() or capsys.readouterr().out.partition("\n\n")[0].rstrip()) in f"{state}\n{state}"
