"""What open pages follow: games in progress, the TV page, news of a tournament. Messages go in, changes come out.

It reads no socket and no clock: `arena/web/following.py` gives it the messages of directors, and sends the changes to
the streams ten times a second. A game is drawn once for all its viewers, and only if it has changed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import Struct

from arena.match.live import LiveEnd, LiveGame, NotLive, OfGame
from arena.play.followed_game import FollowedGame
from arena.web.events import Change, event
from arena.web.own_seat import OwnSeatGame
from arena.web.pace import PacedGame
from arena.web.pages.live_parts import parts
from db.records import PastGame

if TYPE_CHECKING:
    from arena.match.seeds import GameSeeds

SECOND: Final = 1_000_000_000
_LOOK_EVERY: Final = 2 * SECOND
"""Time between two readings of the record, about a game that no director has, or for the front page."""
_PATIENCE: Final = SECOND // 2
"""Time for which a page waits for the game so far."""
_NEXT_EVERY: Final = SECOND // 2
"""Time between two looks for the next game of a TV page."""
_NEWS_EVERY: Final = 3 * SECOND
"""Least time between two readings of the standings for a page."""
_LAST_MOVES: Final = 6
"""Number of moves that a TV page lists."""
_MOST_MOVES: Final = 500
"""Most moves that the page of a game lists while it is played: all of them are sent at every change."""


class Recorded(Struct, frozen=True):
    """A game as the record has it."""

    tournament: str | None
    """Its name in the record, by which its director is found."""
    shown: PastGame
    """What visitors may see of it, without moves."""
    ratings: Sequence[float | None] = ()
    """Of its players, by seat, if they were read."""
    own_seat: int | None = None
    """The seat from which the viewer may see what the rules hide from others; None if there is none."""

    @property
    def is_over(self) -> bool:
        """Whether it will not be played any more."""
        return self.shown.status not in ("scheduled", "playing")


class Record(Protocol):
    """What is read from the database."""

    def game(self, id: int) -> Recorded | None:
        """The game; None if there is none."""

    def seeds(self, id: int) -> GameSeeds | None:
        """The seeds of what chance does in the game; None if they are not recorded."""

    def played(self, id: int) -> tuple[LiveGame, LiveEnd] | None:
        """A finished game as its director published it; None if it is not finished."""

    def next_game(self, tournament: str | None, last: int | None, *, public: bool) -> Recorded | None:
        """The game in progress to show next on a TV page, of that tournament or of any, with its players' ratings; not
        the game `last`. None if there is none. `public`: for visitors."""

    served: str
    """The name of the ladder that the director serves."""

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
    def follows(self) -> tuple[int, str] | None:
        """The game that it follows now, and its tournament."""

    @property
    def tournament(self) -> str | None:
        """The tournament whose news it needs."""
        return None

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

    def _change(self, kind: str, data: Any, now: int) -> Change:
        return Change(self.topic, kind, data, event(kind, data, now=now))


def game_topic(id: int, seat: int | None) -> str:
    """The topic of a game's page; `seat`: that of the viewer's own agent, if the viewer may see what it sees."""
    return f"g={id}" if seat is None else f"g={id}/{seat}"


class GameChannel(Channel):
    """The page of one game, for everyone or for the owner of one of its agents."""

    def __init__(self, topic: str, record: Record) -> None:
        super().__init__(topic, record)
        id, _, seat = topic.partition("=")[2].partition("/")
        self._id = int(id)
        self._game: Recorded | None = None
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
    def follows(self) -> tuple[int, str] | None:
        game = self._game
        if game is None or game.tournament is None or game.shown.status != "playing" or not self._asks:
            return None
        return self._id, game.tournament

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
        is_waiting = self.follows is not None and not knows and now < self._silent_until
        if self._changed and self._game is not None and not is_waiting:
            self._changed = False
            drawn = parts(self._game.shown, self._followed, now=now, most=_MOST_MOVES, ratings=self._game.ratings)
            if drawn != self._drawn:
                self._drawn = drawn
                yield self._change("parts", drawn, now)
        self._is_over = self._game is None or self._game.is_over or self._followed.end is not None
        if self._is_over:
            yield self._change("over", None, now)


class TvChannel(Channel):
    """The TV page of a tournament, or of all."""

    def __init__(self, topic: str, record: Record) -> None:
        super().__init__(topic, record)
        kind, _, name = topic.partition("=")
        self._of, self._is_public = name or None, kind == PUBLIC_TV
        self._paced: PacedGame | None = None
        self._game: Recorded | None = None
        self._changed = True
        # The last game that its director did not know: others are tried first.
        self._lost: int | None = None
        self._next = self._side = 0
        self._beside: Mapping[str, str] | None = None
        self._has_news = True

    @property
    def follows(self) -> tuple[int, str] | None:
        game, paced = self._game, self._paced
        if game is None or paced is None or paced.has_all or game.tournament is None:
            return None
        return paced.id, game.tournament

    @property
    def tournament(self) -> str | None:
        return self._of or (None if self._game is None else self._game.tournament)

    def take(self, message: OfGame) -> None:
        if self._paced is not None and message.game == self._paced.id:
            self._changed |= self._paced.take(message)

    def note_news(self) -> None:
        self._has_news = True

    def tick(self, now: int) -> Iterator[Change]:
        self._choose(now)
        paced, game = self._paced, self._game
        if paced is not None:
            self._changed |= paced.step(now / SECOND)
        if self._changed:
            self._changed = False
            data: dict[str, Any] = {"game": None, "parts": {}}
            if paced is not None and game is not None and paced.has_begun:
                drawn = parts(
                    game.shown,
                    paced.shown,
                    now=now,
                    since=paced.since,
                    spent=paced.spent,
                    most=_LAST_MOVES,
                    ratings=game.ratings,
                )
                data = {"game": paced.id, "parts": drawn}
            yield self._change("tv", data, now)
        if self._has_news and now >= self._side:
            self._has_news, self._side = False, now + _NEWS_EVERY
            beside = self._record.side(self.tournament, public=self._is_public)
            if beside != self._beside:  # the news can be those of a tournament that not everyone may see
                self._beside = beside
                yield self._change("parts", beside, now)

    def _choose(self, now: int) -> None:
        """Chooses the next game when the last one has been shown."""
        paced = self._paced
        if paced is not None and paced.is_lost:
            self._lost = paced.id
        if paced is not None and paced.is_lost and not paced.has_begun:
            # It was over before it could be followed: it is shown from the record.
            played = self._record.played(paced.id)
            self._paced = None if played is None else PacedGame(paced.id, now / SECOND, is_recorded=True)
            for message in played or ():
                self.take(message)
        elif (paced is None or paced.is_done(now / SECOND)) and now >= self._next:
            self._next = now + _NEXT_EVERY
            last = self._lost if paced is None else paced.id
            next_game = partial(self._record.next_game, self._of, public=self._is_public)
            found = next_game(last)
            if found is None and last is not None and last == self._lost:
                found = next_game(None)  # it may be played again
            if found is not None:
                self._game, self._paced = found, PacedGame(found.shown.id, now / SECOND)
            elif paced is not None:
                self._paced, self._changed = None, True


class NewsChannel(Channel):
    """The pages of a tournament, which are read again when there are new results or ratings."""

    def __init__(self, topic: str, record: Record) -> None:
        super().__init__(topic, record)
        self._has_news = False
        self._due = 0

    @property
    def follows(self) -> tuple[int, str] | None:
        return None

    @property
    def tournament(self) -> str | None:
        return self.topic.partition("=")[2]

    def note_news(self) -> None:
        self._has_news = True

    def tick(self, now: int) -> Iterator[Change]:
        if self._has_news and now >= self._due:
            self._has_news, self._due = False, now + _NEWS_EVERY
            yield self._change("news", None, now)


class SubmissionChannel(NewsChannel):
    """The page of a submission to the ladder that is served, which is read again when something becomes of it."""

    def __init__(self, topic: str, record: Record) -> None:
        super().__init__(topic, record)
        self._has_news = True  # what became of it between the page and its stream

    @property
    def tournament(self) -> str | None:
        return self._record.served

    def note_submission(self, id: int) -> None:
        if self.topic == f"s={id}":
            self._has_news, self._due = True, 0


PUBLIC: Final = "public"
"""The front page of visitors, in a topic."""
PUBLIC_TV: Final = "public-tv"
"""The TV page of all tournaments, as visitors see it, in a topic."""


class FrontChannel(Channel):
    """The front page, which is read again when games begin or end in any tournament that is on it."""

    def __init__(self, topic: str, record: Record) -> None:
        super().__init__(topic, record)
        self._known: object = None
        self._look = 0

    @property
    def follows(self) -> tuple[int, str] | None:
        return None

    def tick(self, now: int) -> Iterator[Change]:
        if now < self._look:
            return
        self._look = now + _LOOK_EVERY
        found = self._record.front(public=self.topic.endswith(PUBLIC))
        if found != self._known:
            self._known = found
            yield self._change("news", None, now)


_CHANNELS: Final[Mapping[str, Callable[[str, Record], Channel]]] = {
    "g": GameChannel,
    "tv": TvChannel,
    PUBLIC_TV: TvChannel,
    "t": NewsChannel,
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
        self._followed: dict[str, tuple[int, str] | None] = {}
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
        return dict(found for channel in self._channels.values() if (found := channel.follows) is not None)

    @property
    def tournaments(self) -> set[str]:
        """The tournaments whose news are needed."""
        return {name for channel in self._channels.values() if (name := channel.tournament) is not None}

    def take(self, message: OfGame) -> None:
        """Takes a message of a director."""
        for topic, channel in self._channels.items():
            if (found := channel.follows) is not None and found[0] == message.game:
                channel.take(message)
                if isinstance(message, NotLive):
                    self._followed[topic] = None  # if it is wanted again, the director is asked again

    def lose(self, games: Collection[int]) -> None:
        """The director of these games has ended."""
        for game in games:
            self.take(NotLive(game))

    def note_news(self, tournaments: Collection[str]) -> None:
        """These tournaments have new results or ratings."""
        for channel in self._channels.values():
            if channel.tournament is None or channel.tournament in tournaments:
                channel.note_news()

    def note_submission(self, id: int) -> None:
        """This submission has a new state, or another step of its check."""
        for channel in self._channels.values():
            channel.note_submission(id)

    def tick(self, now: int) -> list[Change]:
        """What has changed since the last tick. `now`: time.monotonic_ns."""
        changes = [change for channel in self._channels.values() for change in channel.tick(now)]
        for topic, channel in self._channels.items():
            found = channel.follows
            if found is not None and found != self._followed.get(topic):
                self.asked.add(found[0])
            self._followed[topic] = found
        return changes
