"""Textbook code: each search as a few lines of Python, and which lines belong to an event of its trace.

A page shows the code beside the tree, and marks the lines of each step. The code is short: it has no time limit and no
depth. A leaf is a position where the game is over or where the depth ends. A test runs the code: it visits the same
nodes, and runs the same lines, as the trace of the real search says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

LEGEND: Final = (
    "A leaf is a position where the game is over, or where the search depth ends. "
    "Its utility is then the game's utility, or an estimate."
)

_TABLE: Final = "table"
"""Tag of the lines about a table; they are shown only if a value came from a table."""


@dataclass(frozen=True, slots=True)
class TextbookCode:
    """The code of a search: its lines, and for each tag the numbers of its lines (from 0)."""

    lines: tuple[str, ...]
    tags: Mapping[str, tuple[int, ...]]

    def find(self, who: str, role: str) -> tuple[int, ...]:
        """The lines with the tag `role` for a node of `who` ("max", "min", "chance"), or for any node."""
        return self.tags.get(f"{who} {role}") or self.tags.get(role, ())


def code_of(algorithm: str, options: Mapping[str, Any], *, table: bool = False) -> TextbookCode | None:
    """The code of an algorithm with these options; None if there is none. `table`: with the lines about a table."""
    text = text_of(algorithm, options)
    return None if text is None else _read(text if table else _without_table(text))


def _without_table(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.rstrip().endswith(TAG + _TABLE))


def _read(text: str) -> TextbookCode:
    """The code without its tags; one empty line before each function but the first."""
    lines: list[str] = []
    tags: dict[str, list[int]] = {}
    for line in text.splitlines():
        code, _, tagged = line.partition(TAG)
        if not code:
            continue
        if code.startswith("def ") and lines:
            lines.append("")
        for tag in filter(None, tagged.split(", ")):
            tags.setdefault(tag, []).append(len(lines))
        lines.append(code)
    return TextbookCode(tuple(lines), {tag: tuple(numbers) for tag, numbers in tags.items()})


# The texts of the textbook code: one for each search, as Python with tags.


TAG: Final = "  #: "
"""What stands before the tags of a line; tags are separated by a comma."""

_LEAF: Final = """
    if is_leaf(state):
        return utility(state)  #: leaf
    if in_table(state):  #: table
        return table[state]  #: table
"""

_MINIMAX: Final = f"""
def minimax(state):  #: start
{_LEAF}
    if turn(state) == MAX:
        best = -inf
        for child in children(state):
            value = minimax(child)  #: max call
            best = max(best, value)  #: max back
    else:
        best = +inf
        for child in children(state):
            value = minimax(child)  #: min call
            best = min(best, value)  #: min back
    return best  #: return
"""

_ALPHABETA: Final = f"""
def alphabeta(state, alpha, beta):  #: start
{_LEAF}
    if turn(state) == MAX:
        best = -inf
        for child in children(state):
            value = alphabeta(child, alpha, beta)  #: max call
            best = max(best, value)  #: max back
            alpha = max(alpha, best)  #: max back
            if alpha >= beta:  #: max back
                break  #: max stop
    else:
        best = +inf
        for child in children(state):
            value = alphabeta(child, alpha, beta)  #: min call
            best = min(best, value)  #: min back
            beta = min(beta, best)  #: min back
            if alpha >= beta:  #: min back
                break  #: min stop
    return best  #: max return, min return
"""

_STAR: Final = _ALPHABETA.replace("alphabeta", "star").replace(
    "    if turn(state) == MAX:",
    """
    if turn(state) == CHANCE:
        return average(state, alpha, beta)
    if turn(state) == MAX:
""",
)

_PARANOID: Final = _ALPHABETA.replace("alphabeta", "paranoid").replace(
    "    if turn(state) == MAX:",
    """
    if turn(state) == CHANCE:
        mean = 0
        for child in children(state):
            value = paranoid(child, -inf, +inf)  #: chance call
            mean += probability(child) * value  #: chance back
        return mean  #: chance return
    if turn(state) == ME:
""",
)

_NEGAMAX: Final = f"""
def negamax(state):  #: start
{_LEAF}
    best = -inf
    for child in children(state):
        value = -negamax(child)  #: call
        best = max(best, value)  #: back
    return best  #: return
