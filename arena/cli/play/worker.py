"""`arena worker`: plays games of tournaments that run on other machines."""

from __future__ import annotations

from typing import Annotated

import typer


def worker(
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="Address of the Dask scheduler, such as tcp://scheduler:8786.")
    ],
    games: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=1024,
            help="Number of games played at the same time.",
            show_default="processor cores minus one",
        ),
    ] = None,
) -> None:
    """Play games for `arena run --on ADDRESS`: this machine becomes a game host of a Dask cluster.

    Agents run behind the same walls as in `arena run`. The command runs until Ctrl-C: pressed once, it finishes the
    games in progress, twice, it stops immediately; SIGTERM does the same. If the scheduler goes away, it waits five
    minutes for one at the same address. A connection over TLS (tls://) uses the certificates of Dask's configuration.

    Everyone who can connect to the scheduler can run programs on this machine as your user: see
    `arena docs tournaments`.

    Example: arena worker tcp://scheduler:8786 --games 4
    """
    from arena.hosts.messages import check_address, check_certificate, check_dask

    check_address(address, "ADDRESS")
    check_dask("arena worker")
    check_certificate(address, "ADDRESS", "worker")
    from arena.hosts.worker import play_for

    number = play_for(address, lambda text: print(text, flush=True), games=games)
    raise typer.Exit(128 + number)
