"""A game as one animated SVG: at each position it shows what the board of that position shows."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import pytest

from adsearch.pictures.boards import draw
from adsearch.pictures.svg import split_style
from arena.history.replay import replay
from arena.pages.animated import animated
from tests.kit.arena_program import arena
from tests.kit.page_games import past_game

NAMESPACE = "{http://www.w3.org/2000/svg}"
EACH = 0.8


def leaves(parent: Element, now: float, whole: float) -> list[tuple[str, str]]:
    """What is seen at a moment, in its order: kind and attributes of each shape, with the transforms around it."""
    found = []
    for element in parent:
        animate = element.find(f"{NAMESPACE}animate")
        if animate is not None:
            times = [float(time) * whole for time in animate.get("keyTimes", "").split(";")]
            values = animate.get("values", "").split(";")
            assert animate.get("dur") == f"{whole:g}s"
            if [value for time, value in zip(times, values, strict=True) if time <= now + 1e-2][-1] == "none":
                continue
        kind = element.tag.removeprefix(NAMESPACE)
        if kind == "g":
            moved = element.get("transform", "")
            found += [(f"{moved} {shape}", text) for shape, text in leaves(element, now, whole)]
        elif kind not in ("title", "desc", "style", "animate"):
            found.append((f"{kind} {sorted(element.attrib.items())}", element.text or ""))
    return [(" ".join(shape.split()), text) for shape, text in found]


@pytest.mark.parametrize(
    "rules", ["chess", "connect4", "othello:size=6", "backgammon", "ludo:players=3,tokens=1", "maze"]
)
def test_each_position_shows_its_board(rules: str) -> None:
    steps = replay(past_game(rules)).steps[:30]
    positions = [(step.state, step.last) for step in steps if step.state is not None]
    moving = fromstring(animated(positions, "<ann> & bob"))
    assert moving.findtext(f"{NAMESPACE}title") == "<ann> & bob"
    whole = EACH * (len(positions) - 1) + 3.0
    for number, (state, last) in enumerate(positions):
        alone = fromstring(split_style(draw(state, last))[1])
        assert leaves(moving, EACH * number, whole) == leaves(alone, 0.0, 0.0), number


def test_it_is_far_smaller_than_all_boards() -> None:
    positions = [(step.state, step.last) for step in replay(past_game("chess")).steps if step.state is not None]
    boards = sum(len(draw(state, last)) for state, last in positions)
    assert len(animated(positions, "game")) < boards / 4


def test_the_command_writes_it_and_says_what_belongs_together(tmp_path: Path) -> None:
    assert arena("play", "tictactoe", "random", "random", cwd=tmp_path).code == 0
    assert arena("replay", "last", "--svg", "game.svg", "--animated", cwd=tmp_path).code == 0
    assert "<animate " in (tmp_path / "game.svg").read_text("utf-8")
    for options in (["--animated"], ["--svg", "x.svg"]):
        failed = arena("replay", "last", *options, cwd=tmp_path)
        assert failed.code == 2
        assert "--svg and --animated belong together" in failed.err
    assert not (tmp_path / "x.svg").exists()
