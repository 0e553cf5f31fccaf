"""The option --on: a Dask cluster whose game hosts do the work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from arena.hosts.cluster import Cluster
    from arena.walls.run_folder import RunFolder

OnOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Dask scheduler whose game hosts do the work, such as tcp://scheduler:8786; or dask, for a cluster on "
        "this machine.",
        show_default="this process",
    ),
]
NoHostsOption = Annotated[str | None, typer.Option(hidden=True)]
"""--on of a command that once used hosts."""


def refuse_hosts(on: str | None, command: str) -> None:
    """BadParameter if --on is given to a command that runs on this machine only."""
    if on is not None:
        raise typer.BadParameter(
            f"--on: checks run on this machine only; start {command} on the machine that has more cores"
        )


def check_on(on: str | None) -> None:
    """ArenaError if the value of --on is no address that can be used here, or Dask is missing."""
    if on is None:
        return
    from arena.hosts.dask_names import LOCAL, check_address, check_certificate, check_dask

    if on != LOCAL:
        check_address(on, "--on", f", or {LOCAL} for a cluster on this machine")
    check_dask("--on")
    if on != LOCAL:
        check_certificate(on, "--on", "client")


@contextmanager
def cluster_at(on: str, folder: RunFolder, games: int) -> Iterator[tuple[Cluster, bool]]:
    """The cluster, and whether it is one of this machine, which then plays this number of games at the same time."""
    from arena.hosts.cluster import Cluster
    from arena.hosts.dask_names import LOCAL

    if on != LOCAL:
        with Cluster(on) as cluster:
            yield cluster, False
        return
    from arena.hosts.local import local_cluster

    with local_cluster(folder, games) as (address, security), Cluster(address, security=security) as cluster:
        yield cluster, True
