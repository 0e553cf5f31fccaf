"""Options of the commands that play games: which games, and how agents are confined."""

from typing import Annotated

import typer

from arena.walls.kinds import WallKind

SeedOption = Annotated[int | None, typer.Option(min=0, help="Play the games of this seed.")]
WallsOption = Annotated[
    WallKind | None, typer.Option(help="How agents of yours are confined. Usual: the best that this machine offers.")
]
