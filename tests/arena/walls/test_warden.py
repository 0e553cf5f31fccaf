"""The warden's real process with every bad agent, and with directors and referees that end."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins

from agents.protocol import (
    MESSAGE_BYTES,
    Bye,
    ClockInfo,
    Failed,
    Hello,
    Move,
    Over,
    Ready,
    Refuse,
    Report,
    Start,
    Turn,
    Verdict,
    pack,
)
from arena.match.allowance import Allowance, WallKind
from arena.match.clock import SECOND
from arena.walls import cgroup, file_access, seccomp
from arena.walls.jail import Walls
from arena.walls.usage import LINUX, Usage, descendants
from tests import bad_agents
from tests.bad_agents import OVER_STDIO, BadAgent
from tests.kit.behind_walls import PYTHON, need
from tests.kit.one_game_judge import Judge

LONG = 30 * SECOND
PLAYS_WELL = OVER_STDIO[0].command


def bad(manner: str) -> tuple[str, ...]:
    """The command of one bad agent."""
    return (*PLAYS_WELL[:-1], manner)


def any_manner(patience: float) -> Judge:
    """A judge whose warden starts, in each game, the bad agent that `play_with` names."""
    return Judge(bad("@../../manner"), start=int(patience * SECOND), ready=int(patience * SECOND))


@pytest.fixture(scope="module")
def patient() -> Iterator[Judge]:
    with any_manner(30) as judge:
        yield judge
        assert judge.hang_up() == ""


@pytest.fixture(scope="module")
def impatient() -> Iterator[Judge]:
    with any_manner(0.3) as judge:
        yield judge
        assert judge.hang_up() == ""


def has_ended(pid: int) -> bool:
    """Whether the process does not exist, or has ended and is not reaped yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def wait_for_end(pid: int) -> None:
    """Returns when the process, which is not our child, has ended."""
    while not has_ended(pid):
        os.sched_yield()


# Bad agents.


@pytest.mark.parametrize("agent", OVER_STDIO, ids=str)
def test_every_bad_agent_gets_its_verdict_and_leaves_nothing(agent: BadAgent, patient: Judge, impatient: Judge) -> None:
    judge = patient if agent.patience > 1 else impatient
    match, report = judge.play_with(agent.manner, clock=agent.clock)
    assert (match.verdict, match.fault) == (agent.verdict, 0 if agent.at_fault else None), match.detail
    assert agent.words in match.detail
    assert report.game == match.fixture.game
    assert list(judge.scratch.iterdir()) == []
    assert descendants(judge.warden.pid) == set()
    assert judge.warden.poll() is None


def test_every_manner_is_in_the_table() -> None:
    source = Path(bad_agents.__file__).with_name("over_stdio.py").read_text()
    named = {agent.manner for agent in OVER_STDIO} | {"tells_where_it_is", "takes_half_a_gibibyte"}
    helping = {"write", "say", "hear", "hear_start", "hear_turn", "first_turn", "answer", "play_on", "sleep", "is_open"}
    defined = {line.split()[1].partition("(")[0] for line in source.splitlines() if line.startswith("def ")}
    assert defined - helping == named


def test_no_child_outlives_its_agent_not_even_in_a_session_of_its_own(patient: Judge) -> None:
    _, report = patient.play_with("ignores_sigterm_and_leaves_children")
    children = [int(line.split()[1]) for line in report.stderr.splitlines()]
    assert len(children) == 3
    if LINUX:
        assert all(map(has_ended, children))
    else:
        assert has_ended(children[0])


def test_the_agents_own_figures_are_replaced_by_the_wardens(patient: Judge) -> None:
    match, report = patient.play_with("tells_what_only_hosts_may_tell")
    first = match.moves[0]
    assert first.spent
    assert first.log == 0
    if LINUX:
        assert first.cpu is not None
        assert first.cpu >= 0
        assert first.delay is not None
        assert first.delay < 10**12
        assert report.cpu
        assert report.memory
        assert 1 << 20 < report.memory < 1 << 28


