"""Two searches as in a lecture, for `arena course judge examples/my_search.py:alphabeta`."""

from math import inf


def minimax(state):
    """The value of `state` for MAX, who is seat 0."""
    if state.turn is None:
        return state.utilities()[0]
    values = [minimax(state.play(move)) for move in state.moves()]
    return max(values) if state.turn == 0 else min(values)


def alphabeta(state, alpha=-inf, beta=inf):
    """The same value and the best move, without searching branches that cannot change the result."""
    if state.turn is None:
        return state.utilities()[0], None
    best_move = None
    for move in state.moves():
        value, _ = alphabeta(state.play(move), alpha, beta)
        if state.turn == 0 and value > alpha:
            alpha, best_move = value, move
        if state.turn == 1 and value < beta:
            beta, best_move = value, move
        if alpha >= beta:
            break
    return (alpha if state.turn == 0 else beta), best_move
