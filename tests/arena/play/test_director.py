"""The director: plays games with real processes, whatever happens to them, and leaves no process behind."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from adsearch import games
from agents.protocol import Verdict
from arena.errors import ArenaError, BadFixture, RefereeLost
from arena.match.allowance import WallKind
from arena.match.conditions import Conditions, Limits
from arena.match.live import LiveEnd, LivePly, NotLive
from arena.match.schedule import Began, Entrant, Finished, InOrder, PaceChanged, Planned, Ply
from arena.play.crew import Member, explained
from arena.play.director import Director, Pace
from arena.play.follower import Follower
from arena.players.entrants import Confinement, enter
from arena.players.player import read_player
from arena.players.submissions import Store
from arena.student.checking import resigning_opponent
from arena.walls import probe
from arena.walls.run_folder import RunFolder
from arena.walls.usage import descendants
from db.records import GameRecord
from tests import bad_agents
from tests.kit.effort import PATIENCE

AGENT = """
from agents import Agent
import os

class First(Agent):
    def choose(self, state, clock):
        self.tell(text=f"process {os.getpid()}")
        return state.moves()[0]
"""


class Setup:
    """A director, and games for it."""

    def __init__(self, folder: RunFolder, director: Director, rules: str = "tictactoe") -> None:
        self.folder = folder
        self.director = director
        self.rules = rules
        self.store = Store(folder.path / "store")
        self._numbers = 0

    def entrant(
        self, text: str, name: str, *, fresh: bool = True, ponder: bool = False, walls: WallKind | None = None
    ) -> Entrant:
        start = games.start(self.rules)
        confinement = Confinement(
            self.folder.scratch, "", conditions=Conditions(reuse=not fresh, ponder=ponder, walls=walls)
        )
        return enter(read_player(text), name, start, self.store, confinement)

    def game(self, *entrants: Entrant, watched: bool = False, **settings: Any) -> Planned:
        self._numbers += 1
        planned = Planned(
            self._numbers, self.rules, self.rules, entrants, seed=1, identity=(self._numbers,), watched=watched
        )
        own = {key: settings.pop(key) for key in [*settings] if key in Conditions.__struct_fields__}
        return replace(planned, **settings).under(**own)

    def play(self, *planned: Planned) -> list[Finished]:
        return [event for event in self.director.play(InOrder(planned)) if isinstance(event, Finished)]


@pytest.fixture
def setup() -> Iterator[Setup]:
    before = descendants(os.getpid())
    with RunFolder() as folder:
        with Director(folder) as director:
            yield Setup(folder, director)
        assert descendants(os.getpid()) <= before, "a process is left"


def processes(finished: list[Finished]) -> list[str]:
    """What the agents reported of their processes, game by game."""
    return [next(move.text or "" for move in event.record.moves if move.text) for event in finished]


def test_a_game_yields_all_events_from_start_to_end(setup: Setup) -> None:
    game = setup.game(setup.entrant("random", "a"), setup.entrant("random", "b"), watched=True)
    began, *plies, finished = setup.director.play(InOrder([game]))
    assert isinstance(began, Began)
    assert isinstance(finished, Finished)
    assert [ply.move for ply in plies if isinstance(ply, Ply)] == list(finished.record.moves)
    assert finished.record.verdict == Verdict.NORMAL
    assert finished.started <= finished.finished


def test_a_game_that_is_also_watched_live_yields_each_ply_once(setup: Setup) -> None:
    setup.rules = "connect4"
    game = setup.game(*(setup.entrant("mcts:simulations=300", name) for name in "ab"), watched=True)
    events, messages = list[Any](), list[Any]()
    with Follower(setup.folder.path) as follower:
        for event in setup.director.play(InOrder([game])):
            events.append(event)
            if isinstance(event, Ply) and event.move.ply == 2:
                follower.subscribe(game.number)
                assert setup.director.live.socket.poll(1000 * PATIENCE)
        while not messages or not isinstance(messages[-1], LiveEnd | NotLive):
            messages += follower.receive(PATIENCE)
    began, *plies, finished = events
    assert isinstance(began, Began)
    assert [ply.move for ply in plies] == list(finished.record.moves)
    shown = [
        ply for message in messages for ply in (message, *getattr(message, "plies", ())) if isinstance(ply, LivePly)
    ]
    assert [ply.move for ply in shown] == [move.move for move in finished.record.moves][: len(shown)]


def test_the_same_seed_gives_the_same_game(setup: Setup) -> None:
    entrants = setup.entrant("random", "a"), setup.entrant("mcts:simulations=20", "b")
    same: dict[str, Any] = {"identity": ("a", "b"), "clock": "none"}
    first, second = setup.play(setup.game(*entrants, **same), setup.game(*entrants, **same))
    assert [move.move for move in first.record.moves] == [move.move for move in second.record.moves]


def test_each_leg_and_attempt_has_its_own_chance_and_seats(setup: Setup) -> None:
    setup.rules = "pig:goal=20"
    entrants = setup.entrant("random", "a"), setup.entrant("random", "b")
    same: dict[str, Any] = {"identity": ("a", "b"), "clock": "none"}
    finished = setup.play(
        *(setup.game(*entrants, **same, leg=leg, attempt=attempt) for leg in (0, 1) for attempt in (1, 2))
    )
    assert len({tuple(move.move for move in event.record.moves) for event in finished}) == 4


@pytest.mark.parametrize(("fresh", "different"), [(True, 3), (False, 1)])
def test_agents_that_are_not_ours_get_a_fresh_process_each_game_unless_told_otherwise(
    setup: Setup, tmp_path: Path, fresh: bool, different: int
) -> None:
    (tmp_path / "first.py").write_text(AGENT, "utf-8")
    entrants = setup.entrant(str(tmp_path / "first.py"), "first", fresh=fresh), setup.entrant("random", "b")
    finished = setup.play(*(setup.game(*entrants) for _ in range(3)))
    assert [event.record.verdict for event in finished] == [Verdict.NORMAL] * 3
    assert len(set(processes(finished))) == different


def test_who_is_measured_is_recorded(setup: Setup, tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(AGENT, "utf-8")
    entrants = setup.entrant(str(tmp_path / "first.py"), "first"), setup.entrant("random", "b")
    (finished,) = setup.play(setup.game(*entrants, clock="5"))
    for seat in finished.record.seats:
        assert seat.cpu is not None
        assert seat.memory
        assert seat.spent
    for move in finished.record.moves:
        assert move.spent is not None
        assert move.lag is not None
        assert move.lag > 0


def killed_at_ply(setup: Setup, ply: int, pid: Callable[[], int], *planned: Planned) -> list[Finished]:
    """Plays, and kills the process that `pid` returns once that ply of the first game was played."""
    finished = []
    for event in setup.director.play(InOrder(planned)):
        if isinstance(event, Ply) and event.game.number == planned[0].number and event.move.ply == ply:
            os.kill(pid(), signal.SIGKILL)
        if isinstance(event, Finished):
            finished.append(event)
    return finished


def players_of(setup: Setup) -> list[int]:
    """The processes of the crew's players, in the order in which they were started."""
    return [player.process.pid for player in setup.director._crew._players.values() if player.process is not None]


