"""The translator for an engine, by its protocol. Only that one is imported, because a warden should start fast."""

from __future__ import annotations

from arena.walls.translation.engine import Engine, EngineProtocol
from arena.walls.translation.translator import Translator


def translator_for(engine: Engine) -> Translator:
    """A translator for a new process of the engine."""
    match engine.protocol:
        case EngineProtocol.UCI:
            from arena.walls.translation.uci import UciTranslator

            return UciTranslator(engine)
        case EngineProtocol.GTP:
            from arena.walls.translation.gtp import GtpTranslator

            return GtpTranslator(engine)
        case EngineProtocol.GNUBG:
            from arena.walls.translation.gnubg import GnubgTranslator

            return GnubgTranslator(engine)
