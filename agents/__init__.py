"""The player's side: what a student imports, and the agents that come with us.

    from agents import Agent, practice

It is loaded into every agent's process, so importing it is quick: neither sockets nor messages, only games and search.
"""

from agents.agent import Agent, Clock, Resign
from agents.errors import AgentsError, BadAgent, CannotPlay
from agents.practice import Played, practice

__all__ = ["Agent", "AgentsError", "BadAgent", "CannotPlay", "Clock", "Played", "Resign", "practice"]
