"""`arena serve --web` with all its processes: kills, Ctrl-C, and options with mistakes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.kit import needs

pytest.importorskip("uvicorn", reason=needs.extra("web"))

from tests.kit.arena_program import arena
from tests.kit.effort import PATIENCE
from tests.kit.ladder_room import LadderRoom
from tests.kit.places import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

ROSTER: Final = "id,name,email,alias\n1,Ann Lee,ann@example.org,kestrel\n"


@pytest.fixture
def room(tmp_path: Path) -> Iterator[LadderRoom]:
    with LadderRoom(tmp_path) as room:
        yield room


def serve(room: LadderRoom, port: int = 0) -> str:
    """Starts the ladder with its pages; their address."""
    room.serve("--web", "--listen", f"127.0.0.1:{port}")
    (line,) = (line for line in reversed(room.printed[-3:]) if " pages: " in line)
    return line.rpartition(" ")[2]


def front_page(address: str) -> str:
    """The page as a visitor gets it: while there is no page server, the connection waits."""
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        return str(answer.read().decode())


@pytest.mark.costly(seconds=10)
def test_whatever_is_killed_the_pages_go_on_and_every_game_is_played_once(room: LadderRoom) -> None:
    address = serve(room)
    port = int(address.rpartition(":")[2])
    invites = "arena course invite cs101.toml --roster roster.csv"
    room.wait_for(lambda line: line.endswith(f"invite the students to {address}: {invites}"))
    with room.submit("alice") as submit:
        assert f"its page: {address}/s/1\n" in submit.communicate()[0]
    room.wait_for(lambda line: "alice" in line and "entered" in line)
    for victim in ("play.referee", "web.server"):
        os.kill(room.awaited(victim), signal.SIGKILL)
        assert "cs101" in front_page(address)
    room.wait_for(lambda line: "the page server was killed by SIGKILL" in line)
    with urllib.request.urlopen(f"{address}/events?t=cs101", timeout=PATIENCE) as stream:
        assert stream.readline()
        room.kill()
        assert serve(room, port) == address
        while stream.readline():  # it ends with the first server
            pass
    assert "cs101" in front_page(address)
    room.wait_until_rated()
    assert room.stop() == 0
    room.assert_whole()


@pytest.mark.costly
def test_the_second_ctrl_c_waits_neither_for_a_rater_that_hangs_nor_for_open_pages(room: LadderRoom) -> None:
    address = serve(room)
    os.kill(room.awaited("serve.rater"), signal.SIGSTOP)
    streams = [urllib.request.urlopen(f"{address}/events?tv=", timeout=PATIENCE) for _ in range(50)]
    assert all(stream.readline() for stream in streams)
    assert room.server is not None
    room.server.send_signal(signal.SIGINT)
    room.wait_for(lambda line: "press Ctrl-C again" in line)
    assert room.stop() == 128 + signal.SIGINT
    for stream in streams:
        stream.read()
        stream.close()


@pytest.mark.journey
def test_make_serve_opens_a_ladder_hands_its_agents_in_and_shows_it(tmp_path: Path) -> None:
    needs.program("make")
    settings = (
        f"BIN={os.path.relpath(Path(sys.executable).parent, ROOT)}",
        f"SHOWN_DB={tmp_path}/shown/arena.db",
        "LISTEN=127.0.0.1:0",
    )
    # As if the environment were there: it is that of this test.
    command = ["make", "--silent", "--assume-old=.venv/ready-to-serve", "serve", *settings]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True) as serving:
        assert serving.stdout is not None
        try:
            address = next(line for line in serving.stdout if " pages: " in line).split()[-1]
            assert "othello" in front_page(address)
            assert any(line.endswith(": entered\n") for line in serving.stdout)
        finally:
            os.killpg(serving.pid, signal.SIGTERM)
            serving.stdout.read()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--web", "--listen", "8000"), "--listen: expected ADDRESS:PORT, such as 127.0.0.1:8000"),
        (("--web", "--listen", "127.0.0.1:99999"), "--listen: expected ADDRESS:PORT"),
        (("--web", "--listen", "no.such.host.invalid:8000"), "this machine knows no such address"),
        (("--web", "--listen", "203.0.113.1:0"), "--listen 203.0.113.1:0: "),
        (("--web", "--listen", "127.0.0.1:{used}"), "choose another port, or 0 for any free one"),
        (("--web", "--behind", "arena.example.org"), "--behind: expected the address that visitors type"),
        (("--web", "--behind", "https://example.org/arena"), "not a folder of another site"),
        (("--web", "--roster", "no-such-file.csv"), "no-such-file.csv"),
        (("--web", "--roster", "cs101.toml"), "cs101.toml"),
        (("--listen", "127.0.0.1:0"), "--listen is about the web pages, which are shown only with --web"),
        (("--behind", "https://example.org"), "--behind is about the web pages"),
        (("--roster", "roster.csv"), "--roster is about the web pages"),
        (("--trust-everybody",), "--trust-everybody is about the web pages"),
    ],
)
def test_a_mistake_in_an_option_is_one_clear_line(room: LadderRoom, options: tuple[str, ...], message: str) -> None:
    (room.folder / "roster.csv").write_text(ROSTER, "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as used:
        port = used.getsockname()[1]
        given = [option.replace("{used}", str(port)) for option in options]
        ended = arena("serve", "cs101.toml", *given, cwd=room.folder)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert ended.err.count("\n") == 1
