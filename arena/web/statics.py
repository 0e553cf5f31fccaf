"""The scripts of the pages: files of this package, and the one that replays have too, as a module; nothing else."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Final

from arena.pages.replay_page import GLIDE
from arena.web.drawn import Asked, Drawn, NotThere
from arena.web.site import Site

_KINDS: Final = {".js": "text/javascript; charset=utf-8"}


@cache
def files() -> dict[str, Drawn]:
    """Every file by its name."""
    folder = resources.files(__package__).joinpath("static")
    found = [
        (each.name, kind, each) for each in folder.iterdir() for end, kind in _KINDS.items() if each.name.endswith(end)
    ]
    glide = Drawn(f"{GLIDE}\nexport {{ glide }};\n".encode(), _KINDS[".js"])
    return {"glide.js": glide} | {name: Drawn(file.read_bytes(), kind) for name, kind, file in found}


def static(_: Site, asked: Asked) -> Drawn:
    """The file of that name."""
    try:
        return files()[asked.names["name"]]
    except KeyError:
        raise NotThere("There is no such file.") from None
