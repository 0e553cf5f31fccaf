"""Results from a file, for ratings: a plain list, a file of `arena data export`, or the PGN of another program.

Of another program's PGN only the tags are read: the players and the result. Games without a result, forfeits, void
games, games with a ruling and games of people are left out, as for recorded games.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from adsearch.errors import quote
from agents.protocol import Verdict
from arena.errors import BadImport
from arena.history import exchange
from arena.history.exchange.checks import refuse
from arena.history.exchange.spreadsheet import points
from db.records import HUMAN, PastGame, RatedGame

_TAG: Final = re.compile(r'\[([A-Za-z]\w*)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')
_OURS: Final = re.compile(r"^\[Pair \"", re.MULTILINE)
_NOT_RATED: Final = (Verdict.FORFEIT, Verdict.VOID)


def read(text: str, name: str) -> list[RatedGame]:
    """The rated games of a file called `name`, in its order; BadImport if the file cannot be read or has no games."""
    text = text.removeprefix("\ufeff")
    if text.lstrip()[:1] == "[" and not _OURS.search(text):
        found = list(_foreign(text, name))
    else:
        found = list(_rated(exchange.read(text, name)))
    if not found:
        raise BadImport(f"{name}: expected games with a result, got none")
    return found


def _rated(games: list[PastGame]) -> Iterator[RatedGame]:
    attempts: dict[tuple[str | None, str, int], int] = {}
    for game in games:
        identity = (game.tournament, game.pair, game.leg)
        attempts[identity] = max(game.attempt, attempts.get(identity, 0))
    for game in games:
        scores = game.points
        last = game.attempt == attempts[game.tournament, game.pair, game.leg]
        current = all(seat.current for seat in game.seats)
        if scores is None or game.ruling is not None or game.verdict in _NOT_RATED or not last or not current:
            continue
        if game.counts is False or HUMAN in game.players:  # it did not count where it was exported
            continue
        yield RatedGame(
            tuple(game.players),
            tuple(scores),
            rules=game.game,
            pair=(game.tournament, game.pair),
            round=game.round,
            finished=game.finished,
        )


def _foreign(text: str, name: str) -> Iterator[RatedGame]:
    tags: dict[str, str] = {}
    begun, in_tags, in_comment = 0, False, False
    for number, line in enumerate(text.split("\n"), 1):
        found = None if in_comment else _TAG.fullmatch(line)
        if found is None:
            in_comment = _stays_open(line, in_comment)
            in_tags = in_tags and not line.strip()
            continue
        if not in_tags or found[1] in tags:  # the second: two games with only a blank line between them
            if tags:
                yield from _tagged(tags, name, begun)
            tags, begun, in_tags = {}, number, True
        tags[found[1]] = re.sub(r"\\(.)", r"\1", found[2])
    if tags:
        yield from _tagged(tags, name, begun)
    else:
        refuse(name, 1, f'expected tags such as [White "alice"], got {quote(text[:40])}')


def _stays_open(line: str, in_comment: bool) -> bool:
    """Whether the line of moves ends inside a comment in braces."""
    while True:
        if in_comment:
            _, closed, line = line.partition("}")
            if not closed:
                return True
        # A semicolon starts a comment up to the end of the line.
        before, opened, line = line.partition("{")
        if not opened or ";" in before:
            return False
        in_comment = True


def _tagged(tags: dict[str, str], name: str, line: int) -> Iterator[RatedGame]:
    first, second = (tags.get(own) or tags.get(other) for own, other in (("First", "White"), ("Second", "Black")))
    if not first or not second:
        refuse(name, line, 'expected the tags [White "..."] and [Black "..."] in this game')
    given = tags.get("Result", "*")
    try:
        scores = points(given)
    except ValueError:
        scores = []
    if scores is None:
        return
    if len(scores) != 2 or not all(0.0 <= share <= 1.0 for share in scores):
        refuse(name, line, f"expected a result such as 1-0, 0-1, 1/2-1/2 or *, got {quote(given)}")
    round, _, _ = tags.get("Round", "").partition(".")
    yield RatedGame(
        (first, second),
        tuple(scores),
        rules=tags.get("Variant", ""),
        round=int(round) if round.isascii() and round.isdigit() and len(round) < 10 else None,
    )
