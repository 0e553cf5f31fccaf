"""The steps of a search: for each event of a trace, what changes in the drawn tree, and which lines of code run.

`arena search trace --html` shows them one at a time. After the last event comes one more step: the end of the search,
with the value of the root and the best line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adsearch.pictures.textbook_code import TextbookCode, code_of
from adsearch.pictures.tree_drawing import value_text
from adsearch.pictures.tree_picture import Node, Path, Picture, shown
from adsearch.result import Bound
from adsearch.state import CHANCE
from adsearch.trace import Backup, Event, EventKind, Trace, Value, ends, window_text, written
from adsearch.trace_calls import Visit, not_searched, role, visits


@dataclass(frozen=True, slots=True)
class Step:
    """One step: the nodes are numbers, in the order of `Node.walk`."""

    event: Event | None
    """The event, with the names that the nodes have in the picture; None for the end of the search."""
    node: int
    """Where the search is after this step."""
    window: tuple[int, str] | None
    """A node and its new window."""
    value: tuple[int, str] | None
    """A node and its value, with a sign if it is only a bound."""
    appears: tuple[int, ...]
    """Nodes that are seen for the first time: the child, or the children that are pruned."""
    lines: tuple[int, ...]
    """The lines of code that run."""
    says: str
    """The step in a sentence or two."""


@dataclass(frozen=True, slots=True)
class Stepped:
    """A search in steps, with its tree and its code."""

    picture: Picture
    """The tree at the end; its windows are those at the end of each visit."""
    code: TextbookCode | None
    steps: tuple[Step, ...]


def stepped(trace: Trace, picture: Picture, algorithm: str, options: Mapping[str, Any]) -> Stepped:
    """The steps of the search with this trace, in its `picture`; `algorithm`: its name, without options."""
    code = code_of(algorithm, options, table=any(event.table for event in trace.events))
    reader = _Reader(trace, picture, algorithm, code)
    steps = tuple(reader.read())
    return Stepped(
        replace(picture, root=reader.with_windows(picture.root, iter(range(len(reader.nodes))))), code, steps
    )


@dataclass(slots=True)
class _Open:
    """A call that has not returned."""

    path: Path
    who: str
    alpha: float | None
    beta: float | None
    seen: str = ""
    """The child that was looked at last."""
    quiet: bool = False
    """Whether a quiescence search looks only at noisy moves here."""
    has_returned: bool = False
    """Whether a line that returns has run: at a chance node, a cutoff is such a line."""


class _Reader:
    """Goes through a trace."""

    def __init__(self, trace: Trace, picture: Picture, algorithm: str, code: TextbookCode | None) -> None:
        self.events = trace.events
        self.algorithm = algorithm
        self.code = code
        assert trace.state is not None
        self.root = trace.state
        self.nodes: list[Node] = list(picture.root.walk())
        self.numbers: dict[Path, int] = {}
        self.number(picture.root, (picture.root.label,))
        self.last_window = [""] * len(self.nodes)
        self.widest_window = [""] * len(self.nodes)
        self.appeared: set[int] = set()
        self.calls: list[_Open] = []
        self.backup = trace.backup
        found = [visit for root in visits(trace) for visit in root.walk()]
        self.roles = {visit.path: role(visit, trace) for visit in found}
        self.bounds = {visit.call.ended: visit.bound for visit in found}
        # For each event that causes a cut-off: the children that this visit of the parent leaves out. A later visit
        # can look at some of them.
        self.left_out = {visit.children[-1].call.ended: not_searched(visit) for visit in found if visit.cut}
        # The last event of each visit of a chance node that ends without its average: after probes of all outcomes, no
        # child need be left out.
        self.stops = {visit.children[-1].call.ended for visit in found if _ends_early(visit)}
        # The events with a call of a position that quiescence search can leave as it is.
        self.quiet = {visit.call.began for visit in found if visit.stand_pat is not None}

    def number(self, node: Node, path: Path) -> None:
        """Number the nodes in preorder."""
        self.numbers[path] = len(self.numbers)
        for child in node.children:
            self.number(child, (*path, child.label))

    def read(self) -> Iterator[Step]:
        """All steps."""
        for at, event in enumerate(self.events):
            if event.kind is EventKind.INIT:
                yield self.start(event, quiet=at in self.quiet, again=at > 0)
            elif event.kind is EventKind.DESCEND:
                yield self.down(event, quiet=at in self.quiet)
            else:
                follows = self.events[at + 1] if at + 1 < len(self.events) else None
                again = follows is not None and follows.path == event.path
                stops = event.cutoff or at in self.stops
                left_out = self.left_out.get(at, ())
                yield self.back(event, self.bounds.get(at), again=again, stops=stops, left_out=left_out)
        root = self.nodes[0]
        value = "" if root.value is None else value_text(root.value, root.bound)
        best = " ".join(self.name(number) for number, node in enumerate(self.nodes) if node.best and number)
        yield Step(
            event=None,
            node=0,
            window=None,
            value=(0, value) if value else None,
            appears=tuple(number for number in range(len(self.nodes)) if number not in self.appeared),
            lines=self.root_returns(),
            says="The search ends."
            + f" The value of {self.name(0)} is {value}." * bool(value)
            + f" Best play: {best}." * bool(best),
        )

    def start(self, event: Event, *, quiet: bool, again: bool) -> Step:
        """The search starts, or starts again."""
        returned = self.root_returns() if again else ()
        self.calls = [_Open(event.path, self.who(event.path), event.alpha, event.beta, quiet=quiet)]
        named = self.named(event)
        return Step(
            event=named,
            node=0,
            window=self.window(0, event),
            value=None,
            appears=self.appear([0]),
            lines=returned + self.lines("start", ""),
            says=f"The search starts{' again' * again} at {named.path[-1]}{_with(event)}.",
        )

    def down(self, event: Event, *, quiet: bool) -> Step:
        """Down to a child."""
        lines = self.call_lines(event)
        if quiet and not self.calls[-1].quiet:
            lines += self.lines("leaf", "")
        who = "probe" if self.is_probe(event) else self.who(event.path)
        self.calls.append(_Open(event.path, who, event.alpha, event.beta, quiet=quiet))
        child = self.numbers[event.path]
        named = self.named(event)
        return Step(
            event=named,
            node=child,
            window=self.window(child, event),
            value=None,
            appears=self.appear([child]),
            lines=lines,
            says=f"From {named.path[-2]} down to {named.path[-1]}{_with(event)}.",
        )

    def back(self, event: Event, bound: Bound | None, *, again: bool, stops: bool, left_out: Sequence[str]) -> Step:
        """A leaf, or the return from a child; `bound`: of its true value. `again`: the child is searched again next;
        `stops`: at a chance node, the parent returns; `left_out`: the children of the parent that a cut-off leaves
        out."""
        child, parent = self.numbers[event.path], self.numbers[event.path[:-1]]
        is_leaf = event.kind is EventKind.LEAF
        if is_leaf:
            lines = self.call_lines(event) + self.leaf_lines(event)
            was_probe = False
        else:
            call = self.calls.pop()
            lines = () if call.has_returned else self.lines("return", call.who, quiet=call.quiet)
            was_probe = call.who == "probe"
        above = self.calls[-1]
        is_searched_again = again and bool(self.lines("again", above.who))
        if was_probe:
            lines += self.lines("unprobed", above.who) if stops else self.lines("probe", above.who)
        elif not is_searched_again:
            lines += self.lines("back", above.who, quiet=above.quiet) + self.stop_lines(event, above, stops=stops)
        above.has_returned = above.who == "chance" and stops
        named = self.named(event)
        says = self.returned(named, bound, above) + self.cut_off(event, named, left_out)
        above.alpha, above.beta = event.alpha, event.beta
        pruned = self.unseen_children(parent) if event.cutoff else []
        return Step(
            event=named,
            node=child if is_leaf else parent,
            window=self.window(parent, event),
            value=None if event.value is None else (child, self.value(event.value, bound)),
            appears=self.appear([child, *pruned]),
            lines=tuple(sorted({*lines})),
            says=says + f" {named.path[-1]} is searched again." * is_searched_again,
        )

    # Sentences.

    def name(self, number: int) -> str:
        """The node as the picture names it."""
        return self.nodes[number].name or self.nodes[number].label

    def named(self, event: Event) -> Event:
        """The event with the names of its nodes."""
        path = event.path
        names = (self.name(self.numbers[path[: plies + 1]]) for plies in range(len(path)))
        return replace(event, path=tuple(names))

    def returned(self, event: Event, bound: Bound | None, above: _Open) -> str:
        """Who returned what, and how it changes the window of the parent."""
        parent, child = event.path[-2:]
        value = "" if event.value is None else written(event.value)
        if self.backup is Backup.PROOF:
            return f"The proof number of {child} is {value}."
        if self.backup is Backup.SIMULATION:
            return f"The result of the simulated game, {value}, is counted at {child}."
        if event.table:
            text = f"The value of {child} is in the table: {value}."
        elif event.kind is EventKind.RETURN:
            text = f"{child} returns {value} to {parent}."
        else:
            text = f"The leaf {child} is worth {value}."
        if bound in (Bound.LOWER, Bound.UPPER):
            text = f"{text[:-1]}; the value of {child} is {'at least' if bound is Bound.LOWER else 'at most'} {value}."
        for name, before, after in (("alpha", above.alpha, event.alpha), ("beta", above.beta, event.beta)):
            if before is not None and after is not None and before != after:
                text += f" At {parent}, {name} {'rises' if after > before else 'falls'} to {written(after)}."
        return text

    def cut_off(self, event: Event, named: Event, left_out: Sequence[str]) -> str:
        """The sentence about a cut-off; empty without one."""
        if not event.cutoff:
            return ""
        names = ", ".join(self.name(self.numbers[*event.path[:-1], label]) for label in left_out)
        return f" Cut-off: {named.path[-2]} leaves out {names}." if names else " Cut-off."

    # Lines of code.

    def lines(self, role: str, who: str, *, quiet: bool = False) -> tuple[int, ...]:
        """The lines of that role, in the function for all moves or in the one for noisy moves."""
        return () if self.code is None else self.code.find(who, f"quiet {role}" if quiet else role)

    def root_returns(self) -> tuple[int, ...]:
        """The line that returns the value of the root."""
        root = self.calls[0]
        return () if root.has_returned else self.lines("return", root.who, quiet=root.quiet)

    def call_lines(self, event: Event) -> tuple[int, ...]:
        """The line with the call of the child."""
        above = self.calls[-1]
        if self.is_probe(event):
            return self.lines("probe", above.who)
        role = "call" if not above.seen else "again" if above.seen == event.path[-1] else "test"
        above.seen = event.path[-1]
        return self.lines(role, above.who, quiet=above.quiet) or self.lines("call", above.who, quiet=above.quiet)

    def is_probe(self, event: Event) -> bool:
        """Whether star2 probes this child of a chance node: it then has no window."""
        return self.calls[-1].who == "chance" and event.alpha is None and bool(self.lines("probe", "chance"))

    def leaf_lines(self, event: Event) -> tuple[int, ...]:
        """The lines that return the value of a leaf; in quiescence search, `quiet` returns it."""
        if event.table:
            return self.lines("table", "")
        return (() if self.calls[-1].quiet else self.lines("leaf", "")) + self.lines("return", "leaf", quiet=True)

    def stop_lines(self, event: Event, above: _Open, *, stops: bool) -> tuple[int, ...]:
        """The line that leaves the loop of the parent, if it runs. Most searches also run it after the last child,
        where nothing is left to cut off."""
        value = event.value
        if self.algorithm == "winning" and isinstance(value, float | int):
            stops = value > 0 if above.who == "max" else value <= 0
        elif above.who == "chance":
            pass
        elif event.alpha is None or event.beta is None or above.quiet:
            stops = event.cutoff
        elif self.algorithm.startswith("alphabeta_strict"):
            stops = event.alpha > event.beta
        else:
            stops = event.alpha >= event.beta
        return self.lines("stop", above.who, quiet=above.quiet) if stops else ()

    # The tree.

    def who(self, path: Path) -> str:
        """Who moves at a node, as the code calls it."""
        if len(path) == 1 and self.lines("call", "root") != self.lines("call", ""):
            return "root"
        return self.roles[path]

    def value(self, value: Value, bound: Bound | None) -> str:
        """A value as a node shows it."""
        return value_text(shown(self.root, value), bound)

    def window(self, number: int, event: Event) -> tuple[int, str] | None:
        """The new window of a node; None without windows."""
        text = window_text(event.alpha, event.beta)
        if not text:
            return None
        self.last_window[number] = text
        self.widest_window[number] = max(self.widest_window[number], text, key=len)
        return number, text

    def unseen_children(self, parent: int) -> list[int]:
        """The children that the search did not visit."""
        found, number = [], parent + 1
        for child in self.nodes[parent].children:
            if not child.visits:
                found.append(number)
            number += sum(1 for _ in child.walk())
        return found

    def appear(self, numbers: list[int]) -> tuple[int, ...]:
        """Those nodes that were not seen before."""
        fresh = tuple(number for number in numbers if number not in self.appeared)
        self.appeared.update(fresh)
        return fresh

    def with_windows(self, node: Node, numbers: Iterator[int]) -> Node:
        """The tree with the last window of each node, and with room for the widest one."""
        number = next(numbers)
        children = tuple(self.with_windows(child, numbers) for child in node.children)
        last, widest = self.last_window[number], self.widest_window[number]
        return replace(node, children=children, window=last, room=widest)


def _ends_early(visit: Visit) -> bool:
    """Whether a visit of a chance node returned before it had searched the last outcome."""
    if visit.state is None or visit.state.turn != CHANCE or visit.value is None or not visit.children:
        return False
    last = visit.children[-1]
    return last.probed or last.path[-1] != visit.state.to_text(visit.state.moves()[-1])


def _with(event: Event) -> str:
    """The window of a call, as part of a sentence."""
    alpha, beta = ends(event.alpha, event.beta)
    return f", with alpha = {alpha} and beta = {beta}" if alpha or beta else ""
