"""The hub of live pages: messages of directors in, changes out, without a server or a clock."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec
from msgspec.structs import replace

from arena.match.live import LiveEnd, LiveGame, LivePly, NotLive
from arena.match.seeds import GameSeeds
from arena.web.events import Change
from arena.web.live import SECOND, LiveHub, PacedGame, RecordedGames
from arena.web.pages import live_parts
from db.records import PastGame, PastSeat
from tests.arena.web.test_events import whole

TICK = SECOND // 10


class FakeRecord:
    """A record in memory."""

    served = "cs101"

    def __init__(self) -> None:
        self.games: dict[int, RecordedGames] = {}
        self.playing: list[int] = []
        self.private = set[int]()
        self.finished: dict[int, tuple[LiveGame, LiveEnd]] = {}
        self.looks = self.results = 0

    def add(self, id: int, *, status: str = "playing", rules: str = "tictactoe") -> None:
        seats = tuple(PastSeat(seat=seat, player=name) for seat, name in enumerate(("Ann <b>", "Bob")))
        game = PastGame(id=id, tournament="cs101", number=id, pair="", game=rules, status=status, seats=seats)
        self.games[id] = RecordedGames("cs101", game)

    def game(self, id: int) -> RecordedGames | None:
        return self.games.get(id)

    def seeds(self, id: int) -> GameSeeds | None:
        return None

    def played(self, id: int) -> tuple[LiveGame, LiveEnd] | None:
        return self.finished.get(id)

    def next_game(
        self,
        tournament: str | None,
        *,
        without: Collection[int],
        before: Sequence[str],
        public: bool,
        player: str = "",
    ) -> RecordedGames | None:
        seen = (id for id in self.playing if id not in without and not (public and id in self.private))
        seen = (id for id in seen if not player or player in self.games[id].shown.players)
        return next((self.games[id] for id in seen), None)

    def author(self, submission: int) -> str:
        return "Bob" if submission == 12 else "Cid"

    def front(self, *, public: bool) -> object:
        self.looks += 1
        return [id for id in self.playing if not public or id not in self.private]

    def side(self, tournament: str | None, *, public: bool) -> Mapping[str, str]:
        return {"standings": f"{self.results} of {tournament}"}


def begun(id: int, *moves: str | None, rules: str = "tictactoe") -> LiveGame:
    return LiveGame(id, rules, ("real ann", "real bob"), ("10", "10"), tuple(plies(id, *moves)), 0)


def plies(id: int, *moves: str | None, first: int = 1) -> list[LivePly]:
    return [
        LivePly(id, ply, (ply - 1) % 2, move, SECOND, 8 * SECOND, ply * SECOND)
        for ply, move in enumerate(moves, start=first)
    ]


def by_kind(changes: list[Change]) -> dict[str, Any]:
    return {change.kind: change.data for change in changes}


def test_a_game_is_drawn_once_however_many_messages_came_and_not_again_without_one() -> None:
    record = FakeRecord()
    record.add(7)
    hub = LiveHub(record)
    hub.follow({"g=7"})
    hub.tick(0)
    assert (hub.asked, hub.wanted) == ({7}, {7: "cs101"})
    hub.take(begun(7, "a1"))
    for ply in plies(7, "b2", "a2", first=2):
        hub.take(ply)
    (change,) = hub.tick(TICK)
    assert (change.topic, change.kind) == ("g=7", "parts")
    assert re.sub("<[^>]*>", "", change.data["last"]) == "3. Ann &lt;b&gt;: a2"
    assert change.data["last"].count('href="/t/cs101/a/Ann%20%3Cb%3E"') == 1
    assert change.data["seats"].count('href="/t/cs101/a/Ann%20%3Cb%3E"') == 1
    assert change.data["moves"].count("<li") == 4
    assert "real" not in str(change.data)
    assert hub.tick(2 * TICK) == []


def test_a_live_game_links_to_its_players_if_they_have_pages() -> None:
    record = FakeRecord()
    record.add(7)
    game = record.games[7].shown
    player = r'<span class="who" title="[^"]*">(.*?)</span>'
    found = re.findall(player, live_parts.page(game, None, of=None).text)
    assert found == ['<a href="/t/cs101/a/Ann%20%3Cb%3E">Ann &lt;b&gt;</a>', '<a href="/t/cs101/a/Bob">Bob</a>']
    alone = live_parts.page(replace(game, tournament=None), None, of=None).text
    assert re.findall(player, alone) == ["Ann &lt;b&gt;", "Bob"]


def test_of_a_very_long_game_the_last_moves_are_listed() -> None:
    record = FakeRecord()
    record.add(7)
    hub = LiveHub(record)
    hub.follow({"g=7"})
    hub.tick(0)
    hub.take(begun(7, *[None] * 3000))
    (change,) = hub.tick(TICK)
    assert change.data["moves"].count("<li") == 500
    assert ">3000.<" in change.data["moves"]


def test_the_clock_of_the_player_to_move_has_the_instant_of_the_server() -> None:
    record = FakeRecord()
    record.add(7)
    hub = LiveHub(record)
    hub.follow({"g=7"})
    hub.tick(0)
    hub.take(begun(7, "a1", "b2", "a2"))
    (change,) = hub.tick(4 * SECOND)
    assert change.data["seats"].count("data-since") == 1
    assert 'data-left="8000.000" data-since="3000.000">0:07.0' in change.data["seats"]
    hub.take(LiveEnd(7, "time", (1.0, 0.0)))
    changes = by_kind(hub.tick(5 * SECOND))
    assert "data-since" not in str(changes)
    assert "over" in changes


def test_cards_are_hidden_before_the_first_hidden_move_too_and_shown_at_the_end() -> None:
    record = FakeRecord()
    record.add(7, rules="kuhn")
    hub = LiveHub(record)
    hub.follow({"g=7"})
    hub.tick(0)
    for moves in ((), (None,)):
        hub.take(begun(7, *moves, rules="kuhn"))
        (change,) = hub.tick(TICK)
        assert "<svg" not in change.data["board"]
        assert "do not see" in change.data["board"]


def test_a_lost_game_is_looked_for_in_the_record_until_it_is_played_again_or_over() -> None:
    record = FakeRecord()
    record.add(7)
    hub = LiveHub(record)
    hub.follow({"g=7"})
    hub.tick(0)
    hub.asked.clear()
    hub.take(begun(7, "a1"))
    hub.lose([7])
    (change,) = hub.tick(SECOND)
    assert change.data["state"].startswith("interrupted")
    assert hub.wanted == {}
    assert hub.tick(4 * SECOND) == [], "nothing has changed on the page"
    assert (hub.asked, hub.wanted) == ({7}, {7: "cs101"})
    hub.take(NotLive(7))
    record.add(7, status="finished")
    assert "over" in by_kind(hub.tick(8 * SECOND))
    assert hub.tick(99 * SECOND) == []


def test_a_game_that_has_not_begun_is_followed_when_it_begins() -> None:
    record = FakeRecord()
    record.add(7, status="scheduled")
    hub = LiveHub(record)
    hub.follow({"g=7"})
    (change,) = hub.tick(0)
    assert change.data["state"] == "not begun yet: this page shows it from its first move on"
    assert "<svg" in change.data["board"], "the board is there before the first move"
    assert hub.tick(2 * SECOND) == []
    assert hub.wanted == {}
    record.add(7)
    hub.tick(4 * SECOND)
    assert (hub.asked, hub.wanted) == ({7}, {7: "cs101"})


def test_a_game_whose_director_does_not_know_it_yet_is_not_called_interrupted() -> None:
    record = FakeRecord()
    record.add(7)
    hub = LiveHub(record)
    hub.follow({"g=7"})
    hub.tick(0)
    hub.take(NotLive(7))
    (change,) = hub.tick(SECOND)
    assert change.data["state"] == "waiting for the players"


def test_a_lost_game_is_asked_for_again_even_if_the_record_is_read_at_once() -> None:
    record = FakeRecord()
    record.add(7)
    hub = LiveHub(record)
    hub.follow({"g=7"})
    hub.tick(0)
    hub.take(begun(7, "a1"))
    hub.asked.clear()
    hub.lose([7])
    (change,) = hub.tick(99 * SECOND)
    assert change.data["state"].startswith("interrupted")
    assert hub.asked == {7}
    hub.take(begun(7))
    (change,) = hub.tick(100 * SECOND)
    assert change.data["state"] == "in progress"


def test_a_game_of_a_director_that_is_gone_does_not_keep_the_tv_from_others() -> None:
    record = FakeRecord()
    record.add(7)
    record.add(8)
    record.playing = [7, 8]
    hub = LiveHub(record)
    hub.follow({"tv="})
    hub.tick(0)
    assert [*hub.wanted] == [7, 8], "that on the large screen first"
    hub.tick(3 * SECOND)
    assert [*hub.wanted] == [8, 7]


def test_the_tv_of_all_tournaments_shows_visitors_only_public_ones() -> None:
    record = FakeRecord()
    record.add(7)
    record.playing, record.private = [7], {7}
    hub = LiveHub(record)
    hub.follow({"public-tv="})
    hub.tick(0)
    assert hub.wanted == {}
    hub.follow({"tv="})
    hub.tick(SECOND)
    assert hub.wanted == {7: "cs101"}


def test_a_game_that_its_director_does_not_know_is_tried_again_after_all_others() -> None:
    record = FakeRecord()
    record.add(7)
    record.add(8)
    record.playing = [7, 8]
    hub = LiveHub(record)
    hub.follow({"tv="})
    hub.tick(0)
    wanted = list[list[int]]()
    for second in range(1, 6):
        if second == 4:
            record.playing = [7]
        for game in hub.wanted:
            hub.take(NotLive(game))
        hub.tick(second * SECOND)
        hub.tick(second * SECOND + SECOND // 2)
        wanted.append([*hub.wanted])
    assert wanted == [[8, 7], [7, 8], [8, 7], [7], [7]]


def test_a_game_that_nobody_has_is_over_at_once() -> None:
    hub = LiveHub(FakeRecord())
    hub.follow({"g=7"})
    assert [change.kind for change in hub.tick(0)] == ["over"]
    assert hub.wanted == {}


def test_two_pages_of_one_game_ask_for_the_game_so_far_each() -> None:
    record = FakeRecord()
    record.add(7)
    record.playing = [7]
    hub = LiveHub(record)
    hub.follow({"tv="})
    hub.tick(0)
    hub.asked.clear()
    hub.follow({"tv=", "g=7"})
    hub.tick(TICK)
    assert hub.asked == {7}
    assert hub.follow({"g=7"}) == ["tv="]


def test_a_page_that_opens_while_another_follows_the_game_takes_no_ply_before_the_game_so_far() -> None:
    """The plies that come first are of the other page's subscription, and are in the game so far."""
    record = FakeRecord()
    record.add(7)
    record.playing = [7]
    hub = LiveHub(record)
    hub.follow({"tv="})
    hub.tick(0)
    hub.take(begun(7, "a1"))
    hub.follow({"tv=", "g=7", "tv=cs101"})
    hub.tick(TICK)
    (ply,) = plies(7, "b2", first=2)
    hub.take(ply)
    hub.take(begun(7, "a1", "b2"))
    for ply in plies(7, "c1", "a3", first=3):
        hub.take(ply)
    late = [(change.topic, change.data) for tick in range(2, 60) for change in hub.tick(tick * TICK)]
    assert {topic for topic, _ in late} >= {"tv=", "g=7", "tv=cs101"}
    assert "the rules failed" not in str(late)
    for topic in ("tv=", "g=7", "tv=cs101"):
        assert str(next(data for at, data in reversed(late) if at == topic)).count("<circle") >= 2


