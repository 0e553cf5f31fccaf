"""The process of the page server."""

from __future__ import annotations

import re
import signal
import sys
from pathlib import Path

import pytest

from db.database import Database
from tests.kit import needs
from tests.kit.web_room import PageServer


@pytest.mark.costly
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_it_ignores_ctrl_c_which_reaches_it_too_while_its_director_finishes_games(tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason=needs.extra("web"))
    with Database(str(tmp_path / "arena.db")):
        pass
    with PageServer(str(tmp_path / "arena.db"), tmp_path, served="cs101") as server:
        assert server.get("/").status == 200
        status = Path(f"/proc/{server.pid}/status").read_text("ascii")
    ignored = re.search(r"^SigIgn:\s*([0-9a-f]+)$", status, re.MULTILINE)
    assert ignored is not None
    assert int(ignored[1], 16) & (1 << (signal.SIGINT - 1))
