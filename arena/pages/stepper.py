"""The controls of a page that shows steps one at a time: buttons, slider, speed, keys.

The replay page and the page of a search have them. `SCRIPT` is the first part of such a page's script; without scripts
the controls stay hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from arena.pages import drawing
from arena.pages.html import element

SCRIPT: Final = drawing.file("scripts/stepper.js")
_SPEEDS: Final = ((0.5, "½"), (1, "1"), (2, "2"), (4, "4"), (10, "10"))
"""Speeds in steps per second, with their labels."""


class Button(NamedTuple):
    """A button with its key."""

    id: str
    sign: str
    label: str
    key: str


def controls(
    last: int, *, at: int = 0, step: str = "step", place: str = "step", more: Sequence[Button], hint: str
) -> str:
    """The controls of a page with the steps 0 to `last`, which opens at step `at`.

    `step` and `place` are the words for a step and for what it shows; `more`: further buttons; `hint`: their keys."""
    buttons = (
        Button("first", "«", f"first {place}", "Home"),
        Button("back", "‹", f"one {step} back", "ArrowLeft"),
        Button("play", "play", "play", "Space"),
        Button("next", "›", f"one {step} forward", "ArrowRight"),
        Button("last", "»", f"last {place}", "End"),
        *more,
    )
    pressed = [
        element("button", sign, type="button", id=id, aria_label=label, title=f"{label} ({key})", aria_keyshortcuts=key)
        for id, sign, label, key in buttons
    ]
    speeds = [element("option", label, value=f"{speed:g}", selected=speed == 1) for speed, label in _SPEEDS]
    return element(
        "div",
        element("div", *pressed, class_="buttons"),
        element("label", f"{step} ", element("input", type="range", id="at", min=0, max=last, value=at)),
        element("span", f"0 of {last}", id="where", aria_hidden="true"),
        element("label", element("select", *speeds, id="speed"), f" {step}s per second"),
        element("p", f"Keys: arrows, Home, End; space to play or stop{hint}", class_="faint keys"),
        id="controls",
        role="group",
        aria_label="Steps",
        hidden=True,
    )


def status() -> str:
    """Where a screen reader hears each step; it is not visible."""
    return element("p", class_="unseen", id="status", role="status")