def test_the_end_alone_is_a_game_that_was_over_before_it_could_be_followed() -> None:
    paced = PacedGame(7, 0.0)
    (ply,) = plies(7, "a1")
    assert not paced.take(ply)
    paced.take(LiveEnd(7, "normal", (1.0, 0.0)))
    assert (paced.is_lost, paced.has_begun) == (True, False)


def test_the_tv_shows_a_fast_game_slowly_its_end_for_a_while_and_then_the_next() -> None:
    record = FakeRecord()
    record.add(7)
    record.add(8)
    record.playing = [7, 8]
    hub = LiveHub(record)
    hub.follow({"tv=cs101"})
    hub.tick(0)
    hub.take(begun(7))
    for ply in plies(7, "a1", "b2", "a2", "b1", "a3"):
        hub.take(ply)
    hub.take(LiveEnd(7, "normal", (1.0, 0.0)))
    assert hub.wanted == {8: "cs101"}, "all of the first is known"
    record.playing = [8]
    shown: dict[str, list[int]] = {}
    for tick in range(1, 110):
        for change in hub.tick(tick * TICK):
            if change.kind == "screen-0" and change.data["parts"]:
                assert change.data["game"] == 7
                shown.setdefault(change.data["parts"]["state"], []).append(tick)
    states = [state for state in shown if state.startswith("1-0")]
    assert len(states) == 1
    steps = shown["in progress"]
    assert len(steps) == 6
    assert all(after - before >= 6 for before, after in pairwise(steps[1:]))
    assert [*hub.wanted] == [8]


