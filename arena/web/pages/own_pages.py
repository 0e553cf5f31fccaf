"""The pages of a person: signing in, what an author has on the ladder, handing in, one submission.

Each form works without scripts. The page of a submission changes by itself while it waits, is checked, and plays its
first games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from agents.protocol import Verdict
from arena.history.words import age, counted, moment
from arena.match.clock import SECOND, TimeControl
from arena.pages import parts
from arena.pages.drawing import Document
from arena.pages.html import element, words
from arena.results import figures
from arena.serve.submission_document import REPLACED
from arena.student.checking import NUMBERED_STEPS
from arena.web import links
from arena.web.pages import frame, why_page

if TYPE_CHECKING:
    from arena.accounts.people import Account
    from arena.student.checking import CheckStep
    from arena.web.own import HandedIn, Own, OwnAgent, SubmissionView
    from db.accounts import StoredToken

_SIGNS: Final = {"good": "✓", "warning": "!", "failed": "✗", "skipped": "–"}
_STATES: Final = {
    "received": "waits for its check",
    "checking": "is being checked",
    "failed": "failed its check",
    "refused": "was refused",
    "withdrawn": "was replaced",
}
_PASSED: Final = {
    "active": "passed its check, and plays",
    REPLACED: "passed its check; a newer version plays now",
    "withdrawn": "passed its check; its author's agent is withdrawn",
    "quarantined": "passed its check; its author's agent is put aside",
}
_RESULTS: Final = {1.0: "won", 0.5: "drew", 0.0: "lost"}
_NEXT: Final = {
    "failed": "Correct the agent, and hand it in again.",
    "refused": "Nothing has changed for your agent.",
}

_EXAMPLE: Final = """\
from agents import Agent


class Greedy(Agent):
    def choose(self, state, clock):
        return max(state.moves(), key=lambda move: state.play(move).evaluate(state.turn))
