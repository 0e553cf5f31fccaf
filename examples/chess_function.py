"""A function of python-chess, and the class that makes an agent of it; its game is chess."""

import chess

from agents import Agent


def best_move(board):
    """A capture if there is one."""
    return next(board.generate_legal_captures(), None) or next(board.generate_legal_moves())


class ChessFunction(Agent):
    def choose(self, state, clock):
        return state.from_text(best_move(chess.Board(state.position().partition(" seen=")[0])).uci())
