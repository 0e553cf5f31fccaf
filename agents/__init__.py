"""Agents: what a student imports (`from agents import Agent, practice`), and the built-in agents.

This package imports adsearch only. Every agent's process imports this module, so that it must be quick to import: it
loads games and searches, but no sockets and no messages. Start reading at `agent.py`; `player.py` connects an agent to
the protocol.
"""

from agents.agent import Agent, Clock, Resign
from agents.errors import AgentsError, BadAgent, CannotPlay
from agents.practice import Played, practice

__all__ = ["Agent", "AgentsError", "BadAgent", "CannotPlay", "Clock", "Played", "Resign", "practice"]
