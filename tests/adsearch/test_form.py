"""Both forms of a search give the same; where they could differ, the compiled one steps aside.

What needs the compiled form is skipped without it; `make test-fast` makes it and runs these tests."""

import gc
import inspect
import math
import pickle
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, get_type_hints

import pytest

from adsearch import Budget, Result, State, Table, Trace, algorithms, form, games, wrapped
from adsearch.alphabeta import AlphaBeta
from adsearch.errors import BadSearch
from adsearch.games import chess, chess_rules, connect4
from adsearch.games.connect4 import Connect4
from adsearch.ordering import Ordering
from adsearch.table import Entry

ROOT = Path(__file__).parents[2]

needs_it = pytest.mark.skipif(form.form() == "interpreted", reason=f"needs the compiled form: {form.why_interpreted()}")

SEARCHES: list[tuple[str, dict[str, Any]]] = [
    ("minimax", {}),
    ("negamax", {}),
    ("alphabeta", {}),
    ("alphabeta", {"fail": "hard", "alpha": -0.1, "beta": 0.1}),
    ("alphabeta", {"table": True, "ordering": True}),
    ("aspiration", {"table": True}),
    ("aspiration", {"guess": 0.5, "margin": 0.01}),
    ("mtdf", {}),
    ("mtdf", {"ordering": True}),
    ("bisection", {}),
    ("pvs", {}),
    ("pvs", {"table": True, "ordering": True}),
    ("quiescence", {}),
    ("quiescence", {"table": True, "ordering": True}),
    ("selective", {}),
    ("selective", {"width": 2, "table": True}),
    ("deepening", {}),
    ("deepening", {"algorithm": "mtdf"}),
    ("deepening", {"quiescence": True}),
    ("deepening", {"algorithm": "alphabeta", "quiescence": True}),
    ("expectiminimax", {}),
    ("expectiminimax", {"pruning": "star1"}),
    ("expectiminimax", {"pruning": "star2", "table": True, "ordering": True}),
    ("expectimax", {}),
    ("maxn", {}),
    ("paranoid", {}),
    ("mcts", {"simulations": 60, "exploration": 2}),
]
BOARDS = [
    *("tictactoe", "tictactoe:m=4,n=4,k=3", "connect4", "connect4:rows=12,columns=12", "connect4:line=3"),
    *("othello", "othello:size=6", "othello:size=10", "checkers", "chess", "backgammon"),
]
SLOW = ("backgammon", "chess")


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each search that was called from here on: whether it ran compiled."""
    found: list[bool] = []
    search = form._Compiled.search

    def watched(self: Any, *given: Any) -> Any:
        result = search(self, *given)
        found.append(result is not None)
        return result

    monkeypatch.setattr(form._Compiled, "search", watched)
    return found


def told(search: Callable[..., Any], state: State[Any], options: dict[str, Any]) -> str:
    """All that a search says or leaves behind."""
    given = dict(options)
    if given.get("table"):
        given["table"] = Table(300)  # so small that it drops entries
    if given.get("ordering"):
        given["ordering"] = Ordering()
    if "simulations" in given:
        given["random"] = Random(7)
    try:
        said = repr(search(state, **given))
    except BadSearch as error:
        return repr(error)
    if isinstance(table := given.get("table"), Table):
        said += f"{table._young} {table._old}"
    if isinstance(ordering := given.get("ordering"), Ordering):
        said += f"{dict(ordering._killers)} {[(seat, dict(moves)) for seat, moves in ordering._history.items()]}"
    return said + str(given["random"].random() if "random" in given else "")


def a_position(board: str, random: Random) -> State[Any]:
    """A position after some random moves; sometimes the end of a game."""
    state = games.start(board)
    for _ in range(random.randrange(45)):
        child = state.play(random.choice(state.moves()))
        if child.turn is None and random.random() < 0.9:
            break
        state = child
        if state.turn is None:
            break
    return state


@needs_it
@pytest.mark.parametrize("board", BOARDS)
def test_every_search_gives_the_same_in_both_forms(board: str, ran: list[bool]) -> None:
    random = Random(board)
    known = 0
    for _ in range(3):
        state = a_position(board, random)
        for name, options in SEARCHES:
            search = algorithms[name].search
            depth = random.randrange(3 if board in SLOW else 4)
            budget = random.choice((None, None, Budget(nodes=random.randrange(300))))
            options = options | {"depth": depth, "budget": budget}
            source = told(form.interpreted(search), state, options)
            assert told(search, state, options) == source, (name, options, state)
            known += not source.startswith("BadSearch")
    assert sum(ran) == known > 20


@needs_it
def test_a_table_and_an_ordering_go_from_one_form_to_the_other() -> None:
    """Even in the middle of a game, where a search steps aside for its own reasons."""
    deepening = algorithms["deepening"].search
    both = []
    for compiled_turns in ((True, False, True, False), (False,) * 4):
        state, table, ordering, said = games.start("checkers"), Table(2000), Ordering[Any](), ""
        for compiled in compiled_turns:
            options = {"depth": 5, "table": table, "ordering": ordering}
            result = deepening(state, **options) if compiled else form.interpreted(deepening)(state, **options)
            said += repr(result)
            state = state.play(result.move)
        both.append(f"{said} {table._young} {table._old}")
    assert both[0] == both[1]


@needs_it
def test_without_limits_a_search_goes_to_the_end(ran: list[bool]) -> None:
    for name in ("minimax", "negamax", "alphabeta", "pvs", "deepening", "mtdf", "maxn", "mcts"):
        search, state = algorithms[name].search, games.load("tictactoe", "x.o/.x./..o")
        assert search(state) == form.interpreted(search)(state)
    assert all(ran)


# It steps aside.


class HisConnect4(Connect4):
    """A student's subclass of our game."""

    __slots__ = ()

    def evaluate(self, seat: int) -> float:
        return 0.5


