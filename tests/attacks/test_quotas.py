"""What the kernel counts for each user, and one agent has used up, is there for the other all the same.

An agent takes everything that it gets, and keeps it; meanwhile another needs a little of each.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Final

import pytest

from arena.match.allowance import WallKind
from arena.walls import file_access, jail, probe, seccomp
from arena.walls.jail import Confined, Walls
from tests.attacks.attackers.quotas import A_LITTLE
from tests.kit.ordinary_user import said_as

ATTACKER: Final = Path(__file__).with_name("attackers") / "quotas.py"
USERS: Final = ("root", "ordinary") if os.getuid() == 0 else ("ordinary",)
GREEDY: Final = 3
_ANSWERS_WITHIN: Final = 120.0


@pytest.mark.costly
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("kind", WallKind)
def test_nothing_that_one_agent_uses_up_is_missing_to_another(kind: WallKind, user: str) -> None:
    offer = probe.offer(kind)
    if not offer.holds:
        pytest.skip(f"this machine offers no {kind}: {offer.why}; {offer.advice}")
    greedy, modest = json.loads(said_as(user, "-m", "tests.attacks.test_quotas", kind))
    wanted = A_LITTLE if kind is WallKind.LIMITS else A_LITTLE | {"timers": 0}  # which no one else may have
    assert all(greedy[0][what] >= wanted[what] for what in wanted), greedy
    assert modest == wanted


def started(kind: WallKind, wants: str, scratch: Path) -> tuple[Confined, dict[str, int]]:
    """An agent that takes what it `wants`, and what it got."""
    readable = (*file_access.interpreter(), str(ATTACKER))
    walls = Walls(kind, readable=readable, filter=seccomp.compiled(kind))
    agent = jail.start([os.path.realpath(sys.executable), "-I", "-S", str(ATTACKER), wants], walls, scratch)
    os.set_blocking(agent.stdout.fileno(), True)
    said = b""
    while not said.endswith(b"\n"):
        part = agent.stdout.read(4096)
        assert part, jail.read_all(agent.stderr.fileno(), _ANSWERS_WITHIN)[0].decode()
        said += part
    return agent, json.loads(said)


def main(kind: WallKind) -> None:
    """Tells what agents got that take everything, and then one that needs a little."""
    with tempfile.TemporaryDirectory(prefix="q-") as folder:
        agents = [started(kind, "everything", Path(folder)) for _ in range(GREEDY)]
        agents.append(started(kind, "a-little", Path(folder)))
        for agent, _ in agents:
            agent.kill_all()
            agent.remove()
    print(json.dumps([[got for _, got in agents[:-1]], agents[-1][1]]))


if __name__ == "__main__":
    main(WallKind(sys.argv[1]))