def test_a_built_in_agent_killed_in_the_middle_has_crashed_and_plays_the_next_game(setup: Setup) -> None:
    entrants = setup.entrant("random", "victim"), setup.entrant("mcts:seconds=0.05", "b")
    first, second = killed_at_ply(
        setup,
        1,
        lambda: players_of(setup)[0],
        setup.game(*entrants, watched=True),
        setup.game(*entrants),
    )
    assert (first.record.verdict, first.record.fault) == (Verdict.CRASHED, 0)
    assert "was killed by SIGKILL" in first.record.detail
    assert second.record.verdict == Verdict.NORMAL


@pytest.mark.parametrize(
    ("kind", "verdicts"),
    [
        (WallKind.SANDBOX, [("void", None), ("crashed", 0)]),
        (WallKind.LIMITS, [("crashed", 0)]),
    ],
)
def test_a_killed_warden_is_no_fault_the_first_time_unless_its_agent_could_do_it(
    setup: Setup, tmp_path: Path, kind: WallKind, verdicts: list[tuple[str, int | None]]
) -> None:
    if not (offer := probe.offer(kind)).holds:
        pytest.skip(f"this machine offers no {kind}: {offer.why}")
    (tmp_path / "first.py").write_text(AGENT, "utf-8")
    # It thinks until the warden is killed.
    slow = setup.entrant("mcts:seconds=60", "b")
    entrants = setup.entrant(str(tmp_path / "first.py"), "victim", walls=kind), slow
    finished = []
    for event in setup.director.play(InOrder([setup.game(*entrants, watched=True)])):
        if isinstance(event, Began):
            wardens = [player for player in setup.director._crew._players.values() if player.guarded]
            assert wardens[0].process is not None
            os.kill(wardens[0].process.pid, signal.SIGKILL)
        if isinstance(event, Finished):
            finished.append(event.record)
    assert [(record.verdict, record.fault) for record in finished] == verdicts
    assert all("was killed by SIGKILL" in record.detail for record in finished)
    (played,) = setup.play(setup.game(*entrants))
    assert played.record.verdict == Verdict.NORMAL