class OfHisTeam(Connect4):
    """The same, in a module that is called like ours."""

    __slots__ = ()
    __module__ = "team.games.connect4"
    __qualname__ = __name__ = "Connect4"

    def evaluate(self, seat: int) -> float:
        return 0.25


class HisSearch(AlphaBeta[Any]):
    """A student's subclass of our search."""

    def horizon(self, state: State[Any], alpha: float, beta: float) -> float:
        return 0.25


def start() -> Connect4:
    state = games.start("connect4")
    assert isinstance(state, Connect4)
    return state


@pytest.mark.parametrize(
    ("state", "options"),
    [
        (HisConnect4.start(rows=6, columns=7, line=4), {}),
        (OfHisTeam.start(rows=6, columns=7, line=4), {}),
        (wrapped.backwards(start()), {}),
        (games.start("dots"), {}),
        (start(), {"evaluate": lambda _state, _seat: 0.5}),
        (start(), {"trace": Trace()}),
        (start(), {"alpha": -1, "beta": 1}),
        (start(), {"ordering": lambda state: state.moves()[::-1]}),
    ],
    ids=[
        "a subclass",
        "a team's game",
        "a wrapped position",
        "another game",
        "a function",
        "a trace",
        "whole numbers",
        "an order",
    ],
)
def test_it_steps_aside_for_what_is_not_ours(state: State[Any], options: dict[str, Any], ran: list[bool]) -> None:
    search = algorithms["alphabeta"].search
    assert search(state, depth=3, **options) == form.interpreted(search)(state, depth=3, **(options | {"trace": None}))
    assert not any(ran)


@needs_it
@pytest.mark.parametrize(
    ("of", "name", "value"),
    [
        (connect4, "WEIGHT_OF_A_THREAT", 0.9),
        (connect4, "squash", lambda _score: 0.125),
        (Connect4, "evaluate", lambda _self, _seat: 0.125),
        (Connect4, "utilities", lambda _self: (0.0, 0.0)),
        (AlphaBeta, "horizon", HisSearch.horizon),
        (AlphaBeta, "sound", False),
        (Ordering, "KILLERS", 3),
        (connect4, "WEIGHT_OF_A_THREAT", 1),
        (connect4, "squash", math.sin),
        (Connect4, "evaluate", State.evaluate),
        (Connect4, "evaluate", None),
        (chess, "KING_PLACES", chess_rules.KING_PLACES[::-1]),
        (Entry, "serves", lambda *_given, **_options: False),
    ],
)
@pytest.mark.parametrize("before", [True, False], ids=["before the first search", "later"])
def test_it_steps_aside_while_something_is_replaced(
    of: Any, name: str, value: Any, before: bool, monkeypatch: pytest.MonkeyPatch, ran: list[bool]
) -> None:
    search = algorithms["alphabeta"].search
    fresh = form._Compiled()
    monkeypatch.setattr(form, "_compiled", lambda: fresh)
    if not before:
        search(start(), depth=2)
    with monkeypatch.context() as patch:
        if value is None:
            patch.delattr(of, name)
        else:
            patch.setattr(of, name, value, raising=name != "utilities")
        assert search(start(), depth=5, ordering=True) == form.interpreted(search)(start(), depth=5, ordering=True)
        assert not any(ran[not before :])
    search(start(), depth=2)
    assert ran[-1]