def test_a_flood_on_stderr_is_counted_and_its_end_is_kept(patient: Judge) -> None:
    match, report = patient.play_with("floods_stderr")
    assert match.moves[0].log == 40 * 65536
    assert 50_000 < len(report.stderr) <= 60 * 1024
    assert report.stderr.endswith("xxx\n")


def test_what_is_no_text_on_stderr_still_fits_into_the_report(patient: Judge) -> None:
    _, report = patient.play_with("writes_bytes_that_are_no_text_to_stderr")
    assert "\ufffd" in report.stderr
    assert report.stderr.endswith("not text\n")
    assert len(pack(report)) < MESSAGE_BYTES


def test_the_position_goes_with_every_turn_where_information_is_hidden(patient: Judge) -> None:
    open_game, _ = patient.play_with("wants_nothing")
    hidden_game, _ = patient.play_with("wants_nothing", rules="rps")
    assert "code 10" in open_game.detail
    assert "code 11" in hidden_game.detail


# Walls.


def test_an_agent_is_alone_in_an_empty_room() -> None:
    with Judge(bad("tells_where_it_is"), walls={"cpu": 100, "environment": {"COLOUR": "blue"}}) as judge:
        match = judge.play()
        assert match.verdict is Verdict.NORMAL
        report = judge.heard[-1]
        assert isinstance(report, Report)
        seen = json.loads(report.stderr)
    environment = seen["environment"]
    assert {"PATH", "HOME", "TMPDIR", "LANG", "OMP_NUM_THREADS", "COLOUR"} <= environment.keys()
    assert not environment.keys() & (os.environ.keys() - {"PATH", "HOME", "TMPDIR", "LANG"}) - {
        "LC_CTYPE",
        "PYTHONHASHSEED",
        "PYTHONDONTWRITEBYTECODE",
    }
    assert Path(seen["folder"]).parent == judge.scratch
    assert environment["HOME"] == environment["TMPDIR"] == seen["folder"]
    assert seen["files"] == []
    assert seen["session"]
    assert seen["descriptors"] == [0, 1, 2]
    assert set(seen["ignored"]) <= {signal.SIGPIPE, signal.SIGXFSZ}  # which Python itself ignores
    limits = seen["limits"]
    assert limits["RLIMIT_CORE"] == [1, 1]
    assert limits["RLIMIT_NOFILE"] == [64, 64]
    assert limits["RLIMIT_FSIZE"] == [64 << 20, 64 << 20]
    assert limits["RLIMIT_CPU"] == [100, 100]
    if LINUX:
        assert limits["RLIMIT_DATA"] == [2 << 30, 2 << 30]


@pytest.mark.skipif(not LINUX, reason="memory is limited for certain on Linux alone")
def test_an_agent_that_needs_more_memory_than_it_may_have_loses_by_that() -> None:
    with Judge(bad("takes_half_a_gibibyte"), walls={"allowance": {"memory": 1 << 28}}) as judge:
        assert judge.play().verdict is Verdict.MEMORY
    with Judge(bad("takes_half_a_gibibyte")) as judge:
        assert "exited with code 0" in judge.play().detail


# What cannot be started.


def test_a_command_that_cannot_be_executed_is_the_agents_fault(tmp_path: Path) -> None:
    plain = tmp_path / "no-program"
    plain.write_text("Just text.\n")
    lost = tmp_path / "lost-interpreter"
    lost.write_text("#!/no/such/interpreter\n")
    lost.chmod(0o755)
    for command in ("/no/such/program", str(tmp_path), str(plain), str(lost)):
        with Judge([command]) as judge:
            match = judge.play()
            assert (match.verdict, match.fault) == (Verdict.CRASHED, 0)
            assert f"cannot be started: {command}: " in match.detail
            assert list(judge.scratch.iterdir()) == []


def test_a_server_that_cannot_start_agents_makes_the_game_void() -> None:
    with Judge(PLAYS_WELL) as judge:
        judge.scratch.rmdir()
        match = judge.play()
        assert (match.verdict, match.fault) == (Verdict.VOID, None)
        assert "cannot be started" in match.detail
        judge.scratch.mkdir()
        assert judge.play().verdict is Verdict.NORMAL


