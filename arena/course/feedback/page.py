"""The page of one agent's feedback: one file that needs no network, for a browser.

It has what the text has, with pictures of the boards. Everything from agents and rules is escaped. A server takes the
parts of the page and puts them into a frame of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from arena.course.feedback import sentences
from arena.course.feedback.commands import last_ply_to_see, next_commands, to_see
from arena.history.words import moment
from arena.pages import parts
from arena.pages.boards import boards
from arena.pages.drawing import Document, Frame, draw
from arena.pages.html import element, words

if TYPE_CHECKING:
    from arena.course.feedback.findings import Fault, GameToSee
    from arena.course.feedback.sentences import AgentFeedback


class Parts(Struct, frozen=True, kw_only=True):
    """The parts of the page."""

    result: Sequence[str]
    rest: Sequence[str]
    styles: Sequence[str]


def page(feedback: AgentFeedback) -> Document:
    """The whole page."""
    drawn = page_parts(feedback)
    made = f"As of {moment(feedback.made)}. Made by arena feedback, for the author of {feedback.agent.name} only."
    return draw(
        "plain.html",
        f"{feedback.agent.name} in {feedback.title}",
        Frame(below=made),
        styles=("results.css", *drawn.styles),
        heading=words(feedback.agent.name),
        body="\n".join([*drawn.result, *drawn.rest]),
    )


def page_parts(
    feedback: AgentFeedback,
    game: Callable[[int, int], str] | None = None,
    agent: Callable[[str], str] | None = None,
) -> Parts:
    """The parts. `game`: the address of a game at the ply to look at; without it, the page names the command that shows
    it. `agent`: the address of the page of an agent, if it has one."""
    name = words if agent is None else lambda name: parts.link(agent(name), name)
    found = feedback.found
    drawn = boards((picture.state, picture.last) for seen in found.to_see for picture in seen.pictures)
    return Parts(
        result=[*_result(feedback, name)],
        rest=[
            *(_faults(feedback) if found.games else ()),
            *_games(feedback, iter(drawn.drawn), game, name),
            *_commands(feedback),
            drawn.shared,
        ],
        styles=[drawn.sheet, "feedback.css"],
    )


def _result(feedback: AgentFeedback, name: Callable[[str], str]) -> Iterator[str]:
    own = feedback.agent.name
    yield element("p", name(own), words(sentences.result(feedback).removeprefix(own)), class_="result")
    for sentence in sentences.more_about_the_result(feedback):
        yield element("p", words(sentence))


def _faults(feedback: AgentFeedback) -> Iterator[str]:
    yield element("h2", "Faults")
    yield element("p", words(sentences.about_faults(feedback)))
    for fault in feedback.found.faults:
        yield element("section", *_fault(fault), class_="fault")


def _fault(fault: Fault) -> Iterator[str]:
    yield element("h3", words(sentences.fault_heading(fault)))
    details = (
        element("div", element("dt", name), element("dd", words(value)))
        for name, value in sentences.fault_details(fault)
    )
    yield element("dl", *details)
    if fault.why.stderr:
        yield element("pre", words(fault.why.stderr))


def _games(
    feedback: AgentFeedback,
    drawn: Iterator[str],
    address: Callable[[int, int], str] | None,
    name: Callable[[str], str],
) -> Iterator[str]:
    yield element("h2", "Games to look at")
    yield element("p", words(sentences.about_games(feedback)))
    for game in feedback.found.to_see:
        section = [*_game(game, [next(drawn) for _ in game.pictures], feedback, name)]
        if address is None:
            section.append(element("pre", words(to_see(game, feedback.where)), class_="command"))
        else:
            section.append(element("p", parts.link(address(game.id, last_ply_to_see(game)), "Step through this game")))
        yield element("section", *section, class_="game")


def _game(game: GameToSee, drawn: Sequence[str], feedback: AgentFeedback, name: Callable[[str], str]) -> Iterator[str]:
    yield element("h3", sentences.game_heading(game, feedback.where.rules, name=name))
    yield element("p", words(" ".join(sentences.about_game(game))))
    figures = (
        element("figure", board, element("figcaption", words(picture.caption)))
        for board, picture in zip(drawn, game.pictures, strict=True)
    )
    yield element("div", *figures, class_="boards")


def _commands(feedback: AgentFeedback) -> Iterator[str]:
    yield element("h2", "What to type next")
    for command in next_commands(feedback.found, feedback.own, feedback.where):
        yield element("pre", words(command.line), class_="command")
        yield element("p", words(command.why[:1].upper() + command.why[1:]))
    if feedback.found.games and feedback.where.bundle:
        yield element("p", words(sentences.bundle_use(feedback)), class_="faint")
