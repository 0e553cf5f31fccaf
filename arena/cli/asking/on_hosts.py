"""The option --on: a Dask cluster whose game hosts do the work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.terminal import progress_line

if TYPE_CHECKING:
    from arena.hosts.cluster import Cluster
    from arena.players.submissions import Store
    from arena.student.checking.conditions import Conditions
    from arena.student.checking.examiner import Examines
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


@contextmanager
def examiner(
    folder: RunFolder, conditions: Conditions, *, on: str | None, store: Store, many: bool = True
) -> Iterator[Examines]:
    """Checks agents: in this process, or on hosts, which get the agents from `store`."""
    if on is None:
        from arena.student.checking.examiner import Examiner

        with Examiner(conditions, folder, many=many) as here:
            yield here
        return
    from arena.hosts.far_examiner import FarExaminer
    from arena.play import cores

    with cluster_at(on, folder, cores.count()) as (cluster, is_local):
        yield FarExaminer(cluster, conditions, store, progress_line.say, alone=is_local)
