"""Searches as students write them, right and wrong, judged without a process of their own."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import msgspec

from adsearch.state import CHANCE
from arena.course.lecture import function_runner, judging, questions
from arena.course.lecture.function_runner import Method
from arena.course.lecture.judging import TreeVerdict, ValuesFor
from arena.course.lecture.questions import JudgedAlgorithm, Question
from arena.course.lecture.student_process import StudentAnswer


def answer(function: Callable[..., Any] | Method, question: Question) -> StudentAnswer:
    """The answer that a process of `function` would give."""
    file = "" if isinstance(function, Method) else function.__code__.co_filename
    asked = {"tree": question.description, "depth": question.depth, "agents": question.agents}
    answered = function_runner.run(function, file, asked)
    return msgspec.convert(msgspec.json.decode(msgspec.json.encode(answered)), StudentAnswer)


def judged(
    function: Callable[..., Any], name: str, *, count: int = 20, seed: int = 1
) -> tuple[JudgedAlgorithm, list[TreeVerdict], ValuesFor]:
    """The verdicts on `function` as this algorithm."""
    algorithm = questions.find_algorithm(name)
    with_depth = "depth" in function_runner.parameters_of(function).values()
    asked = questions.questions_for(algorithm, seed=seed, count=count, with_depth=with_depth)
    verdicts, values_for = judging.judge(algorithm, asked, [answer(function, question) for question in asked])
    return algorithm, verdicts, values_for


def cause(function: Callable[..., Any], name: str) -> str:
    """The common cause of all its failures; there must be at least one failure."""
    algorithm, verdicts, _ = judged(function, name)
    assert not all(verdict.passed for verdict in verdicts)
    return judging.common_cause(algorithm, verdicts)


# Correct searches.


def minimax(state: Any) -> Any:
    if state.turn is None:
        return state.utilities()[0]
    return (max if state.turn == 0 else min)(minimax(state.play(move)) for move in state.moves())


def minimax_as_in_wikipedia(node: Any, depth: int, maximizingPlayer: bool) -> Any:  # noqa: N803
    if depth == 0 or node.turn is None:
        return node.evaluate(0)
    value = -inf if maximizingPlayer else inf
    for move in node.moves():
        below = minimax_as_in_wikipedia(node.play(move), depth - 1, not maximizingPlayer)
        value = max(value, below) if maximizingPlayer else min(value, below)
    return value


def negamax(state: Any, depth: int, color: int) -> Any:
    if depth == 0 or state.turn is None:
        return color * state.evaluate(0)
    return max(-negamax(state.play(move), depth - 1, -color) for move in state.moves())


def alphabeta(state: Any, alpha: float = -inf, beta: float = inf) -> Any:
    """Fail-hard; returns the move first."""
    if state.turn is None:
        return None, min(max(state.utilities()[0], alpha), beta)
    chosen = None
    for move in state.moves():
        _, value = alphabeta(state.play(move), alpha, beta)
        if state.turn == 0 and (value > alpha or chosen is None):
            alpha, chosen = max(alpha, value), move
        if state.turn == 1 and (value < beta or chosen is None):
            beta, chosen = min(beta, value), move
        if alpha >= beta:
            break
    return chosen, (alpha if state.turn == 0 else beta)


def soft_alphabeta(state: Any, depth: int, alpha: float, beta: float, color: int) -> Any:
    """Fail-soft negamax with windows."""
    if depth == 0 or state.turn is None:
        return color * state.evaluate(0)
    best = -inf
    for move in state.moves():
        best = max(best, -soft_alphabeta(state.play(move), depth - 1, -beta, -alpha, -color))
        alpha = max(alpha, best)
        if alpha >= beta:
            break
    return best


def pvs(state: Any, depth: int, alpha: float, beta: float, color: int) -> Any:
    """A textbook version: fail-hard, null windows of width 1, the second search starts with the value of the first."""
    if depth == 0 or state.turn is None:
        return color * state.evaluate(0)
    for number, move in enumerate(state.moves()):
        child = state.play(move)
        low = beta if number == 0 else alpha + 1
        score = -pvs(child, depth - 1, -low, -alpha, -color)
        if number and alpha < score < beta:
            score = -pvs(child, depth - 1, -beta, -score, -color)
        alpha = max(alpha, score)
        if alpha >= beta:
            break
    return alpha


def negamax_with_bounds(state: Any, alpha: float, beta: float, color: int) -> Any:
    """The lecture's negamax: fail-soft, with the window of the player to move."""
    if state.turn is None:
        return color * state.utilities()[0]
    best = -inf
    for move in state.moves():
        best = max(best, -negamax_with_bounds(state.play(move), -beta, -alpha, -color))
        alpha = max(alpha, best)
        if beta <= alpha:
            break
    return best


def strict_alphabeta(state: Any, depth: int, alpha: float = -inf, beta: float = inf) -> Any:
    """Stops only if alpha > beta; returns alpha or beta."""
    if depth == 0 or state.turn is None:
        return state.evaluate(0)
    for move in state.moves():
        value = strict_alphabeta(state.play(move), depth - 1, alpha, beta)
        alpha, beta = (max(alpha, value), beta) if state.turn == 0 else (alpha, min(beta, value))
        if alpha > beta:
            break
    return alpha if state.turn == 0 else beta