def test_orders_that_are_none_are_refused_with_words() -> None:
    with Judge(PLAYS_WELL, fresh="perhaps") as judge:
        assert "expected settings as a JSON object" in judge.wait()
        assert judge.warden.returncode == 2


# Game after game.


def agent_of(judge: Judge) -> int:
    """The warden's only agent process."""
    (pid,) = descendants(judge.warden.pid)
    return pid


def begin(judge: Judge, game: int) -> Ready:
    """Starts a game and waits until the agent is ready."""
    judge.tell(Start(game, "tictactoe", 0, ("a", "b"), ClockInfo("none", None), 1, ".../.../..."))
    ready: Ready = judge.hear_a(Ready)
    assert ready.game == game
    return ready


def ask(judge: Judge, game: int, number: str, *, limit: int = LONG) -> None:
    """A turn."""
    judge.tell(Turn(game, number, 1, (), None, None, ".../.../...", ("a1", "b1"), limit))


def over(judge: Judge, game: int) -> Report:
    """Ends a game; the report."""
    judge.tell(Over(game, (0.0, 0.0), Verdict.NORMAL, None, ()))
    report: Report = judge.hear_a(Report)
    assert report.game == game
    return report


needs_proc = pytest.mark.skipif(not LINUX, reason="the agent's process is looked for in /proc")


@needs_proc
def test_a_fresh_agent_plays_each_game() -> None:
    with Judge(PLAYS_WELL) as judge:
        hello = judge.hear_a(Hello)
        assert (hello.token, hello.wants) == ("a" * 64, ("position", "legal"))
        begin(judge, 1)
        first = agent_of(judge)
        over(judge, 1)
        assert descendants(judge.warden.pid) == set()
        begin(judge, 2)
        assert agent_of(judge) != first


@needs_proc
def test_an_agent_that_is_kept_plays_game_after_game() -> None:
    with Judge(PLAYS_WELL, fresh=False) as judge:
        judge.hear_a(Hello)
        begin(judge, 1)
        first = agent_of(judge)
        ask(judge, 1, "00000001")
        assert judge.hear_a(Move).move == "a1"
        over(judge, 1)
        begin(judge, 2)
        assert agent_of(judge) == first
        over(judge, 2)


@needs_proc
def test_an_agent_that_is_kept_and_ends_between_games_is_started_again() -> None:
    with Judge(PLAYS_WELL, fresh=False) as judge:
        judge.hear_a(Hello)
        begin(judge, 1)
        first = agent_of(judge)
        over(judge, 1)
        os.kill(first, signal.SIGKILL)
        while descendants(judge.warden.pid):
            os.sched_yield()
        begin(judge, 2)
        assert agent_of(judge) != first


LEAVES = """if True:
    import json, sys
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "start":
            print(json.dumps({"type": "ready", "game": message["game"]}), flush=True)
        elif message["type"] == "over":
            sys.stdin.read(1) if sys.argv[1] == "late" else None
            print('{"type": "bye"}', flush=True) if sys.argv[1] == "politely" else None
            sys.exit(int(sys.argv[1] == "late"))
"""


@pytest.mark.parametrize("how", ["at once", "politely", "late"])
def test_an_agent_that_is_kept_and_leaves_after_a_game_plays_the_next_in_a_fresh_process(how: str) -> None:
    with Judge((sys.executable, "-I", "-S", "-c", LEAVES, how), fresh=False) as judge:
        judge.hear_a(Hello)
        for game in (1, 2, 3):
            begin(judge, game)
            over(judge, game)


@needs_proc
def test_an_agent_that_is_kept_is_not_asked_to_play_on_while_it_thinks_about_a_game_that_is_over() -> None:
    with Judge(bad("hangs"), fresh=False) as judge:
        judge.hear_a(Hello)
        begin(judge, 1)
        first = agent_of(judge)
        ask(judge, 1, "00000001")
        over(judge, 1)
        begin(judge, 2)
        assert agent_of(judge) != first


