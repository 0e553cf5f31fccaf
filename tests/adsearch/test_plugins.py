"""Things that are found by name: ours without loading anything, and those of installed packages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from adsearch.plugins import BadPlugin, Plugins
from arena.errors import BadRating
from arena.ratings import systems
from tests.kit.places import ROOT

SYSTEM = """
from arena.ratings.ranking import RatingSystem

class Coin(RatingSystem):
    name = "coin"
    method = "a coin"

    def rank(self, games, counts, settings):
        raise NotImplementedError

COIN = Coin()
BROKEN = 1 / 0 if "broken" in __name__ else None
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package on the path, with entry points."""
    info = tmp_path / "arena_coin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: arena-coin\nVersion: 1.0\n")
    points = (
        "coin = arena_coin:COIN",
        "elo = arena_coin:COIN",
        "heads = arena_coin_broken:COIN",
        "text = arena_coin:SYS",
    )
    (info / "entry_points.txt").write_text("[arena.ratings]\n" + "\n".join(points) + "\n")
    for name in ("arena_coin", "arena_coin_broken"):
        (tmp_path / f"{name}.py").write_text(SYSTEM)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_a_package_brings_a_system_and_cannot_take_the_place_of_ours(package: Path) -> None:
    assert package.exists()
    assert str(systems.find("coin")) == "coin"
    assert systems.find("elo").method.startswith("Elo (Bradley-Terry")
    assert "coin" not in systems.names()


def test_what_cannot_be_loaded_says_of_which_package_it_is(package: Path) -> None:
    assert package.exists()
    with pytest.raises(BadPlugin, match=r"'heads' of the package arena-coin 1\.0 cannot be loaded: ZeroDivisionError"):
        systems.find("heads")
    with pytest.raises(BadPlugin, match=r"'text' of the package arena-coin 1\.0 cannot be loaded: AttributeError"):
        systems.find("text")


def test_without_the_package_there_is_no_such_system() -> None:
    with pytest.raises(
        BadRating, match=r"expected a rating system \(elo, glicko2, .*\), got 'elu'; did you mean 'elo'\?"
    ):
        systems.find("elu")


def test_names_are_those_of_the_files_and_nothing_is_loaded_for_them() -> None:
    plugins = Plugins("arena.ratings.systems", "arena.ratings", "SYSTEM")
    files = {path.stem for path in (ROOT / "arena" / "ratings" / "systems").glob("*.py")} - {"__init__"}
    assert {name.replace("-", "_") for name in plugins.names()} == files
    code = "import sys; from arena.ratings import systems; systems.names(); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "False\n"