def test_behind_a_fast_game_each_turn_begins_when_it_is_shown_and_its_clock_stops_when_the_turn_ended() -> None:
    paced = PacedGame(7, 0.0)
    paced.take(begun(7))
    assert (paced.shown.turn, paced.since, paced.spent) == (0, 0, None)
    moves = plies(7, "a1", "b2", "a2", "b1", "a3")
    assert [paced.take(ply) for ply in moves] == [True, False, False, False, False]
    assert (paced.since, paced.spent) == (0, SECOND)
    paced.take(LiveEnd(7, "normal", (1.0, 0.0)))
    seen = []
    for tick in range(10, 60):
        if paced.step(tick / 10):
            seen.append((paced.shown.turn, paced.since == tick * TICK, paced.spent))
    ends: list[tuple[int | None, bool, int | None]] = [(None, True, None), (None, False, None)]
    assert seen == [(seat, True, SECOND) for seat in (1, 0, 1, 0)] + ends


def test_the_tv_marks_the_player_to_move_at_every_ply_of_a_fast_game() -> None:
    record = FakeRecord()
    record.add(7)
    record.playing = [7]
    hub = LiveHub(record)
    hub.follow({"tv=cs101"})
    hub.tick(0)
    hub.take(begun(7))
    for ply in plies(7, "a1", "b2", "a2", "b1"):
        hub.take(ply)
    marked = []
    for tick in range(1, 50):
        for change in hub.tick(tick * TICK):
            if change.kind == "screen-0":
                clocks = change.data["parts"]["seats"]
                marked.append(clocks.index("data-since") > clocks.index("Bob"))
    assert marked == [False, True, False, True, False]


