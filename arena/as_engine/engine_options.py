"""The options of a built-in agent as options of an engine, which a chess program can set before a game."""

from __future__ import annotations

from collections.abc import Callable

from agents import builtin
from agents.agent import Agent
from agents.builtin import BuiltIn
from agents.errors import BadAgent


class AgentOptions:
    """The options of one agent; a user's own agent has none."""

    def __init__(self, agent: BuiltIn | None) -> None:
        self._agent = agent
        self._given = {} if agent is None else {name: _text(value) for name, value in agent.given}

    def lines(self) -> list[str]:
        """One `option` line for each option. An empty text is the agent's default."""
        lines = []
        for setting in self._agent.settings if self._agent else ():
            value = self._given.get(setting.name, "" if setting.default is None else _text(setting.default))
            kind = "check" if isinstance(setting.default, bool) else "string"
            lines.append(f"option name {setting.name} type {kind} default {value or '<empty>'}")
        return lines

    def set(self, name: str, value: str) -> Callable[[], Agent]:
        """What makes the agent with this option besides those that were set; BadAgent for a wrong name or value."""
        if self._agent is None:
            raise BadAgent(f"there is no option {name}: only built-in agents have options")
        given = {**self._given, name: value}
        if value in ("", "<empty>"):
            del given[name]
        text = ",".join(f"{name}={value}" for name, value in given.items())
        make = builtin.find(f"{self._agent.name}:{text}" if text else self._agent.name).make
        self._given = given
        return make


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
