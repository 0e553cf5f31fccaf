"""The example notebook runs from its first cell to its last, and shows what its text says."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agents import Played
from arena.results import ResultsTable
from tests.kit.notebooks import Cell, run
from tests.kit.places import EXAMPLES

NOTEBOOK = EXAMPLES / "notebook.ipynb"


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> list[Cell]:
    """The code cells, after a run in a copy of the folder."""
    folder = tmp_path_factory.mktemp("notebook") / "examples"
    shutil.copytree(EXAMPLES, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("ARENA_DB", raising=False)
        return [cell for cell in run(folder / NOTEBOOK.name, folder) if cell.kind == "code"]


def cell(cells: list[Cell], part: str) -> Cell:
    """The first cell with that text."""
    return next(one for one in cells if part in one.source)


def test_the_file_is_a_notebook_of_format_4_5_without_outputs() -> None:
    text = NOTEBOOK.read_text("utf-8")
    document = json.loads(text)
    assert text == json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    assert {*document} == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    ids = [one["id"] for one in document["cells"]]
    assert len({*ids}) == len(ids)
    assert all(re.fullmatch("[a-zA-Z0-9-_]{1,64}", one) for one in ids)
    for one in document["cells"]:
        outputs: dict[str, Any] = {} if one["cell_type"] == "markdown" else {"execution_count": None, "outputs": []}
        assert one["cell_type"] in ("markdown", "code")
        assert one == {
            "cell_type": one["cell_type"],
            "id": one["id"],
            "metadata": {},
            "source": one["source"],
            **outputs,
        }
        assert one["source"] == "".join(one["source"]).splitlines(keepends=True) != []


@pytest.mark.costly
def test_boards_trees_games_and_tables_show_themselves(cells: list[Cell]) -> None:
    shown = [one.shown for one in cells if one.value is not None]
    assert sum(one.startswith("<svg") for one in shown) == 5
    assert sum(one.startswith("<div") for one in shown) == 4


def test_the_search_finds_the_win_and_the_tree_has_the_best_line(cells: list[Cell]) -> None:
    assert cell(cells, "depth=6").printed.startswith("value 1.0 after ")
    assert "Best play: D, L, U." in repr(cell(cells, "search_tree(").value)


def test_the_agent_wins_against_random_and_its_game_can_be_looked_at(cells: list[Cell]) -> None:
    game = cell(cells, "practice(").value
    assert isinstance(game, Played)
    assert game.verdict == "normal"
    first, second = map(float, re.findall(r"[-\d.]+", cell(cells, "range(10)").printed))
    assert first > 5 < second


def test_the_tables_are_those_of_the_tournament_that_the_notebook_plays(cells: list[Cell]) -> None:
    printed = cell(cells, "arena run").printed
    assert "cs101 is finished: 6 games." in printed
    table = cell(cells, 'standings("cs101")').value
    assert isinstance(table, ResultsTable)
    ranked = re.findall(r"^[123] +(\w+) +4 ", printed, re.MULTILINE)
    assert [row["name"] for row in table.rows] == ranked
    assert {*ranked} == {"staff", "greedy", "random"}
    assert {name for name, _, games in cells[-1].value if games == 4} == {*ranked}
    assert ("random", 0, 4) in cells[-1].value


def on_a_terminal(command: list[str], folder: Path, **environment: str) -> str:
    """What a command prints that has a terminal, as "!" gives it one in Jupyter."""
    ours, below = os.openpty()
    with subprocess.Popen(command, cwd=folder, stdout=below, stderr=below, env=os.environ | environment) as process:
        os.close(below)
        parts = []
        with contextlib.suppress(OSError):  # Linux reports the end of a terminal as an error
            while part := os.read(ours, 65536):
                parts.append(part)
        os.close(ours)
        assert process.wait() == 0
    return b"".join(parts).decode()


@pytest.mark.costly
def test_a_tournament_in_a_notebook_prints_one_line_for_each_game(tmp_path: Path) -> None:
    for name in ("cs101.toml", "greedy.py"):
        shutil.copy(EXAMPLES / name, tmp_path)
    run_it = [sys.executable, "-m", "arena", "run", "cs101.toml", "--db", "arena.db"]
    printed = on_a_terminal(run_it, tmp_path, JPY_PARENT_PID="1", TERM="xterm-color", FORCE_COLOR="1")
    assert [*map(int, re.findall(r"^(\d)/6  ", re.sub(r"\x1b\[[0-9;]*m", "", printed), re.MULTILINE))] == [
        1,
        2,
        3,
        4,
        5,
        6,
    ]
    assert "playing:" not in printed