"""

_PVS: Final = f"""
def pvs(state, alpha, beta):  #: start
{_LEAF}
    if turn(state) == MAX:
        best = -inf
        for child in children(state):
            if is_first(child):
                value = pvs(child, alpha, beta)  #: max call
            else:
                value = pvs(child, alpha, just_above(alpha))  #: max test
                if alpha < value < beta:
                    value = pvs(child, value, beta)  #: max again
            best = max(best, value)  #: max back
            alpha = max(alpha, best)  #: max back
            if alpha >= beta:  #: max back
                break  #: max stop
    else:
        best = +inf
        for child in children(state):
            if is_first(child):
                value = pvs(child, alpha, beta)  #: min call
            else:
                value = pvs(child, just_below(beta), beta)  #: min test
                if alpha < value < beta:
                    value = pvs(child, alpha, value)  #: min again
            best = min(best, value)  #: min back
            beta = min(beta, best)  #: min back
            if alpha >= beta:  #: min back
                break  #: min stop
    return best  #: return
"""

_WINNING: Final = f"""
def winning(state):  #: start
{_LEAF}
    if turn(state) == ME:
        best = -inf
        for child in children(state):
            value = winning(child)  #: max call
            best = max(best, value)  #: max back
            if best > 0:  #: max back
                break  #: max stop
    else:
        best = +inf
        for child in children(state):
            value = winning(child)  #: min call
            best = min(best, value)  #: min back
            if best <= 0:  #: min back
                break  #: min stop
    return best  #: return
"""

_EXPECTIMINIMAX: Final = f"""
def expectiminimax(state):  #: start
{_LEAF}
    if turn(state) == MAX:
        best = -inf
        for child in children(state):
            value = expectiminimax(child)  #: max call
            best = max(best, value)  #: max back
        return best  #: max return
    if turn(state) == MIN:
        best = +inf
        for child in children(state):
            value = expectiminimax(child)  #: min call
            best = min(best, value)  #: min back
        return best  #: min return
    mean = 0
    for child in children(state):
        value = expectiminimax(child)  #: chance call
        mean += probability(child) * value  #: chance back
    return mean  #: chance return
"""

_AVERAGE: Final = """
def average(state, alpha, beta):
    mean = 0
    for child in children(state):
        p = probability(child)
        rest = probability_of_later(child)
        low = (alpha - mean - rest * HIGHEST) / p
        high = (beta - mean - rest * LOWEST) / p
        value = star1(child, low, high)  #: chance call
        mean += p * value  #: chance back
        least = mean + rest * LOWEST
        most = mean + rest * HIGHEST
        if rest > 0 and (least >= beta or most <= alpha):  #: chance back
            return least if least >= beta else most  #: chance stop
    return mean  #: chance return
"""

_AVERAGE_PROBED: Final = """
def average(state, alpha, beta):
    for child in children(state):
        probe(child)  #: chance probe
        if sum_of(least) >= beta or sum_of(most) <= alpha:
            return the_bound_outside(alpha, beta)  #: chance unprobed
    mean = 0
    for child in children(state):
        low, high = window_of(child, mean, alpha, beta, least, most)
        value = star2(child, low, high)  #: chance call
        mean += probability(child) * value  #: chance back
        if must_be_outside(mean, alpha, beta, least, most):  #: chance back
            return the_bound_outside(alpha, beta)  #: chance stop
    return mean  #: chance return

def probe(state):
    value = star2(first_child(state), low, high)  #: probe call
    if turn(state) == MAX:
        least[state] = value
    else:
        most[state] = value
"""

_PARALLEL: Final = """
def parallel(root, alpha, beta):  #: start
    for brothers in [first_child(root)], later_children(root):
        values = at_the_same_time(alphabeta, brothers, alpha, beta)  #: root call
        alpha, beta = narrowed(root, alpha, beta, values)  #: root back
        if alpha >= beta:  #: root back
            break  #: root stop
    return best_value(root)  #: root return
