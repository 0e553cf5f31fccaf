"""The pages of a person: signing in, what an author has on the ladder, handing in, one submission, and why an agent
lost.

Each form works without scripts. The page of a submission changes by itself while it waits, is checked, and plays its
first games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from agents.protocol import Verdict
from arena.accounts.people import Account
from arena.course.feedback.agent_feedback import AgentFeedback
from arena.course.feedback.write import of_feedback
from arena.history.words import age, counted, moment
from arena.match.clock import SECOND, TimeControl
from arena.pages.drawing import Document
from arena.results import figures
from arena.results.columns import Cell, Column, Listing, named
from arena.serve.spool import MOST_BYTES
from arena.serve.submissions import REPLACED
from arena.student.checking import NUMBERED_STEPS
from arena.web import links
from arena.web.links import TournamentLinks
from arena.web.own import AskedFor, ByHand, Challenged, Challenging, HandedIn, Own, OwnAgent, SubmissionView
from arena.web.pages import frame, result_pages
from arena.web.results import Titled
from db.accounts import StoredToken
from db.ladder import SECOND_AGENT

_SIGNS: Final = {"good": "✓", "warning": "!", "failed": "✗", "skipped": "–"}
_STATES: Final = {
    "received": "waits for its check",
    "checking": "is being checked",
    "failed": "failed its check",
    "refused": "was refused",
    "withdrawn": "was not checked",
}
_PASSED: Final = {
    "active": "passed its check, and plays",
    REPLACED: "passed its check; a newer version plays now",
    "withdrawn": "passed its check; its author's agent is withdrawn",
    "quarantined": "passed its check; its author's agent is put aside",
}
_RESULTS: Final = {1.0: "won", 0.5: "drew", 0.0: "lost"}
_CHALLENGES: Final = {"scheduled": "waits for its turn", "playing": "is being played"}
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


def invitation(key: str, name: str, ladder: str) -> Document:
    """The page of an invitation to this ladder that can be used. Opening it uses nothing: mail programs open links,
    too."""
    return frame.drawn("invitation.html", "Your invitation", name=name, ladder=ladder, action=links.invitation(key))


def no_invitation() -> Document:
    """The page of a link that was used, has expired, or never was one."""
    text = "This link does not work: it was used, has been replaced, or is too old. Ask your instructor for a new one."
    return frame.drawn("message.html", "No invitation", text=text, ways=result_pages.BACK)


def not_signed_in(why: str = "") -> Document:
    """The page of a person for someone who is not signed in. `why`: the reason why nobody can sign in here."""
    text = why or (
        "You sign in with the link that your instructor gave you: open it, and this browser knows you from then on. "
        "You are not signed in here. If your link does not work any more, ask for a new one."
    )
    return frame.drawn("message.html", "Sign in", text=text, ways=result_pages.BACK)


def author(
    account: Account,
    own: Own,
    tokens: Sequence[StoredToken],
    by_hand: Sequence[ByHand] = (),
    *,
    challenging: Challenging | None = None,
    wrong: str = "",
    no_hand_ins: str,
) -> Document:
    """The page of an author. `by_hand`: the last games that the person has played. `challenging`: None if the ladder
    has no challenges. `wrong`: why one was refused. `no_hand_ins`: why nothing can be handed in here; empty if it
    can."""
    title = own.ladder.title
    ways = [(links.SUBMIT, "Hand in an agent")] * (not no_hand_ins and not own.refused)
    ways += [(links.play(), "Play against an agent"), (links.WHY, why_title(has_lost=own.has_lost))]
    return frame.drawn(
        "mine.html",
        account.author,
        at=links.ME,
        of=own.ladder,
        made=own.made,
        stream=links.events(t=title),
        name=account.name or account.author,
        known={"Ladder": title, "Game": own.game, "Clock": own.clock, _until(own): moment(own.closes)},
        why=_why_not(own, no_hand_ins),
        ways=ways,
        agents=_agents(own),
        goals=[(one.name, result_pages.goal(one.rating, own.goals)) for one in own.agents if one.rank is not None],
        submissions=Listing(caption="What you handed in", columns=_SUBMISSIONS, rows=own.submissions),
        wrong=wrong,
        challenging=challenging,
        challenged=Listing(
            caption="Your challenges", columns=[*_challenges(title)], rows=challenging.latest if challenging else ()
        ),
        challenge_at=links.CHALLENGE,
        by_hand=Listing(caption="Your games against agents", columns=_BY_HAND, rows=by_hand),
        tokens=tokens,
        tokens_at=links.TOKENS,
        out=links.OUT,
    )


def _until(own: Own) -> str:
    return "Closed" if own.is_closed else "Open until"


def _why_not(own: Own, no_hand_ins: str) -> str:
    """Why nothing can be handed in, unless the ladder is closed; empty if it can."""
    return no_hand_ins or ("" if own.is_closed else own.refused)


def _agents(own: Own) -> Listing[OwnAgent]:
    columns: list[Column[OwnAgent]] = [
        Column(
            "agent",
            "Agent",
            value=lambda one: named(one.name, links.agent(own.ladder.title, one.name)),
            heads=True,
            kind="name",
        ),
        Column("rank", "Rank", value=lambda one: "–" if one.rank is None else str(one.rank), number=True),
        Column("change", "In a day", value=lambda one: one.change, number=True),
        Column("version", "Version", value=lambda one: str(one.version), number=True),
        Column(
            "rating",
            "Rating",
            value=lambda one: "" if one.rating is None else figures.whole(one.rating),
            number=True,
        ),
        Column("error", "±", value=lambda one: "" if one.error is None else f"{one.error:.0f}", number=True),
        Column("rated_games", "Rated games", value=lambda one: f"{one.games:,}", number=True),
        Column("rated", "Rating is", value=lambda one: "" if one.rated is None else age(one.rated, own.made)),
        Column("status", "Status", value=lambda one: "plays" if one.status == "active" else one.status),
    ]
    return Listing(caption="Your agents", columns=columns, rows=own.agents)


def state(one: HandedIn) -> str:
    """The state of a submission in words, with its place in the queue."""
    said = _PASSED.get(one.status, "passed its check") if one.state == "entered" else _STATES[one.state]
    if one.ahead is None:
        return said
    before = {0: "it is the next one", 1: "1 other is before it"}.get(one.ahead, f"{one.ahead} others are before it")
    return f"{said}; {before}"


_SUBMISSIONS: Final = (
    Column[HandedIn](
        "submission",
        "Submission",
        value=lambda one: Cell(text=f"Submission {one.id}", href=links.submission(one.id)),
        heads=True,
    ),
    Column[HandedIn](
        "state",
        "State",
        value=lambda one: Cell(text=state(one) + (f": {one.words}" if one.words else "")),
        kind="ended",
        brief=True,
    ),
    Column[HandedIn]("received", "Received", value=lambda one: moment(one.received)),
    Column[HandedIn]("file", "File", value=lambda one: Cell(players=[(one.label, None)])),
)


def _challenges(title: str) -> Iterator[Column[Challenged]]:
    yield Column(
        "game",
        "Game",
        value=lambda one: Cell(text=f"Game {one.game}", href=links.game(one.game)),
        heads=True,
    )
    yield Column("agent", "Agent", value=lambda one: named(one.agent, links.agent(title, one.agent)))
    # A built-in agent that is not on the ladder has no page.
    yield Column("opponent", "Opponent", value=lambda one: Cell(text=one.opponent), kind="name")
    yield Column("state", "State", value=lambda one: Cell(text=_became(one)), kind="ended", brief=True)
    yield Column("made", "Started", value=lambda one: moment(one.made))


def _became(one: Challenged) -> str:
    """What became of a challenge."""
    if one.status == "finished" and one.points is not None:
        how = "" if one.verdict == Verdict.NORMAL else f" ({one.verdict})"
        return f"{_RESULTS.get(one.points, str(one.points))}{how}"
    return f"not played: {one.words}" if one.words else _CHALLENGES.get(one.status, one.status)


_BY_HAND: Final = (
    Column[ByHand]("game", "Game", value=lambda one: Cell(text=f"Game {one.id}", href=links.game(one.id)), heads=True),
    Column[ByHand]("rules", "What you played", value=lambda one: one.rules),
    Column[ByHand]("opponent", "Opponent", value=lambda one: Cell(players=[(one.opponents, None)])),
    Column[ByHand]("result", "Result", value=lambda one: one.result),
    Column[ByHand]("finished", "Played", value=lambda one: "" if one.finished is None else moment(one.finished)),
)


def new_token(key: str, address: str) -> Document:
    """The page with a new token, which is shown once."""
    commands = f"export ARENA_SERVER={address}\nexport ARENA_TOKEN={key}\narena submit my_agent.py"
    return frame.drawn("token.html", "Your new token", key=key, commands=commands, above=links.OWN)


def submit(own: Own, *, wrong: str = "", no_hand_ins: str = "", most: int = 1) -> Document:
    """The page on which an agent is handed in. `wrong`: why the last attempt failed. `most`: the number of agents that
    an author can have."""
    return frame.drawn(
        "submit.html",
        "Hand in an agent",
        of=own.ladder,
        at=links.SUBMIT,
        modules=("submit.js",),
        wrong=wrong,
        about=f"{own.ladder.title}: {own.game}, clock {own.clock}. {_until(own)} ",
        until=moment(own.closes),
        why=_why_not(own, no_hand_ins),
        can_hand_in=not no_hand_ins and not own.refused,
        action=links.SUBMIT,
        most=most,
        largest=MOST_BYTES,
        steps=NUMBERED_STEPS,
        example=_EXAMPLE,
        command=f"arena new my_agent.py --game {own.game}",
        clock=f"The clock {own.clock}: {_in_words(TimeControl.parse(own.clock))}",
        above=links.OWN,
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


def _seconds(time: int) -> str:
    return f"{time / SECOND:g} s"


def submission(view: SubmissionView, challenging: Challenging | None = None) -> Document:
    """The page of a submission. `challenging`: what its author can start with it."""
    one, agent = view.one, view.agent
    plays_on = " Until then your last version plays on." if one.state == "failed" and one.plays_on else ""
    rating = None
    if agent is not None and agent.rating is not None and agent.rated is not None:
        rating = {
            "text": (f"Rank {agent.rank} of {agent.ranked:,}. " if agent.rank else "")
            + f"Rating {figures.whole(agent.rating)} ± {agent.error:.0f}",
            "basis": f" from {counted(agent.games, 'game')}, {age(agent.rated, view.made)}",
        }
    return frame.drawn(
        "submission.html",
        f"Submission {one.id}",
        of=view.ladder,
        at=links.submission(one.id),
        stream=links.events(s=one.id),
        modules=("page.js", "screens.js"),
        view=view,
        one=one,
        agent_at=links.agent(view.ladder.title, view.shown) if view.shown else None,
        kind={"failed": "bad", "refused": "bad", "entered": "good"}.get(one.state, ""),
        state=state(one),
        next=_NEXT[one.state] + plays_on if one.state in _NEXT else "",
        signs=_SIGNS,
        numbered=NUMBERED_STEPS,
        left=[name for name in NUMBERED_STEPS if name not in {step.name for step in view.steps}]
        if one.state in ("received", "checking")
        else [],
        is_checked=one.state == "checking",
        rating=rating,
        playing="" if view.playing is None else links.game(view.playing),
        games=[*_first_games(view)],
        files=links.files(one.id) if view.has_files else "",
        challenging=challenging,
        challenge_at=links.CHALLENGE,
        above=links.OWN,
    )


def _first_games(view: SubmissionView) -> Iterator[dict[str, Any]]:
    for game in view.games:
        yield {
            "number": game.number,
            "href": links.game(game.id),
            "result": "void" if game.points is None else _RESULTS.get(game.points, str(game.points)),
            "opponent": game.opponent,
            "opponent_at": links.agent(view.ladder.title, game.opponent),
            "how": "" if game.verdict == Verdict.NORMAL else f" ({game.verdict})",
        }


# The page that tells authors why their agents lost: the page of `arena course feedback`, on the server.


def why_title(*, has_lost: bool) -> str:
    """What the page is called. `has_lost`: whether there is a lost game to explain."""
    return "Why games were lost" if has_lost else "What your games show"


def why_page(asked: AskedFor, round: Titled, feedback: AgentFeedback) -> Document:
    """The page about the games of an agent in this round."""
    values = of_feedback(feedback, links.position, TournamentLinks(round.title).agent)
    name = why_title(has_lost=asked.has_lost)
    values |= {"heading": name, "others": [*_others(asked)]}
    return frame.drawn("feedback.html", name, of=round, at=links.WHY, above=links.OWN, made=feedback.made, **values)


def no_games_page(asked: AskedFor) -> Document:
    """The page without games."""
    name = why_title(has_lost=False)
    values: dict[str, Any] = {"heading": name, "others": [*_others(asked)], "feedback": None}
    return frame.drawn("feedback.html", name, of=asked.ladder, at=links.WHY, above=links.OWN, **values)


def _others(asked: AskedFor) -> Iterator[tuple[str, str, bool]]:
    """The page of each agent, if the author has several: its address, its name, and whether it is shown."""
    if len(asked.further) > 1:
        author, _, shown = asked.agent.partition(SECOND_AGENT)
        yield from ((links.why(one), one or author, one == shown) for one in asked.further)
