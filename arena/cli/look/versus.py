"""`arena results versus`: two players compared, computed from all their recorded games at each call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec import to_builtins
from msgspec.structs import asdict, replace

from adsearch.errors import quote
from arena.cli.asking import game_filters
from arena.cli.asking.game_filters import AtOption, filtered
from arena.cli.asking.record_options import DatabaseOption, reading
from arena.cli.terminal import bars
from arena.cli.terminal.listings import OF_ROWS, Shown, listed, show_one
from arena.errors import BadRating
from arena.history import words
from arena.ratings.match_statistics import Model, Sprt, sprt
from db.errors import NotFound

if TYPE_CHECKING:
    from arena.ratings.match_statistics import PairResults, Versus
    from arena.tournament.format import SprtTerms
    from db.database import Connection
    from db.search import GameFilter


@listed(without=OF_ROWS)
@filtered(without=("agent", "opponent", "seat", "result"))
def versus(
    a: Annotated[str, typer.Argument(metavar="A", help="First player; alice@2 is version 2 of alice.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Second player.")],
    wanted: GameFilter,
    shown: Shown,
    elo0: Annotated[
        float | None,
        typer.Option("--elo0", metavar="ELO", help="Sequential test (SPRT): H0, A is at most ELO stronger than B."),
    ] = None,
    elo1: Annotated[
        float | None, typer.Option("--elo1", metavar="ELO", help="H1 of the test: A is at least ELO stronger than B.")
    ] = None,
    alpha: Annotated[float, typer.Option(metavar="P", help="Probability of accepting H1 although H0 is true.")] = 0.05,
    beta: Annotated[float, typer.Option(metavar="P", help="Probability of accepting H0 although H1 is true.")] = 0.05,
    model: Annotated[Model, typer.Option(help="Elo scale of --elo0 and --elo1.")] = Model.LOGISTIC,
    at: AtOption = None,
    db: DatabaseOption = None,
) -> None:
    """Compare two players head to head: score by seat, Elo difference with error, verdicts.

    Forfeits, void games and games changed by a ruling do not count.

    Example: arena results versus pvs mcts

    Example: arena results versus pvs random --elo0 0 --elo1 50
    """
    from arena.ratings import match_statistics as head_to_head
    from arena.tournament.format import SprtTerms

    if (elo0 is None) is not (elo1 is None):
        raise typer.BadParameter("a sequential test needs both --elo0 and --elo1")
    with reading(db) as connection:
        (own, own_version), (other, other_version) = (_version(connection, name) for name in (a, b))
        if own == other and (own_version == other_version or None in (own_version, other_version)):
            raise BadRating(f"expected two players, or two versions of one, got {quote(a)} and {quote(b)}")
        versions = (own_version, other_version) != (None, None)
        wanted = replace(wanted, agent=own, opponent=other)
        games = game_filters.read_rated(connection, (), wanted=wanted, at=at, versions=versions)
    found = head_to_head.versus(games, a, b)
    if elo0 is None or elo1 is None:
        test, sentence = None, ""
    else:
        terms = SprtTerms(of=a, elo0=elo0, elo1=elo1, alpha=alpha, beta=beta, model=model)
        test = sprt(found.pentanomial, elo0, elo1, alpha, beta, model)
        sentence = _outcome(test, terms, b)
    if shown.in_words:
        print("\n".join(_lines(found)))
        if sentence:
            print(f"\n{sentence}")
        return
    document = _document(found)
    if test is not None:
        document["sprt"] = asdict(test)
    show_one(document, shown)


def _outcome(test: Sprt, terms: SprtTerms, b: str) -> str:
    """The outcome of the sequential test, in a sentence."""
    outcome = words.printable(terms.outcome(test.verdict, b))
    return f"sequential test: {outcome} (LLR {test.llr:.2f}, bounds {test.lower:.2f} and {test.upper:.2f})"


def _version(connection: Connection, name: str) -> tuple[str, int | None]:
    """The agent that `name` means, and its version, or None for all versions."""
    from db.search import versions_named

    agent, sign, number = name.rpartition("@")
    try:
        versions_named(connection, name)
    except NotFound:
        if not sign:
            raise
        there_are = len(versions_named(connection, agent))
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


def _lines(found: Versus) -> list[str]:
    """The lines of the comparison."""
    a, b = words.printable(found.a), words.printable(found.b)
    lines = [f"{a} against {b}: {found.games} game{'s' * (found.games != 1)}"]
    if not found.games:
        return lines
    lines += ["", f"{'':<12}{'W':>5}{'D':>5}{'L':>5}   score"]
    rows: list[tuple[str, Any]] = [("total", found)]
    rows += [(f"in seat {one.seat}", one) for one in found.by_seat]
    for title, one in rows:
        score = (one.wins + one.draws / 2.0) / one.games
        line = f"{title:<12}{one.wins:>5}{one.draws:>5}{one.losses:>5}   {score:.1%}"
        lines.append(f"{line:<40}{bars.results(one.wins, one.draws, one.losses)}" if bars.has_room() else line)
    lines += ["", *_difference(found, a)]
    if any(found.pentanomial):
        pairs = zip(("0", "½", "1", "1½", "2"), found.pentanomial, strict=True)
        counts = ", ".join(f"{points}: {count}" for points, count in pairs)
        lines.append(f"pentanomial (pairs by points of {a}): {counts}")
    if found.single:
        lines.append(f"games outside pairs: {found.single}")
    if found.repeated:
        lines.append(f"pairs and single games that repeat earlier ones: {found.repeated}; the error counts them once")
    lines.append(
        "verdicts: " + ", ".join(f"{words.printable(verdict)} {count}" for verdict, count in found.verdicts.items())
    )
    if found.longest is not None and found.shortest is not None:
        lines.append(f"longest: {_met(found.longest)}")
        lines.append(f"shortest: {_met(found.shortest)}")
    lines += ["", "last games", *(f"  {_met(one)}" for one in found.last)]
    return lines


def _difference(found: Versus, a: str) -> list[str]:
    difference = found.difference
    if difference.elo is None:
        line = f"Elo difference: not known, because {a} {'won' if found.wins else 'lost'} every game"
        if found.bound is not None:
            line += f"; at {'least' if found.wins else 'most'} {round(found.bound):+} (95 %)"
        return [line, _superiority(found, a)]
    error = "; too few games for an error" if difference.error is None else f" ± {difference.error:.0f} (95 %)"
    line = f"Elo difference: {round(difference.elo):+}{error}"
    if difference.normalized is not None:
        line += f"; normalized {round(difference.normalized):+}"
    return [line, _superiority(found, a)]


def _superiority(found: Versus, a: str) -> str:
    return f"likelihood that {a} is better (LOS): {words.percent(found.los)}"


def _met(one: PairResults) -> str:
    result = {1.0: "won", 0.5: "drew", 0.0: "lost"}[one.points]
    how = "" if one.verdict == "normal" else f", {words.printable(one.verdict)}"
    length = "" if one.plies is None else f", {words.plies(one.plies)}"
    return f"game {one.id}: {result} in seat {one.seat}{how}{length}"