"""

_EXPECTIMAX: Final = f"""
def expectimax(state):  #: start
{_LEAF}
    if turn(state) == ME:
        best = -inf
        for child in children(state):
            value = expectimax(child)  #: max call
            best = max(best, value)  #: max back
        return best  #: max return
    mean = 0
    for child in children(state):
        value = expectimax(child)  #: chance call
        mean += probability(child) * value  #: chance back
    return mean  #: chance return
"""

_MAXN: Final = f"""
def maxn(state):  #: start
{_LEAF}
    if turn(state) == CHANCE:
        mean = zeros()
        for child in children(state):
            values = maxn(child)  #: chance call
            mean = mean + probability(child) * values  #: chance back
        return mean  #: chance return
    seat = turn(state)
    best = None
    for child in children(state):
        values = maxn(child)  #: call
        if best is None or values[seat] > best[seat]:  #: back
            best = values
    return best  #: return
"""

_QUIET: Final = """
def quiet(state, alpha, beta):
    best = utility(state)
    if turn(state) == MAX:
        alpha = max(alpha, best)
        for child in noisy_children(state):
            if alpha >= beta:  #: max quiet back
                break  #: max quiet stop
            value = quiet(child, alpha, beta)  #: max quiet call
            best = max(best, value)  #: max quiet back
            alpha = max(alpha, best)  #: max quiet back
    else:
        beta = min(beta, best)
        for child in noisy_children(state):
            if alpha >= beta:  #: min quiet back
                break  #: min quiet stop
            value = quiet(child, alpha, beta)  #: min quiet call
            best = min(best, value)  #: min quiet back
            beta = min(beta, best)  #: min quiet back
    return best  #: quiet return
"""

_ASPIRATION: Final = """
def aspiration(root):
    alpha, beta = guess - margin, guess + margin
    while True:
        value = alphabeta(root, alpha, beta)  #: start
        if value <= alpha:
            alpha, beta = -inf, value + margin
        elif value >= beta:
            alpha, beta = value - margin, +inf
        else:
            return value
"""

_MTDF: Final = """
def mtdf(root):
    low, high, value = LOWEST, HIGHEST, guess
    while low < high:
        beta = just_above(value) if value == low else value
        value = alphabeta(root, just_below(beta), beta)  #: start
        if value >= beta:
            low = value
        else:
            high = value
    return value
"""

_BISECTION: Final = """
def bisection(root):
    low, high = LOWEST, HIGHEST
    while low < high:
        middle = (low + high) / 2
        value = alphabeta(root, just_below(middle), middle)  #: start
        if value >= middle:
            low = value
        else:
            high = value
    return low
"""

_DEEPENING: Final = """
def deepening(root):
    for depth in 1, 2, 3, ...:  # the leaves are at this depth
        value = alphabeta(root, -inf, +inf)  #: start
    return value
"""

_PROOF: Final = """
def proof(root):  #: start
    while not is_decided(root):
        node = root
        while children(node):
            node = most_proving_child(node)  #: call
        expand(node)  #: leaf
        while node != root:
            update_proof_numbers(node)  #: back
            node = parent(node)
        update_proof_numbers(root)
    return value(root)
"""

_MCTS: Final = """
def mcts(root):  #: start
    while there_is_time():
        node = root
        while not is_new(node) and not is_over(node):
            node = best_by_ucb1(children(node))  #: call
        value = rollout(node)  #: leaf
        while node != root:
            add(node, value)  #: back
            node = parent(node)
        add(root, value)
    return most_visited(children(root))
"""

_ITERATION: Final = """
def iteration(root):
    while the_largest_change() > precision:
        for state in all_positions():
            value[state] = best_or_mean(children(state))  #: start
    for child in children(root):
        compare(value[child])  #: leaf
    return best_child(root)
"""

_NEGAMAX_BOUNDS: Final = f"""
def negamax(state, alpha, beta):  #: start
{_LEAF}
    best = -inf
    for child in children(state):
        value = -negamax(child, -beta, -alpha)  #: call
        best = max(best, value)  #: back
        alpha = max(alpha, best)  #: back
        if beta <= alpha:  #: back
            break  #: stop
    return best  #: return
