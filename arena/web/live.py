"""What open pages follow: games in progress, the TV page, news of a tournament. Messages go in, changes come out.

It reads no socket and no clock: `arena/web/server.py` gives it the messages of directors, and sends the changes to
the streams ten times a second. A game is drawn once for all its viewers, and only if it has changed.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, Protocol

from arena.match.live import LiveEnd, NotLive, OfGame
from arena.play.followed_game import FollowedGame
from arena.serve.open_ladders import with_final
from arena.web.events import Change, event
from arena.web.pages.live_parts import OwnSeatGame, parts, small_parts
from arena.web.screens import SECOND, STEP, Games, PacedGame, RecordedGames, Screens

if TYPE_CHECKING:
    from arena.match.seeds import GameSeeds

_LOOK_EVERY: Final = 2 * SECOND
"""Time between two readings of the record, about a game that no director has, or for the front page."""
_PATIENCE: Final = SECOND // 2
"""Time for which a page waits for the game so far."""
_NEWS_EVERY: Final = 3 * SECOND
"""Least time between two readings of the standings for a page."""
_SMALL: Final = 6
"""Small screens of a page."""
_BESIDE: Final = 2
"""Small screens beside a large one."""
_SMALL_STEP: Final = 1.0
"""Least seconds between two positions on a small screen."""
_LAST_MOVES: Final = 6
"""Number of moves that a TV page lists."""
_MOST_MOVES: Final = 500
"""Most moves that the page of a game lists while it is played: all of them are sent at every change."""


class Record(Games, Protocol):
    """What is read from the database."""

    def game(self, id: int) -> RecordedGames | None:
        """The game; None if there is none."""

    def seeds(self, id: int) -> GameSeeds | None:
        """The seeds of what chance does in the game; None if they are not recorded."""

    served: str
    """The name of the ladder that the director serves."""

    def author(self, submission: int) -> str:
        """The name in the record of the agent that was handed in."""

    def front(self, *, public: bool) -> object:
        """What the front page depends on: it differs if and only if that page has changed. `public`: for visitors."""

    def side(self, tournament: str | None, *, public: bool) -> Mapping[str, str]:
        """The parts beside the board of a TV page: standings and last results. `public`: for visitors."""


class Channel(ABC):
    """A topic that pages follow."""

    def __init__(self, topic: str, record: Record) -> None:
        self.topic = topic
        self._record = record

    @property
    @abstractmethod
    def follows(self) -> Mapping[int, str]:
        """The games that it follows now, each with its tournament."""

    @property
    def tournaments(self) -> Collection[str]:
        """The tournaments whose news it needs; none: of all that are followed."""
        return ()

    def take(self, message: OfGame) -> None:
        """Takes the next message about its game."""
        del message

    def note_news(self) -> None:
        """Its tournament has new results or ratings."""
        return

    def note_submission(self, id: int) -> None:
        """This submission has a new state, or another step of its check."""
        del id

    @abstractmethod
    def tick(self, now: int) -> Iterator[Change]:
        """What has changed since the last tick."""

    def _change(self, kind: str, data: Any, now: int, since: Any = None) -> Change:
        """`since`: what has changed since the last change of this kind."""
        changed = None if since is None else event(kind, since, now=now)
        return Change(self.topic, kind, data, event(kind, data, now=now), changed)


def since_then(before: Mapping[str, str], parts: Mapping[str, str]) -> dict[str, Sequence[Piece]]:
    """The parts that are not as before, in pieces of what they were."""
    return {id: delta(before.get(id, ""), text) for id, text in parts.items() if text != before.get(id)}


def game_topic(id: int, seat: int | None) -> str:
    """The topic of a game's page; `seat`: that of the viewer's own agent, if the viewer may see what it sees."""
    return f"g={id}" if seat is None else f"g={id}/{seat}"


class GameChannel(Channel):
    """The page of one game, for everyone or for the owner of one of its agents."""

    def __init__(self, topic: str, record: Record) -> None:
        super().__init__(topic, record)
        id, _, seat = topic.partition("=")[2].partition("/")
        self._id = int(id)
        self._game: RecordedGames | None = None
        seeds = record.seeds(self._id) if seat else None
        self._followed = FollowedGame() if seeds is None else OwnSeatGame(int(seat), seeds)
        self._is_over = False
        self._changed = False
        self._drawn: Mapping[str, str] = {}
        self._look = 0
        # Whether the director of the tournament is asked for the game.
        self._asks = False
        # Until then nothing is drawn of a game in progress before its director has sent the game so far.
        self._silent_until: int | None = None

    @property
    def follows(self) -> Mapping[int, str]:
        game = self._game
        if game is None or game.tournament is None or game.shown.status != "playing" or not self._asks:
            return {}
        return {self._id: game.tournament}

    def take(self, message: OfGame) -> None:
        self._followed.take(message)
        self._changed = True
        self._asks = not isinstance(message, LiveEnd | NotLive)

    def tick(self, now: int) -> Iterator[Change]:
        if self._is_over:
            return
        knows = self._followed.game is not None and not self._followed.is_not_live
        if not knows and now >= self._look:
            self._look = now + _LOOK_EVERY
            self._game = self._record.game(self._id)
            self._changed = self._asks = True
        if self._silent_until is None:
            self._silent_until = now + _PATIENCE
        is_waiting = self.follows and not knows and now < self._silent_until
        if self._changed and self._game is not None and not is_waiting:
            self._changed = False
            drawn = parts(self._game.shown, self._followed, now=now, most=_MOST_MOVES, ratings=self._game.ratings)
            if drawn != self._drawn:
                since, self._drawn = since_then(self._drawn, drawn), drawn
                yield self._change("parts", drawn, now, since)
        self._is_over = self._game is None or self._game.is_over or self._followed.end is not None
        if self._is_over:
            yield self._change("over", None, now)


def _of_screen(game: RecordedGames, paced: PacedGame, *, now: int) -> Mapping[str, str]:
    """The parts of the large screen of a TV page."""
    return parts(
        game.shown,
        paced.shown,
        now=now,
        since=paced.since,
        spent=paced.spent,
        most=_LAST_MOVES,
        ratings=game.ratings,
    )


class ScreenChannel(Channel):
    """A page with screens: what each of them shows is an event of its own kind."""

    def __init__(
        self,
        topic: str,
        record: Record,
        tournament: str | None,
        *,
        public: bool,
        large: int = 0,
        small: int = _SMALL,
        player: str = "",
    ) -> None:
        """`large`: the number of large screens, before the small ones. `player`: only games of this one."""
        super().__init__(topic, record)
        self._large = large
        steps = [STEP] * large + [_SMALL_STEP] * small
        self._screens = Screens(record, tournament, steps, public=public, player=player)
        self._drawn: dict[int, tuple[int | None, Mapping[str, str]]] = {}
        for screen in self._screens.each[:large]:
            screen.changed = True  # also that there is no game is said

    @property
    def follows(self) -> Mapping[int, str]:
        return self._screens.follows

    def take(self, message: OfGame) -> None:
        self._screens.take(message)

    def _screen_changes(self, now: int) -> Iterator[Change]:
        for number, screen in self._screens.tick(now):
            game, paced = screen.game, screen.paced
            shown: tuple[int | None, Mapping[str, str]] = (None, {})
            if paced is not None and game is not None and paced.has_begun:
                is_large = number < self._large
                draw = _of_screen(game, paced, now=now) if is_large else small_parts(game.shown, paced.shown)
                shown = (paced.id, draw)
            before, self._drawn[number] = self._drawn.get(number), shown
            if shown == before:
                continue
            id, drawn = shown
            since = None if before is None or before[0] != id else {"game": id, "parts": since_then(before[1], drawn)}
            yield self._change(f"screen-{number}", {"game": id, "parts": drawn}, now, since)


class TvChannel(ScreenChannel):
    """The TV page of a tournament, or of all."""

    def __init__(self, topic: str, record: Record) -> None:
        kind, _, name = topic.partition("=")
        self._of, self._is_public = name or None, kind == PUBLIC_TV
        super().__init__(topic, record, self._of, public=self._is_public, large=1, small=_BESIDE)
        self._beside: Mapping[str, str] | None = None
        self._news = _News()
        self._news.note()

    @property
    def _shows(self) -> str | None:
        game = self._screens.each[0].game
        return self._of or (None if game is None else game.tournament)

    @property
    def tournaments(self) -> Collection[str]:
        return () if self._shows is None else with_final(self._shows)

    def note_news(self) -> None:
        self._news.note()

    def tick(self, now: int) -> Iterator[Change]:
        yield from self._screen_changes(now)
        if self._news.is_due(now):
            beside = self._record.side(self._shows, public=self._is_public)
            if beside != self._beside:  # the news can be those of a tournament that not everyone may see
                self._beside = beside
                yield self._change("parts", beside, now)


class SubmissionChannel(ScreenChannel):
    """The page of a submission to the ladder that is served, which is read again when something becomes of it."""

    def __init__(self, topic: str, record: Record) -> None:
        player = record.author(int(topic.partition("=")[2]))
        super().__init__(topic, record, record.served, public=False, small=1, player=player)
        self._news = _News()
        self._news.note()  # what became of it between the page and its stream

    @property
    def tournaments(self) -> Collection[str]:
        return (self._record.served,)

    def note_news(self) -> None:
        self._news.note()

    def note_submission(self, id: int) -> None:
        if self.topic == f"s={id}":
            self._news.note(at_once=True)

    def tick(self, now: int) -> Iterator[Change]:
        yield from self._screen_changes(now)
        if self._news.is_due(now):
            yield self._change("news", None, now)


class _News:
    """Whether a page is to be read again: not too often."""

    def __init__(self) -> None:
        self._waits = False
        self._due = 0

    def note(self, *, at_once: bool = False) -> None:
        """There is something new."""
        self._waits = True
        if at_once:
            self._due = 0

    def is_due(self, now: int) -> bool:
        """Whether the page is told of it now."""
        if not self._waits or now < self._due:
            return False
        self._waits, self._due = False, now + _NEWS_EVERY
        return True


PUBLIC: Final = "public"
"""The front page of visitors, in a topic."""
PUBLIC_TV: Final = "public-tv"
"""The TV page of all tournaments, as visitors see it, in a topic."""


class FrontChannel(ScreenChannel):
    """The front page, which is read again when games begin or end in any tournament that is on it."""

    def __init__(self, topic: str, record: Record) -> None:
        self._is_public = topic.endswith(PUBLIC)
        super().__init__(topic, record, None, public=self._is_public)
        self._known: object = None
        self._look = 0

    def tick(self, now: int) -> Iterator[Change]:
        yield from self._screen_changes(now)
        if now < self._look:
            return
        self._look = now + _LOOK_EVERY
        found = self._record.front(public=self._is_public)
        if found != self._known:
            self._known = found
            yield self._change("news", None, now)


class TournamentChannel(ScreenChannel):
    """The page of a tournament, which is read again when there are new results or ratings."""

    def __init__(self, topic: str, record: Record) -> None:
        self._news = _News()
        self._of = topic.partition("=")[2]
        super().__init__(topic, record, self._of, public=False)

    @property
    def tournaments(self) -> Collection[str]:
        return with_final(self._of)

    def note_news(self) -> None:
        self._news.note()

    def tick(self, now: int) -> Iterator[Change]:
        yield from self._screen_changes(now)
        if self._news.is_due(now):
            yield self._change("news", None, now)


_CHANNELS: Final[Mapping[str, Callable[[str, Record], Channel]]] = {
    "g": GameChannel,
    "tv": TvChannel,
    PUBLIC_TV: TvChannel,
    "t": TournamentChannel,
    "s": SubmissionChannel,
    "front": FrontChannel,
}


class LiveHub:
    """The channels of all topics that are followed: "g=12", "g=12/0" as that seat sees the game, "tv=NAME", "tv=" for
    all tournaments, "public-tv=" for those of visitors, "t=NAME", "s=12" of a submission, and of the front page
    "front=", "front=public" for visitors."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._channels: dict[str, Channel] = {}
        self._followed: dict[str, set[int]] = {}
        self.asked = set[int]()
        """Games to be subscribed to, or again because another channel needs the game so far."""

    def follow(self, topics: Collection[str]) -> list[str]:
        """Follows these topics and no others; returns those that were dropped."""
        dropped = [topic for topic in self._channels if topic not in topics]
        for topic in dropped:
            del self._channels[topic]
            self._followed.pop(topic, None)
        for topic in topics:
            if topic not in self._channels and (channel := _CHANNELS.get(topic.partition("=")[0])) is not None:
                self._channels[topic] = channel(topic, self._record)
        return dropped

    @property
    def wanted(self) -> dict[int, str]:
        """The games to be followed now, each with its tournament."""
        return {game: of for channel in self._channels.values() for game, of in channel.follows.items()}

    @property
    def tournaments(self) -> set[str]:
        """The tournaments whose news are needed."""
        return {name for channel in self._channels.values() for name in channel.tournaments}

    def take(self, message: OfGame) -> None:
        """Takes a message of a director."""
        for topic, channel in self._channels.items():
            if message.game in channel.follows:
                channel.take(message)
                if isinstance(message, NotLive):  # if it is wanted again, the director is asked again
                    self._followed.get(topic, set()).discard(message.game)

    def lose(self, games: Collection[int]) -> None:
        """The director of these games has ended."""
        for game in games:
            self.take(NotLive(game))

    def note_news(self, tournaments: Collection[str]) -> None:
        """These tournaments have new results or ratings."""
        for channel in self._channels.values():
            if not channel.tournaments or not {*channel.tournaments}.isdisjoint(tournaments):
                channel.note_news()

    def note_submission(self, id: int) -> None:
        """This submission has a new state, or another step of its check."""
        for channel in self._channels.values():
            channel.note_submission(id)

    def tick(self, now: int) -> list[Change]:
        """What has changed since the last tick. `now`: time.monotonic_ns."""
        changes = [change for channel in self._channels.values() for change in channel.tick(now)]
        for topic, channel in self._channels.items():
            found = {*channel.follows}
            self.asked |= found - self._followed.get(topic, set())
            self._followed[topic] = found
        return changes


