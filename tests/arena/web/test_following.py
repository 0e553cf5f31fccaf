"""The thread that follows directors also notices rulings of other processes: no page stays as it was before."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from arena.web.live import SECOND
from arena.web.server import Rulings, following
from tests.kit.arena_program import arena
from tests.kit.effort import PATIENCE
from tests.kit.managed_ladder import managed_ladder
from tests.kit.pages_in_process import pages_in_process


def test_a_ruling_is_noticed_once_and_looked_for_once_a_second() -> None:
    numbers, looks, changes = iter([4, 4, 5, 5]), list[int](), list[int]()

    def read() -> int:
        looks.append(next(numbers))
        return looks[-1]

    rulings = Rulings(read, lambda: changes.append(looks[-1]))
    for tenth in range(31):
        rulings.look(tenth * SECOND // 10)
    assert (looks, changes) == ([4, 4, 5, 5], [5])


def test_pages_show_the_ruling_of_a_command(tmp_path: Path) -> None:
    with managed_ladder(str(tmp_path / "arena.db"), tmp_path) as room, pages_in_process(room) as pages:
        ((game,),) = room.sql("SELECT id FROM game WHERE number = 1 AND status = 'finished'")
        pages.site.cache._clock = lambda: 0.0  # nothing becomes too old to be given again

        async def annulled() -> bool:
            return "annulled" in (await pages.asked(f"/g/{game}", by=room.instructor)).text

        async def watch() -> None:
            with following(pages.site, failed=lambda error: pages.complaints.append(repr(error))):
                assert not await annulled()
                ruled = arena("rule", "void", str(game), "--reason", "a wrong clock", cwd=tmp_path)
                assert ruled.code == 0, ruled.err
                async with asyncio.timeout(PATIENCE):
                    while not await annulled():
                        await asyncio.sleep(0.05)

        pages.run(watch())
