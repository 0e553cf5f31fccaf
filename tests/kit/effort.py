"""How many examples a test run tries: few in the suite, some more in `.ci/run`, many in `make soak`.

SOAK=1: many times as many examples, and long proofs; SOAK_MINUTES=10: a shorter hour. ALL_WALLS=1: every user behind
every kind of walls. ALL_PYTHONS=1: the package installed by pip in the oldest and the newest Python. The Makefile says
how each is set; no other module reads them.
"""

import os
from collections.abc import Sequence
from itertools import islice
from typing import Final

SOAK: Final = os.environ.get("SOAK") == "1"
SOAK_MINUTES: Final = float(os.environ.get("SOAK_MINUTES", "60"))
ALL_WALLS: Final = SOAK or os.environ.get("ALL_WALLS") == "1"
ALL_PYTHONS: Final = SOAK or os.environ.get("ALL_PYTHONS") == "1"
PATIENCE: Final = 600
"""Seconds that a test waits for another process before it gives up: far more than it takes on any machine."""


def tries(suite: int, *, soak: int | None = None) -> int:
    """`suite`, or with SOAK=1 `soak`, by default twenty times as many."""
    return (suite * 20 if soak is None else soak) if SOAK else suite


_ATTACK: Final = "tests/attacks/test_attacks.py::test_an_attack_costs_the_attackers_game_and_nothing_else"
_SHOWN: Final = "tests/test_docs.py::test_shown_commands_print_and_draw_what_is_shown"
LONG_ONES: Final = (
    f"{_SHOWN}[student.md",
    "tests/arena/hosts/test_clusters.py::",
    "tests/arena/hosts/test_trust.py::test_nobody_without_the_certificate_hands_out_or_takes_games",
    "tests/arena/web/test_hand_in.py::test_whatever_is_killed_during_hand_ins_each_reaches_its_end_once",
    "tests/arena/hosts/test_far_examiner.py::test_a_folder_is_checked_as_at_home_though_a_host_is_killed",
    f"{_ATTACK}[limits-ordinary-spin_off_turn]",
    f"{_ATTACK}[sandbox-root-spin_off_turn]",
    "tests/arena/student/checking/test_wrong_agents.py::",
    f"{_SHOWN}[instructor.md",
    "tests/arena/play/test_bad_agents.py::",
    f"{_ATTACK}[container-ordinary-spin_off_turn]",
    f"{_ATTACK}[sandbox-ordinary-spin_off_turn]",
    f"{_ATTACK}[container-root-spin_off_turn]",
    f"{_ATTACK}[limits-root-spin_off_turn]",
    "tests/arena/student/checking/test_explanations.py::test_what_goes_wrong_behind_walls_is_told_why",
    "tests/test_package.py::test_what_pip_installs_plays_on_every_python",
    "tests/test_containerfile.py::test_its_steps_make_an_environment_that_plays",
    "tests/test_package.py::test_a_release_is_built_twice_checked_and_tried",
    "tests/arena/cli/test_journey.py::",
    "tests/arena/student/checking/test_examiner.py::",
    "tests/arena/cli/play/test_run.py::",
    "tests/arena/cli/teach/test_collect.py::",
    "tests/test_package.py::test_a_student_needs_no_clone",
    f"{_SHOWN}[README.md",
)
"""How the names of the tests begin that take longest, the longest first; `make test` prints the 25 slowest."""


def long_ones_first(names: Sequence[str], processes: int) -> list[int]:
    """The order in which to hand out the tests of these names, as places among them.

    Each process is first given a part of the tests that is as long as any other's (`--dist worksteal`), and takes what
    others have left when it is done. So the long ones are dealt to the beginnings of the parts."""
    groups = [[place for place, name in enumerate(names) if name.startswith(long)] for long in LONG_ONES]
    groups = [group for group in groups if group]
    dealt = [[place for group in groups[process::processes] for place in group] for process in range(processes)]
    long = {place for group in groups for place in group}
    others = iter([place for place in range(len(names)) if place not in long])
    order: list[int] = []
    for process, part in enumerate(dealt):
        size = (len(names) - len(order)) // (processes - process)
        order += [*part, *islice(others, max(0, size - len(part)))]
    return [*order, *others]
