"""Makes any Dask worker a game host: `dask worker ADDRESS --preload arena.hosts.preload`.

For workers that Dask's own deployment packages start; by hand, `arena worker` does the same.
"""

from __future__ import annotations

from distributed import Worker

from arena.hosts.game_host import TASKS, GameHost


async def dask_setup(worker: Worker) -> None:
    """Called by Dask before the worker joins its scheduler."""
    worker.state.nthreads = TASKS
    await worker.plugin_add(GameHost(), catch_errors=False)
