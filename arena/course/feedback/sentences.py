"""The sentences of feedback, which the page and the text share: the result, each fault, each game to look at, and the
commands to type next, with their reasons.

Pure. Texts that agents wrote are in them, so the page escapes them and the text makes them printable.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from adsearch.pictures.boards.paper import player
from agents.protocol import Verdict
from arena.history.words import ENDS, counted, piece
from arena.results import figures
from db.records import Mark

if TYPE_CHECKING:
    from arena.course.feedback.agent_feedback import (
        AgentFeedback,
        Fault,
        FeedbackAgent,
        Findings,
        GameConditions,
        GameToSee,
    )
    from db.records import JudgedPly


# The commands that the author of an agent types next, with their reasons. They use the bundle beside the page, if
# any.


_STOPS: Final = (Verdict.CRASHED, Verdict.ILLEGAL)
"""Faults that `arena replay --debug` can show, because they need no clock."""


class Command(Struct, frozen=True):
    """A command, and what it is good for."""

    line: str
    why: str


def to_see(game: GameToSee, where: GameConditions) -> str:
    """The command that shows a game from the ply to look at."""
    ply = last_ply_to_see(game)
    return where.replay(game, *(["--ply", str(ply)] if ply else []))


def last_ply_to_see(game: GameToSee) -> int:
    """The ply to look at, which after a fault is the last one that was played; 0: the end of the game."""
    return game.ply - 1 if game.fault is not None else game.ply


def next_commands(found: Findings, agent: FeedbackAgent, where: GameConditions) -> Sequence[Command]:
    """What to type next, the most useful first."""
    check = Command(
        shlex.join(["arena", "check", agent.file, "--game", where.rules, "--clock", where.clock]),
        "plays test games with the clock of the tournament, and explains every fault. Use it before you hand in.",
    )
    climb = Command(
        shlex.join(["arena", "climb", agent.file, "--game", where.rules, "--clock", where.clock]),
        "measures your agent against stronger and stronger opponents. Use it to see whether a change helped.",
    )
    if not found.games:
        return [check]
    if found.faults:
        first = next(game for game in found.to_see if game.fault is not None)
        return [*_debug(first, agent, where), check]
    mistaken = next((game for game in found.to_see if game.mistake is not None), None)
    if mistaken is not None:
        return [*_debug(mistaken, agent, where), climb]
    unclear = next((game for game in found.to_see if game.lost and not game.hidden), None)
    if unclear is not None and where.bundle:
        deeper = where.replay(unclear, "--mistakes", "--seconds", "1")
        return [climb, Command(deeper, "searches that lost game for mistakes, longer than this page did.")]
    return [climb]


def _debug(game: GameToSee, agent: FeedbackAgent, where: GameConditions) -> list[Command]:
    """Asks the agent for the move again; nothing if `arena replay --debug` cannot show it."""
    if not where.bundle or not agent.python:
        return []
    if game.fault is not None and not (game.fault.asked and game.fault.verdict in _STOPS):
        return []
    line = where.replay(game, "--debug", "--turn", str(game.ply), "--file", agent.file)
    return [
        Command(line, "asks your agent for this move again, so that you can print values and use breakpoint() there.")
    ]


def result(feedback: AgentFeedback) -> str:
    """The result in one sentence."""
    agent, one = feedback.agent, feedback.agent.standing
    if one.games == 0:
        return f"{agent.name} has not finished a game in {feedback.title} yet."
    rank = f"rank {one.rank} of {feedback.places}" if one.rank else "no rank yet"
    rating = figures.rating_in_full(agent, feedback.made)
    return (
        f"{agent.name} has {rank} in {feedback.title}, with "
        f"{figures.points(one.points)} from {counted(one.games, 'game')} "
        f"({one.wins:,} won, {one.draws:,} drawn, {one.losses:,} lost){f', rating {rating}' if rating else ''}."
    )


def more_about_the_result(feedback: AgentFeedback) -> Iterator[str]:
    """The change since the version before, and what the agent's status means."""
    agent = feedback.agent
    if len(agent.versions) > 1:
        before, now = agent.versions[-2:]
        likely = "" if now.better is None else f" It is stronger with {figures.percent(now.better)} likelihood."
        yield (
            f"{now.version} has the rating {figures.whole(now.rating)} ± {figures.whole(now.error)}; "
            f"{before.version} had {figures.whole(before.rating)} ± {figures.whole(before.error)}.{likely}"
        )
    if agent.status == "quarantined":
        yield (
            "Your agent is quarantined, because it failed in several games in a row: it loses its other games without "
            "playing, until a new version is entered."
        )
    elif agent.status != "active":
        yield f"Your agent is {agent.status}."


