"""The style sheet of all pages, and their scripts; nothing else."""

from __future__ import annotations

from typing import Final

from arena.pages import drawing
from arena.web.drawn import Asked, Drawn, NotThere

_KINDS: Final = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}


def static(_: object, asked: Asked) -> Drawn:
    """The file of that name."""
    name = asked.names["name"]
    if name not in drawing.files():
        raise NotThere("There is no such file.")
    return Drawn(drawing.file(name).encode(), _KINDS[name.rpartition(".")[2]])