@pytest.mark.parametrize(
    ("detail", "told"),
    [
        ("a: its connection ended", "a: its connection ended: exited with code 1: ValueError"),
        ("a: exited with code 1: ValueError", "a: exited with code 1: ValueError"),
    ],
)
def test_the_detail_says_how_a_lost_player_ended(detail: str, told: str) -> None:
    lost, other = Member("a", guarded=False), Member("b", guarded=False)
    lost.ended = "exited with code 1: ValueError"
    crashed = GameRecord(1, "crashed", 0, detail, (), (), 0)
    assert explained(crashed, [lost, other]).detail == told
    normal = GameRecord(1, "normal", None, "", (), (), 0)
    assert explained(normal, [lost, other]) == normal


def test_the_same_end_of_both_players_is_said_once() -> None:
    players = Member("a", guarded=True), Member("b", guarded=True)
    for player in players:
        player.ended = "was killed by SIGKILL"
    void = GameRecord(1, "void", None, "a: its connection ended", (), (), 0)
    assert explained(void, players).detail == "a: its connection ended: was killed by SIGKILL"


@pytest.mark.costly
def test_a_player_of_ours_that_still_thinks_when_its_game_is_over_plays_no_other(setup: Setup) -> None:
    setup.rules = "connect4"
    bad = Path(bad_agents.__file__).with_name("over_stdio.py")
    # A bad agent that ponders is read off its turn, whenever it writes; a paused one only at its next turn.
    program = shlex.join([sys.executable, str(bad), "writes_garbage_off_turn"])
    spoiler = setup.entrant(f"cmd:{program}", "spoiler", ponder=True)
    thinker = setup.entrant("mcts:simulations=1000000000", "thinker")
    (first,) = setup.play(setup.game(spoiler, thinker))
    assert (first.record.verdict, first.record.fault) == (Verdict.GARBAGE, 0)
    assert thinker.key not in [player.key for player in setup.director._crew._players.values()]
    (second,) = setup.play(setup.game(setup.entrant("random", "a"), setup.entrant("random", "b")))
    assert second.record.verdict == Verdict.NORMAL


def test_a_player_of_ours_that_resigns_is_kept_for_its_next_game(setup: Setup) -> None:
    text = f"{resigning_opponent.__file__}:ResignsAfter0"
    resigns = Entrant("r", text, ("-m", "agents", text, "--connect", "-"), source=text)
    (first,) = setup.play(setup.game(resigns, setup.entrant("random", "x")))
    before = players_of(setup)
    (second,) = setup.play(setup.game(resigns, setup.entrant("random", "x")))
    assert (first.record.verdict, second.record.verdict) == (Verdict.RESIGNED, Verdict.RESIGNED)
    assert players_of(setup) == before
    assert len(before) == 2


