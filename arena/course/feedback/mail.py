"""mail.csv: a line for each student, with the address and the text, for a program that sends mails.

Pure. Members of a team get the same text. A student without an agent has a line too. If the latest submission does not
play, the text begins with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from arena.course.collecting.agent_names import agent_names
from arena.course.roster import Roster, folded, replace_unprintable
from arena.history import csv_cells
from arena.tournament.collected_file import Refused

COLUMNS: Final = ("id", "name", "email", "agent", "page", "text_file", "bundle", "subject", "text")


_NOTHING_KNOWN: Final = (
    "Either you handed in nothing, or it did not pass its check: `arena check` explains every fault. Use it, and hand "
    "in again.\n"
)


class Letter(Struct, frozen=True, kw_only=True):
    """What the author of one agent gets. Files are relative to the folder of the feedback."""

    agent: str
    """Its public name."""
    page: str
    text_file: str
    bundle: str
    """Empty if the agent has no finished game."""
    text: str
    left_out: tuple[str, ...]
    """For each source that is not in the bundle, the reason."""


def mail(letters: Sequence[Letter], roster: Roster | None, title: str, refused: Sequence[Refused] = ()) -> str:
    """The table. Without a roster it has a line for each agent, and no addresses. `refused`: the latest submissions,
    where they do not play."""
    rows = _of_agents(letters, title) if roster is None else _of_students(letters, roster, title, refused)
    return csv_cells.text(rows, titles=COLUMNS, multiline=COLUMNS[-1:])


def without_agent(letters: Sequence[Letter], roster: Roster) -> int:
    """The number of students without an agent."""
    playing = {folded(letter.agent) for letter in letters}
    return sum(folded(replace_unprintable(one.alias)) not in playing for one in roster.students)


def _of_agents(letters: Sequence[Letter], title: str) -> Iterator[list[str]]:
    for letter in letters:
        yield ["", letter.agent, "", *_cells(letter, title)]


def _of_students(
    letters: Sequence[Letter], roster: Roster, title: str, refused: Sequence[Refused]
) -> Iterator[list[str]]:
    by_alias: Mapping[str, Letter] = {folded(letter.agent): letter for letter in letters}
    reasons = {folded(one.name): _reason(one) for one in refused}
    # A roster from which nothing was collected need not give every student a name for an agent.
    names = agent_names(roster) if refused else {}
    for one in roster.students:
        letter = by_alias.get(folded(replace_unprintable(one.alias)))
        reason = reasons.get(folded(names.get(one, "")), "")
        without = f"You have no agent in {title}. {'' if reason else _NOTHING_KNOWN}"
        nothing = ["", "", "", "", f"{title}: no agent", without]
        *cells, text = nothing if letter is None else _cells(letter, title)
        yield [one.id, one.name, one.email, *cells, f"{reason}{text}".rstrip() + "\n"]


def _reason(one: Refused) -> str:
    """Why the latest submission does not play, with what to do."""
    return (
        f"Your latest submission, {one.submission}, does not play. {one.why}\n"
        "`arena check` finds faults before you hand in.\n\n"
    )


def _cells(letter: Letter, title: str) -> list[str]:
    subject = f"{title}: feedback for {letter.agent}"
    return [letter.agent, letter.page, letter.text_file, letter.bundle, subject, letter.text]
