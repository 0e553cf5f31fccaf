"""The player's side: what a student imports (`from agents import Agent, practice`), and the built-in agents.

It imports adsearch. This module is loaded into every agent's process, so it stays quick to import: neither sockets nor
messages, only games and search. Start reading at `agent.py`; `player.py` is the same agent's side of the protocol.
"""

from agents.agent import Agent, Clock, Resign
from agents.errors import AgentsError, BadAgent, CannotPlay
from agents.practice import Played, practice

__all__ = ["Agent", "AgentsError", "BadAgent", "CannotPlay", "Clock", "Played", "Resign", "practice"]