"""
"""The agent of the README."""


def invitation(key: str, name: str) -> Document:
    """The page of an invitation that can be used. Opening it uses nothing: mail programs open links, too."""
    return frame.page(
        "Your invitation",
        element("p", words(f"This link is for {name}. It works once, for one browser.")),
        element(
            "form",
            element("button", "Sign in", type="submit", class_="main"),
            method="post",
            action=links.invitation(key),
        ),
        form=True,
    )


def no_invitation() -> Document:
    """The page of a link that was used, has expired, or never was one."""
    text = "This link does not work: it was used, has been replaced, or is too old. Ask your instructor for a new one."
    return frame.page("No invitation", element("p", text))


def not_signed_in(why: str = "") -> Document:
    """The page of a person for someone who is not signed in. `why`: the reason why nobody can sign in here."""
    text = why or "Open the link that your instructor gave you. If it does not work any more, ask for a new one."
    return frame.page("You are not signed in", element("p", words(text)))


def author(account: Account, own: Own, tokens: Sequence[StoredToken], *, no_hand_ins: str) -> Document:
    """The page of an author. `no_hand_ins`: why nothing can be handed in here; empty if it can."""
    title = own.ladder.title
    until = "Closed since" if own.is_closed else "Open until"
    facts = {"Ladder": title, "Game": own.game, "Clock": own.clock, until: moment(own.closes)}
    why = no_hand_ins or ("" if own.is_closed else own.refused)
    ways = [(links.SUBMIT, "Hand in an agent")] * (not no_hand_ins and not own.refused)
    ways += [(links.play(), "Play against an agent"), (links.WHY, why_page.title(has_lost=own.has_lost))]
    return frame.page(
        account.author,
        element("p", words(f"Signed in as {account.name or account.author}.")),
        parts.facts(facts),
        *([element("p", words(why), class_="notice")] if why else []),
        element("nav", element("ul", *(element("li", parts.link(*way)) for way in ways)), aria_label="What you can do"),
        element("section", *_agents(own), id="agents", data_fresh=True),
        element("section", *_submissions(own.submissions), id="submissions", data_fresh=True),
        *_tokens(tokens),
        sign_out(),
        at=links.ME,
        of=own.ladder,
        made=own.made,
        stream=links.events(t=title),
        form=True,
    )


def sign_out() -> str:
    """The form that ends the session."""
    return element("form", element("button", "Sign out", type="submit"), method="post", action=links.OUT)


def _agents(own: Own) -> Iterator[str]:
    yield element("h2", "Your agents")
    if not own.agents:
        yield element("p", "None of your agents plays yet.")
        return
    columns = [
        ("Agent", ""),
        ("Version", "number"),
        ("Rating", "number"),
        ("±", "number"),
        ("Rated games", "number"),
        ("Rating is", ""),
        ("Status", ""),
    ]
    yield parts.table("Your agents", columns, [_agent(one, own) for one in own.agents])


def _agent(one: OwnAgent, own: Own) -> str:
    return element(
        "tr",
        parts.name(one.name, links.agent(own.ladder.title, one.name)),
        parts.figure(str(one.version)),
        parts.figure("" if one.rating is None else figures.whole(one.rating)),
        parts.figure("" if one.error is None else f"{one.error:.0f}"),
        parts.figure(f"{one.games:,}"),
        parts.cell(words("" if one.rated is None else age(one.rated, own.made))),
        parts.cell(words("plays" if one.status == "active" else one.status)),
    )


def _submissions(submissions: Sequence[HandedIn]) -> Iterator[str]:
    yield element("h2", "What you handed in")
    if not submissions:
        yield element("p", "Nothing yet.")
        return
    columns = [("Submission", ""), ("State", ""), ("Received", ""), ("File", "")]
    yield parts.table("What you handed in", columns, [_submission(one) for one in submissions])


def _submission(one: HandedIn) -> str:
    number = parts.link(links.submission(one.id), f"Submission {one.id}")
    said = f": {one.words}" if one.words else ""
    return element(
        "tr",
        element("th", number, scope="row"),
        parts.cell(element("span", words(f"{state(one)}{said}"), class_="brief"), "ended"),
        parts.cell(words(moment(one.received))),
        parts.cell(element("span", words(one.label), class_="player-name")),
    )


def state(one: HandedIn) -> str:
    """The state of a submission in words, with its place in the queue."""
    said = _PASSED.get(one.status, "passed its check") if one.state == "entered" else _STATES[one.state]
    if one.ahead is None:
        return said
    before = {0: "it is the next one", 1: "1 other is before it"}.get(one.ahead, f"{one.ahead} others are before it")
    return f"{said}; {before}"


def _tokens(tokens: Sequence[StoredToken]) -> Iterator[str]:
    yield element("h2", "Hand in from a terminal")
    yield element("p", "A token lets a program hand in for you, such as ", element("code", "arena submit"), ".")
    for token in tokens:
        used = "not used yet" if token.seen is None else f"last used {moment(token.seen)}"
        yield element(
            "form",
            element("span", words(f"{token.label}, {used} "), class_="player-name"),
            element("button", "Revoke", type="submit", name_="revoke", value=str(token.id)),
            method="post",
            action=links.TOKENS,
        )
    label = element(
        "label",
        element("span", "Name of the computer or program"),
        element("input", name_="label", required=True, maxlength=40),
    )
    yield element(
        "form",
        label,
        element("button", "Make a token", type="submit"),
        method="post",
        action=links.TOKENS,
        class_="row",
    )


def new_token(key: str, address: str) -> Document:
    """The page with a new token, which is shown once."""
    commands = f"export ARENA_SERVER={address}\nexport ARENA_TOKEN={key}\narena submit my_agent.py"
    return frame.page(
        "Your new token",
        element("p", "Copy it now: it is not shown again. Anyone who has it can hand in for you."),
        _code(key, "The token"),
        element("p", "In a terminal:"),
        _code(commands, "The commands"),
        element("p", parts.link(links.ME, "Back to your agents")),
    )


def submit(own: Own, *, wrong: str = "", no_hand_ins: str = "", most: int = 1) -> Document:
    """The page on which an agent is handed in. `wrong`: why the last attempt failed. `most`: the number of agents that
    an author can have."""
    until = "Closed since" if own.is_closed else "Open until"
    why = no_hand_ins or ("" if own.is_closed else own.refused)
    hint = element(
        "p", "One Python file, a folder with agent.py as a zip file, or a file in another language of this course."
    )
    return frame.page(
        "Hand in an agent",
        *([element("p", words(wrong), class_="notice", role="alert")] if wrong else []),
        element("p", words(f"{own.ladder.title}: {own.game}, clock {own.clock}. {until} {moment(own.closes)}.")),
        *([element("p", words(why), class_="notice")] if why else []),
        *([] if no_hand_ins or own.refused else _upload(hint, most)),
        _what_is_an_agent(own),
        element("p", parts.link(links.ME, "Your agents and submissions")),
        of=own.ladder,
        at=links.SUBMIT,
        modules=("submit.js",),
        scripted=True,
        form=True,
    )


def _what_is_an_agent(own: Own) -> str:
    """The smallest agent, and how to begin with one."""
    return element(
        "details",
        element("summary", "What is an agent?"),
        element("p", "A Python class that chooses a move. This is a whole agent:"),
        _code(_EXAMPLE, "A whole agent"),
        element("p", "This command writes one that plays already:"),
        _code(f"arena new my_agent.py --game {own.game}", "The command"),
        element("p", words(f"The clock {own.clock}: {_in_words(TimeControl.parse(own.clock))}")),
    )


def _in_words(control: TimeControl) -> str:
    """How much time an agent has."""
    if control.move:
        return f"at most {_seconds(control.move)} for each move."
    if not control:
        return "there is no limit."
    parts = [f"{_seconds(control.base)} for {f'{control.moves} moves' if control.moves else 'all its moves'}"]
    parts += [f"{_seconds(control.increment)} more after each move"] * bool(control.increment)
    parts += [f"then {counted(control.periods, 'period')} of {_seconds(control.period)}"] * bool(control.periods)
    return f"an agent has {', and '.join(parts)}."


def _code(text: str, label: str) -> str:
    """Text as it is, in a box that scrolls."""
    return element("pre", words(text), tabindex=0, role="region", aria_label=label)


def _seconds(time: int) -> str:
    return f"{time / SECOND:g} s"


def _upload(hint: str, most: int) -> list[str]:
    name = element("input", name_="agent", maxlength=40, autocomplete="off")
    further = element(
        "label",
        element("span", f"Name of a further agent (you can have {most}); leave it empty for your first one"),
        name,
    )
    field = element("input", type="file", name_="file", required=True, id="file", aria_describedby="limits")
    return [
        hint,
        element(
            "form",
            element("label", element("span", "File"), field),
            element("p", "At most 32 MiB, and 2,000 files and folders in a zip.", id="limits", class_="faint"),
            *([further] if most > 1 else []),
            element("button", "Hand in", type="submit", class_="main"),
            element("p", "", id="progress", role="status"),
            method="post",
            action=links.SUBMIT,
            enctype="multipart/form-data",
            class_="upload",
            id="upload",
        ),
    ]


def submission(view: SubmissionView) -> Document:
    """The page of a submission."""
    one = view.one
    agent = parts.linked(one.agent, links.agent(view.ladder.title, view.shown) if view.shown else None)
    return frame.page(
        f"Submission {one.id}",
        element("p", agent, words(f": {one.label}, received {moment(one.received)}")),
        element("section", *_progress(view), id="progress", data_fresh=True),
        *([element("p", parts.link(links.files(one.id), "Its files"))] if view.has_files else []),
        element("p", parts.link(links.ME, "Your agents and submissions")),
        of=view.ladder,
        at=links.submission(one.id),
        stream=links.events(s=one.id),
    )


def _progress(view: SubmissionView) -> Iterator[str]:
    one = view.one
    kind = {"failed": "bad", "refused": "bad", "entered": "good"}.get(one.state, "")
    yield element("p", words(f"It {state(one)}."), class_=f"state {kind}".rstrip(), role="status")
    if one.words and not view.steps:  # else a step says the same
        yield element("p", words(one.words), class_="notice")
    if one.state in _NEXT:
        plays_on = " Until then your last version plays on." if one.state == "failed" and one.plays_on else ""
        yield element("p", _NEXT[one.state] + plays_on)
    if view.steps:
        yield element("h2", "Its check")
        yield element("ol", *map(_step, view.steps), class_="check")
    if one.state == "entered":
        yield from _first_games(view)


def _step(step: CheckStep) -> str:
    number = f"{NUMBERED_STEPS.index(step.name) + 1}. " if step.name in NUMBERED_STEPS else ""
    about = [("What to do", step.advice), ("Expected", step.expected), ("Got", step.got)]
    details = [element("p", element("b", f"{name}: "), words(text)) for name, text in about if text]
    blocks = [_code(text, name) for name, text in (("Board", step.board), ("stderr", step.stderr)) if text]
    head = element("b", words(f"{_SIGNS[step.light]} {number}{step.name}"))
    took = "" if step.light == "skipped" else f" {step.seconds:.1f} s"
    return element(
        "li",
        head,
        element("span", words(took), class_="faint"),
        " ",
        words(step.message),
        *details,
        *blocks,
        class_=str(step.light),
    )


def _first_games(view: SubmissionView) -> Iterator[str]:
    yield element("h2", "Its first games")
    agent = view.agent
    if agent is not None and agent.rating is not None and agent.rated is not None:
        yield element(
            "p",
            element("b", f"Rating {figures.whole(agent.rating)} ± {agent.error:.0f}"),
            words(f" from {counted(agent.games, 'game')}, {age(agent.rated, view.made)}"),
        )
    if view.playing is not None:
        yield element("p", parts.link(links.game(view.playing), "Watch the game that it plays now"))
    rows = []
    for game in view.games:
        result = "void" if game.points is None else _RESULTS.get(game.points, str(game.points))
        how = "" if game.verdict == Verdict.NORMAL else f" ({game.verdict})"
        rows.append(
            element(
                "li",
                parts.link(links.game(game.id), f"Game {game.number}"),
                f": {result} against ",
                parts.link(links.agent(view.ladder.title, game.opponent), game.opponent),
                words(how),
            )
        )
    if rows:
        yield element("ul", *rows)
    elif view.playing is None and agent is not None and agent.status == "active":
        yield element("p", "It waits for its first game.")