def test_where_players_wait_fewer_games_are_played_at_once_and_then_more_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.play.director.GAMES", 1)
    shares = iter([0.5, 0.1, 0.01])
    follow = Pace._follow
    monkeypatch.setattr(Pace, "_follow", lambda self, _: follow(self, next(shares, 0.1)))
    monkeypatch.setattr("arena.play.director._LEAST_THINKING", 0)
    monkeypatch.setattr("arena.play.director._THINKS", 0)
    with RunFolder() as folder, Director(folder, at_once=2) as director:
        setup = Setup(folder, director)
        games = [setup.game(setup.entrant("random", "a"), setup.entrant("random", "b")) for _ in range(8)]
        most, paces, over = [2], [], 0
        for event in director.play(InOrder(games)):
            if isinstance(event, PaceChanged):
                paces.append((over, event.at_once))
            if isinstance(event, Finished):
                over += 1
            most.append(len(director.in_progress))
        assert paces == [(1, 1), (3, 2)]
        assert max(most) == 2


class Beside(InOrder):
    """One game beside the others, whose guest never comes."""

    def __init__(self, games: list[Planned], beside: Planned) -> None:
        super().__init__(games)
        self._beside = [beside]
        self.finished: list[Finished] = []

    def beside(self) -> Planned | None:
        return self._beside.pop() if self._beside else None

    def note(self, finished: Finished) -> None:
        self.finished.append(finished)


class UntilNoted(Beside):
    """The same, of which the director waits for the first end of a game."""

    def rest(self) -> float | None:
        return None if self.finished else 1.0