"""

_NEGASCOUT: Final = f"""
def negascout(state, alpha, beta):  #: start
{_LEAF}
    if turn(state) == MAX:
        b = beta
        for child in children(state):
            value = negascout(child, alpha, b)  #: max call
            if alpha < value < beta and not is_first(child):
                value = negascout(child, value, beta)  #: max again
            alpha = max(alpha, value)  #: max back
            if beta <= alpha:  #: max back
                break  #: max stop
            b = alpha + 1
        return alpha  #: max return
    a = alpha
    for child in children(state):
        value = negascout(child, a, beta)  #: min call
        if alpha < value < beta and not is_first(child):
            value = negascout(child, alpha, value)  #: min again
        beta = min(beta, value)  #: min back
        if beta <= alpha:  #: min back
            break  #: min stop
        a = beta - 1
    return beta  #: min return
"""

_ALPHABETA_STRICT: Final = f"""
def alphabeta(state, alpha, beta):  #: start
{_LEAF}
    if turn(state) == MAX:
        for child in children(state):
            value = alphabeta(child, alpha, beta)  #: max call
            alpha = max(alpha, value)  #: max back
            if alpha > beta:  #: max back
                break  #: max stop
        return alpha  #: max return
    for child in children(state):
        value = alphabeta(child, alpha, beta)  #: min call
        beta = min(beta, value)  #: min back
        if alpha > beta:  #: min back
            break  #: min stop
    return beta  #: min return
"""

_ALPHABETA_STRICT_SOFT: Final = _ALPHABETA.replace("alpha >= beta", "alpha > beta")

_CODES: Final = {
    "minimax": _MINIMAX,
    "negamax": _NEGAMAX,
    "alphabeta": _ALPHABETA,
    "winning": _WINNING,
    "proof": _PROOF,
    "aspiration": _ASPIRATION + _ALPHABETA,
    "mtdf": _MTDF + _ALPHABETA,
    "bisection": _BISECTION + _ALPHABETA,
    "pvs": _PVS,
    "quiescence": _ALPHABETA.replace("alphabeta", "quiescence"),
    "selective": _ALPHABETA.replace("alphabeta", "selective").replace("children(", "best_children("),
    "expectiminimax": _EXPECTIMINIMAX,
    "star1": _STAR.replace("star(", "star1(") + _AVERAGE,
    "star2": _STAR.replace("star(", "star2(") + _AVERAGE_PROBED,
    "expectimax": _EXPECTIMAX,
    "parallel": _PARALLEL + _ALPHABETA.replace(TAG + "start", ""),
    "maxn": _MAXN,
    "paranoid": _PARANOID,
    "mcts": _MCTS,
    "iteration": _ITERATION,
    "negamax_bounds": _NEGAMAX_BOUNDS,
    "negascout": _NEGASCOUT,
    "alphabeta_strict": _ALPHABETA_STRICT,
    "alphabeta_strict_soft": _ALPHABETA_STRICT_SOFT,
}


def text_of(algorithm: str, options: Mapping[str, Any]) -> str | None:
    """The text of an algorithm with these options; None if there is none."""
    text = _CODES.get(algorithm)
    if algorithm == "quiescence":
        return _quiescent(_CODES[algorithm])
    if algorithm == "expectiminimax" and options.get("pruning", "none") != "none":
        return _CODES[options["pruning"]]
    if algorithm == "deepening":
        return _deepening(options.get("algorithm", "pvs"), quiescence=options.get("quiescence", False))
    if options.get("fail") == "hard":
        return _ALPHABETA.replace("utility(state)", "clip(utility(state), alpha, beta)")
    return text


def _deepening(algorithm: str, *, quiescence: bool) -> str:
    """Iterative deepening with that algorithm."""
    if algorithm == "mtdf":
        outer = _DEEPENING.replace("alphabeta(root, -inf, +inf)  #: start", "mtdf(root)") + _MTDF
    else:
        outer = _DEEPENING.replace("alphabeta(", f"{algorithm}(")
    inner = _PVS if algorithm == "pvs" else _ALPHABETA
    return outer + (_quiescent(inner) if quiescence else inner)


def _quiescent(text: str) -> str:
    """A search that evaluates only quiet positions."""
    return text.replace("utility(state)", "quiet(state, alpha, beta)") + _QUIET
