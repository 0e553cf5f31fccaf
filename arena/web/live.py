"""What open pages follow: games in progress, screens that show them, news of a tournament. Messages go in, changes come
out.

It reads no socket and no clock: `arena/web/server.py` gives it the messages of directors, and sends the changes to
the streams ten times a second. A game is drawn once for all its viewers, and only if it has changed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, partial
from math import ceil
from typing import Any, Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from arena.match.live import LiveEnd, LiveGame, LivePly, NotLive, OfGame
from arena.match.seeds import GameSeeds
from arena.play.followed_game import FollowedGame
from arena.serve.open_ladders import with_final
from arena.web.events import Change, Piece, delta, event
from arena.web.pages.live_parts import OwnSeatGame, parts, small_parts
from db.records import PastGame

# Screens on pages: on each, one game in progress after the other, slowly enough to be watched.


SECOND: Final = 1_000_000_000
_NEXT_EVERY: Final = SECOND // 2
"""Time between two looks for the next game of a page with a large screen."""
_SMALL_NEXT_EVERY: Final = 2 * SECOND
"""The same for a page with small ones only."""


class RecordedGames(Struct, frozen=True):
    """A game as the record has it."""

    tournament: str | None
    """Its name in the record, by which its director is found."""
    shown: PastGame
    """What visitors may see of it, without moves."""
    ratings: Sequence[float | None] = ()
    """Of its players, by seat, if they were read."""
    players: Sequence[str] = ()
    """Their names in the record."""
    own_seat: int | None = None
    """The seat from which the viewer may see what the rules hide from others; of a game that the viewer has played by
    hand, the viewer's; None if there is none."""
    person: int | None = None
    """The seat of the person in a game that was played by hand; None in all others."""

    @property
    def is_over(self) -> bool:
        """Whether it will not be played any more."""
        return self.shown.status not in ("scheduled", "playing")


class Games(Protocol):
    """Where games to be shown are found."""

    def next_game(
        self,
        tournament: str | None,
        *,
        without: Collection[int],
        before: Sequence[str],
        public: bool,
        player: str = "",
    ) -> RecordedGames | None:
        """The game in progress to show next, of that tournament or of any, with its players' ratings; none of
        `without`, and if possible not by the players `before`. None if there is none. `public`: for visitors;
        `player`: only games of this one."""

    def played(self, id: int) -> tuple[LiveGame, LiveEnd] | None:
        """A finished game as its director published it; None if it is not finished."""


class LiveScreen:
    """One of them."""

    def __init__(self, step: float) -> None:
        """`step`: least seconds between two positions."""
        self._step = step
        self.is_large = step == STEP
        self.paced: PacedGame | None = None
        self.game: RecordedGames | None = None
        self.changed = False
        # The last game that its director did not know: others are tried first.
        self.lost: int | None = None

    @property
    def follows(self) -> tuple[int, str] | None:
        """The game that it follows now, and its tournament."""
        game, paced = self.game, self.paced
        if game is None or paced is None or paced.has_all or game.tournament is None:
            return None
        return paced.id, game.tournament

    def take(self, message: OfGame) -> None:
        """Takes the next message about its game."""
        if self.paced is not None and message.game == self.paced.id:
            self.changed |= self.paced.take(message)

    def revive(self, games: Games, now: int) -> None:
        """A game that was over before it could be followed is shown from the record."""
        paced = self.paced
        if paced is not None and paced.is_lost:
            self.lost = paced.id
        if paced is not None and paced.is_lost and not paced.has_begun:
            played = games.played(paced.id)
            self.paced = None if played is None else PacedGame(paced.id, now / SECOND, self._step, is_recorded=True)
            for message in played or ():
                self.take(message)

    def step(self, now: int) -> None:
        """Goes on to the next position, if it is time."""
        if self.paced is not None:
            self.changed |= self.paced.step(now / SECOND)

    def is_free(self, now: int) -> bool:
        """Whether another game can be shown."""
        return self.paced is None or self.paced.is_done(now / SECOND)

    def show(self, game: RecordedGames | None, now: int) -> None:
        """Shows this game next; None: nothing."""
        if game is not None:
            self.game, self.paced = game, PacedGame(game.shown.id, now / SECOND, self._step)
        elif self.paced is not None:
            self.paced, self.changed = None, True

    def take_over(self, other: LiveScreen) -> None:
        """Shows what was shown on another screen."""
        self.game, self.paced, other.paced = other.game, other.paced, None
        self.changed = other.changed = True


