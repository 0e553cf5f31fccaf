"""A policy that was learned with PettingZoo, and the class that makes an agent of it; its game is connect4."""

import numpy as np

from adsearch import pettingzoo
from agents import Agent


def policy(observation):
    """The last legal action."""
    return np.flatnonzero(observation["action_mask"])[-1]


class PettingZooPolicy(Agent):
    env = pettingzoo.env("connect4")

    def choose(self, state, clock):
        return self.env.move(state, policy(self.env.observation(state, self.seat)))
