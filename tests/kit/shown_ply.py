"""Which ply the page of a game of five plies between ann and bob shows, if all its parts agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.sync_api import Page

_SEEN: Final = """() => {
  const seen = document.querySelectorAll("#board > svg:not(.caption)");
  const text = (selector) => document.querySelector(selector).textContent;
  return {
    boards: [...seen].map(board => board.querySelector("title").textContent),
    links: [...document.querySelectorAll("[aria-current]")].map(link => link.getAttribute("href")),
    where: text("#where"), slider: document.querySelector("#at").value,
    status: text("#status"), title: text("#step h3"),
    cursors: [...document.querySelectorAll(".cursor")].map(one => one.getAttribute("d")),
    turns: [...document.querySelectorAll(".seat")].map(seat => seat.matches(".turn")),
  };
}"""


def is_at(page: Page, ply: int) -> bool:
    """Whether the page shows that ply."""
    return page.locator("#at").input_value() == str(ply)


def at(page: Page) -> int:
    """The ply that is shown; checks that board, players, slider, list, plots, status and address agree."""
    seen = page.evaluate(_SEEN)
    (board,), (link,) = seen["boards"], seen["links"]
    number = int(link.removeprefix("#ply-"))
    assert seen["where"] == f"{number} of 5"
    assert seen["slider"] == str(number)
    assert seen["status"].startswith(seen["title"])
    player = ("bob", "ann")[number % 2]
    assert seen["title"].startswith(f"{number}. {player}: " if number else "Start")
    assert {*seen["cursors"]} == {f"M{20 * number},0V100"}
    assert board.startswith("Tic-tac-toe: ")
    assert board.endswith(" to move") == (number < 5)
    assert seen["turns"] == [number in (0, 2, 4), number in (1, 3)]
    assert page.url.endswith((f"#ply-{number}", ".html"))
    return number
