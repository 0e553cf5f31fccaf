"""The addresses of the web's pages. Names are percent-encoded, "/" too: each name is one segment of a path.

All addresses begin with "/", so they are the same on every page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, unquote, urlencode

from msgspec import Struct
from msgspec.structs import asdict

from arena.results.report import ListedGame
from arena.web.page_values import whole
from db.web import LastResult

HOME: Final = "/"
TV: Final = "/tv"
API: Final = "/api/v1"
ME: Final = "/me"
SUBMIT: Final = "/me/submit"
WHY: Final = "/me/why"
TOKENS: Final = "/me/tokens"
CHALLENGE: Final = "/me/challenge"
OUT: Final = "/out"
FIND: Final = "/find"
DOCS: Final = "/docs"
OWN: Final = ((ME, "My page"),)
"""What leads to the pages of a reader's own things."""
STATIC: Final = "/static/"
"""Where the style sheet and the scripts are."""
_DOTS: Final = re.compile(r"~*\.\.?")
"""Browsers take a segment of one or two dots, encoded or not, for a folder: such a name gets a "~" in front."""


class Wanted(Struct, frozen=True, kw_only=True):
    """Which games are listed: those that meet every condition that is not None. Names are public names."""

    player: str | None = None
    opponent: str | None = None
    """Of `player`."""
    result: str | None = None
    """For `player`: win, draw or loss."""
    verdict: str | None = None
    round: int | None = None


FILTERS: Final = (*Wanted.__struct_fields__, "cursor")
"""The parameters of a list of games."""


def wanted(query: Mapping[str, str]) -> Wanted:
    """Which games are asked for; an empty parameter is one that is not given. BadQuery if the round is not a number."""
    given: dict[str, Any] = {name: value for name, value in query.items() if value and name != "cursor"}
    if "round" in given:
        given["round"] = whole(given["round"], "round")
    return Wanted(**given)


def docs(page: str) -> str:
    """A page of the docs."""
    return f"{DOCS}/{_segment(page)}"


def tournament(title: str) -> str:
    """The standings of a tournament."""
    return f"/t/{_segment(title)}"


def crosstable(title: str) -> str:
    """The crosstable of a tournament."""
    return f"{tournament(title)}/crosstable"


def bracket(title: str) -> str:
    """The bracket of a knockout."""
    return f"{tournament(title)}/bracket"


def games(title: str, wanted: Wanted | None = None, cursor: str = "") -> str:
    """The games of a tournament that are wanted, from `cursor` on."""
    return f"{tournament(title)}/games{_query(wanted, cursor)}"


def games_of(title: str | None) -> list[tuple[str, str]]:
    """What leads to a game of a tournament; nothing leads to another one."""
    return [(tournament(title), title), (games(title), "Games")] if title else []


def agent(title: str, name: str) -> str:
    """The page of an agent in a tournament."""
    return f"{tournament(title)}/a/{_segment(name)}"


def game(id: int) -> str:
    """The page of a game: live, then to step through."""
    return f"/g/{id}"


def pgn(id: int) -> str:
    """A game that is over, as a download."""
    return f"{game(id)}/pgn"


def mistakes(id: int) -> str:
    """Where the mistakes of a game that is over are found."""
    return f"{game(id)}/mistakes"


def position(id: int, ply: int) -> str:
    """The page of a game that is over, at the position after that ply; 0: at the end."""
    return f"{game(id)}#ply-{ply or 'last'}"


def near(before: int | None, after: int | None) -> list[tuple[str, str]]:
    """The pages of the games before and after one, each with its text."""
    ways = [(before, "Previous game"), (after, "Next game")]
    return [(game(id), text) for id, text in ways if id is not None]


def tv(title: str = "") -> str:
    """The page that goes from game to game; of all tournaments without `title`."""
    return f"{TV}?{urlencode({'t': title}, errors='replace')}" if title else TV


def events(**which: str | int) -> str:
    """The stream of a page: `g=ID`, `t=NAME`, `tv=NAME`, or `front=` of the front page."""
    return f"/events?{urlencode(which, errors='replace')}"


def api(title: str, what: str = "", wanted: Wanted | None = None, *, name: str = "") -> str:
    """The same as JSON: of a tournament, of one of its pages, or of an agent."""
    place = "".join(f"/{part}" for part in (what, _segment(name)) if part)
    return f"{API}{tournament(title)}{place}{_query(wanted)}"


def invitation(key: str) -> str:
    """The page of an invitation."""
    return f"/in/{_segment(key)}"


def why(agent: str = "") -> str:
    """The page that says why the viewer's agent lost; `agent`: the second part of the name of a further one."""
    return f"{WHY}?{urlencode({'agent': agent}, errors='replace')}" if agent else WHY


def submission(id: int) -> str:
    """The page of a submission."""
    return f"/s/{id}"


def files(id: int) -> str:
    """The files of a submission, as a download."""
    return f"/s/{id}/files"


def play(opponent: str = "", game: str = "") -> str:
    """The page on which a game against that opponent begins; without one, that with all opponents."""
    place = f"/play/{_segment(opponent)}" if opponent else "/play"
    return f"{place}?{urlencode({'game': game}, errors='replace')}" if game else place


def table(key: str) -> str:
    """The page of a game that a person plays."""
    return f"/p/{_segment(key)}"


def manage(title: str) -> str:
    """The page on which an instructor manages a ladder or tournament."""
    return f"{tournament(title)}/manage"


def ruling(title: str, number: int | str = "") -> str:
    """The page on which an instructor rules about a game of that number; without one, the address of a form."""
    return f"{manage(title)}/game" + (f"?{urlencode({'number': number})}" if number != "" else "")


def grades(title: str) -> str:
    """The grades of a tournament, as a download."""
    return f"{manage(title)}/grades"


def audit(title: str, before: int | None = None) -> str:
    """What was done before the entry with this id, for an instructor."""
    return f"{manage(title)}/audit" + ("" if before is None else f"?before={before}")


class TournamentLinks(Struct, frozen=True):
    """The addresses that pages about one tournament link to."""

    title: str

    def agent(self, name: str) -> str:
        """The page of an agent."""
        return agent(self.title, name)

    def pair(self, one: str, other: str) -> str | None:
        """The list of the games of two agents against each other."""
        query = urlencode({"player": one, "opponent": other}, errors="replace")
        return f"{tournament(self.title)}/games?{query}"

    def game(self, listed: ListedGame | LastResult) -> str | None:
        """The page of a game."""
        return game(listed.id)

    def live(self, id: int, /) -> str | None:
        """The page of a game in progress."""
        return game(id)


def name_in(segment: str) -> str:
    """The name that a segment of a path stands for."""
    name = unquote(segment, errors="replace")
    return name[1:] if name.startswith("~") and _DOTS.fullmatch(name) else name


def _segment(name: str) -> str:
    return quote(f"~{name}" if _DOTS.fullmatch(name) else name, safe="", errors="replace")


def _query(wanted: Wanted | None, cursor: str = "") -> str:
    chosen = {} if wanted is None else {key: value for key, value in asdict(wanted).items() if value is not None}
    query = urlencode(chosen | ({"cursor": cursor} if cursor else {}), errors="replace")
    return f"?{query}" if query else ""
