"""The page of one agent's feedback: what the text has, with pictures of the boards.

It is a file that needs no network; a server shows the same page, with links to games and agents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from arena.course.feedback import sentences
from arena.course.feedback.commands import last_ply_to_see, next_commands, to_see
from arena.history.words import moment
from arena.pages.boards import boards
from arena.pages.drawing import Document, Frame, draw

if TYPE_CHECKING:
    from arena.course.feedback.sentences import AgentFeedback


def page(feedback: AgentFeedback) -> Document:
    """The page as a file."""
    made = (
        f"As of {moment(feedback.made)}. Made by arena course feedback, for the author of {feedback.agent.name} only."
    )
    values = of_feedback(feedback)
    values |= {"heading": feedback.agent.name, "others": ()}
    title = f"{feedback.agent.name} in {feedback.title}"
    return draw("feedback.html", title, Frame(below=made), **values)


def of_feedback(
    feedback: AgentFeedback,
    game: Callable[[int, int], str] | None = None,
    agent: Callable[[str], str] | None = None,
) -> dict[str, Any]:
    """Values of the template feedback.html. `game`: the address of a game at the ply to look at; without it, the page
    names the command that shows it. `agent`: the address of the page of an agent, if it has one."""

    def address(name: str) -> str | None:
        return None if agent is None else agent(name)

    found, own = feedback.found, feedback.agent.name
    drawn = boards((picture.state, picture.last) for seen in found.to_see for picture in seen.pictures)
    left = iter(drawn.drawn)
    games = [
        {
            "name": seen.name,
            "others": [(name, address(name)) for name in sentences.opponents(seen)],
            "own": sentences.own_side(seen, feedback.where.rules),
            "text": " ".join(sentences.about_game(seen)),
            "boards": [(next(left), picture.caption) for picture in seen.pictures],
            "href": "" if game is None else game(seen.id, last_ply_to_see(seen)),
            "command": to_see(seen, feedback.where),
        }
        for seen in found.to_see
    ]
    return {
        "feedback": feedback,
        "sentences": sentences,
        "own": {"name": own, "href": address(own), "result": sentences.result(feedback).removeprefix(own)},
        "more": [*sentences.more_about_the_result(feedback)],
        "games": games,
        "commands": [*next_commands(found, feedback.own, feedback.where)],
        "shared": drawn.shared,
    }
