"""An attack loses the attacker's game and nothing else, behind every kind of walls that this machine offers.

If root runs the tests, root and an ordinary user each run all attacks in a sandbox, and the ordinary user also behind
each other kind; in `make soak` both run them behind every kind. The attacks that `limits` does not stop are listed in
docs/developers/security.md, and no others succeed.
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
from pathlib import Path
from typing import Final

import msgspec
import pytest

from agents.protocol import Verdict
from arena.match.allowance import WallKind
from arena.match.clock import SECOND
from arena.walls import probe
from tests.attacks import ATTACKS, NOT_STOPPED_BY_LIMITS, STOPPED_BY_SOME_SYSTEMS, Attack
from tests.attacks.attack_run import ATTACKERS, AttackRun, Played
from tests.kit import needs
from tests.kit.effort import SOAK
from tests.kit.ordinary_user import HERE, said_as

USERS: Final = ("root", "ordinary") if os.getuid() == 0 else ("ordinary",)
EVENINGS: Final = [
    f"{kind}-{user}" for kind in WallKind for user in USERS if SOAK or kind is WallKind.SANDBOX or user != "root"
]
"""Kinds of walls, and the user that runs the attacks."""
ONE_OF_EACH: Final = (
    "plays_well",
    "spin_off_turn",
    "dribble",
    "touch_memory_bit_by_bit",
    "fill_own_folder",
    "hold_closed_files",
    "fork_bomb",
    "signal_others",
    "read_secrets",
    "call_out_over_tcp",
    "use_odd_calls",
    "import_what_is_forbidden",
    "flood_stdout",
)
"""One attack of each class; "plays_well" is what the others are compared with."""


@pytest.fixture(scope="module", params=[pytest.param(evening, marks=pytest.mark.costly) for evening in EVENINGS])
def attack_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AttackRun:
    """One run for each kind and user; all processes of pytest-xdist share its results."""
    kind, user = request.param.split("-")
    offer = probe.offer(WallKind(kind))
    if not offer.holds:
        pytest.skip(f"this machine offers no {kind}: {offer.why}; {offer.advice}")
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    kept = folder / f"attack_run-{request.param}.json"
    with open(folder / f"attack_run-{request.param}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            kept.write_bytes(said_as(user, "-m", "tests.attacks.attack_run", kind))
    return msgspec.json.decode(kept.read_bytes(), type=AttackRun)


def of(attack_run: AttackRun, name: str) -> Played:
    """The last game of that attacker: the one that counts."""
    return [played for played in attack_run.played if played.name == name][-1]


def successes(played: Played) -> list[str]:
    """The lines in which the attacker claims success."""
    return re.findall(r"^SUCCEEDED: .*", played.stderr, re.MULTILINE)


@pytest.mark.journey
def test_an_attack_of_each_class_fails_behind_the_walls_of_this_machine() -> None:
    kind = probe.chosen(None).kind
    named = {attack.name: attack for attack in ATTACKS}
    said = said_as(USERS[0], "-m", "tests.attacks.attack_run", kind, *ONE_OF_EACH)
    attack_run = msgspec.json.decode(said, type=AttackRun)
    for attack in (named[name] for name in ONE_OF_EACH):
        check(attack_run, attack)
    assert (attack_run.left, attack_run.changed) == ((), ())
    assert kind is WallKind.LIMITS or attack_run.arrived == ()


@pytest.mark.parametrize("attack", ATTACKS, ids=str)
def test_an_attack_costs_the_attackers_game_and_nothing_else(attack_run: AttackRun, attack: Attack) -> None:
    check(attack_run, attack)


def check(attack_run: AttackRun, attack: Attack) -> None:
    """Fails unless the attack has cost the attacker's game and nothing else."""
    if attack.way == "compiled":
        needs.program("cc")
    played = of(attack_run, attack.name)
    assert played.verdict in attack.may_end_in(attack_run.kind), played.detail
    if played.verdict in (Verdict.NORMAL, Verdict.ADJUDICATED):
        assert played.fault is None
    else:
        assert (played.fault, played.points) == (0, (0.0, 1.0))
        assert attack.words in played.detail or played.verdict not in attack.verdicts
    if played.verdict == Verdict.NORMAL:
        assert played.moves == of(attack_run, "plays_well").moves, "the opponent was disturbed"
    most = 3 * SECOND if attack.opponent_thinks else SECOND
    assert played.spent[1] < most, "the opponent's clock has paid for it"
    assert played.left == ()
    got = successes(played)
    if attack_run.kind is WallKind.LIMITS:
        assert not got or attack.name in NOT_STOPPED_BY_LIMITS, got
    else:
        assert got == []
        assert played.leaked == ()


