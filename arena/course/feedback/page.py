"""The page of one agent's feedback: one file that needs no network, for a browser.

It has what the text has, with pictures of the boards. Everything from agents and rules is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from arena.course.feedback import sentences
from arena.course.feedback.commands import next_commands, to_see
from arena.history.pages import html
from arena.history.pages.boards import boards
from arena.history.pages.html import element, words
from arena.results.pages import parts

if TYPE_CHECKING:
    from arena.course.feedback.findings import Fault, GameToSee
    from arena.course.feedback.sentences import AgentFeedback


def page(feedback: AgentFeedback) -> str:
    """The whole page."""
    found = feedback.found
    drawn = boards((picture.state, picture.last) for game in found.to_see for picture in game.pictures)
    made = f"As of {parts.moment(feedback.made)}. Made by arena feedback, for the author of {feedback.agent.name} only."
    return html.document(
        f"{feedback.agent.name} in {feedback.title}",
        element("header", element("h1", words(feedback.agent.name)), *_result(feedback)),
        element(
            "main",
            *(_faults(feedback) if found.games else ()),
            *_games(feedback, iter(drawn.drawn)),
            *_commands(feedback),
            drawn.shared,
        ),
        element("footer", words(made), class_="faint"),
        styles=(drawn.sheet, parts.STYLE, html.file("feedback.css", __package__)),
    ).text


def _result(feedback: AgentFeedback) -> Iterator[str]:
    yield element("p", words(sentences.result(feedback)), class_="result")
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


def _games(feedback: AgentFeedback, drawn: Iterator[str]) -> Iterator[str]:
    yield element("h2", "Games to look at")
    yield element("p", words(sentences.about_games(feedback)))
    for game in feedback.found.to_see:
        yield element("section", *_game(game, [next(drawn) for _ in game.pictures], feedback), class_="game")


def _game(game: GameToSee, drawn: Sequence[str], feedback: AgentFeedback) -> Iterator[str]:
    yield element("h3", words(sentences.game_heading(game, feedback.where.rules)))
    yield element("p", words(" ".join(sentences.about_game(game))))
    figures = (
        element("figure", board, element("figcaption", words(picture.caption)))
        for board, picture in zip(drawn, game.pictures, strict=True)
    )
    yield element("div", *figures, class_="boards")
    yield element("pre", words(to_see(game, feedback.where)), class_="command")


def _commands(feedback: AgentFeedback) -> Iterator[str]:
    yield element("h2", "What to type next")
    for command in next_commands(feedback.found, feedback.own, feedback.where):
        yield element("pre", words(command.line), class_="command")
        yield element("p", words(command.why[:1].upper() + command.why[1:]))
    if feedback.found.games:
        yield element("p", words(sentences.bundle_use(feedback)), class_="faint")
