"""Feedback as text, for a mail: the same as the page, with boards as the game writes them.

Always true: each line is printable, and no line begins with a sign that a spreadsheet reads as a formula.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from arena.course.feedback import sentences
from arena.course.feedback.commands import next_commands, to_see
from arena.history import words

if TYPE_CHECKING:
    from arena.course.feedback.findings import Fault, GameToSee
    from arena.course.feedback.sentences import AgentFeedback

_WIDTH: Final = 76
_MOST_LOGGED: Final = 12
"""Most lines of a traceback."""


def text(feedback: AgentFeedback) -> str:
    """The whole text."""
    return "\n".join(line.rstrip() for line in _lines(feedback)) + "\n"


def _lines(feedback: AgentFeedback) -> Iterator[str]:
    found = feedback.found
    yield from _wrapped(sentences.result(feedback))
    for sentence in sentences.more_about_the_result(feedback):
        yield from _wrapped(sentence)
    if found.games:
        yield from _heading("Faults")
        yield from _wrapped(sentences.about_faults(feedback))
        for fault in found.faults:
            yield from _fault(fault)
    yield from _heading("Games to look at")
    yield from _wrapped(sentences.about_games(feedback))
    for game in found.to_see:
        yield from _game(game, feedback)
    yield from _heading("What to type next")
    for command in next_commands(found, feedback.own, feedback.where):
        yield f"    {words.printable(command.line)}"
        yield from _wrapped(command.why, indent="    ")
        yield ""
    if found.games:
        yield from _wrapped(sentences.bundle_use(feedback))


def _fault(fault: Fault) -> Iterator[str]:
    yield ""
    yield from _wrapped(sentences.fault_heading(fault))
    for name, value in sentences.fault_details(fault):
        yield from _wrapped(f"{name}: {value}", indent="    ")
    logged = fault.why.stderr.splitlines()
    for line in logged[-_MOST_LOGGED:]:
        yield f"      | {words.printable(line)}"


def _game(game: GameToSee, feedback: AgentFeedback) -> Iterator[str]:
    yield ""
    yield from _wrapped(sentences.game_heading(game, feedback.where.rules))
    for sentence in sentences.about_game(game):
        yield from _wrapped(sentence, indent="    ")
    for picture in game.pictures:
        yield ""
        yield from _wrapped(picture.caption, indent="    ")
        for line in words.drawn(picture.state, picture.last).split("\n"):
            yield f"      {line}"
    yield ""
    yield f"    {words.printable(to_see(game, feedback.where))}"


def _heading(title: str) -> Iterator[str]:
    yield from ("", title.upper(), "")


def _wrapped(sentence: str, *, indent: str = "") -> Iterator[str]:
    yield from textwrap.wrap(
        words.printable(sentence),
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