def test_the_tv_shows_a_game_from_the_record_that_was_over_before_it_could_be_followed() -> None:
    record = FakeRecord()
    record.add(7)
    record.playing = [7]
    record.finished[7] = (begun(7, "a1", "b2"), LiveEnd(7, "time", (1.0, 0.0)))
    hub = LiveHub(record)
    hub.follow({"tv="})
    hub.tick(0)
    hub.take(NotLive(7))
    changes = [change for tick in range(1, 40) for change in hub.tick(tick * TICK) if change.kind == "screen-0"]
    seen = [change.data["parts"]["last"] for change in changes]
    assert [text.rpartition(" ")[2] for text in seen if text] == ["begins.", "a1", "b2", "b2"]


def test_without_games_the_tv_waits_with_the_standings() -> None:
    record = FakeRecord()
    hub = LiveHub(record)
    hub.follow({"tv=cs101"})
    changes = by_kind(hub.tick(0))
    assert changes == {"screen-0": {"game": None, "parts": {}}, "parts": {"standings": "0 of cs101"}}
    assert hub.tick(SECOND) == []
    hub.note_news({"cs101"})
    assert hub.tick(4 * SECOND) == [], "it was of something else"
    record.results = 1
    hub.note_news({"cs101"})
    assert [change.kind for change in hub.tick(8 * SECOND)] == ["parts"]


