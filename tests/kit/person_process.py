"""A process with one person, who sits down at a game, and thinks until the process ends.

    python -m tests.kit.person_process

It complains to its director when it is the person's turn.
"""

import select
import socket
import sys

from arena.play.helper import Lines
from arena.serve.messages import Complaint, to_pages
from arena.web.persons_game import GameStatus, PersonsGame, PersonsGames

link = socket.socket(fileno=sys.stdin.fileno())
lines = Lines(link)
tables = PersonsGames(lines.send)


def changed(game: PersonsGame) -> None:
    """The game has changed."""
    if game.seen.status is GameStatus.YOURS:
        lines.send(Complaint("it is the person's turn"))


if __name__ == "__main__":
    tables.changed = changed
    tables.open("ann", game="", opponent="random", seat=0, clock="300")
    while not lines.has_ended:
        select.select([link], [], [])
        for line in lines.received():
            tables.take(to_pages(line))
