"""The frame of the pages of a report: links above, the time of the report below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arena.course.report.pages import addresses
from arena.history.words import moment
from arena.pages.drawing import Frame, draw

if TYPE_CHECKING:
    from arena.results.report import Report


def frame(report: Report, at: str, title: str, *body: str, style: str = "") -> str:
    """The page at `at`, with links above `body` and the time of the report below. `style`: the style sheet of its
    pictures."""
    return drawn("plain.html", report, at, title, body="\n".join(body), heading="", styles=(style,))


def drawn(template: str, report: Report, at: str, title: str, *, styles: tuple[str, ...] = (), **values: Any) -> str:
    """The page at `at` in the folder of the report."""
    up = addresses.up(at)
    around = Frame(
        pages=((f"{up}{addresses.FRONT}", report.title), (f"{up}{addresses.GAMES}", "All games")),
        label="This report",
        at=f"{up}{at}",
        of=report.title,
        below=f"As of {moment(report.made)}. Made by arena report.",
    )
    return draw(template, title, around, styles=(*styles, "results.css"), **values).text
