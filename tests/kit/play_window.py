"""`arena play --web` as a real process: its address, what it prints, Ctrl-C, and a client that keeps its cookie."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from tests.kit.arena_program import environment
from tests.kit.effort import PATIENCE
from tests.kit.web_room import Answer

_ADDRESS: Final = re.compile(r"(http://127\.0\.0\.1:\d+)(/in/[\w-]+)")


class PlayWindow:
    """The command, and a client that keeps its cookie."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.printed = ""
        """What it has printed so far."""
        while (found := _ADDRESS.search(self.printed)) is None:
            self.printed += self.line()
        self.server, self.link = found.groups()
        self.cookie = ""

    def wait_for(self, text: str) -> None:
        """Waits until it has printed that."""
        while text not in self.printed:
            self.printed += self.line()

    def line(self) -> str:
        """The next line that it prints."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, (self.printed, self._process.stderr and self._process.stderr.read())
        return line

    def interrupt(self) -> tuple[int, str]:
        """Ctrl-C; returns the exit code and what it wrote to stderr. What it prints meanwhile is in `printed`."""
        self._process.send_signal(signal.SIGINT)
        out, err = self._process.communicate(timeout=PATIENCE)
        self.printed += out
        return self._process.returncode, err

    def ask(self, path: str, *, method: str = "GET", form: dict[str, str] | None = None, **headers: str) -> Answer:
        """The answer to one request, with the cookie if there is one. `form`: sent by POST from the page itself."""
        sent = {"cookie": self.cookie} | headers
        body = None
        if form is not None:
            method, body = "POST", urlencode(form)
            sent |= {"content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin"} | headers
        with closing(http.client.HTTPConnection(self.server.removeprefix("http://"), timeout=PATIENCE)) as connection:
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read().decode())

    def enter(self) -> Answer:
        """Opens the printed address, and keeps the cookie."""
        answer = self.ask(self.link)
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return answer


@contextmanager
def play_window(folder: Path, *arguments: str, **variables: str) -> Iterator[PlayWindow]:
    """`arena play ARGUMENTS --web` in that folder, without a browser unless `variables` of the environment say more."""
    away = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "SSH_CONNECTION", "SSH_TTY")
    kept = {name: value for name, value in environment(80).items() if name not in away}
    process = subprocess.Popen(
        [sys.executable, "-m", "arena", "play", *arguments, "--web"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=kept | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} | variables,
    )
    with process:
        try:
            yield PlayWindow(process)
        finally:
            process.kill()