def test_nothing_is_left_and_nothing_has_changed(attack_run: AttackRun) -> None:
    assert attack_run.left == ()
    assert attack_run.changed == ()


def test_nothing_comes_over_the_network_but_through_limits(attack_run: AttackRun) -> None:
    if attack_run.kind is not WallKind.LIMITS:
        assert attack_run.arrived == ()
    else:
        assert all("call_out" in words or words == "x" for words in attack_run.arrived)


def test_the_director_goes_on(attack_run: AttackRun) -> None:
    ordinary = [played for played in attack_run.played if played.name == "good"]
    assert len(ordinary) >= 5
    for played in ordinary:
        assert (played.verdict, played.fault, played.points) == (Verdict.NORMAL, None, (0.5, 0.5)), played.detail


def test_every_game_was_played_until_it_counted(attack_run: AttackRun) -> None:
    """A game that was lost because the machine was busy is void, and played again."""
    names = {played.name for played in attack_run.played}
    for attack in (attack for attack in ATTACKS if attack.name in names):
        verdicts = [played.verdict for played in attack_run.played if played.name == attack.name]
        assert verdicts[:-1] == [Verdict.VOID] * (len(verdicts) - 1)
        assert verdicts[-1] != Verdict.VOID


@pytest.mark.parametrize("name", ["spin_off_turn", "spin_off_turn_in_a_child"])
def test_thinking_off_turn_gets_no_processor(attack_run: AttackRun, name: str) -> None:
    played = of(attack_run, name)
    assert played.spent[1] > SECOND // 3, "the opponent did not think"
    assert played.cpu is not None
    # Its processor time includes the start of an interpreter, and its own turns.
    assert played.cpu < of_start(attack_run) + 2 * played.spent[0] + played.spent[1] // 10


def of_start(attack_run: AttackRun) -> int:
    """Twice the processor time of an agent that only plays, because it varies."""
    return 2 * (of(attack_run, "plays_well").cpu or 0)


def test_what_limits_do_not_stop_is_known(attack_run: AttackRun) -> None:
    """The list has no attack that limits do stop."""
    if attack_run.kind is not WallKind.LIMITS:
        assert not any(successes(played) for played in attack_run.played)
        return
    got = {played.name for played in attack_run.played if successes(played)}
    assert got <= NOT_STOPPED_BY_LIMITS
    assert got >= NOT_STOPPED_BY_LIMITS - STOPPED_BY_SOME_SYSTEMS


def test_every_attack_is_in_the_table() -> None:
    defined: set[str] = set()
    for room in ATTACKERS.glob("*.py"):
        source = room.read_text("utf-8")
        defined |= set(re.findall(r"^def (\w+)\((?:at: Situation|turn: dict\[str, Any\])\)", source, re.MULTILINE))
    in_c = set(re.findall(r'\bis\("(\w+)"\)', (ATTACKERS / "off_turn.c").read_text("utf-8")))
    assert defined - {"plain", "answer"} == {attack.name for attack in ATTACKS if attack.way != "compiled"}
    assert in_c - {"call_for_long", "make_chains"} == {attack.name for attack in ATTACKS if attack.way == "compiled"}


ESCAPING: Final = """
from agents import Agent
ESCAPES = "\\x1b]0;owned\\x07\\x1b[2J\\x9b31m\\u202e\\r"

class Escaping(Agent):
    name = ESCAPES

    def choose(self, state, clock):
        print(ESCAPES)
        self.tell(line=ESCAPES, text=ESCAPES)
        if state.turn == self.seat and len(state.moves()) < 6:
            raise RuntimeError(ESCAPES)
        return state.moves()[0]
"""


@pytest.mark.costly
def test_no_escape_reaches_the_instructors_terminal(tmp_path: Path) -> None:
    agent = tmp_path / "owned\x1b]0;\x07\x9b31m.py"
    agent.write_text(ESCAPING)
    arena = [HERE.python, "-P", "-m", "arena"]
    said = b""
    for words in (
        ["play", "tictactoe", str(agent), "alphabeta:depth=1"],
        *(["logs", "last"], ["show", "last"], ["history"]),
    ):
        done = subprocess.run([*arena, *words], capture_output=True, cwd=tmp_path, env=HERE.environment(tmp_path))
        assert done.returncode == 0, done.stderr
        said += done.stdout + done.stderr
    text = said.decode("utf-8")
    assert "owned" in text
    assert not set(text) & set("\x1b\x07\x9b\u202e\r")
