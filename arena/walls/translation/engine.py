"""The settings with which a warden speaks to an engine. Values only."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class EngineProtocol(StrEnum):
    """The protocols of engines that a warden speaks."""

    UCI = "uci"
    """Universal Chess Interface: chess."""
    GTP = "gtp"
    """Go Text Protocol, version 2: Go."""
    GNUBG = "gnubg"
    """The commands of GNU Backgammon's terminal: backgammon."""


class Engine(Struct, frozen=True):
    """What a user has said about an engine, after its program: `uci:stockfish?Hash=16&nodes=10000`."""

    protocol: EngineProtocol
    options: dict[str, str] = {}
    """UCI: options that are set with `setoption`. GTP: commands that are sent before each game, with their argument.
    GNU Backgammon: `plies`."""
    nodes: int | None = None
    """Nodes to search for each move; None: no limit of nodes. The next two likewise. UCI only."""
    depth: int | None = None
    movetime: int | None = None
    """Milliseconds to think about each move."""
