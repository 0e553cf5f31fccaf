"""What `arena run` writes while it plays, for those who test engines: files that get each game when it is over, and a
line with the Elo difference every few games."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_type_hints

import typer
from msgspec import Struct

from arena.cli.terminal.files import check_folder
from arena.cli.terminal.listings import with_options
from arena.errors import ArenaError
from arena.history.exchange import FileFormat
from arena.match.schedule import Event, Finished

if TYPE_CHECKING:
    from arena.cli.play.tournament_display import TournamentDisplay
    from arena.history.exchange.growing_file import GrowingFile
    from arena.tournament.league import League
    from arena.tournament.tournament import Tournament
    from db.database import Database


class MatchLog(StrEnum):
    """The values of --log."""

    ENGINE = "engine"


class MatchOutput(Struct, frozen=True):
    """The options, and their values."""

    pgn: Annotated[
        Path | None, typer.Option("--pgn", metavar="FILE", help="PGN file to which each game is added when it ends.")
    ] = None
    sgf: Annotated[Path | None, typer.Option("--sgf", metavar="FILE", help="SGF file, the same for games of Go.")] = (
        None
    )
    event: Annotated[str, typer.Option("--event", metavar="TEXT", help="Tag Event of the PGN file.")] = ""
    site: Annotated[str, typer.Option("--site", metavar="TEXT", help="Tag Site of the PGN file.")] = ""
    log: Annotated[
        MatchLog | None,
        typer.Option(
            "--log", help="What is kept in files beside the database: engine, the whole traffic with each engine."
        ),
    ] = None
    every: Annotated[
        int | None,
        typer.Option(
            "--every", metavar="N", min=1, help="Line with Elo, LOS and pentanomial of a match every N games."
        ),
    ] = None

    def check(self, league: League, on: str | None) -> list[GrowingFile]:
        """The files; BadParameter or BadImport for one that cannot be written, or a line that cannot be computed."""
        from arena.history.exchange.growing_file import GrowingFile

        check_folder(self.pgn, self.sgf)
        if self.sgf is not None and league.game_text.partition(":")[0] != "go":
            raise typer.BadParameter(f"--sgf is for games of go; for {league.game_text}: --pgn FILE")
        if self.every is not None and len(league.agents) != 2:
            raise typer.BadParameter(f"--every is for a match of two agents, got {len(league.agents)}")
        if (self.event or self.site) and self.pgn is None:
            raise typer.BadParameter("--event and --site are for the file of --pgn")
        if self.log is not None and on is not None:
            raise typer.BadParameter("--log keeps what happens on this machine: not with --on")
        named = {FileFormat.PGN: self.pgn, FileFormat.SGF: self.sgf}
        return [
            GrowingFile(file, form, event=self.event, site=self.site)
            for form, file in named.items()
            if file is not None
        ]

    def traffic(self, database: Database) -> Path | None:
        """The folder for the traffic with engines; None if it is not kept."""
        from db.bundles import traffic_beside

        return None if self.log is None else traffic_beside(database.file)

    @contextmanager
    def following(
        self, files: Sequence[GrowingFile], tournament: Tournament, database: Database, display: TournamentDisplay
    ) -> Iterator[Callable[[Event], None]]:
        """Inside, each event is told to the function. A file that cannot be written does not stop the games: what it
        lacks is tried again at the end."""
        told = 0

        def write(file: GrowingFile, how: Callable[[], None]) -> None:
            try:
                how()
                file.is_whole = True
            except (OSError, ArenaError) as error:
                file.is_whole = False
                why = error.strerror if isinstance(error, OSError) else error
                display.warn(f"{file.file} lacks games: {why}; the same command adds them")

        def catch_up() -> None:
            for file in files:
                write(file, partial(file.catch_up, database, tournament.id))

        def tell(event: Event) -> None:
            nonlocal told
            if not isinstance(event, Finished):
                return
            for file in files:
                if file.is_whole:
                    write(file, partial(file.add, database, event.game.number))
            if self.every is not None and tournament.over // self.every > told:
                told = tournament.over // self.every
                display.say(tournament.stands())

        catch_up()
        try:
            yield tell
        finally:
            catch_up()  # also games that nobody has played, such as forfeits


def with_match_output(command: Callable[..., None]) -> Callable[..., None]:
    """The command with these options in place of its parameter `output`."""
    hints = get_type_hints(MatchOutput, include_extras=True)
    options = {name: (hints[name], getattr(MatchOutput(), name)) for name in MatchOutput.__struct_fields__}
    return with_options(command, "output", options, lambda given: MatchOutput(**given))