@needs_it
def test_it_steps_aside_for_a_table_or_an_ordering_that_is_not_as_made(ran: list[bool]) -> None:
    search = algorithms["alphabeta"].search
    for _ in range(2):
        ordering, table = Ordering[Any](), Table(1000)
        ordering.KILLERS = 3
        table.get = lambda _key: None  # type: ignore[assignment, method-assign]
        for options in ({"ordering": ordering}, {"table": table}, {"table": Table(1e4)}):  # type: ignore[arg-type]
            assert search(start(), depth=3, **options).nodes > 100
    assert not any(ran)


@needs_it
def test_it_steps_aside_under_a_debugger_and_on_a_small_stack(ran: list[bool]) -> None:
    lines = set()

    def follow(frame: Any, event: str, argument: object) -> Any:
        lines.add(Path(frame.f_code.co_filename).name)
        return follow

    search = algorithms["alphabeta"].search
    before = sys.gettrace()
    sys.settrace(follow)
    try:
        search(start(), depth=1)
    finally:
        sys.settrace(before)
    assert "alphabeta.py" in lines
    size = threading.stack_size(256 * 1024)
    try:
        search(start(), depth=1)
    finally:
        threading.stack_size(size)
    assert ran == [False, False]


@needs_it
def test_the_deepest_search_has_room_on_the_smallest_stack(ran: list[bool]) -> None:
    found: list[Result[Any]] = []

    def deep() -> None:
        for name in ("quiescence", "pvs"):
            found.append(algorithms[name].search(games.start("chess"), depth=250, budget=Budget(nodes=3000)))

    size = threading.stack_size(form.SMALLEST_STACK)
    try:
        thread = threading.Thread(target=deep)
        thread.start()
    finally:
        threading.stack_size(size)
    thread.join()
    assert [result.nodes for result in found] == [3001, 3001]
    assert ran == [True, True]


# What goes wrong.


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"depth": -1}, "alphabeta: expected a depth of 0 or more plies, got -1"),
        ({"depth": True}, "alphabeta: expected a depth of 0 or more plies, got True"),
        ({"alpha": 0.5, "beta": 0.5}, r"expected a window with alpha below beta, got \[0.5, 0.5\]"),
        ({"fail": "Hard"}, "expected fail='soft' or 'hard', got 'Hard'"),
    ],
)
def test_the_sources_say_what_is_wrong(options: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSearch, match=words) as raised:
        algorithms["alphabeta"].search(start(), **options)
    assert Path(traceback.extract_tb(raised.tb)[-1].filename).parent == ROOT / "adsearch"


@pytest.mark.parametrize("name", ["alphabeta", "pvs"])
def test_a_wrong_call_is_named_as_before(name: str) -> None:
    search = algorithms[name].search
    with pytest.raises(TypeError, match=r"^search\(\) got an unexpected keyword argument 'dept'"):
        search(start(), dept=3)
    with pytest.raises(TypeError, match=r"^search\(\) missing 1 required positional argument: 'state'"):
        search(depth=3)
    with pytest.raises(TypeError, match=r"^search\(\) takes \d positional arguments? but \d were given"):
        search(start(), 3)
    with pytest.raises(AttributeError):
        search(None, depth=3)
    with pytest.raises(TypeError, match=r"^search\(\) takes"):
        search(start(), start(), start())


@needs_it
@pytest.mark.parametrize("kind", [LookupError, TypeError, BadSearch])
def test_what_a_clock_raises_reaches_the_caller(kind: type[Exception], ran: list[bool]) -> None:
    calls = []

    def clock() -> float:
        calls.append(0)
        if len(calls) == 500:
            raise kind("no time")
        return 0.0

    with pytest.raises(kind, match="no time"):
        algorithms["pvs"].search(games.start("chess"), budget=Budget(until=1.0, clock=clock))
    assert len(calls) == 500
    assert ran == []  # no result, and not another try in the sources


