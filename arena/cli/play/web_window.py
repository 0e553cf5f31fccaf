"""`arena play --web`: the person's page in a browser, from its process to the games that are played for it.

The page server asks for each game over its link; the director plays it beside nothing else. The page is open to the
browser that brings the secret of the printed address first.
"""

from __future__ import annotations

import getpass
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from threading import Thread
from typing import TYPE_CHECKING, Final

from arena.cli.terminal.notes import note
from arena.cli.terminal.stopping import Pausing
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.match.schedule import Finished, Planned
    from arena.play.director import Director
    from arena.serve.invited_games import GameInvitation, InvitedGames
    from arena.serve.messages import WantGame
    from arena.walls.run_folder import RunFolder
    from db.database import Database

_ANY_PORT: Final = "127.0.0.1:0"
_SSH_PORT: Final = "22"


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowOffer:
    """The games that the page offers."""

    game: str
    clock: str
    names: tuple[str, ...]
    """The players in their seats in the first game."""
    seat: int
    """The person's there."""
    planned: Callable[[int, int], Planned]
    """The game with these numbers of its pairing and its leg."""
    started_as: Mapping[str, str]
    agents: Mapping[str, str]
    """Both as in `RecordingSchedule`."""


def refuse_missing_packages() -> None:
    """MissingExtra if this machine cannot show the page."""
    from arena.web import web_process

    web_process.refuse_missing_packages()


def play(
    offer: WindowOffer,
    folder: RunFolder,
    database: Database,
    director: Director,
    show: Callable[[Finished, int, str], None],
) -> None:
    """Shows the page and plays its games until Ctrl-C; KeyboardInterrupt if that ends a game.

    `show` gets each game that was recorded, its id, and why it is annulled, or an empty text."""
    from arena.serve.invited_games import GameInvitation, InvitedGames
    from arena.serve.priority_schedule import PrioritySchedule

    pairings = count()

    def plan(wanted: WantGame, number: int) -> GameInvitation:
        leg = (offer.seat - wanted.seat) % len(offer.names)
        game = replace(offer.planned(next(pairings), leg), number=number)
        return GameInvitation(game, offer.started_as, offer.agents)

    people = InvitedGames(database, Pausing(note, "Ctrl-C ends the program."), plan, recorded=show)
    people.end_game = director.give_up
    try:
        with _page(offer, folder, database, director, people):
            for _ in director.play(PrioritySchedule([people])):
                pass
    except KeyboardInterrupt:
        if people.is_playing:
            print("\nthe game in progress is not recorded", file=sys.stderr)
            raise
        print(file=sys.stderr)


@contextmanager
def _page(
    offer: WindowOffer, folder: RunFolder, database: Database, director: Director, people: InvitedGames
) -> Iterator[None]:
    """Inside, the page is there, and the director's loop hears it. ArenaError if its process ends."""
    from arena.serve.messages import Complaint
    from arena.web import links
    from arena.web.web_process import Listening, WebProcess, WindowSettings

    with closing(Listening(_ANY_PORT)) as listening:
        process = WebProcess(folder, listening, "arena.web.window:serve")

        def hear() -> None:
            for message in process.heard():
                if isinstance(message, Complaint):
                    note(message.text)
                else:
                    people.hear(message)
            if process.is_gone():
                raise ArenaError(f"the process of the page {process.how_it_ended()}")

        try:
            secret = secrets.token_urlsafe(24)
            process.send(
                WindowSettings(
                    database=database.address.render_as_string(hide_password=False),
                    listening=listening.descriptor,
                    port=listening.port,
                    secret=secret,
                    names=offer.names,
                    seat=offer.seat,
                    game=offer.game,
                    clock=offer.clock,
                )
            )
            people.connect(process.say)
            director.watch(process.fileno(), hear)
            _open(listening.address + links.invitation(secret), listening.port)
            yield
        finally:
            process.end()


def _open(address: str, port: int) -> None:
    """Opens the address in the browser; if there is none here, says how to reach it."""
    print(f"your page (the address works once; Ctrl-C ends the program): {address}", flush=True)
    if (way := ssh_command(os.environ, port)) is not None:
        print(f"over SSH, first give this on your own computer: {way}", flush=True)
    elif _has_browser(os.environ):
        Thread(target=_browse, args=(address,), name="browser", daemon=True).start()
    else:
        _say_no_browser()


def _browse(address: str) -> None:
    """Opens the address; for some browsers it returns when they end. What they print is not shown, and Ctrl-C does not
    end them."""
    code = "import sys, webbrowser; sys.exit(not webbrowser.open(sys.stdin.read()))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=address.encode(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    if done.returncode:
        _say_no_browser()


def _say_no_browser() -> None:
    print("no browser can be opened from here: open the address yourself", flush=True)


def ssh_command(environment: Mapping[str, str], port: int) -> str | None:
    """The command that makes a port of this machine reachable for a person who came by SSH; None for others."""
    if not (environment.get("SSH_CONNECTION") or environment.get("SSH_TTY")):
        return None
    _, _, host, at, *_ = [*environment.get("SSH_CONNECTION", "").split(), "", "", "", ""]
    other = "" if at in ("", _SSH_PORT) else f" -p {at}"
    return f"ssh{other} -L {port}:127.0.0.1:{port} {getpass.getuser()}@{host or socket.gethostname()}"


def _has_browser(environment: Mapping[str, str]) -> bool:
    """Whether a browser can have a window here: one in the terminal would take the keyboard."""
    return sys.platform == "darwin" or any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
