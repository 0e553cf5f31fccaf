"""A Dask cluster on this machine, for one command: a scheduler in its process, and one game host.

Only processes that have the cluster's certificate, which is made for it and never written to a file, can connect; the
scheduler listens on the loopback interface only.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import dask
from distributed import LocalCluster
from distributed.security import Security

from arena.hosts.dask_names import check_dask
from arena.play.helper import Asker, AskerEnded, Helper, Limits
from arena.walls.run_folder import RunFolder

_FIELDS: Final = ("tls_ca_file", "tls_worker_cert", "tls_worker_key", "tls_client_cert", "tls_client_key")
_ENDS_WITHIN: Final = 30.0
"""Seconds that the game host has to end all its players."""


@contextmanager
def local_cluster(folder: RunFolder, games: int) -> Iterator[tuple[str, Security]]:
    """The address of a cluster, and what a client needs to connect; everything is ended at the end.

    `games`: how many games the host plays at the same time."""
    security = Security.temporary()
    dask.config.set(temporary_directory=str(folder.path / "dask"))
    with LocalCluster(
        n_workers=0,
        processes=False,
        host="127.0.0.1",
        protocol="tls://",
        dashboard_address="127.0.0.1:0",  # a free port: another Dask on this machine may have the default one
        security=security,
    ) as cluster:
        host = Helper(play, Limits(finishes=True), folder=folder, ends_within=_ENDS_WITHIN)
        host.send((cluster.scheduler_address, games, {name: getattr(security, name) for name in _FIELDS}))
        try:
            yield cluster.scheduler_address, security
        finally:
            host.end()


def play(asker: Asker) -> None:
    """Plays until the command ends; in a helper."""
    os.setsid()  # Ctrl-C in the terminal is for the command, which then ends this process
    address, games, secrets = asker.job(tuple[str, int, dict[str, Any]])
    check_dask("--on")
    from arena.hosts.worker import play_for

    def end_with_command() -> None:
        with suppress(AskerEnded):
            while True:
                asker.wait()
        for _ in range(2):
            signal.raise_signal(signal.SIGTERM)

    threading.Thread(target=end_with_command, daemon=True).start()
    security = Security(require_encryption=True, **secrets)
    play_for(address, lambda _: None, games=games, security=security, joins_within=0)
