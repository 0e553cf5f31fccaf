"""Leases: every game is out once, has one result, and no host waits while games do, whatever happens to hosts."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from arena.hosts.leases import Leases
from arena.match.schedule import Entrant, InOrder, Planned

_PLAYERS = (Entrant("ann", "ann"), Entrant("bob", "bob"))


def planned(count: int) -> list[Planned]:
    """That many games, in pairs."""
    return [
        Planned(number, "tictactoe", "tictactoe", _PLAYERS, 1, (f"pair {(number - 1) // 2}",), leg=(number - 1) % 2)
        for number in range(1, count + 1)
    ]


def leases(count: int, **hosts: int) -> Leases:
    made = Leases()
    made.follow(InOrder(planned(count)))
    for name, games in hosts.items():
        made.join(name, games)
    return made


def test_both_games_of_a_pair_are_on_one_host_also_when_they_come_back() -> None:
    made = leases(4, a=1, b=1)
    first, second = made.next_batch("a", 4), made.next_batch("b", 4)
    assert [[game.number for game in batch] for batch in (first, second)] == [[1, 2], [3, 4]]
    made.lend("a", "a-1", first[:1])
    made.lend("a", "a-2", first[1:])
    assert made.lose("a") == 2
    assert made.lost_batches == 1
    made.join("c", 1)
    again = made.next_batch("c", 4)
    assert [(game.number, game.attempt) for game in again] == [(1, 1), (2, 1)]


def test_only_the_task_with_the_lease_brings_a_result_and_only_once() -> None:
    made = leases(2, a=2)
    batch = made.next_batch("a", 2)
    made.lend("a", "key", batch)
    assert made.leased("a", "other key", 1, 1) is None
    assert made.leased("b", "key", 1, 1) is None
    assert made.leased("a", "key", 1, 2) is None
    assert made.leased("a", "key", 3, 1) is None
    assert made.leased("a", "key", 1, 1) == batch[0]
    made.take_in("a", 1, 0.1)
    assert made.leased("a", "key", 1, 1) is None
    made.end("a", "key")
    made.lend("a", "key 2", made.next_batch("a", 1))
    assert made.leased("a", "key", 2, 1) is None  # the first task comes late
    assert made.leased("a", "key 2", 2, 1) is not None


def test_short_games_travel_together_and_long_ones_alone() -> None:
    made = leases(400, a=2)
    batch = made.next_batch("a", 400)
    assert len(batch) == 2
    made.lend("a", "1", batch)
    for game in batch:
        made.take_in("a", game.number, 0.01)
    batch = made.next_batch("a", 398)
    assert len(batch) == made.task_size(len(batch)) == 32
    made.lend("a", "2", batch)
    for game in batch:
        made.take_in("a", game.number, 60)
    assert len(made.next_batch("a", 366)) == 2
    assert made.task_size(2) == 1


def test_near_the_end_hosts_get_only_their_share() -> None:
    made = leases(20, a=2, b=2)
    made.lend("a", "1", batch := made.next_batch("a", 20))
    for game in batch:
        made.take_in("a", game.number, 0.1)
    given = {"a": 0, "b": 0}
    for name in given:
        while batch := made.next_batch(name, 18):
            given[name] += len(batch)
            made.lend(name, name, batch)
    assert given == {"a": 10, "b": 8}


def test_the_share_is_that_of_the_hosts_that_are_left() -> None:
    made = leases(40, a=2, b=2, c=2)
    made.lend("a", "1", batch := made.next_batch("a", 40))
    for game in batch:
        made.take_in("a", game.number, 0.1)
    made.lose("c")
    while batch := made.next_batch("a", 38):
        made.lend("a", "a", batch)
    assert len(made.hosts["a"].out) == 12  # 2 in progress, and half a second of play: less than its half of 38
    while batch := made.next_batch("b", 16):
        made.lend("b", "b", batch)
    assert len(made.hosts["b"].out) == 8


def test_of_long_games_a_host_has_one_pair_more_than_it_plays() -> None:
    made = leases(100, a=10)
    made.lend("a", "1", batch := made.next_batch("a", 100))
    made.take_in("a", batch[0].number, 300)
    while batch := made.next_batch("a", 99):
        made.lend("a", "a", batch)
    assert len(made.hosts["a"].out) == 11


def test_a_schedule_without_games_is_not_asked_again_for_every_host() -> None:
    class Asked(InOrder):
        times = 0

        def next(self) -> Planned | None:
            self.times += 1
            return super().next()

    schedule = Asked(planned(2))
    made = Leases()
    made.follow(schedule)
    names = [f"host{number}" for number in range(50)]
    for name in names:
        made.join(name, 2)
    made.lend("host0", "key", batch := made.next_batch("host0", 2))
    assert [made.next_batch(name, 2) for name in names] == [[]] * 50
    assert schedule.times == 3
    assert made.is_empty()
    assert schedule.times == 4
    more = planned(4)[2:]
    made.take_in("host0", batch[0].number, 60)
    for game in more:
        schedule.append(game)  # the result has decided what is played next
    assert made.next_batch("host1", 3) == more


def test_only_hosts_that_may_want_games_are_looked_at() -> None:
    made = leases(12, a=2, b=2, c=2)

    def hand_out(left: int) -> list[str]:
        asked = made.hungry(left)
        for name in asked:
            while batch := made.next_batch(name, left):
                made.lend(name, name, batch)
        return asked

    def out() -> dict[str, int]:
        return {name: len(host.out) for name, host in made.hosts.items()}

    assert hand_out(6) == ["a", "b", "c"]
    assert out() == {"a": 2, "b": 2, "c": 2}
    assert hand_out(6) == []
    made.take_in("b", next(iter(made.hosts["b"].out)), 60)
    assert hand_out(5) == ["b"]
    assert hand_out(6) == ["a", "b", "c"]  # more games were scheduled
    made.lose("c")
    assert hand_out(5) == []
    assert made.end("a", "a") == 2
    assert hand_out(5) == ["a"]
    made.join("d", 20)
    assert hand_out(5) == ["d"]
    made.take_in("a", next(iter(made.hosts["a"].out)), 60)
    assert made.hungry(4) == []  # no pair is left


def test_after_a_stop_nothing_is_given_out() -> None:
    made = leases(8, a=2)
    made.lend("a", "1", made.next_batch("a", 8))
    made.stop()
    made.end("a", "1")
    assert made.is_empty()
    assert made.next_batch("a", 8) == []
    assert made.lost_batches == 0


@given(st.integers(1, 60), st.integers())
def test_every_game_has_one_result_whatever_happens_to_hosts(count: int, seed: int) -> None:
    random = Random(seed)
    made = leases(count)
    results = Counter[int]()
    tasks: dict[str, tuple[str, list[Planned]]] = {}
    number = 0
    while len(results) < count:
        number += 1
        what = random.choice(("join", "lose", "hand out", "result", "result", "fail", "late"))
        host = random.choice("abc")
        if what == "join" and host not in made.hosts:
            made.join(host, random.randint(1, 4))
        elif what == "lose":
            made.lose(host)  # its tasks still answer, too late
        elif what == "hand out" and host in made.hosts:
            if batch := made.next_batch(host, count - len(results)):
                assert not {game.number for game in batch} & {*results, *(game.number for game in made.out)}
                made.lend(host, f"{host}-{number}", batch)
                tasks[f"{host}-{number}"] = (host, batch)
            elif made.is_empty():
                assert len(results) + len(made.out) == count
        elif what in ("result", "late") and tasks:
            key = random.choice(sorted(tasks))
            owner, batch = tasks[key] if what == "late" else tasks.pop(key)
            for game in batch:
                if made.leased(owner, key, game.number, game.attempt):
                    made.take_in(owner, game.number, 0.1)
                    results[game.number] += 1
            made.end(owner, key)
        elif what == "fail" and tasks:
            key = random.choice(sorted(tasks))
            owner, _ = tasks.pop(key)
            made.end(owner, key)
    assert {*results.values()} == {1}
    assert made.out == []