def test_a_game_beside_takes_no_place_and_no_core_and_is_not_waited_for(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    invited: list[str] = []
    monkeypatch.setattr(setup.director._cores, "_free", [1])
    guest = Entrant("human", "human", source="human", invite=lambda _, token: invited.append(token))
    beside = setup.game(guest, setup.entrant("random", "random"), limits=Limits(hello=None))
    games = [setup.game(setup.entrant("random", "one"), setup.entrant("random", "two")) for _ in range(2)]
    cores: list[tuple[int | None, ...]] = []
    schedule = Beside(games, beside)
    for _ in setup.director.play(schedule):
        cores.append(setup.director._running[beside.number].cores)
    assert [finished.game for finished in schedule.finished] == games
    assert set(cores) == {(None, None)}
    assert len(invited) == 1
    assert (setup.director.in_progress, [*setup.director._running]) == ([], [beside.number])
    setup.director.give_up(beside.number)
    other = replace(beside, number=beside.number + 100)
    again = UntilNoted([], other)
    assert [*setup.director.play(again)] == again.finished
    (over,) = again.finished
    assert (over.game, over.record.verdict, over.record.fault) == (beside, Verdict.CRASHED, 0)


def test_players_that_ponder_need_their_own_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.play.cores.physical", lambda: sorted(os.sched_getaffinity(0))[:2])
    with (
        RunFolder() as folder,
        pytest.raises(ArenaError, match="ponder = true needs 3 free cores"),
    ):
        Director(folder, cores_a_game=2)


def test_a_referee_that_does_not_answer_is_lost_and_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.play.director.PING_EVERY", 0.05)
    monkeypatch.setattr("arena.play.director.ANSWERS_WITHIN", 0.5)
    with RunFolder() as folder, Director(folder) as director:
        setup = Setup(folder, director)
        entrants = setup.entrant("random", "a"), setup.entrant("mcts:seconds=0.05", "b")
        with pytest.raises(RefereeLost, match="the referee's process does not answer"):
            stop_the_referee(setup, setup.game(*entrants, watched=True))
        assert director._crew.referee.how_it_ended() == "was killed by SIGKILL"


def stop_the_referee(setup: Setup, game: Planned) -> None:
    for event in setup.director.play(InOrder([game])):
        if isinstance(event, Ply):
            os.kill(setup.director._crew.referee.pid, signal.SIGSTOP)


def test_a_director_with_too_few_descriptors_says_so() -> None:
    code = """if True:
        import resource
        resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
        from arena.play.director import Director
        from arena.walls.run_folder import RunFolder
        with RunFolder() as folder:
            Director(folder)
    """
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ArenaError: the referee needs 72 open files, the limit is 40" in ended.stderr


def test_a_player_lost_between_games_is_started_again_without_fault(setup: Setup) -> None:
    entrants = setup.entrant("random", "a"), setup.entrant("random", "b")
    setup.play(setup.game(*entrants))
    for pid in players_of(setup):
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    (finished,) = setup.play(setup.game(*entrants))
    assert finished.record.verdict == Verdict.NORMAL


def test_a_killed_referee_is_reported_and_leaves_no_process() -> None:
    before = descendants(os.getpid())
    with RunFolder() as folder:
        with pytest.raises(RefereeLost, match="was killed by SIGKILL; the games in progress have no result"):
            lose_the_referee(folder)
        assert descendants(os.getpid()) <= before


def lose_the_referee(folder: RunFolder) -> None:
    with Director(folder) as director:
        setup = Setup(folder, director)
        setup.rules = "connect4"  # the second player thinks until the referee is lost
        entrants = setup.entrant("random", "a"), setup.entrant("mcts:seconds=60", "b")
        killed_at_ply(setup, 1, lambda: director._crew.referee.pid, setup.game(*entrants, watched=True))


def test_broken_rules_are_told_with_their_place_and_not_played_again(setup: Setup, tmp_path: Path) -> None:
    path = tmp_path / "failing.py"
    path.write_text(FAILING, "utf-8")
    setup.rules = str(path)
    entrants = setup.entrant("random", "a"), setup.entrant("random", "b")
    with pytest.raises(BadFixture, match=r"rules failed: ZeroDivisionError: in the rules \(failing.py, line 14, in"):
        setup.play(setup.game(*entrants))


def test_a_void_game_is_played_again_and_after_three_attempts_stays_void() -> None:
    entrants = (Entrant("a", "a"), Entrant("b", "b"))
    schedule = InOrder([Planned(1, "tictactoe", "tictactoe", entrants, seed=1, identity=(1,))])
    now, attempts = datetime.now(UTC), []
    void = GameRecord(1, "void", None, "the machine was busy", (), (), 0)
    while game := schedule.next():
        attempts.append(game.attempt)
        schedule.note(Finished(game, void, now, now))
    assert attempts == [1, 2, 3]


FAILING = '''
"""A game whose rules fail where only the referee goes: at its end."""
from adsearch import State

class Failing(State):
    def __init__(self, plies=0):
        self.plies = plies
        self.turn = plies % 2 if plies < 2 else None
    def moves(self):
        return (1, 2) if self.plies < 2 else ()
    def play(self, move):
        return Failing(self.plies + 1)
    def utilities(self):
        raise ZeroDivisionError("in the rules")
    def position(self):
        return str(self.plies)
    @classmethod
    def load(cls, text):
        return cls(int(text))
'''


def test_games_are_played_at_once(tmp_path: Path) -> None:
    with RunFolder() as folder, Director(folder, at_once=3) as director:
        setup = Setup(folder, director)
        entrants = setup.entrant("random", "a"), setup.entrant("random", "b")
        finished = setup.play(*(setup.game(*entrants) for _ in range(12)))
        assert sorted(event.game.number for event in finished) == list(range(1, 13))
        assert {event.record.verdict for event in finished} == {Verdict.NORMAL}


@pytest.mark.parametrize(
    ("rules", "text", "words"),
    [
        ("pig", "minimax", "minimax cannot play pig"),
        ("ludo:players=3", "alphabeta", "alphabeta cannot play ludo"),
        ("kuhn", "pvs:depth=2", "pvs cannot play kuhn"),
    ],
)
def test_a_player_that_cannot_play_the_game_is_refused_before_it(
    setup: Setup, rules: str, text: str, words: str
) -> None:
    setup.rules = rules
    with pytest.raises(BadFixture, match=words):
        setup.entrant(text, "a")
