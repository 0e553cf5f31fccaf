"""Benchmarks that no command of ours uses: how they read what was printed, and that they still run."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import cli
from benchmarks.arguments import Reader
from benchmarks.interleaved import compared
from benchmarks.where import difference, kind_of
from tests.kit.effort import PATIENCE, SOAK

ROOT = Path(__file__).parents[2]
SOAKED = pytest.mark.skipif(not SOAK, reason="plays real tournaments: SOAK=1")
PROGRAMS = sorted(
    path.name
    for path in (ROOT / "benchmarks").glob("*.py")
    if "__main__" in path.read_text("utf-8") and path.name != "scripted_engine.py"
)
OTHER = [
    ["p1 games", "| 1 | 1,000 | 4.00 |"],
    ["p1 games", "| 1 | 3,000 | 6.00 |"],
    ["p1 games", "| 1 | 2,000 | 5.00 |"],
]
THIS = [["p1 games", "| 1 | 4,000 | 2.50 |"]] * 3


def test_medians_of_two_checkouts_are_compared_and_what_is_always_the_same_is_not() -> None:
    assert compared(OTHER, THIS, arrows=False) == [
        "p1 games",
        "other  | 1 | 2,000 | 5.00 |",
        "this   | 1 | 4,000 | 2.50 |",
        "ratio  | 1 | x2.00 | x0.50 |",
    ]
    assert compared(OTHER, THIS, arrows=True) == ["p1 games", "| 1 | 2,000 → 4,000 | 5.00 → 2.50 |"]


def test_runs_that_print_other_words_are_not_compared() -> None:
    with pytest.raises(SystemExit, match="lines differ in more than numbers"):
        compared([["1 game"]], [["1 ply"]], arrows=False)


@pytest.mark.parametrize(
    ("frames", "what"),
    [
        (["/x/site-packages/zmq/sugar/socket.py:1", f"{ROOT}/arena/play/referee.py:1"], "ZeroMQ's calls"),
        ([f"{ROOT}/agents/zmtp.py:1", f"{ROOT}/agents/over_zmq.py:1"], "ZeroMQ's calls"),
        ([f"{ROOT}/arena/match/match.py:1", f"{ROOT}/arena/play/referee.py:1"], "match"),
        (["/usr/lib/python3/heapq.py:1", f"{ROOT}/db/store.py:1"], "database"),
        (["/usr/lib/python3/heapq.py:1"], "own code of the process"),
    ],
)
def test_a_sample_belongs_to_its_innermost_frame_that_says_what_it_is_for(frames: list[str], what: str) -> None:
    assert kind_of(frames) == what


def test_a_ply_is_the_difference_of_two_games_in_parts() -> None:
    assert difference({"match": {"referee": 50.0}}, {"match": {"referee": 20.0}}, 10) == {"match": {"referee": 3.0}}


@pytest.mark.costly
@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("season.py --agents 10 --games 20 --runs 0", "20 games in "),
        ("season.py --agents 10 --hosts 2 --cores 2", "| places busy |"),
        pytest.param("tournament.py games --games 40", "| games at once |", marks=SOAKED),
        pytest.param("live.py --rounds 1", "| 300 |", marks=SOAKED),
        pytest.param("web.py --games 1000 --rounds 1", "| 500 |", marks=SOAKED),
        pytest.param("where.py --games 40", "| a game of ", marks=SOAKED),
        pytest.param("peers.py --rounds 1 --games 40", "| arena run |", marks=SOAKED),
    ],
)
def test_a_small_benchmark_runs(command: str, shown: str) -> None:
    script, *options = command.split()
    ran = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / script, *options],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert shown in ran.stdout


def ended(script: str, argument: str, monkeypatch: pytest.MonkeyPatch) -> object:
    """The exit code of a benchmark that ends because of its argument."""
    monkeypatch.setattr(sys, "argv", [script, argument])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(ROOT / "benchmarks" / script), run_name="__main__")
    return end.value.code


@pytest.mark.parametrize("script", PROGRAMS)
@pytest.mark.parametrize("wrong", ["gamess", "--gamess", "--games=none", "--games=0"])
def test_every_benchmark_refuses_a_wrong_argument_in_one_line(
    script: str, wrong: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(script, wrong, monkeypatch) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("script", PROGRAMS)
def test_every_benchmark_explains_its_arguments(
    script: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(script, "--help", monkeypatch) == 0
    assert f"    python benchmarks/{script}" in capsys.readouterr().out


def test_what_a_measured_command_writes_to_stderr_is_not_between_the_figures(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit, match=r"arena no-such-command failed:\n.*no-such-command"):
        cli.run(["no-such-command"])
    assert capfd.readouterr().err == ""


def test_a_benchmark_without_words_measures_all_its_parts() -> None:
    reader = Reader(__doc__, parts=("start", "pages"))
    assert reader.parse_args([]).parts == []
    assert reader.parse_args(["pages"]).parts == ["pages"]
