"""The web pages of `arena serve`: their options, and the start of the process that shows them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.cli.terminal.files import read_file
from arena.errors import ArenaError

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.players.submissions import Store
    from arena.serve.happenings import Happening
    from arena.serve.kept import Kept
    from arena.walls.run_folder import RunFolder
    from arena.web.web_process import Listening, WebProcess
    from db.database import Database

_LISTEN: Final = "127.0.0.1:8000"

WebOption = Annotated[bool, typer.Option("--web", help="Show standings and games as web pages.")]
ListenOption = Annotated[
    str | None,
    typer.Option(
        "--listen",
        metavar="ADDRESS:PORT",
        help="Address of the pages; 0.0.0.0:8000 for the whole network.",
        show_default=_LISTEN,
    ),
]
BehindOption = Annotated[
    str | None,
    typer.Option("--behind", metavar="URL", help="Public address of the pages, if a reverse proxy is before them."),
]


class WebPages:
    """What the options of the pages say; nothing is started yet."""

    def __init__(self, file: Path, *, listen: str | None, behind: str | None, roster: str | None) -> None:
        """`file`: the ladder's description, which can name a roster."""
        from arena.course import course
        from arena.course import roster as rosters
        from arena.web import web_process

        web_process.refuse_missing_packages()
        self._listen = listen or _LISTEN
        self._behind = behind
        web_process.read_address(self._listen)
        if behind is not None:
            web_process.read_behind(behind)
        named = roster or course.read(file).roster
        self._roster = None if named is None else read_file(str(named), "a roster")
        if self._roster is not None:
            rosters.read(*self._roster)

    @contextmanager
    def started(self, folder: RunFolder) -> Iterator[StartedPages]:
        """Inside, the port is bound and the process starts, which takes as long as the director's own start.
        ArenaError if the port is in use."""
        from arena.web.web_process import Listening, WebProcess

        with closing(Listening(self._listen, self._behind)) as listening, ExitStack() as stack:
            process = WebProcess(folder, listening)
            stack.callback(process.end)
            yield StartedPages(process, listening, folder, self._roster)


class StartedPages:
    """A process that waits until it is told what to show."""

    def __init__(
        self, process: WebProcess, listening: Listening, folder: RunFolder, roster: tuple[str, str] | None
    ) -> None:
        self._first, self._listening, self._folder, self._roster = process, listening, folder, roster
        self.address = listening.address
        """The address to type into a browser."""

    @contextmanager
    def shown(
        self, name: str, database: Database, store: Store, tell: Callable[[Happening], None]
    ) -> Iterator[Kept[Any]]:
        """Inside, the process shows the pages of the ladder of that name, or another one that takes its place."""
        from arena.serve.happenings import Notice
        from arena.serve.kept import Kept
        from arena.web.web_process import Settings, WebProcess

        settings = Settings(
            database=database.address.render_as_string(hide_password=False),
            store=str(store.folder),
            served=name,
            roster=self._roster,
            listening=self._listening.descriptor,
            hosts=self._listening.hosts,
        )
        waiting = [self._first]

        def start() -> WebProcess:
            process = waiting.pop() if waiting else WebProcess(self._folder, self._listening)
            process.show(settings)
            return process

        def read(process: WebProcess) -> None:
            for complaint in process.complaints():
                tell(Notice(complaint))

        with closing(Kept("page server", start, read=read, tell=tell)) as kept:
            yield kept


def read_options(
    file: Path, *, web: bool, listen: str | None, behind: str | None, roster: str | None
) -> WebPages | None:
    """The pages that the options ask for; None without --web. ArenaError if an option is invalid, or is of no use."""
    if web:
        return WebPages(file, listen=listen, behind=behind, roster=roster)
    for name, value in {"--listen": listen, "--behind": behind, "--roster": roster}.items():
        if value is not None:
            raise ArenaError(f"{name} is about the web pages, which are shown only with --web")
    return None
