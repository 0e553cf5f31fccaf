"""`arena versus` and `arena progress`: one player against another, and one player over time.

Everything is computed from the record at the moment it is asked, and nothing is changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec import to_builtins
from msgspec.structs import asdict, replace

from adsearch.errors import quote
from arena.cli.asking import rated_games
from arena.cli.asking.database import DatabaseOption
from arena.cli.asking.game_filters import AtOption, filtered
from arena.cli.terminal.files import write_file
from arena.cli.terminal.tables import Columns, Format, FormatOption, show, tell
from arena.errors import BadRating
from arena.history import words
from arena.ratings.match_statistics import Model
from db.errors import NotFound

if TYPE_CHECKING:
    from arena.ratings.versus import Met, Versus
    from db.database import Connection
    from db.search import Wanted

_BLOCKS: Final = "▁▂▃▄▅▆▇█"


@filtered(without=("agent", "opponent", "seat", "result"))
def versus(
    a: Annotated[str, typer.Argument(metavar="A", help="A player; alice@2 is her second version.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    wanted: Wanted,
    elo0: Annotated[
        float | None, typer.Option("--elo0", help="Sequential test: A is so much better at most, ...")
    ] = None,
    elo1: Annotated[float | None, typer.Option("--elo1", help="... or so much at least.")] = None,
    alpha: Annotated[float, typer.Option(help="How often elo1 may be accepted wrongly.")] = 0.05,
    beta: Annotated[float, typer.Option(help="How often elo0 may be.")] = 0.05,
    model: Annotated[Model, typer.Option(help="The scale of elo0 and elo1.")] = Model.LOGISTIC,
    at: AtOption = None,
    format: FormatOption = Format.TABLE,
    db: DatabaseOption = None,
) -> None:
    """One player against another: score by seat, difference, how sure that is, and how the games ended.

    Forfeits, void and overruled games do not count.

    Example: arena versus alice bob

    Example: arena versus alice@2 alice@1 --elo0 0 --elo1 30
    """

    from arena.ratings import versus as meeting
    from arena.ratings.match_statistics import sprt
    from arena.tournament.formats.sprt_match import SprtTerms
    from db import rated_games as record
    from db.database import Database

    if (elo0 is None) is not (elo1 is None):
        raise typer.BadParameter("a sequential test has two bounds: --elo0 and --elo1")
    with Database(db, create=False) as database, database.reading() as connection:
        (own, own_version), (other, other_version) = (_version(connection, name) for name in (a, b))
        if own == other and (own_version == other_version or None in (own_version, other_version)):
            raise BadRating(f"expected two players, or two versions of one, got {quote(a)} and {quote(b)}")
        versions = (own_version, other_version) != (None, None)
        told = replace(wanted, agent=own, opponent=other)
        games = record.games(connection, rated_games.scope(connection, (), told, at, versions=versions))
    found = meeting.versus(games, a, b)
    test, said = None, "not decided yet"
    if elo0 is not None and elo1 is not None:
        terms = SprtTerms(of=a, elo0=elo0, elo1=elo1, alpha=alpha, beta=beta, model=model)
        test = sprt(found.pentanomial, elo0, elo1, alpha, beta, model)
        said = (
            said
            if test.verdict is None
            else f"{test.verdict} accepted: {words.printable(terms.claim(test.verdict, b))}"
        )
    if format is Format.TABLE:
        for line in _told(found):
            print(line)
        if test is not None:
            print(f"\nsequential test: {said} (llr {test.llr:.2f}, bounds {test.lower:.2f} and {test.upper:.2f})")
        return
    document = _document(found)
    if test is not None:
        document["sprt"] = asdict(test)
    if format is Format.JSON:
        tell(document)
    else:
        show([document], {name: rated_games.exact(name) for name in document}, format=format)


@filtered(without=("agent", "opponent", "seat", "result"))
def progress(
    agent: Annotated[str, typer.Argument(metavar="A", help="The player.")],
    wanted: Wanted,
    anchor: rated_games.AnchorOption = None,
    prior: rated_games.PriorOption = None,
    at: AtOption = None,
    svg: rated_games.SvgOption = None,
    format: FormatOption = Format.TABLE,
    db: DatabaseOption = None,
) -> None:
    """A player's rating over time, version after version.

    Each number is what `arena rank` would have said at that moment, with every version of everybody as a player of its
    own.

    Example: arena progress alice --svg alice.svg

    Example: arena progress alice --anchor random=0 --tournament cs101
    """

    from arena.ratings.career import career
    from arena.ratings.estimates import PRIOR
    from db import lookup, search
    from db import rated_games as record
    from db.database import Database

    with Database(db, create=False) as database, database.reading() as connection:
        search.known(connection, agent)
        games = record.games(connection, rated_games.scope(connection, (), wanted, at, versions=True))
        anchors = rated_games.anchors(anchor)
        if not anchors:
            players = {player.rpartition("@")[0] for game in games for player in game.names}
            of = None if wanted.tournament is None else [lookup.find_tournament(connection, wanted.tournament)]
            described = lookup.anchors(connection, of)
            anchors = {name: rating for name, rating in described.items() if name in players}
    moments = career(games, agent, prior=PRIOR if prior is None else prior, anchors=anchors)
    if svg is not None:
        from arena.ratings.plots import Line, Point
        from arena.ratings.plots import progress as drawn

        lines = [
            Line(
                name,
                tuple(Point(one.at or "", one.total, one.rating, one.error) for one in moments if one.version == name),
            )
            for name in dict.fromkeys(one.version for one in moments)
        ]
        write_file(svg, drawn(lines, title=f"{agent} over time"))
    rows = [asdict(moment) for moment in moments]
    if format is Format.TABLE:
        rows = _by_version(rows)
    columns = BY_VERSION if format is Format.TABLE else {name: rated_games.exact(name) for name in MOMENT}
    if format is Format.TABLE and not rows:
        print(f"{words.printable(agent)} has no rated game" + " that tells a rating without a prior" * (prior == 0.0))
    else:
        show(rows, columns, format=format, numbers=("games", "rating", "±"))


# One against another.


def _version(connection: Connection, name: str) -> tuple[str, int | None]:
    """Whom the name means: all of the player, or that version."""
    from db.search import known

    agent, sign, number = name.rpartition("@")
    try:
        known(connection, name)
    except NotFound:
        if not sign:
            raise
        there_are = len(known(connection, agent))
        versions = f"{agent}@1" + (f" to {agent}@{there_are}" if there_are > 1 else "")
        if number not in map(str, range(1, there_are + 1)):
            raise BadRating(f"expected {versions}, got {quote(name)}") from None
        return agent, int(number)
    return name, None


def _document(found: Versus) -> dict[str, Any]:
    document: dict[str, Any] = to_builtins(found)
    difference = document.pop("difference")
    order = ("a", "b", "games", "wins", "draws", "losses", "by_seat")
    return (
        {name: document[name] for name in order}
        | {"elo": difference["elo"], "error": difference["error"], "normalized": difference["normalized"]}
        | document
    )


def _told(found: Versus) -> list[str]:
    """In words, a line for each thing."""
    a, b = words.printable(found.a), words.printable(found.b)
    lines = [f"{a} against {b}: {found.games} game{'s' * (found.games != 1)}"]
    if not found.games:
        return lines
    lines += ["", f"{'':<12}{'W':>5}{'D':>5}{'L':>5}   score"]
    rows: list[tuple[str, Any]] = [("in all", found)]
    rows += [(f"in seat {one.seat}", one) for one in found.by_seat]
    for title, one in rows:
        score = (one.wins + one.draws / 2.0) / one.games
        lines.append(f"{title:<12}{one.wins:>5}{one.draws:>5}{one.losses:>5}   {score:.1%}")
    lines += ["", *_difference(found, a)]
    if any(found.pentanomial):
        told = ", ".join(
            f"{points}: {count}" for points, count in zip(("0", "½", "1", "1½", "2"), found.pentanomial, strict=True)
        )
        lines.append(f"pairs by points of {a}   {told}")
    if found.single:
        lines.append(f"games outside of such pairs   {found.single}")
    lines.append("ended by   " + ", ".join(f"{verdict} {count}" for verdict, count in found.verdicts.items()))
    if found.longest is not None and found.shortest is not None:
        lines.append(f"longest   {_met(found.longest)}")
        lines.append(f"shortest   {_met(found.shortest)}")
    lines += ["", "last games", *(f"  {_met(one)}" for one in found.last)]
    return lines


def _difference(found: Versus, a: str) -> list[str]:
    told = found.difference
    if told.elo is None:
        line = f"Elo difference   not to be told: {a} has {'won' if found.wins else 'lost'} every game"
        if found.bound is not None:
            line += f"; at {'least' if found.wins else 'most'} {round(found.bound):+} (95 %)"
        return [line, _superiority(found, a)]
    error = "; too few games to tell an error" if told.error is None else f" ± {told.error:.0f} (95 %)"
    line = f"Elo difference   {round(told.elo):+}{error}"
    if told.normalized is not None:
        line += f"; normalized {round(told.normalized):+}"
    return [line, _superiority(found, a)]


def _superiority(found: Versus, a: str) -> str:
    return f"{a} is the better one   {rated_games.percent(found.los)} likely"


def _met(one: Met) -> str:
    result = {1.0: "won", 0.5: "drew", 0.0: "lost"}[one.points]
    how = "" if one.verdict == "normal" else f", {one.verdict}"
    length = "" if one.plies is None else f", {words.plies(one.plies)}"
    return f"game {one.id}: {result} in seat {one.seat}{how}{length}"


# Over time.

MOMENT: Final = ("version", "at", "games", "total", "rating", "error")


def _by_version(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The last moment of each version, with all of them drawn in a line."""
    low, high = (pick((row["rating"] for row in rows), default=0.0) for pick in (min, max))
    found = []
    for version in dict.fromkeys(row["version"] for row in rows):
        own = [row for row in rows if row["version"] == version]
        heights = [round((row["rating"] - low) / (high - low or 1.0) * (len(_BLOCKS) - 1)) for row in own]
        found.append(own[-1] | {"line": "".join(_BLOCKS[height] for height in heights)})
    return found


BY_VERSION: Final[Columns] = {
    "version": lambda row: row["version"],
    "games": lambda row: str(row["games"]),
    "rating": lambda row: f"{row['rating']:.0f}",
    "±": lambda row: f"{row['error']:.0f}",
    "until": lambda row: (row["at"] or "")[:10],
    "over time": lambda row: row["line"],
}
