"""Every failure has a message that names its cause; tests/kit/check_messages.txt has them word for word.

After a change on purpose: python -m tests.kit.check_messages
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agents.errors import BadMessage
from agents.protocol import Verdict, line_from_player
from arena.student.checking.explanations import Failure, explain
from tests.attacks.attack_run import AttackRun
from tests.attacks.test_attacks import attack_run  # noqa: F401
from tests.kit import check_messages
from tests.kit.broken_submissions import BEHIND_WALLS, BROKEN, FAMILIES, HOSTED, NO_FILES, Broken
from tests.kit.effort import SOAK

MESSAGES = check_messages.recorded()


@pytest.mark.parametrize("broken", [*NO_FILES, *HOSTED], ids=str)
def test_a_file_that_does_not_work_is_explained(broken: Broken, tmp_path: Path) -> None:
    assert check_messages.of_file(broken, tmp_path) == MESSAGES[f"file: {broken}"]


@pytest.mark.costly(seconds=10)
def test_what_goes_wrong_behind_walls_is_told_why(tmp_path: Path) -> None:
    """With real processes, one of each family; with SOAK=1 all of them."""
    wanted = {name for family in FAMILIES for name in (family if SOAK else family[:1])}
    told = check_messages.behind_walls(tmp_path, [broken for broken in BEHIND_WALLS if broken.name in wanted])
    assert told == {name: MESSAGES.get(f"walls: {name}") for name in wanted}


@pytest.mark.parametrize("name", check_messages.lost())
def test_each_recorded_loss_of_a_confined_agent_is_explained(name: str) -> None:
    assert check_messages.is_message_of(check_messages.lost()[name], MESSAGES[f"walls: {name}"])


def test_each_confined_agent_is_in_one_family_whose_first_is_examined() -> None:
    assert sorted(name for family in FAMILIES for name in family) == sorted(map(str, BEHIND_WALLS))
    known = set(check_messages.lost())
    for first, *others in FAMILIES:
        assert set(others) <= known or first not in known


@pytest.mark.costly(seconds=10)
@pytest.mark.parametrize("attack_run", ["sandbox-ordinary"], indirect=True, scope="module")
def test_every_attack_has_its_message(attack_run: AttackRun) -> None:  # noqa: F811
    for name, words in check_messages.of_attacks(attack_run).items():
        if name.startswith("attack: start_"):  # refused by the system, or counted by the warden: a race
            assert "thread" in words or words == "good"
        else:
            # An attack with several possible ends can end differently on the machine that made the file.
            assert words == MESSAGES.get(name, words if "(" in name else None), name


def test_every_broken_file_has_a_message() -> None:
    told = {str(broken): MESSAGES[f"{'walls' if broken.walled else 'file'}: {broken}"] for broken in BROKEN}
    assert all(words for words in told.values())
    # Only files that Python accepts after all are "good".
    assert {name for name, words in told.items() if words == "good"} <= {
        "text in Latin-1",
        "nothing but prints",
        "a name of ours",
        "a name of Python's",
    }


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_has_a_message_even_for_unknown_details(verdict: Verdict) -> None:
    why = explain(Failure(verdict, "something new"))
    assert "something new" in why.message or why.message
    assert why.message.strip()


def test_each_text_of_a_message_is_one_line() -> None:
    for name, words in MESSAGES.items():
        told = [line for line in words.splitlines() if not line.startswith("| ")]
        assert len(told) <= 4, name
        assert all(line.isprintable() for line in told), name


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"type": "move", "game": 1, "move": "4"}', "the agent sent a 'move' without the key 'id'"),
        (b'{"type": "mov"}', "the agent sent a message of the unknown type 'mov'; did you mean 'move'?"),
        (b'{"type": "turn"}', "the agent sent a message of the unknown type 'turn'"),
        (b'{"type": "ready", "game": "7"}', "the agent sent a 'ready' with a mistake: Expected 'int', got 'str'"),
    ],
)
def test_what_is_wrong_with_a_message_is_named_and_the_message_shown(line: bytes, message: str) -> None:
    with pytest.raises(BadMessage) as refused:
        line_from_player(line)
    said = explain(Failure(Verdict.GARBAGE, str(refused.value), python=False)).message
    assert said.startswith(message)
    assert line.decode()[:40] in said
    assert "failed" not in said, "an agent does not send that"


@pytest.mark.parametrize("verdict", [Verdict.TIME, Verdict.UNREADY])
def test_if_waiting_counts_as_thinking_the_advice_mentions_a_busy_machine(verdict: Verdict) -> None:
    failure = Failure(verdict, "used 1.060 s of 1.000 s at ply 1", waits_charged=True)
    assert "or the machine was too busy" in explain(failure).advice
    assert "too busy" not in explain(replace(failure, waits_charged=False)).advice


def test_a_crash_is_not_blamed_on_a_busy_machine() -> None:
    assert "too busy" not in explain(Failure(Verdict.CRASHED, "exited with code 1", waits_charged=True)).advice
