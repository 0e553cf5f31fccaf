"""Home, with hosts that answer late, twice, wrongly, or that something else is the matter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from arena.hosts.messages import AgentSent, Batch, GameSent, Host, HostResult, Joining, Played, received, sent
from arena.match.conditions import Conditions
from arena.match.schedule import RULES_FAILED, Finished, InOrder, Planned
from arena.match.seeds import GameSeeds
from db.records import GameRecord, MoveRecord, SeatRecord
from tests.arena.hosts.test_leases import planned
from tests.kit import needs

pytest.importorskip("distributed", reason=needs.extra("scale"))

from arena.hosts.home import Home, HostAnswer
from tests.kit import answering_hosts
from tests.kit.answering_hosts import host

RUN = "run"
WON = ("a1", "b1", "a2", "b2", "a3")
_AGENTS = tuple(AgentSent(name, name, "ab" * 32, None, None) for name in ("ann", "bob"))
_JOINING = Joining(
    run=RUN,
    tournament="cup",
    software="arena 1",
    game="tictactoe",
    rules="tictactoe",
    seed="1",
    seats_key=None,
    conditions=Conditions(margin=0, names="hidden"),
    needed=(),
    cores_a_game=1,
)


class Sends:
    """In place of a `Sender`: the games, and one source."""

    joining = _JOINING

    def batch(self, key: str, games: Sequence[Planned], has: set[str]) -> Batch:
        """The message for these games."""
        there = tuple(
            GameSent(game.number, str(game.identity[0]), game.leg, game.attempt, "", (), (0, 1)) for game in games
        )
        return Batch(RUN, key, _AGENTS, there, {} if "ab" * 32 in has else {"ab" * 32: ()})


def asked_to_join(data: bytes) -> None:
    assert received(data, Joining) == _JOINING


class Hosts(answering_hosts.Hosts):
    """Hosts that get batches of games."""

    def __init__(self, plays: Callable[[Hosts, str, Batch], list[Any]], **names: Host) -> None:
        super().__init__(Batch, plays, asked_to_join, **names)


def result(game: GameSent, *, name: str = "ann", **changes: Any) -> HostResult:
    """The first player wins; with these changes of the record."""
    seeds = GameSeeds.of(1, (game.pair,), leg=game.leg, attempt=game.attempt)
    moves = tuple(MoveRecord(ply, (ply + 1) % 2, move, 1, None, 0, 1, 0) for ply, move in enumerate(WON, 1))
    seats = (
        SeatRecord(0, name, 1.0, 1.0, 3, 1, seed=seeds.for_seat(0)),
        SeatRecord(1, "bob", 0.0, -1.0, 2, 1, seed=seeds.for_seat(1)),
    )
    record = replace(GameRecord(game.number, "normal", None, "", seats, moves, 0), **changes)
    return HostResult(game.number, game.attempt, record, {"name": "far", "waits_charged": []}, began=1.0, ended=0.0)


def answer(batch: Batch, games: Sequence[GameSent] | None = None, **more: Any) -> HostAnswer:
    return HostAnswer(batch.key, sent(Played(tuple(map(result, batch.games if games is None else games)), **more)))


def plays(_: Hosts, __: str, batch: Batch) -> list[Any]:
    return [answer(batch)]


def played(hosts: Hosts, count: int, *, stop_after: int = 0, **more: Any) -> tuple[list[Finished], list[str]]:
    """What home has recorded, and what it has said."""
    said: list[str] = []
    over: list[Finished] = []
    home = Home(hosts, Sends(), said.append, left=lambda: count - len(over), **more)  # type: ignore[arg-type]

    class Schedule(InOrder):
        def note(self, finished: Finished) -> None:
            over.append(finished)

    try:
        for _ in home.play(Schedule(planned(count))):
            if len(over) == stop_after:
                home.take_back()
    finally:
        hosts.close()
    return over, said


def numbers(over: list[Finished]) -> list[int]:
    return sorted(finished.game.number for finished in over)


def test_all_games_are_played_and_say_where() -> None:
    over, said = played(Hosts(plays, a=host(), b=host(games=2)), 20)
    assert numbers(over) == [*range(1, 21)]
    assert {(finished.game.attempt, str(finished.host and finished.host["name"])) for finished in over} == {
        (1, "far"),
        (1, "far#2"),
    }
    assert all(round((finished.finished - finished.started).total_seconds(), 3) == 1 for finished in over)
    assert said == ["host far plays 1 game at the same time", "host far#2 plays 2 games at the same time"]


def test_a_result_that_comes_twice_or_late_counts_once() -> None:
    late: list[Any] = []

    def twice(hosts: Hosts, name: str, batch: Batch) -> list[Any]:
        if name == "a" and len(hosts.there) == 2:
            late.append(answer(batch))
            return [hosts.gone("a")]
        return [*late, answer(batch, [*batch.games, *batch.games]), answer(batch)]

    over, said = played(Hosts(twice, a=host(), b=host()), 8)
    assert numbers(over) == [*range(1, 9)]
    assert "host far is gone; 2 games in progress will be played again" in said


def test_a_host_that_was_gone_has_its_name_again() -> None:
    def goes_once(hosts: Hosts, name: str, batch: Batch) -> list[Any]:
        if name == "c":
            return [answer(batch)]
        if name not in hosts.there:
            return []
        other = "c" if name == "b" else "b"
        hosts.says[other] = hosts.there[other] = host()
        return [hosts.gone(name)]

    over, said = played(Hosts(goes_once, a=host()), 4)
    assert numbers(over) == [1, 2, 3, 4]
    assert {str(finished.host and finished.host["name"]) for finished in over} == {"far"}
    assert not any("#" in line for line in said)


def test_games_that_a_host_could_not_play_are_played_again_and_such_a_host_gets_no_more() -> None:
    def one_fails(_: Hosts, name: str, batch: Batch) -> list[Any]:
        return [answer(batch, [], failed="no memory") if name == "a" else answer(batch)]

    over, said = played(Hosts(one_fails, a=host("bad"), b=host()), 20)
    assert numbers(over) == [*range(1, 21)]
    assert "host bad does not play: no memory" in said


@pytest.mark.parametrize("wrong", [b"", "text", None, sent(host()), b"\x81\xa7results\x91\x01"])
def test_a_host_that_answers_wrongly_gets_no_more(wrong: object) -> None:
    def one_lies(_: Hosts, name: str, batch: Batch) -> list[Any]:
        return [HostAnswer(batch.key, wrong) if name == "a" else answer(batch)]

    over, said = played(Hosts(one_lies, a=host("liar"), b=host()), 6)
    assert numbers(over) == [*range(1, 7)]
    assert any(line.startswith("host liar does not play: it sent a wrong answer: expected a message") for line in said)


def test_tasks_that_fail_together_are_one_failure() -> None:
    kept: list[Batch] = []

    def fails_once(_: Hosts, __: str, batch: Batch) -> list[Any]:
        kept.append(batch)
        if len(kept) < 6:
            return []
        return [answer(batch)] if len(kept) > 6 else [answer(each, [], failed="no referee") for each in kept]

    over, said = played(Hosts(fails_once, a=host(games=6)), 20)
    assert numbers(over) == [*range(1, 21)]
    assert said == ["host far plays 6 games at the same time", "host far: no referee"]


@pytest.mark.parametrize("seats", [["eve"], ["ann", "eve"]])
def test_a_record_of_other_players_is_refused_with_all_that_came_with_it(seats: list[str]) -> None:
    def one_lies(_: Hosts, name: str, batch: Batch) -> list[Any]:
        lie = Played(tuple(result(game, name=told) for told in seats for game in batch.games))
        return [HostAnswer(batch.key, sent(lie)) if name == "a" else answer(batch)]

    over, said = played(Hosts(one_lies, a=host("liar"), b=host()), 6)
    assert numbers(over) == [*range(1, 7)]
    assert {seat.player for finished in over for seat in finished.record.seats} == {"ann", "bob"}
    assert any("expected the players ['ann', 'bob'], got ['eve', 'bob']" in line for line in said)


def _points(first: float | None, second: float | None) -> Callable[[GameRecord], tuple[SeatRecord, ...]]:
    def changed(record: GameRecord) -> tuple[SeatRecord, ...]:
        return tuple(replace(seat, points=point) for seat, point in zip(record.seats, (first, second), strict=True))

    return changed


@pytest.mark.parametrize(
    ("part", "changed", "why"),
    [
        ("moves", lambda record: record.moves[:4], "its verdict is normal, but by the rules the game is not over"),
        (
            "moves",
            lambda record: (replace(record.moves[0], move="a2"), *record.moves[1:]),
            "ply 3: 'a2': expected a legal move",
        ),
        ("moves", lambda record: (replace(record.moves[0], ply=2),), "expected ply 1, got ply 2"),
        ("moves", lambda record: (replace(record.moves[0], spent=3), *record.moves[1:]), "seat 0: its moves took 5 ns"),
        ("seats", _points(0.0, 1.0), "expected the points 1.0, 0.0, got 0.0, 1.0"),
        ("seats", _points(0.5, 0.5), "expected the points 1.0, 0.0, got 0.5, 0.5"),
        ("seats", _points(None, None), "expected the points 1.0, 0.0, got none, none"),
        ("seats", _points(float("nan"), 0.0), "expected the points 1.0, 0.0, got nan, 0.0"),
        ("verdict", lambda _: "won", "expected a verdict, got 'won'"),
        ("verdict", lambda _: "adjudicated", "the game is over by the rules, but its verdict is adjudicated"),
        ("fault", lambda _: 2, "expected a seat from 0 to 1 at fault, got 2"),
    ],
)
def test_a_game_that_cannot_have_gone_so_is_refused_and_its_host_named(
    part: str, changed: Callable[[GameRecord], object], why: str
) -> None:
    def one_lies(_: Hosts, name: str, batch: Batch) -> list[Any]:
        if name != "a":
            return [answer(batch)]
        changes: dict[str, Any] = {part: changed(result(batch.games[0]).record)}
        told = [result(game, **changes) for game in batch.games]
        return [HostAnswer(batch.key, sent(Played(tuple(told))))]

    over, said = played(Hosts(one_lies, a=host("liar"), b=host()), 6)
    assert numbers(over) == [*range(1, 7)]
    assert {str(finished.host and finished.host["name"]) for finished in over} == {"far"}
    (refused,) = (line for line in said if line.startswith("host liar does not play: it sent a wrong answer: game "))
    assert why in refused


def test_built_in_rules_do_not_fail() -> None:
    def ends_the_run(_: Hosts, name: str, batch: Batch) -> list[Any]:
        if name != "a":
            return [answer(batch)]
        seats = tuple(replace(seat, points=None, utility=None) for seat in result(batch.games[0]).record.seats)
        failed: dict[str, Any] = {"verdict": "void", "detail": f"{RULES_FAILED}: x", "seats": seats}
        return [HostAnswer(batch.key, sent(Played(tuple(result(game, **failed) for game in batch.games[:1]))))]

    over, said = played(Hosts(ends_the_run, a=host("liar"), b=host()), 6)
    assert numbers(over) == [*range(1, 7)]
    assert any(line.startswith("host liar does not play: ") and "its rules do not fail" in line for line in said)


def test_a_host_cannot_end_games_before_the_limit_of_moves() -> None:
    def ends_early(_: Hosts, name: str, batch: Batch) -> list[Any]:
        if name != "a":
            return [answer(batch)]
        record = result(batch.games[0]).record
        seats = tuple(replace(seat, points=0.5, utility=0.0, spent=2) for seat in record.seats)
        early: dict[str, Any] = {"verdict": "adjudicated", "moves": record.moves[:4], "seats": seats}
        return [HostAnswer(batch.key, sent(Played(tuple(result(game, **early) for game in batch.games[:1]))))]

    _, said = played(Hosts(ends_early, a=host("liar"), b=host()), 6)
    assert any("adjudicated after 4 moves, but the limit of moves is none" in line for line in said)


def test_a_source_travels_once_and_again_when_it_is_missing() -> None:
    def forgets(hosts: Hosts, _: str, batch: Batch) -> list[Any]:
        if len(hosts.asked) == 2:
            return [answer(batch, [], missing=("ab" * 32,))]
        return [answer(batch)]

    hosts = Hosts(forgets, a=host())
    over, _ = played(hosts, 6)
    assert numbers(over) == [*range(1, 7)]
    assert [len(batch.sources) for _, batch in hosts.asked][:3] == [1, 0, 1]


def test_a_host_that_was_started_again_at_its_address_is_asked_again() -> None:
    def forgets(hosts: Hosts, _: str, batch: Batch) -> list[Any]:
        if len(hosts.asked) == 2:
            return [answer(batch, [], joined=False)]
        return [answer(batch)]

    hosts = Hosts(forgets, a=host())
    over, said = played(hosts, 6)
    assert numbers(over) == [*range(1, 7)]
    assert [len(batch.sources) for _, batch in hosts.asked][:3] == [1, 0, 1]
    assert said == ["host far plays 1 game at the same time"] * 2


def test_hosts_that_refuse_or_are_busy_get_no_game_and_say_why() -> None:
    hosts = Hosts(plays, a=host("old", refuses="it offers no sandbox"), b=host("busy", busy=True), c=host("good"))
    over, said = played(hosts, 6)
    assert {name for name, _ in hosts.asked} == {"c"}
    assert numbers(over) == [*range(1, 7)]
    assert "host old does not play: it offers no sandbox" in said
    assert "host busy plays for another command; it is asked again until it is free" in said


def test_after_a_stop_hosts_give_back_what_has_not_begun() -> None:
    hosts = Hosts(plays, a=host())
    over, _ = played(hosts, 40, stop_after=4)
    assert 4 <= len(over) < 40
    assert hosts.recalled == ["a"]


def test_without_a_host_home_says_how_to_start_one() -> None:
    class Ends(Hosts):
        def happened(self) -> Iterator[Any]:
            if said:
                raise KeyboardInterrupt
            return super().happened()

    said: list[str] = []
    hosts = Ends(plays)
    home = Home(hosts, Sends(), said.append, left=lambda: 2)  # type: ignore[arg-type]
    with pytest.raises(KeyboardInterrupt):
        list(home.play(InOrder(planned(2))))
    hosts.close()
    assert said == ["waiting for a game host; start one with: arena worker tcp://nowhere:1"]


@pytest.mark.parametrize(("reference", "there"), [(None, {"a", "b"}), (150.0, {"c"})])
def test_hosts_as_fast_as_the_first_game_s_play(reference: float | None, there: set[str]) -> None:
    hosts = Hosts(plays, a=host(speed=100.0), b=host(speed=86.96), c=host("fast", speed=150.0))
    over, said = played(hosts, 6, reference=reference, tolerance=0.15)
    assert {name for name, _ in hosts.asked} == there
    assert numbers(over) == [*range(1, 7)]
    if reference is None:
        assert (
            "host fast does not play: it is 50% faster than the tournament's first host (150 and 100 thousand "
            "positions a second), which is not fair with a clock; host_tolerance = 0.5 allows it"
        ) in said


def test_a_host_that_was_measured_wrongly_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.hosts.home._MEASURED_AGAIN", 0.0)

    class Measured(Hosts):
        def call(self, host: str, task: Any, key: str, data: bytes) -> None:
            super().call(host, task, key, data)
            if task.__name__ == "join":
                self.says[host] = replace(self.says[host], speed=self.says[host].speed + 10)

    over, said = played(Measured(plays, a=host(speed=60.0)), 2, reference=100.0, tolerance=0.15)
    assert numbers(over) == [1, 2]
    assert [line.partition(":")[0] for line in said if "waiting" not in line] == [
        "host far does not play",
        "host far plays 1 game at the same time",
    ]
