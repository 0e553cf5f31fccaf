"""Every listing as CSV and as JSON, made from fixed records: what programs read, whatever code writes it.

`python -m tests.kit.listing_texts` writes the texts of every listing again.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Final, cast

from arena.course import roster
from db import store
from db.database import Database
from tests.kit import ladder_record, needs, sample_record, web_record
from tests.kit.arena_program import arena
from tests.kit.hand_ins import AGENT, ROSTER, zipped
from tests.kit.hand_ins import folder as write_folder
from tests.kit.places import ROOT

TRUTHS: Final = ROOT / "tests" / "truths" / "listings"
FORMATS: Final = ("csv", "json")
_OF_THE_SAMPLE: Final = (
    *("tournaments", "standings cs101", "standings evening", "standings --all", "crosstable cs101"),
    *("crosstable evening", "crosstable --all --agent ann --result win", "rank cs101", "rank cs101 --system points"),
    *("rank evening --system plackett-luce", "rank --all --anchor ann=100", "versus ann bob"),
    *("versus ann bob --elo0 0 --elo1 50", "versus dan@1 dan@2", "progress ann", "progress dan"),
    *("history", "history --status any --limit 5", "history --agent ann --result win", "history --agent nobody"),
    *("hosts cs101", "rulings", "rulings cs101", "show cs101-1", "show 1", "logs 4", "analyse cs101-2"),
    *("grades cs101 --bar pass=cleo", "grades cs101 --bar pass=cleo --columns agent,Grade=pass"),
    *("grades cs101 --bar pass=cleo --preview", "sql"),
)
_OF_A_KNOCKOUT: Final = ("standings knock%20out", "rank knock%20out", "crosstable knock%20out")
_OF_A_LADDER: Final = (
    *("ladder show", "ladder show --agent alice", "standings cs101", "rank cs101", "progress alice"),
)
_OF_NO_RECORD: Final = (
    *("games tictactoe", "games tictactoe --moves a1", "games connect4 --moves 4", "agents alphabeta", "solve nap:5"),
    *("size nap:5", "compare nap:5 minimax alphabeta", "solve kuhn --equilibrium"),
    "matrix tictactoe random greedy --against random --games 2 --seed 1",
)
_ANSWERED: Final = {
    "front": ("front", {}),
    "tournament": ("tournament", {"tournament": web_record.KNOCKOUT}),
    "ladder": ("tournament", {"tournament": web_record.LADDER}),
    "crosstable": ("crosstable", {"tournament": web_record.KNOCKOUT}),
    "games": ("games", {"tournament": web_record.KNOCKOUT}),
    "schema": ("schema", {}),
}
"""By what it is: the function of the JSON API, and the names in the address."""
_VARIES: Final = re.compile(r'("(?:time|speed)": )[\d.]+')
"""Fields that differ from machine to machine."""
_COURSE: Final = """\
name = "cs101"
game = "tictactoe"
clock = "5+0.1"
walls = "limits"
players = "cs101.collected.toml"
"""
_HANDED_IN: Final = {
    "Task/Anna Müller_55_assignsubmission_file_/my_agent.py": AGENT,
    "Task/Bob Brown_56_assignsubmission_file_/agent.py": AGENT + "# another\n",
    "Task/García López Carla_57_assignsubmission_file_/a.py": "import nothing_like_this\n",
    "Task/Eve Zweig_58_assignsubmission_file_/a.py": AGENT,
}


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _asked(commands: Sequence[str], folder: Path, columns: int, *, db: bool = True) -> dict[str, str]:
    """What the commands print."""
    found = {}
    for command in commands:
        words = command.split()
        more = ["SELECT id, kind, detail FROM v_game ORDER BY id"] * (words == ["sql"])
        for format in FORMATS:
            place = ("--db", "arena.db") if db else ()
            # What programs read does not depend on the width of the terminal: it is written at 80 columns, read at 40.
            ended = arena(*words, *more, *place, "--format", format, cwd=folder, columns=columns)
            out = _without_times(ended.out) if format == "csv" else _VARIES.sub(r"\1…", _sorted(ended.out))
            found[f"{command} as {format}"] = f"exit {ended.code}\n{out}{ended.err if ended.code else ''}"
    return found


def _sorted(document: str | bytes) -> str:
    """The JSON with the fields of each object in alphabetical order: their order says nothing."""
    return json.dumps(json.loads(document), indent=1, sort_keys=True) + "\n" if document else ""


def _without_times(text: str) -> str:
    """The CSV without the cells that differ from machine to machine."""
    titles, *rows = csv.reader(io.StringIO(text)) if text else [[]]
    if not {"time", "speed"} & {*titles}:
        return text
    kept = (
        ["…" if title in ("time", "speed") else cell for title, cell in zip(titles, row, strict=True)] for row in rows
    )
    return "".join(f"{','.join(row)}\n" for row in (titles, *kept))


def sample(columns: int) -> dict[str, str]:
    """Of the sample record."""
    with _folder() as folder:
        sample_record.make(folder / "arena.db")
        return _asked(_OF_THE_SAMPLE, folder, columns)


def gauntlet(columns: int) -> dict[str, str]:
    """Of a gauntlet with byes, whose standings have two parts."""
    with _folder() as folder:
        with Database(str(folder / "arena.db")) as database, database.writing() as connection:
            book = sample_record.Book(connection)
            settings = {"rounds": 1, "gauntlet": ["ann"], "seeds": [], "best_of": 1, "repeats": 1, "byes": []}
            id = store.create_tournament(
                connection,
                "gauntlet",
                format="gauntlet",
                rules="tictactoe",
                clock="10+0.1",
                seed=7,
                settings=settings,
                now=book.now,
            )
            book.enter(id, "ann", "bob", "=cmd")
            book.play(id, "tictactoe", ("ann", "bob"), moves=sample_record.X_WINS)
            book.play(id, "tictactoe", ("=cmd", "ann"), moves=sample_record.DRAW)
        return _asked(("standings gauntlet", "crosstable gauntlet", "rank gauntlet"), folder, columns)


def ladder(columns: int) -> dict[str, str]:
    """Of a ladder."""
    with _folder() as folder:
        with Database(str(folder / "arena.db")) as database:
            ladder_record.store_ladder(database, folder)
        return _asked(_OF_A_LADDER, folder, columns)


def course(columns: int) -> dict[str, str]:
    """Of what is handed in."""
    with _folder() as folder:
        write_folder(folder, {"roster.csv": ROSTER, "cs101.toml": _COURSE})
        zipped(folder / "all.zip", _HANDED_IN)
        collect = "collect all.zip --roster roster.csv --tournament cs101.toml"
        return _asked((collect, "similar cs101.toml"), folder, columns)


def games(columns: int) -> dict[str, str]:
    """Of games and agents."""
    with _folder() as folder:
        return _asked(_OF_NO_RECORD, folder, columns, db=False)


def web(columns: int) -> dict[str, str]:
    """Of a knockout, and of the JSON API."""
    from arena.web import api
    from arena.web.page_values import Asked
    from arena.web.permissions import Names
    from arena.web.site import Site

    with _folder() as folder:
        record = web_record.store_everything(folder)
        found = _asked(_OF_A_KNOCKOUT, folder, columns)
        names = Names(roster.read(record.roster.read_text("utf-8"), "roster.csv"))
        with Database(record.database) as database:
            site = cast("Site", SimpleNamespace(database=database, names=names, served=web_record.LADDER))
            for name, (function, given) in _ANSWERED.items():
                body = getattr(api, function)(site, Asked(given, {})).body
                found[f"answer {name}"] = _sorted(body)
            names_there = [one["name"] for one in json.loads(found["answer tournament"])["standings"]]
            asked = Asked({"tournament": web_record.KNOCKOUT, "agent": names_there[0]}, {})
            found["answer agent"] = _sorted(api.agent(site, asked).body)
            game = api.game(site, Asked({"id": str(record.replayed)}, {})).body
            found["answer game"] = _sorted(game)
    return found


GROUPS: Final[Mapping[str, Callable[[int], dict[str, str]]]] = {
    "sample": sample,
    "gauntlet": gauntlet,
    "ladder": ladder,
    "course": course,
    "games": games,
    "web": web,
}


def stored(texts: Mapping[str, str]) -> str:
    """The texts, by name, as they are stored."""
    return "".join(f"== {name}\n{text}\n" for name, text in texts.items())


def main() -> None:
    """Writes the texts, or none of them."""
    if find_spec("starlette") is None:
        sys.exit(needs.extra("web"))
    texts = {name: stored(make(80)) for name, make in GROUPS.items()}
    for name, text in texts.items():
        (TRUTHS / f"{name}.txt").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