def about_faults(feedback: AgentFeedback) -> str:
    """How many games were lost by faults."""
    found = feedback.found
    lost = sum(fault.games for fault in found.faults)
    if not lost:
        return f"None: there was no crash, illegal move or other fault in {counted(found.games, 'game')}."
    played = counted(found.games, "game")
    return f"Your agent played {played} and lost {lost:,} of them by its own fault. Repair this first."


def fault_heading(fault: Fault) -> str:
    """Such as "3 games: played an illegal move"."""
    return f"{counted(fault.games, 'game')}: {ENDS[fault.verdict]}"


def fault_details(fault: Fault) -> Iterator[tuple[str, str]]:
    """What happened, and what to do; each with its name."""
    why = fault.why
    yield "What happened", why.message
    if why.expected:
        yield "Expected", why.expected
    if why.got:
        yield "Got", why.got
    if why.advice:
        yield "What to do", why.advice


def about_games(feedback: AgentFeedback) -> str:
    """What the list of games is, or why it is empty."""
    if not feedback.found.games:
        return "No game that counts has finished with this version."
    if not feedback.found.to_see:
        return "None: your agent won every game. Measure it against stronger opponents."
    return "A fault comes first, then clear mistakes against the weakest opponents: these are the next points to win."


def game_heading(game: GameToSee, rules: str) -> str:
    """The game with its opponents, and the agent's pieces or seat."""
    return f"Game {game.name} against {', '.join(opponents(game))} (your agent: {own_side(game, rules)})"


def opponents(game: GameToSee) -> list[str]:
    """The other players."""
    return [name for seat, name in enumerate(game.players) if seat != game.seat]


def own_side(game: GameToSee, rules: str) -> str:
    """The agent's pieces, or else its seat."""
    return piece(game.seat, rules) or player(game.seat)


def about_game(game: GameToSee) -> Iterator[str]:
    """What to see in the game."""
    if game.fault is not None:
        yield f"At ply {game.ply} your agent {ENDS[game.fault.verdict]}: {game.fault.why.message}"
    elif game.mistake is not None:
        yield _mistake(game.mistake)
        yield from _proven(game.mistake, game.seat)
    elif game.hidden:
        yield "Players do not see everything in this game, so no move is called a mistake. Step through it."
    elif game.lost:
        yield "The search found no single clear mistake: your agent lost step by step."
    else:
        shared = "A draw." if len(game.players) == 2 else "Your agent shared the points of the winner."
        yield f"{shared} The search found no clear mistake."


def bundle_use(feedback: AgentFeedback) -> str:
    """How to use the bundle."""
    return (
        f"Put {feedback.where.bundle} into the folder with your agent, and type the commands there. It has all games "
        "of your agent, and what it printed."
    )


def _mistake(ply: JudgedPly) -> str:
    kind = "a serious mistake" if ply.mark is Mark.BLUNDER else "a mistake"
    better = ""
    if ply.better:
        then = f", which leads to {' '.join(ply.better[1:])}" if ply.better[1:] else ""
        better = f" Better was {ply.better[0]}{then}."
    return f"At ply {ply.ply} your agent played {ply.move}, {kind}.{better}"


def _proven(ply: JudgedPly, seat: int) -> Iterator[str]:
    """What the mistake changed, where the search proved it."""
    if len(ply.before.values) != 2:
        return
    before, after = (_outcome(value.values[seat]) if value.exact else "" for value in (ply.before, ply.after))
    if before and after and before != after:
        yield f"Before this move the position was {before}, after it {after} (proven)."
    elif before == "won":
        yield "Before this move the position was won (proven)."
    elif after == "lost":
        yield "After this move the position was lost (proven)."


def _outcome(value: float) -> str:
    return "won" if value > 0.0 else "lost" if value < 0.0 else "a draw"