# What a text became, said by the text before it: a stream sends a move and not a board.


Piece = str | tuple[int, int]
_TOKEN: Final = re.compile(r"<[^>]*>|[^<\s]*\s+|[^<\s]+|<")
_LEAST: Final = 8
"""Characters of a range at least: a shorter one is written out."""
_MOST_PLACES: Final = 16
"""Places of a token in the text before that are tried."""


def delta(before: str, after: str) -> list[Piece]:
    """The pieces of `after`. Ranges count as scripts do, in units of UTF-16."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    begins = [0, *accumulate(map(_units, old))]
    places = defaultdict[str, list[int]](list)
    for place, token in enumerate(old):
        places[token].append(place)
    pieces: list[Piece] = []
    at = follows = 0
    while at < len(new):
        length, place = _longest(old, new, at, [follows, *places[new[at]][:_MOST_PLACES]])
        begin, end = begins[place], begins[place + length]
        last = pieces[-1] if pieces else ""
        if isinstance(last, tuple) and last[1] == begin < end:
            pieces[-1] = (last[0], end)
        elif end - begin >= _LEAST:
            pieces.append((begin, end))
        else:
            length, place = 1, follows
            if isinstance(last, str) and pieces:
                pieces[-1] = last + new[at]
            else:
                pieces.append(new[at])
        at, follows = at + length, place + length
    return pieces


def _longest(old: list[str], new: list[str], at: int, places: list[int]) -> tuple[int, int]:
    """The number of tokens that are the same from `at` on, and their place in the old ones."""
    best = (0, 0)
    for place in places:
        length = 0
        while at + length < len(new) and place + length < len(old) and new[at + length] == old[place + length]:
            length += 1
        best = max(best, (length, place), key=lambda found: found[0])
    return best


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
