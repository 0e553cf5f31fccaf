"""Every page that a browser can show, in its variants, made in this process: for tests about all of them.

Each group makes its pages from the same values every time, but for what the clock and chance decide.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from msgspec import structs

from adsearch import games
from arena.course import roster as rosters
from arena.course.lecture import exercise_sheet
from arena.course.similar_page import page as similar
from arena.match.live import LiveEnd, LiveGame, LivePly
from arena.pages import replay_page
from arena.play.followed_game import FollowedGame
from arena.serve.messages import GameRecorded
from arena.student.hint import Hint
from arena.web import links
from arena.web.pages import frame, live_parts, play_pages, result_pages
from arena.web.persons_game import GameStatus, PersonsChoice, SeenGame, SeenPly
from arena.web.results import Titled
from db.records import PastGame, PastRuling, PastSeat
from tests.arena.course import test_similar_page as similar_kit
from tests.arena.course.feedback import test_page as feedback_kit
from tests.arena.course.lecture.test_search_page import written as search_page
from tests.arena.course.report.test_pages import later_name_loses
from tests.arena.tournament.test_tournament import Course
from tests.kit import sample_record
from tests.kit.account_room import sign_in
from tests.kit.managed_ladder import NOW, managed_ladder
from tests.kit.page_games import EVERY_GAME, analysed, named, past_game
from tests.kit.plot_reading import AWKWARD
from tests.kit.sample_reports import NAMES, crowd, reported, site
from tests.kit.web_pages import as_ladder, heading, web_pages

Pages = dict[str, str]
HOSTILE: Final = "<script>x</script> \"'&amp; " + "w" * 150
OF: Final = Titled(id=1, title=f"cs101 {HOSTILE}", format="ladder")
SEATS: Final = ("maze:map=tiny,ghosts=0,steps=5", "ludo:players=3,tokens=1", "ludo:players=4,tokens=1")
"""Games for other numbers of players than two."""


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


# Results.


def reports() -> Pages:
    """The pages of reports: all kinds of games, hostile names, a knockout, nothing played."""
    found: Pages = {}
    with _folder() as folder:
        sample_record.make(folder / "sample.db")
        sites = {name: reported(folder / "sample.db", name) for name in ("cs101", "evening")}
        sites["awkward"] = reported(crowd(folder / "awkward.db", NAMES[:6]), "cs101")
        sites["nothing"] = structs.replace(sites["cs101"], agents=(), games=(), head_to_head={}, ranking=None)
        for name, report in sites.items():
            pages = site(report, replays=name == "evening")
            found |= {f"{name}/{place}": page for place, page in pages.items()}
        course = Course(folder)
        for name in ("dot", "eve"):
            course.write_agent(name)
        course.describe(format="knockout", seeds=["ann", "bob", "cid", "dot", "eve"])
        for most in (3, 99):
            course.run(later_name_loses, most=most)
            pages = site(reported(folder / "arena.db", "cs101"))
            found |= {f"knockout after {most} games/{place}": page for place, page in pages.items()}
        (folder / "match").mkdir()
        match = Course(folder / "match")
        (match.folder / "students" / "cid.py").unlink()
        match.describe(format="match", rounds=20, sprt={"elo0": 0, "elo1": 200})
        for most in (4, 99):
            match.run(later_name_loses, most=most)
            pages = site(reported(match.folder / "arena.db", "cs101"))
            found[f"match after {most} games/index.html"] = pages["index.html"]
    return found


def web() -> Pages:
    """The pages of results on the server, made from values."""
    found: Pages = {}
    with _folder() as folder:
        for name, names, title in (("plain", ["ann", "bob", "cid"], "cs101"), ("awkward", list(NAMES[:5]), HOSTILE)):
            pages = web_pages(folder / f"{name}.db", names, title)
            found |= {f"{name}/{each}": page.text for each, page in pages.items()}
        report = reported(folder / "plain.db", "cs101")
        unrated = structs.replace(report, ranking=None, head_to_head={}, agents=(), games=(), over=0)
        for each in (result_pages.standings, result_pages.crosstable, result_pages.bracket):
            found[f"nothing/{each.__name__}"] = each(heading("cup", unrated), unrated).text
        ladder = heading("cs101", report, "ladder")
        over = structs.replace(
            ladder, closes=datetime(2020, 1, 1, tzinfo=UTC), finished=datetime(2020, 1, 2, tzinfo=UTC)
        )
        found["closed ladder"] = result_pages.standings(over, as_ladder(report)).text
        beside = live_parts.Beside(report=as_ladder(report), latest=report.games[:5])
        side = live_parts.tv_side(beside)
        found["tv"] = live_parts.tv_page({}, side, of=None).text
        upset = live_parts.Upset(1, HOSTILE, "ann", 123.4)
        soon = structs.replace(beside, upset=upset, closes=datetime(2030, 1, 1, tzinfo=UTC))
        found["tv before a final"] = live_parts.tv_page({}, live_parts.tv_side(soon), of=None).text
        past = structs.replace(beside, report=report)
        found["tv after a final"] = live_parts.tv_page({}, live_parts.tv_side(past), of=None).text
        drawn = live_parts.parts(_past("tictactoe"), _followed("tictactoe", 3), now=0)
        found["tv of a ladder"] = live_parts.tv_page(drawn, side, of=OF).text
    return found


# Games.


def replays() -> Pages:
    """The replay of every game, for one to five seats, private and public, with all that can be said of a game."""
    found = {}
    for rules in (*EVERY_GAME, *SEATS):
        players = games.start(rules).players
        game = past_game(rules, logs=[f"{HOSTILE}\nsecond line\n"] * players)
        found[named(rules)] = replay_page.page(game, trust=True).text
        found[f"{named(rules)}, public"] = replay_page.page(game, trust=True, private=False).text
    game = analysed(past_game("connect4", AWKWARD[:2] if len(AWKWARD) > 1 else None))
    near = [("/", "Ladders and tournaments"), ("/g/6", "Previous game")]
    agents = {name: f"/a/{number}" for number, name in enumerate(game.players)}
    found["analysed"] = replay_page.page(game, near=near, called="game 12 of cs101", agents=agents, at=3).text
    rulings = (
        PastRuling(what="award", seat=1, reason=HOSTILE, when="2026-05-02T12:00:00Z"),
        PastRuling(what="void", seat=None, reason="", when="2026-05-03T12:00:00Z"),
    )
    ruled = structs.replace(game, verdict="crashed", fault=0, detail=f"{HOSTILE}: crash", rulings=rulings, attempt=2)
    found["ruled"] = replay_page.page(ruled, private=True).text
    found["ruled, public"] = replay_page.page(ruled, private=False).text
    imported = past_game("chess", ["Kasparov, G", HOSTILE], moves="f2f3 e7e5 g2g4")
    bare = tuple(structs.replace(move, spent=None, left=None) for move in imported.moves)
    seats = tuple(structs.replace(seat, spent=None, longest=None) for seat in imported.seats)
    found["imported"] = replay_page.page(
        structs.replace(imported, tournament=None, round=None, clock="-", moves=bare, seats=seats)
    ).text
    found["without moves"] = replay_page.page(past_game("tictactoe", moves="")).text
    found["without a result"] = replay_page.page(
        structs.replace(past_game("tictactoe", moves="a1"), verdict=None, status="cancelled")
    ).text
    found["a person"] = replay_page.page(past_game("tictactoe", ["human", "random"], moves=sample_record.X_WINS)).text
    return found


def _past(rules: str, *, tournament: str | None = "cs101", status: str = "playing") -> PastGame:
    """A game in progress, as visitors see its record."""
    names = ["Ann <b>", HOSTILE, *(f"p{seat}" for seat in range(2, games.start(rules).players))]
    seats = tuple(PastSeat(seat=seat, player=name) for seat, name in enumerate(names[: games.start(rules).players]))
    return PastGame(id=7, tournament=tournament, number=12, pair="", game=rules, status=status, seats=seats, clock="10")


def _followed(rules: str, most: int, *, end: bool = False) -> FollowedGame:
    """The same game after some plies."""
    record = past_game(rules)
    second = 10**9
    plies = tuple(
        LivePly(7, move.ply, move.who, move.move, second, 8 * second, move.ply * second) for move in record.moves[:most]
    )
    followed = FollowedGame()
    followed.take(LiveGame(7, rules, tuple(record.players), ("10",) * len(record.players), plies, 0))
    if end:
        followed.take(LiveEnd(7, "normal", tuple(1.0 if seat == 0 else 0.0 for seat in range(len(record.players)))))
    return followed


def drawn_game(rules: str, most: int) -> dict[str, dict[str, str]]:
    """The parts of a game in progress after some plies, as a large and as a small screen show them."""
    game, followed = _past(rules), _followed(rules, most)
    large = live_parts.parts(game, followed, now=10**9, most=6)
    return {"large": large, "small": live_parts.small_parts(game, followed)}


def live() -> Pages:
    """The page of every game while it is played, and of games that were not."""
    found = {}
    for rules in (*EVERY_GAME, *SEATS):
        for plies, end in ((0, False), (4, False), (4, True)):
            game, followed = _past(rules), _followed(rules, plies, end=end)
            drawn = live_parts.parts(game, followed, now=10**9, ratings=[1500.0, None, 12.0])
            name = f"{named(rules)}, {'over' if end else f'{plies} plies'}"
            found[name] = live_parts.page(game, drawn, of=OF, near=[("/g/6", "Previous game")]).text
    for status in ("scheduled", "cancelled", "playing"):
        found[status] = live_parts.page(_past("tictactoe", tournament=None, status=status), None, of=None).text
    return found


def _seen(rules: str, *, seat: int, status: GameStatus, plies: int, **changes: Any) -> SeenGame:
    state, record = games.start(rules), past_game(rules)
    done = []
    for move in record.moves[:plies]:
        done.append(SeenPly(move.who, move.move, move.move))
        state = state.play(state.from_text(move.move))
    yours = status is GameStatus.YOURS and state.turn is not None
    choices = [PersonsChoice(text, text) for text in map(state.to_text, state.moves())] if yours else []
    given: dict[str, Any] = {
        "rules": rules,
        "position": state.position(),
        "names": ("human", "random"),
        "plies": tuple(done),
        "choices": tuple(choices),
        "left": (300_000, 12_345),
        "running": None if status is GameStatus.OVER else 0,
    }
    return SeenGame(key="k" * 20, seat=seat, clock="300+5", opponent="random", status=status, **given | changes)


def _played(seen: SeenGame, **how: Any) -> str:
    game: Any = SimpleNamespace(seen=seen)
    drawn = partial(frame.drawn, of=OF, above=[(links.play(), "Play")])
    given = {"opponent": "random"} | how
    href = "" if seen.opponent == "random" else links.agent(OF.title, given["opponent"])
    return play_pages.page(game, drawn=drawn, href=href, **given).text


def states_of_play(rules: str) -> Pages:
    """A person's page before and after the same move: the turn, messages, the other player's turn, the end."""
    yours = _seen(rules, seat=0, status=GameStatus.YOURS, plies=0)
    long = (
        f"hint: {yours.choices[0].text} (then {' '.join(['Nf6'] * 4)}): its value for you is about +0.26 (from -1 to 1)"
    )
    theirs = _seen(rules, seat=0, status=GameStatus.THEIRS, plies=1)
    over = _seen(rules, seat=0, status=GameStatus.OVER, plies=1)
    end = GameRecorded(key="k", id=9, points=(1.0, 0.0), verdict="time", fault=1, ending="")
    return {
        "your turn": _played(yours),
        "hint": _played(structs.replace(yours, hint=Hint(yours.choices[0].text, long), take_backs=3)),
        "illegal": _played(yours, wrong="'e9' is not a legal move"),
        "their turn": _played(theirs),
        "interrupted": _played(structs.replace(theirs, notice="the game was interrupted, so it begins again")),
        "over": _played(structs.replace(over, end=end), ways=[("/play", "Other opponents")]),
        "given up": _played(
            structs.replace(over, end=structs.replace(end, id=None)), ways=[("/play", "Other opponents")]
        ),
    }


def play() -> Pages:
    """The pages on which a person plays."""
    found = {}
    for rules in EVERY_GAME:
        if games.start(rules).players != 2:
            continue
        for plies, seat in ((0, 0), (3, 1)):
            seen = _seen(rules, seat=seat, status=GameStatus.YOURS, plies=plies, take_backs=plies)
            found[f"{named(rules)}, {plies} plies"] = _played(seen)
    seen = _seen("tictactoe", seat=0, status=GameStatus.YOURS, plies=2, hint=Hint("a2", f"hint: a2 {HOSTILE}"))
    found["hint"] = _played(seen)
    over = _seen("tictactoe", seat=0, status=GameStatus.OVER, plies=3)
    end = GameRecorded(key="k", id=9, points=(1.0, 0.0), verdict="normal", fault=None, ending="")
    found["over"] = _played(structs.replace(over, end=end))
    found["given up"] = _played(structs.replace(over, end=structs.replace(end, id=None)))
    theirs = _seen("tictactoe", seat=0, status=GameStatus.THEIRS, plies=1, resigns=True, notice=HOSTILE)
    found["theirs"] = _played(theirs, opponent=HOSTILE, wrong=HOSTILE)
    found["waiting"] = _played(SeenGame(key="k" * 20, seat=0, clock="300+5", opponent=HOSTILE), opponent=HOSTILE)
    opponents = play_pages.Opponents(
        ladder=OF,
        game="connect4",
        games=["connect4", "chess"],
        agents=[play_pages.Opponent(HOSTILE, 1532.4, 40.2, 3), play_pages.Opponent("merlin")],
        built_in=[play_pages.Opponent("random", 0.0), play_pages.Opponent("greedy")],
        going_on=["kkk"],
    )
    found["opponents"] = play_pages.opponents(opponents).text
    nobody = structs.replace(opponents, agents=(), built_in=(), going_on=())
    found["no opponents"] = play_pages.opponents(nobody).text
    found["one opponent"] = play_pages.opponents(opponents, only=HOSTILE, wrong=HOSTILE).text
    return found


# Of a course.


def course() -> Pages:
    """Feedback, similar sources, searches and exercise sheets."""
    found: Pages = {}
    with _folder() as folder:
        feedback_kit.written(folder)
        for file in sorted((folder / "feedback").glob("*/index.html")):
            found[f"feedback/{file.parent.name}"] = file.read_text("utf-8")
    found["similar"] = similar(similar_kit.pairs(), f"cs101 {HOSTILE}", similar_kit.names)
    found["nothing similar"] = similar([], "cs101", similar_kit.names)
    for rules, algorithm, depth in (
        ("tree:textbook", "alphabeta", None),
        ("tree:textbook", "pvs", None),
        ("tictactoe", "minimax", 1),
    ):
        title = f"{rules} {algorithm} {HOSTILE}"
        found[f"search/{rules} {algorithm}"] = search_page(games.start(rules), algorithm, title=title, depth=depth)
    roster = rosters.read("id,name,group,alias\n1,Anna,A,kestrel\n2,Ben,A,=1+1\n", "roster.csv")
    for kind in ("alphabeta", "ucb1"):
        made = exercise_sheet.class_files(kind, roster, seed=5)
        found |= {f"{kind} {name}": made[name] for name in ("sheets.html", "keys.html")}
    return found


# Of a server.


ADDRESSES: Final = (
    *("/", "/t/cs101", "/t/cs101/crosstable", "/t/cs101/bracket", "/t/cs101/games", "/t/cs101/games?result=win"),
    *("/t/cs101/games?player=alice&opponent=bob", "/t/cs101/a/alice", "/t/cs101/a/bob", "/t/cs101/a/nobody", "/tv"),
    *("/tv?t=cs101", "/t/evening", "/t/evening/games", "/g/1", "/g/2", "/g/4000", "/nothing", "/out", "/in/x"),
    *("/me", "/me/submit", "/me/tokens", "/s/1", "/s/2", "/s/3", "/s/4", "/s/5", "/s/6", "/s/7", "/s/8", "/s/9"),
    *("/t/cs101/manage", "/t/cs101/manage/game?number=1", "/t/cs101/manage/game?number=99", "/t/cs101/manage/audit"),
    *("/t/evening/manage", "/t/cs101/games?round=x", "/docs/nothing"),
)


def served() -> Pages:
    """What each role gets at each address of a ladder's server."""
    from tests.kit.pages_in_process import pages_in_process

    found: Pages = {}
    with _folder() as folder, managed_ladder(str(folder / "arena.db"), folder) as room:
        student, _ = sign_in(room.accounts, room.links[0], now=NOW)
        with room.record.writing() as connection:
            book = sample_record.Book(connection)
            evening = book.tournament("evening", "tictactoe", status="finished")
            book.enter(evening, "alice", "bob")
            book.play(evening, "tictactoe", ("alice", "bob"), moves=sample_record.X_WINS)
        with pages_in_process(room) as pages:
            for role, by in (("visitor", None), ("student", student), ("instructor", room.instructor)):
                for address in ADDRESSES:
                    answer = pages.ask(address, by=by)
                    found[f"{role} {address}"] = answer.text if answer.status != 303 else answer.headers["location"]
            room.send("agent", agent="bob", what="withdraw", reason=HOSTILE)
            room.send("game", game=1, number=1, ruling=0, what="void", reason=HOSTILE)
            wrong = pages.ask("/t/cs101/manage", by=room.instructor, fields={"do": "agent", "agent": "bob"})
            found["instructor: refused"] = wrong.text
            for address in ("/t/cs101", "/t/cs101/manage", "/t/cs101/manage/game?number=1", "/g/1"):
                found[f"instructor: ruled {address}"] = pages.ask(address, by=room.instructor).text
    return found


GROUPS: Final[Mapping[str, Callable[[], Pages]]] = {
    "reports": reports,
    "web": web,
    "replays": replays,
    "live": live,
    "play": play,
    "course": course,
    "served": served,
}