def test_a_start_that_comes_before_the_last_agent_has_left_gets_a_fresh_one() -> None:
    with Judge(bad("hangs")) as judge:
        judge.hear_a(Hello)
        begin(judge, 1)
        judge.tell(Over(1, None, Verdict.VOID, None, ()))
        judge.tell(Start(2, "tictactoe", 0, ("a", "b"), ClockInfo("none", None), 1, ".../.../..."))
        assert judge.hear_a(Report).game == 1
        assert judge.hear_a(Ready).game == 2


def test_an_agent_that_fails_off_turn_fails_once_and_is_reported_after_the_game() -> None:
    with Judge(bad("crashes_right_after_its_move")) as judge:
        judge.hear_a(Hello)
        begin(judge, 1)
        ask(judge, 1, "00000001")
        move = judge.hear_a(Move)
        assert move.id == "00000001"
        # It ends before it is paused, or when it is resumed.
        ask(judge, 1, "00000002")
        assert judge.hear_a(Failed).verdict is Verdict.CRASHED
        over(judge, 1)


def test_no_limit_means_no_deadline_and_the_limit_is_one_of_the_turn() -> None:
    with Judge(bad("hangs")) as judge:
        judge.hear_a(Hello)
        begin(judge, 1)
        ask(judge, 1, "00000001", limit=SECOND // 20)
        failed = judge.hear_a(Failed)
        assert failed.verdict is Verdict.TIME
        assert failed.spent >= SECOND // 20
        if LINUX:
            assert failed.cpu < failed.spent


# The end.


@needs_proc
@pytest.mark.parametrize("how", ["director gone", "referee gone", "SIGTERM", "bye", "refuse", "SIGKILL"])
def test_the_warden_takes_its_agent_with_it(how: str) -> None:
    with Judge(bad("hangs")) as judge:
        judge.hear_a(Hello)
        begin(judge, 1)
        ask(judge, 1, "00000001")
        agent = agent_of(judge)
        code, words = 0, ""
        match how:
            case "director gone":
                judge.hang_up()
            case "referee gone":
                judge.socket.close()
                code, words = 1, "warden: the connection to the referee failed: the other end has closed it"
            case "SIGTERM":
                judge.warden.terminate()
            case "bye":
                judge.tell(Bye())
            case "refuse":
                judge.tell(Refuse("no player is expected with your token"))
                code, words = 1, "refused by the referee: no player is expected with your token"
            case "SIGKILL":
                judge.warden.kill()
                code = -signal.SIGKILL
        if how != "director gone":
            assert judge.wait().strip() == words
        assert judge.warden.returncode == code
        wait_for_end(agent)
        assert list(judge.scratch.iterdir()) == [] or how == "SIGKILL"


def test_ctrl_c_is_the_directors() -> None:
    with Judge(PLAYS_WELL) as judge:
        judge.hear_a(Hello)
        begin(judge, 1)
        judge.warden.send_signal(signal.SIGINT)
        over(judge, 1)
        assert judge.hang_up() == ""


def test_an_agent_in_python_with_our_kit_is_found_from_anywhere() -> None:
    command = (sys.executable, "-P", "-c", "import agents.protocol, sys; sys.exit(len(agents.protocol.LIMITS))")
    with Judge(command) as judge:
        match = judge.play()
    assert "exited with code 5" in match.detail


# What an agent does when it is not its turn, and what it uses too much of.

PLAYS = """if True:
    import json, mmap, os, sys, threading, time

    def say(**message):
        print(json.dumps(message), flush=True)

    def spin():
        while True:
            pass

    kept = []
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "start":
            say(type="ready", game=message["game"])
        elif message["type"] == "turn":
            {does}
            say(type="move", game=message["game"], id=message["id"], move=message["legal"][0])
        elif message["type"] == "bye":
            break
"""
SPINS = "threading.Thread(target=spin, daemon=True).start()"
needs_kinds = pytest.mark.skipif(not LINUX, reason="what another process does is looked for in /proc")


def walled(does: str, kind: WallKind, allowance: Allowance | None = None, **orders: Any) -> Judge:
    """A judge whose warden has an agent that does this in each turn, behind walls of that kind."""
    need(kind)
    walls = Walls(kind, allowance or Allowance(), readable=file_access.interpreter(), filter=seccomp.compiled(kind))
    return Judge((*PYTHON, PLAYS.format(does=does)), walls=to_builtins(walls), **orders)


def innermost(judge: Judge) -> int:
    """The agent's own process, inside a container too."""
    (pid,) = (pid for pid in descendants(judge.warden.pid) if not descendants(pid))
    return pid


def wait_until_still(pid: int) -> None:
    """Returns when all threads of the process are paused: stopped, or frozen with their control group."""
    group = Path(f"/proc/{pid}/cgroup").read_text().rpartition("0::")[2].strip()
    events = Path(cgroup._parent() or "", Path(group).name, "cgroup.events")
    states = [""]
    while set(states) != {"T"} and not (events.exists() and "frozen 1" in events.read_text()):
        os.sched_yield()
        tasks = Path(f"/proc/{pid}/task").iterdir()
        states = [(task / "stat").read_text().rpartition(")")[2].split()[0] for task in tasks]


def used(pid: int) -> int:
    """Nanoseconds of processor time."""
    with closing(Usage(pid)) as usage:
        found = usage.cpu()
    assert found is not None
    return found


def work(seconds: float) -> None:
    """Sleeps, so that others can use a processor."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


@needs_kinds
@pytest.mark.parametrize("kind", WallKind)
def test_an_agent_stands_still_while_it_is_not_its_turn(kind: WallKind) -> None:
    with walled(SPINS, kind) as judge:
        judge.hear_a(Hello)
        begin(judge, 1)
        agent = innermost(judge)
        for number in ("00000001", "00000002", "00000003"):
            wait_until_still(agent)
            before = used(agent)
            work(0.05)
            assert used(agent) < before + 1_000_000
            ask(judge, 1, number)
            assert judge.hear_a(Move).id == number, "a paused agent is not lost"
        wait_until_still(agent)
        over(judge, 1)
        assert judge.hang_up() == ""


@needs_kinds
@pytest.mark.parametrize("kind", WallKind)
@pytest.mark.parametrize(("follows", "verdict"), [("I won!", Verdict.GARBAGE), ('{"type": "bye"}', Verdict.CRASHED)])
def test_a_move_counts_before_what_follows_it(follows: str, verdict: Verdict, kind: WallKind) -> None:
    """Also where its threads are not still at once."""
    move = 'json.dumps(dict(type="move", game=1, id=message["id"], move="a1"))'
    does = f"{SPINS}; {SPINS}; os.write(1, ({move} + chr(10) + {follows!r} + chr(10)).encode()); time.sleep(1000)"
    with walled(does, kind) as judge:
        judge.hear_a(Hello)
        begin(judge, 1)
        ask(judge, 1, "00000001")
        assert judge.hear_a(Move).id == "00000001"
        assert judge.hear_a(Failed).verdict is verdict
        over(judge, 1)


@needs_kinds
@pytest.mark.skipif(not hasattr(os, "waitid"), reason="only Linux tells of an agent that is resumed")
@pytest.mark.parametrize("kind", [WallKind.LIMITS, WallKind.SANDBOX])
def test_an_agent_that_somebody_else_resumes_is_stopped_again_and_plays_on(kind: WallKind) -> None:
    """An administrator or a debugger can send the signal, too."""
    with walled("pass", kind) as judge:
        judge.hear_a(Hello)
        begin(judge, 1)
        agent = innermost(judge)
        for number in ("00000001", "00000002", "00000003"):
            wait_until_still(agent)
            work(0.05)  # the warden has seen it stand still
            os.kill(agent, signal.SIGCONT)
            ask(judge, 1, number)
            assert judge.hear_a(Move).id == number
            wait_until_still(agent)
            work(0.05)
            os.kill(agent, signal.SIGCONT)
            wait_until_still(agent)
        assert judge.hang_up() == ""


@needs_kinds
@pytest.mark.parametrize("kind", WallKind)
def test_an_agent_that_is_kept_stands_still_between_games(kind: WallKind) -> None:
    with walled(SPINS, kind, fresh=False) as judge:
        judge.hear_a(Hello)
        for game in (1, 2):
            begin(judge, game)
            agent = innermost(judge)
            ask(judge, game, f"0000000{game}")
            judge.hear_a(Move)
            over(judge, game)
            wait_until_still(agent)
            before = used(agent)
            work(0.05)
            assert used(agent) < before + 1_000_000
        assert judge.hang_up() == ""


@needs_kinds
@pytest.mark.parametrize("kind", WallKind)
def test_with_ponder_an_agent_keeps_running(kind: WallKind) -> None:
    with walled(SPINS, kind, ponder=True) as judge:
        judge.hear_a(Hello)
        begin(judge, 1)
        agent = innermost(judge)
        ask(judge, 1, "00000001")
        judge.hear_a(Move)
        before = used(agent)
        while used(agent) < before + 50_000_000:
            os.sched_yield()
        ask(judge, 1, "00000002")
        assert judge.hear_a(Move).id == "00000002"
        over(judge, 1)


@needs_kinds
@pytest.mark.parametrize("kind", WallKind)
def test_an_agent_that_is_killed_while_paused_has_crashed(kind: WallKind) -> None:
    with walled("pass", kind) as judge:
        judge.hear_a(Hello)
        begin(judge, 1)
        agent = innermost(judge)
        wait_until_still(agent)
        os.kill(agent, signal.SIGKILL)
        ask(judge, 1, "00000001")
        failed = judge.hear_a(Failed)
        assert failed.verdict is Verdict.CRASHED
        assert "SIGKILL" in failed.detail
        over(judge, 1)
        assert descendants(judge.warden.pid) == set()


@needs_kinds
@pytest.mark.parametrize("kind", WallKind)
def test_more_memory_than_it_may_have_costs_the_game_by_its_name(kind: WallKind) -> None:
    takes = "kept = [bytearray(1 << 20) for _ in range(1000)]; spin()"
    with walled(takes, kind, Allowance(memory=1 << 27)) as judge:
        match = judge.play()
    assert (match.verdict, match.fault) == (Verdict.MEMORY, 0), match.detail


@needs_kinds
@pytest.mark.parametrize("kind", WallKind)
def test_memory_that_is_shared_is_counted_or_cannot_be_had(kind: WallKind) -> None:
    takes = "kept = mmap.mmap(-1, 1 << 28); kept.write(bytes(1 << 28)); spin()"
    with walled(takes, kind, Allowance(memory=1 << 27)) as judge:
        match = judge.play()
    verdict = Verdict.MEMORY if kind is WallKind.LIMITS else Verdict.CRASHED
    assert (match.verdict, match.fault) == (verdict, 0), match.detail


@pytest.mark.costly
@needs_kinds
@pytest.mark.parametrize("kind", WallKind)
def test_more_threads_than_it_may_have_cost_the_game(kind: WallKind) -> None:
    starts = "[threading.Thread(target=time.sleep, args=(1000,), daemon=True).start() for _ in range(40)]; spin()"
    with walled(starts, kind, Allowance(threads=20)) as judge:
        match = judge.play()
    assert (match.verdict, match.fault) == (Verdict.CRASHED, 0), match.detail
    with walled(starts.replace("spin()", "pass"), kind, Allowance(threads=None)) as judge:
        assert judge.play().verdict is Verdict.NORMAL


@pytest.mark.costly
@needs_kinds
@pytest.mark.parametrize("kind", [WallKind.LIMITS, WallKind.SANDBOX])
def test_more_files_than_it_may_have_cost_the_game(kind: WallKind) -> None:
    writes = "[open(str(n), 'wb').write(bytes(900_000)) for n in range(4)]; spin()"
    with walled(writes, kind, Allowance(disk=1 << 20)) as judge:
        match = judge.play()
        assert (match.verdict, match.fault) == (Verdict.FLOODED, 0), match.detail
        assert "wrote more than 1 MiB into its folder" in match.detail
        assert list(judge.scratch.iterdir()) == []
    with walled(writes.replace("spin()", "pass"), kind, Allowance(disk=1 << 23)) as judge:
        assert judge.play().verdict is Verdict.NORMAL