def test_news_reach_the_pages_of_that_tournament_and_not_too_often() -> None:
    hub = LiveHub(FakeRecord())
    hub.follow({"t=cs101", "t=cs102"})
    assert hub.tournaments == {"cs101", "cs101 final", "cs102", "cs102 final"}
    hub.note_news({"cs101"})
    assert [change.topic for change in hub.tick(SECOND * 10)] == ["t=cs101"]
    hub.note_news({"cs101"})
    assert hub.tick(SECOND * 11) == []
    assert [change.topic for change in hub.tick(SECOND * 13)] == ["t=cs101"]


def test_the_front_page_has_news_when_the_record_has_changed_and_it_is_read_seldom() -> None:
    record = FakeRecord()
    hub = LiveHub(record)
    hub.follow({"front="})
    assert [change.kind for change in hub.tick(0)] == ["news"], "the page can be older than its stream"
    assert [hub.tick(tick * TICK) for tick in range(1, 40)] == [[]] * 39
    assert record.looks == 2
    for id in (7, 8):
        record.add(id)
    record.playing = [7, 8]
    assert [(change.topic, change.kind) for change in hub.tick(4 * SECOND)] == [("front=", "news")]
    assert hub.tick(6 * SECOND) == []


def test_a_visitor_s_front_page_has_no_news_of_what_visitors_do_not_see() -> None:
    record = FakeRecord()
    hub = LiveHub(record)
    hub.follow({"front=", "front=public"})
    hub.tick(0)
    for id in (7, 8):
        record.add(id)
    record.playing, record.private = [7], {7}
    assert [change.topic for change in hub.tick(4 * SECOND)] == ["front="]
    record.playing.append(8)
    assert sorted(change.topic for change in hub.tick(8 * SECOND)) == ["front=", "front=public"]
    hub.follow({"front=public"})
    assert hub.wanted == {8: "cs101"}


def test_six_games_are_on_small_screens_at_most_one_ply_a_second_and_as_what_has_changed() -> None:
    record = FakeRecord()
    record.playing = [*range(1, 9)]
    for id in record.playing:
        record.add(id, rules="chess")
    hub = LiveHub(record)
    hub.follow({"front="})
    hub.tick(0)
    assert [*hub.wanted] == [1, 2, 3, 4, 5, 6]
    for id in hub.wanted:
        hub.take(begun(id, rules="chess"))
    first = {change.kind: change for change in hub.tick(TICK)}
    assert sorted(first) == [f"screen-{number}" for number in range(6)]
    assert all(change.since is None for change in first.values())
    for ply in plies(3, "e2e4", "e7e5", "g1f3"):
        hub.take(ply)
    found = [(tick, change) for tick in range(2, 60) for change in hub.tick(tick * TICK)]
    assert {change.kind for _, change in found} == {"screen-2"}
    times = [tick for tick, _ in found]
    assert len(times) == 3
    assert all(later - earlier >= 10 for earlier, later in pairwise(times))
    before = first["screen-2"].data["parts"]
    for _, change in found:
        assert change.since is not None
        sent = msgspec.json.decode(change.since.plain.partition(b"data: ")[2])["data"]["parts"]
        assert sent.keys() <= before.keys()
        before |= {id: whole(before[id], pieces) for id, pieces in sent.items()}
        assert before == change.data["parts"]


def test_a_large_screen_takes_over_what_a_small_one_shows_if_there_is_nothing_else() -> None:
    record = FakeRecord()
    for id in (7, 8):
        record.add(id)
    record.playing = [7, 8]
    hub = LiveHub(record)
    hub.follow({"tv="})
    hub.tick(0)
    hub.take(begun(7, "a1"))
    hub.take(begun(8, "b2"))
    hub.tick(TICK)
    hub.take(NotLive(7))
    record.playing = [8]
    shown = by_kind(hub.tick(SECOND))
    assert shown["screen-0"]["game"] == 8
    assert shown["screen-1"] == {"game": None, "parts": {}}


def test_the_page_of_a_submission_shows_the_game_that_the_agent_plays() -> None:
    record = FakeRecord()
    record.add(7)
    record.playing = [7]
    hub = LiveHub(record)
    hub.follow({"s=12", "s=13"})
    hub.tick(0)
    assert hub.wanted == {7: "cs101"}
    hub.take(begun(7, "a1"))
    assert [(one.topic, one.kind) for one in hub.tick(TICK) if one.kind != "news"] == [("s=12", "screen-0")]