class Screens:
    """The screens of one page."""

    def __init__(
        self, games: Games, tournament: str | None, steps: Sequence[float], *, public: bool, player: str = ""
    ) -> None:
        """`tournament`: whose games; None: of all. `steps`: of each screen. `public`: for visitors. `player`: only
        games of this one."""
        self.each = [LiveScreen(step) for step in steps]
        self._next_game = partial(games.next_game, tournament, public=public, player=player)
        self._games = games
        self._every = _NEXT_EVERY if any(one.is_large for one in self.each) else _SMALL_NEXT_EVERY
        self._next = 0

    @property
    def follows(self) -> dict[int, str]:
        """The games that are followed now, each with its tournament."""
        return dict(found for screen in self.each if (found := screen.follows) is not None)

    def take(self, message: OfGame) -> None:
        """Takes the next message about one of its games."""
        for screen in self.each:
            screen.take(message)

    def tick(self, now: int) -> Iterator[tuple[int, LiveScreen]]:
        """The screens that have changed since the last tick, with their numbers."""
        for screen in self.each:
            screen.revive(self._games, now)
        free = [screen for screen in self.each if screen.is_free(now)]
        if free and now >= self._next:
            self._next = now + self._every
            look = cache(self._next_game)  # idle screens ask for the same
            for screen in [*free]:
                others = [one for one in self.each if one not in free]
                if (found := _next_shown(look, screen, others)) is None and screen.is_large and others:
                    screen.take_over(others[0])
                else:
                    screen.show(found, now)
                if screen.paced is not None:
                    free.remove(screen)
        for number, screen in enumerate(self.each):
            screen.step(now)
            if screen.changed:
                screen.changed = False
                yield number, screen


def _next_shown(
    look: Callable[..., RecordedGames | None], screen: LiveScreen, others: Sequence[LiveScreen]
) -> RecordedGames | None:
    """The game that a screen shows next; `others`: those that show a game."""
    taken = frozenset(one.paced.id for one in others if one.paced is not None)
    last = screen.lost if screen.paced is None else screen.paced.id
    without = taken if last is None else taken | {last}
    before = () if screen.game is None else tuple(screen.game.players)
    found = look(without=without, before=before)
    if found is None and last is not None and last == screen.lost:
        return look(without=taken, before=before)
    return found


# The pace of the TV page: a fast game is shown slowly enough to be watched, behind the game if need be.


STEP: Final = 0.6
"""Least seconds between two positions on a large board."""
_LONGEST: Final = 90.0
"""Seconds after which a game that was followed too slowly is shown at its end: plies are left out."""
_ANSWERS_WITHIN: Final = 3.0
"""Seconds after which another game is shown, if the director of this one does not answer."""
_END_SHOWN: Final = 5.0
"""Seconds for which the end is shown."""