INTERRUPTED = """
import signal, sys
from adsearch import Budget, algorithms, form, games

class Stop(TypeError):  # which must not be taken for one of the arguments
    pass

def stop(*_):
    raise Stop

signal.signal(signal.SIGALRM, stop)
for name, board, options in (
    ("pvs", "chess", {"depth": 60}),
    ("mcts", "connect4", {"simulations": 10**9}),
    ("expectiminimax", "backgammon", {"depth": 60}),
    ("minimax", "othello", {"budget": Budget(nodes=10**12)}),
):
    for turn in range(10):
        signal.setitimer(signal.ITIMER_REAL, 0.003 * (turn + 1))
        try:
            algorithms[name].search(games.start(board), **options)
        except Stop:
            print(name, end=" ")
print(form.form())
"""


@needs_it
def test_a_signal_ends_a_search_at_any_moment() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, encoding="utf-8", timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    names = ("pvs", "mcts", "expectiminimax", "minimax")
    assert done.stdout.split() == [*(name for name in names for _ in range(10)), "compiled"]


@needs_it
def test_searches_keep_no_memory() -> None:
    def searched() -> int:
        for board in ("connect4", "checkers", "chess", "backgammon"):
            for name, options in (("deepening", {"depth": 2}), ("maxn", {"depth": 2}), ("mcts", {"simulations": 20})):
                if board != "backgammon" or name != "deepening":
                    algorithms[name].search(games.start(board), **options)
        gc.collect()
        return sys.getallocatedblocks()

    searched()
    first = searched()
    assert [searched() for _ in range(5)][-1] <= first + 20


# The functions, and which form runs.


@pytest.mark.parametrize("name", sorted({name for name, _ in SEARCHES}))
def test_a_search_looks_like_its_source(name: str) -> None:
    search = algorithms[name].search
    assert list(get_type_hints(search)) == [*inspect.signature(search).parameters, "return"]
    assert pickle.loads(pickle.dumps(search)) == search
    assert inspect.getdoc(search)
    assert Path(inspect.getsourcefile(inspect.unwrap(search)) or "").parent == ROOT / "adsearch"


def builder() -> ModuleType:
    """The program that compiles."""
    spec = spec_from_file_location("compiled", ROOT / ".ci" / "compiled.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", form.MODULES)
def test_every_change_for_the_compiler_fits_the_sources(name: str) -> None:
    text = builder().copy(name)
    compile(text, name, "exec")
    assert f"from adsearch.{name} import" not in text or name in builder().SHARED
    assert not any(f"from adsearch.{module} import" in text for module in form.MODULES if module != name)
    assert "self.evaluate(" not in text
    assert "self.__class__()" not in text or name == "games.chess_rules"


@pytest.mark.parametrize(
    ("package", "why"),
    [
        ("", "the searches are not compiled here: run `make fast` in a clone, or install the wheel for this system"),
        ("DIGEST = 1", "what is compiled here is not made from these sources; run `make fast` again"),
        (
            "DIGEST = {digest}",
            "what is compiled here cannot be loaded (No module named 'adsearch_compiled.terms'); run `make fast` again",
        ),
        (
            "DIGEST = {digest}\nraise_here = 1\n",
            "what is compiled here cannot be loaded (it is damaged); run `make fast` again",
        ),
    ],
)
def test_a_package_that_does_not_fit_is_not_used(package: str, why: str, tmp_path: Path) -> None:
    if package:
        (tmp_path / form.PACKAGE).mkdir()
        (tmp_path / form.PACKAGE / "__init__.py").write_text(package.format(digest=form.digest()))
        if "raise_here" in package:
            (tmp_path / form.PACKAGE / "terms.py").write_text("raise ValueError('it is damaged')")
    hidden = f"sys.path[:] = [{str(tmp_path)!r}, *(path for path in sys.path if 'site-packages' not in path)]"
    program = f"import sys; {hidden} + [{str(ROOT)!r}]; from adsearch.form import why_interpreted as why; print(why())"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert said.stdout.strip() == why


@pytest.mark.parametrize("option", [form.INTERPRETED, "adsearch=interpeted"])
def test_it_can_be_switched_off(option: str) -> None:
    program = "from adsearch import form; print(form.form(), form.why_interpreted())"
    words = [sys.executable, "-X", option, "-c", program]
    said = subprocess.run(words, capture_output=True, encoding="utf-8", check=True)
    assert said.stdout.strip() == f"interpreted Python was started with -X {option}"


def test_to_ask_for_it_changes_nothing() -> None:
    program = "from adsearch.form import why_interpreted; print(why_interpreted())"
    words = [sys.executable, "-X", "adsearch=compiled", "-c", program]
    assert subprocess.check_output(words, encoding="utf-8").strip() == form.why_interpreted()