def soft_strict_alphabeta(state: Any, alpha: float = -inf, beta: float = inf) -> Any:
    """Stops only if alpha > beta; returns the best value."""
    if state.turn is None:
        return state.utilities()[0]
    best = -inf if state.turn == 0 else inf
    for move in state.moves():
        value = soft_strict_alphabeta(state.play(move), alpha, beta)
        best = max(best, value) if state.turn == 0 else min(best, value)
        alpha, beta = (max(alpha, best), beta) if state.turn == 0 else (alpha, min(beta, best))
        if alpha > beta:
            break
    return best


def negascout(state: Any, alpha: float = -inf, beta: float = inf) -> Any:
    """The lecture's NegaScout, for MAX and MIN."""
    if state.turn is None:
        return state.utilities()[0]
    low, high = alpha, beta
    for number, move in enumerate(state.moves()):
        child = state.play(move)
        value = negascout(child, alpha, high) if state.turn == 0 else negascout(child, low, beta)
        if alpha < value < beta and number:
            value = negascout(child, value, beta) if state.turn == 0 else negascout(child, alpha, value)
        alpha, beta = (max(alpha, value), beta) if state.turn == 0 else (alpha, min(beta, value))
        if beta <= alpha:
            break
        low, high = beta - 1, alpha + 1
    return alpha if state.turn == 0 else beta


def expectiminimax(state: Any) -> Any:
    if state.turn is None:
        return state.utilities()[0]
    if state.turn == CHANCE:
        return sum(chance * expectiminimax(state.play(outcome)) for outcome, chance in state.chances())
    return (max if state.turn == 0 else min)(expectiminimax(state.play(move)) for move in state.moves())


def star1(state: Any, alpha: float = -inf, beta: float = inf) -> Any:
    if state.turn is None:
        return state.utilities()[0]
    if state.turn == CHANCE:
        low, high = state.bounds
        known, left = 0.0, 1.0
        for outcome, chance in state.chances():
            left -= chance
            least, most = (left * low, left * high) if left > 1e-9 else (0.0, 0.0)
            value = star1(state.play(outcome), (alpha - known - most) / chance, (beta - known - least) / chance)
            known += chance * value
            if known + least >= beta or known + most <= alpha:
                return known + (least if known + least >= beta else most)
        return known
    for move in state.moves():
        value = star1(state.play(move), alpha, beta)
        alpha, beta = (max(alpha, value), beta) if state.turn == 0 else (alpha, min(beta, value))
        if alpha >= beta:
            break
    return alpha if state.turn == 0 else beta


def expectimax(state: Any, seat: int) -> Any:
    if state.turn is None:
        return state.utilities()[seat]
    if state.turn == seat:
        return max(expectimax(state.play(move), seat) for move in state.moves())
    odds = state.chances() or [(move, 1 / len(state.moves())) for move in state.moves()]
    return sum(chance * expectimax(state.play(move), seat) for move, chance in odds)


def maxn(state: Any) -> Any:
    if state.turn is None:
        return state.utilities()
    return max((maxn(state.play(move)) for move in state.moves()), key=lambda values: values[state.turn])


def paranoid(state: Any, me: int, alpha: float = -inf, beta: float = inf) -> Any:
    if state.turn is None:
        return state.utilities()[me]
    for move in state.moves():
        value = paranoid(state.play(move), me, alpha, beta)
        alpha, beta = (max(alpha, value), beta) if state.turn == me else (alpha, min(beta, value))
        if alpha >= beta:
            break
    return alpha if state.turn == me else beta


RIGHT: dict[str, tuple[Callable[..., Any], str]] = {
    "minimax": (minimax, "minimax"),
    "minimax as in Wikipedia": (minimax_as_in_wikipedia, "minimax"),
    "negamax": (negamax, "negamax"),
    "negamax as minimax": (negamax, "minimax"),
    "minimax as negamax": (minimax, "negamax"),
    "alphabeta failing hard": (alphabeta, "alphabeta"),
    "alphabeta failing soft": (soft_alphabeta, "alphabeta"),
    "alphabeta as negamax": (soft_alphabeta, "negamax"),
    "negamax with bounds as negamax": (negamax_with_bounds, "negamax"),
    "negamax with bounds": (negamax_with_bounds, "negamax_bounds"),
    "strict alphabeta": (strict_alphabeta, "alphabeta_strict"),
    "strict alphabeta failing soft": (soft_strict_alphabeta, "alphabeta_strict"),
    "strict soft alphabeta": (soft_strict_alphabeta, "alphabeta_strict_soft"),
    "negascout": (negascout, "negascout"),
    "negascout as pvs": (negascout, "pvs"),
    "pvs as negascout": (pvs, "negascout"),
    "pvs": (pvs, "pvs"),
    "expectiminimax": (expectiminimax, "expectiminimax"),
    "star1": (star1, "star1"),
    "expectimax": (expectimax, "expectimax"),
    "maxn": (maxn, "maxn"),
    "paranoid": (paranoid, "paranoid"),
}
