"""Reduces a game to what can be published: its moves and its result, without anything that agents wrote or real names.

Every game passes through here before its page is made, so the page cannot show more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from agents.protocol import Verdict
from arena.history.words import helped, ruled, verdict_on_record, without_store
from arena.results.report import ListedGame
from db.records import SAID

if TYPE_CHECKING:
    from arena.course.aliases import ShownNames
    from db.records import PastGame


def public_rules(text: str, names: ShownNames | None = None) -> str:
    """A game's rules: of a file only its name; with `names`, real names in it are redacted."""
    shown = without_store(text)
    return names.redact(shown) if names is not None and ".py" in shown else shown


def public_ending(game: PastGame, players: Sequence[str], names: ShownNames) -> str:
    """How the game ended, in our words, with `players` as the players' names."""
    return verdict_on_record(game, players, _public_detail(game, names))


def public_game(game: PastGame, names: ShownNames, title: str) -> PastGame:
    """The game without anything private: real names, what agents wrote, files, reasons of rulings, machines. That a
    person had help is no secret."""
    ruling = game.ruling
    return replace(
        game,
        tournament=title,
        detail=_public_detail(game, names),
        host=None,
        seed=0,
        pair="",
        seats=tuple(
            replace(seat, player=names.shown[seat.player], stderr=None, cpu=None, memory=None) for seat in game.seats
        ),
        moves=tuple(replace(move, **dict.fromkeys(SAID)) for move in game.moves),
        rulings=() if ruling is None else (ruling if helped(ruling) else replace(ruling, reason=""),),
    )


def listed_game(game: PastGame, names: ShownNames) -> ListedGame:
    """The game in a list of games that are over."""
    players = tuple(names.shown[name] for name in game.players)
    return ListedGame(
        id=game.id,
        number=game.number,
        attempt=game.attempt,
        round=game.round,
        players=players,
        points=None if game.counted is None else tuple(game.counted),
        ended=public_ending(game, players, names),
        fault=None if game.verdict == Verdict.RESIGNED else game.fault,
        forfeited=game.verdict == Verdict.FORFEIT,
        plies=game.plies,
        notes=tuple(_notes(game, players)),
    )


def _notes(game: PastGame, players: Sequence[str]) -> Iterator[str]:
    if game.ruling is not None:
        yield ruled(game.ruling, players)
    if not all(seat.current for seat in game.seats):
        yield "earlier version"


def _public_detail(game: PastGame, names: ShownNames) -> str:
    """How the game ended in the words of its rules, redacted; empty if it could have an agent's words in it."""
    return names.redact(game.detail or "") if game.verdict == Verdict.NORMAL else ""
