"""Writes feedback into a folder: for each agent a page, a text and its bundle; and mail.csv for all.

Each process reads the games of one agent at a time, so that memory use stays small.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from arena.course import bundle, report
from arena.course.aliases import ShownNames
from arena.course.collecting.hand_in import agent_names
from arena.course.feedback import sentences
from arena.course.feedback.agent_feedback import Author, agent_feedback, read_games
from arena.course.feedback.sentences import last_ply_to_see, next_commands, to_see
from arena.course.output_folder import spread
from arena.course.report import WholeReport
from arena.course.roster import Roster, folded, replace_unprintable
from arena.history import csv_cells, words
from arena.history.words import moment
from arena.pages.boards import drawn_boards
from arena.pages.drawing import Document, PageFrame, draw
from arena.players import versions
from arena.players.submissions import Store
from arena.tournament.collected_file import Refused
from db import running
from db.bundles import store_beside
from db.database import Database
from db.errors import NotFound

if TYPE_CHECKING:
    from arena.course.feedback.agent_feedback import AgentFeedback, Fault, GameToSee
    from db.database import Connection

MAIL: Final = "mail.csv"
_PRIVATE: Final = """\
This folder is private. Send each student only the files of their own agent.

mail.csv has names, addresses and texts. A folder NAME has the page, the text and the bundle (NAME.arena) of the agent
NAME: what it printed, and its source. Do not put this folder on a web server.
"""
_FEW: Final = 8
"""With fewer agents, one process is faster than starting another one."""


class Shared(Struct, frozen=True, kw_only=True):
    """What the feedback for all agents shares."""

    report: WholeReport
    """Without its list of games."""
    names: ShownNames
    folder: str
    tournament: int
    roster: Roster | None
    trust: bool
    """Whether recorded rules can be run that belong to another user."""
    refused: Sequence[Refused] = ()
    """The latest submissions that do not play, as far as known."""


def write_feedback(
    connection: Connection, shared: Shared, *, database: str | None, processes: int, done: Callable[[int, int], None]
) -> list[Letter]:
    """Writes the feedback into the empty folder and returns what each agent's author gets, in the order of the
    standings. `done` is called with the number of agents so far, and of all."""
    authors = _authors(connection, shared)
    without_games = replace(shared, report=replace(shared.report, games=()))
    written: dict[str, Letter] = {}
    processes = 1 if len(authors) < _FEW else processes
    for letter in spread(partial(write_agent, without_games), authors, database=database, processes=processes):
        written[letter.agent] = letter
        done(len(written), len(authors))
    letters = [written[one.agent.name] for one in authors]
    folder = Path(shared.folder)
    (folder / MAIL).write_text(mail(letters, shared.roster, shared.report.title, shared.refused), "utf-8")
    (folder / "PRIVATE.txt").write_text(_PRIVATE, "utf-8")
    return letters


def _authors(connection: Connection, shared: Shared) -> list[Author]:
    """All agents that students wrote: those that are neither built in nor engines."""
    entered = {
        shared.names.shown[entry.name]: entry
        for entry in running.entries(connection, shared.tournament)
        if not versions.is_ready_made(entry.source, entry.started_as)
    }
    theirs = [agent for agent in shared.report.agents if agent.name in entered]
    folders = report.address_of([agent.name for agent in theirs]).agents
    games: dict[str, list[int]] = {agent.name: [] for agent in theirs}
    for game in shared.report.games:
        for player in {*game.players} & games.keys():
            games[player].append(game.id)
    return [
        Author(
            agent=agent,
            name=entered[agent.name].name,
            folder=folders[agent.name],
            games=games[agent.name],
        )
        for agent in theirs
    ]


def write_agent(shared: Shared, database: Database, author: Author) -> Letter:
    """Writes the files for the author of one agent."""
    folder = Path(shared.folder, author.folder)
    folder.mkdir()
    bundled = f"{author.folder}.arena"
    store = Store(store_beside(database.file))
    left_out: tuple[str, ...] = ()
    with database.reading() as connection:
        read = read_games(connection, shared.report, author, shared.names.shown, store)
        feedback = agent_feedback(shared.report, read, shared.names.shown, bundle=bundled, trust=shared.trust)
        try:
            left_out = bundle.write(
                connection,
                store,
                author.name,
                folder / bundled,
                now=shared.report.made,
                tournament=shared.tournament,
                roster=shared.roster,
            ).missing
        except NotFound:  # no game is over
            bundled = ""
    written = text(feedback)
    (folder / "index.html").write_text(page(feedback).text, "utf-8")
    (folder / "feedback.txt").write_text(written, "utf-8")
    return Letter(
        agent=author.agent.name,
        page=f"{author.folder}/index.html",
        text_file=f"{author.folder}/feedback.txt",
        bundle=bundled and f"{author.folder}/{bundled}",
        text=written,
        left_out=left_out,
    )


# Feedback as text, for a mail: the same as the page, with boards as the game writes them.


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


# The page of one agent's feedback: what the text has, with pictures of the boards.


def page(feedback: AgentFeedback) -> Document:
    """The page as a file."""
    made = (
        f"As of {moment(feedback.made)}. Made by arena course feedback, for the author of {feedback.agent.name} only."
    )
    values = of_feedback(feedback)
    values |= {"heading": feedback.agent.name, "others": ()}
    title = f"{feedback.agent.name} in {feedback.title}"
    return draw("feedback.html", title, PageFrame(below=made), **values)


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
    drawn = drawn_boards((picture.state, picture.last) for seen in found.to_see for picture in seen.pictures)
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


# mail.csv: a line for each student, with the address and the text, for a program that sends mails.


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
    rows: Iterable[list[str]] = (["", letter.agent, "", *_cells(letter, title)] for letter in letters)
    if roster is not None:
        rows = _of_students(letters, roster, title, refused)
    return csv_cells.text(rows, titles=COLUMNS, multiline=COLUMNS[-1:])


def without_agent(letters: Sequence[Letter], roster: Roster) -> int:
    """The number of students without an agent."""
    playing = {folded(letter.agent) for letter in letters}
    return sum(folded(replace_unprintable(one.alias)) not in playing for one in roster.students)


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