class PacedGame:
    """One game on the TV page."""

    def __init__(self, id: int, now: float, step: float = STEP, *, is_recorded: bool = False) -> None:
        """`step`: least seconds between two positions. `is_recorded`: the game is over, and is shown from its first
        ply."""
        self.id = id
        self.shown = FollowedGame()
        """What is on the screen."""
        self._waiting = deque[LivePly | LiveEnd]()
        # Whether more of the game was known when the position was shown.
        self._is_behind = is_recorded
        self._is_recorded = is_recorded
        self._step = step
        self._began = now
        self._stepped = now
        self._ended: float | None = None

    @property
    def has_begun(self) -> bool:
        """Whether anything of the game is known."""
        return self.shown.game is not None

    @property
    def since(self) -> int | None:
        """When the turn on the screen began, in nanoseconds: in the game, or behind it when the position was shown."""
        return int(self._stepped * SECOND) if self._is_behind else self.shown.since

    @property
    def spent(self) -> int | None:
        """How long the turn on the screen took, if its end is known: the clock stops then."""
        then = self._waiting[0] if self._waiting else None
        return then.spent if isinstance(then, LivePly) and then.who == self.shown.turn else None

    @property
    def has_all(self) -> bool:
        """Whether nothing more of the game comes."""
        return self.shown.is_over or self._is_recorded or any(isinstance(each, LiveEnd) for each in self._waiting)

    @property
    def is_lost(self) -> bool:
        """Whether the game was not played to its end."""
        return self.shown.is_not_live

    def take(self, message: OfGame) -> bool:
        """Takes the next message of the game; whether the screen changes now, be it that a clock stops."""
        match message:
            case LiveGame() if self.shown.game is None:
                self.shown.take(replace(message, plies=()) if self._is_recorded else message)
                self._waiting.extend(message.plies if self._is_recorded else ())
            case LiveGame():
                known = len(self.shown.plies) + sum(isinstance(each, LivePly) for each in self._waiting)
                if not self.shown.plies and not self._waiting:
                    self.shown.take(message)
                else:
                    self._waiting.extend(message.plies[known:])
            case LivePly() if self.shown.game is None:
                return False  # for somebody else who follows the game; it is in the game so far
            case LiveEnd() if self.shown.game is None:
                self.shown.take(NotLive(self.id))
            case LivePly() | LiveEnd():
                self._waiting.append(message)
                return len(self._waiting) == 1
            case NotLive():
                self.shown.take(message)
        return True

    def step(self, now: float) -> bool:
        """Goes on to the next position if it is time; whether the screen changes."""
        if not self._waiting or now - self._stepped < self._step:
            return False
        self._stepped = now
        steps = int((self._began + _LONGEST - now) / self._step)
        for _ in range(ceil(len(self._waiting) / steps) if steps > 0 else len(self._waiting)):
            message = self._waiting.popleft()
            self.shown.take(message)
            if isinstance(message, LiveEnd):
                self._ended = now
        self._is_behind = bool(self._waiting)
        return True

    def is_done(self, now: float) -> bool:
        """Whether another game can be shown."""
        if not self.has_begun:
            return self.is_lost or now - self._began >= _ANSWERS_WITHIN
        return self.is_lost or (self._ended is not None and now - self._ended >= _END_SHOWN)


# The topics that pages follow, each with what it needs of the record and with the changes that it makes of messages.


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


class ScreenChannel(Channel):
    """A page with screens: what each of them shows is an event of its own kind, and news are another."""

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
        self._news = _News()
        for screen in self._screens.each[:large]:
            screen.changed = True  # also that there is no game is said

    @property
    def follows(self) -> Mapping[int, str]:
        return self._screens.follows

    def take(self, message: OfGame) -> None:
        self._screens.take(message)

    def note_news(self) -> None:
        self._news.note()

    def tick(self, now: int) -> Iterator[Change]:
        yield from self._screen_changes(now)
        if self._news.is_due(now):
            yield from self._told(now)

    def _told(self, now: int) -> Iterator[Change]:
        """What the page is told when there are news: by default, that it is to be read again."""
        yield self._change("news", None, now)

    def _screen_changes(self, now: int) -> Iterator[Change]:
        for number, screen in self._screens.tick(now):
            game, paced = screen.game, screen.paced
            shown: tuple[int | None, Mapping[str, str]] = (None, {})
            if paced is not None and game is not None and paced.has_begun:
                large = partial(
                    parts, now=now, since=paced.since, spent=paced.spent, most=_LAST_MOVES, ratings=game.ratings
                )
                draw = large if number < self._large else small_parts
                shown = (paced.id, draw(game.shown, paced.shown))
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
        self._news.note()

    @property
    def _shows(self) -> str | None:
        game = self._screens.each[0].game
        return self._of or (None if game is None else game.tournament)

    @property
    def tournaments(self) -> Collection[str]:
        return () if self._shows is None else with_final(self._shows)

    def _told(self, now: int) -> Iterator[Change]:
        beside = self._record.side(self._shows, public=self._is_public)
        if beside != self._beside:  # the news can be those of a tournament that not everyone may see
            self._beside = beside
            yield self._change("parts", beside, now)


class SubmissionChannel(ScreenChannel):
    """The page of a submission to the ladder that is served, which is read again when something becomes of it."""

    def __init__(self, topic: str, record: Record) -> None:
        player = record.author(int(topic.partition("=")[2]))
        super().__init__(topic, record, record.served, public=False, small=1, player=player)
        self._news.note()  # what became of it between the page and its stream

    @property
    def tournaments(self) -> Collection[str]:
        return (self._record.served,)

    def note_submission(self, id: int) -> None:
        if self.topic == f"s={id}":
            self._news.note(at_once=True)


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
        self._of = topic.partition("=")[2]
        super().__init__(topic, record, self._of, public=False)

    @property
    def tournaments(self) -> Collection[str]:
        return with_final(self._of)


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
