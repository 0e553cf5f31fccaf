"""Loading a student's file, and the message when the file is wrong."""

import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agents import Agent, BadAgent, loading

AGENT = """
from agents import Agent
class {name}(Agent):
    def choose(self, state, clock):
        return state.moves()[0]
"""
Write = Callable[..., str]


@pytest.fixture(autouse=True)
def _imports_as_before() -> Iterator[None]:
    modules, path = set(sys.modules), list(sys.path)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        module = sys.modules[name]
        if not name.startswith(("agents", "adsearch")) and "/pytest-" in str(getattr(module, "__file__", "")):
            del sys.modules[name]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file, and returns its path."""

    def write(source: str, name: str = "my_agent.py") -> str:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(source, "utf-8")
        return str(path)

    return write


def why_not(spec: str) -> str:
    """What is said of an agent that cannot be loaded, in one line and without the folder's name."""
    with pytest.raises(BadAgent) as raised:
        loading.load(spec)
    words = str(raised.value)
    assert "\n" not in words
    return words.replace(str(Path(spec.partition(".py")[0]).parent) + "/", "")


def test_a_file_with_one_agent_is_that_agent(write: Write) -> None:
    found = loading.load(write(AGENT.format(name="Mine") + "\nThe = Agent\n"))
    assert issubclass(found, Agent)
    assert found.__name__ == "Mine"


def test_a_class_is_named_after_a_colon(write: Write) -> None:
    path = write(AGENT.format(name="One") + AGENT.format(name="Two"))
    assert loading.load(f"{path}:Two").__name__ == "Two"
    assert why_not(path) == f"my_agent.py: expected one agent, got several (One, Two); choose one: {'my_agent.py'}:One"
    assert why_not(f"{path}:Twi") == "my_agent.py: no agent 'Twi'; did you mean 'Two'?"
    assert why_not(f"{path}:") == "my_agent.py: no agent ''; there is One, Two"


def test_a_folder_is_its_agent_file(write: Write, tmp_path: Path) -> None:
    write(AGENT.format(name="Mine"), "team/agent.py")
    assert loading.load(str(tmp_path / "team")).__name__ == "Mine"
    (tmp_path / "empty").mkdir()
    assert why_not(str(tmp_path / "empty")) == "empty: expected a file agent.py in this folder, but there is none"


def test_a_file_finds_what_lies_beside_it(write: Write) -> None:
    write("FIRST = 0", "beside_it.py")
    assert loading.load(write("import beside_it\n" + AGENT.format(name="Mine"))).__name__ == "Mine"


def test_a_module_beside_it_hides_none_of_ours(write: Write) -> None:
    write("raise RuntimeError", "agents.py")
    write("raise RuntimeError", "random.py")
    assert loading.load(write("import random\n" + AGENT.format(name="Mine"))).__name__ == "Mine"


@pytest.mark.parametrize("name", ["random.py", "agents.py", "my agent.py", "käse.py"])
def test_a_file_may_have_any_name(write: Write, name: str) -> None:
    import random

    assert loading.load(write(AGENT.format(name="Mine"), name)).__name__ == "Mine"
    assert sys.modules["random"] is random
    assert sys.modules["agents"].Agent is Agent


def test_an_agent_can_use_dataclasses_and_pickle(write: Write) -> None:
    source = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass Note:\n    it: int\n"
    )
    found = loading.load(write(source + AGENT.format(name="Mine")))
    note = sys.modules[found.__module__].Note(3)
    assert pickle.loads(pickle.dumps(note)) == note


def test_a_changed_file_is_read_again(write: Write) -> None:
    assert loading.load(write(AGENT.format(name="Old"))).__name__ == "Old"
    assert loading.load(write(AGENT.format(name="New"))).__name__ == "New"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("", "my_agent.py is empty: expected a Python file with a subclass of Agent"),
        (
            "def best_move(board): return 1",
            "my_agent.py: expected a subclass of Agent, got only functions, such as best_move: write below them class "
            "MyAgent(Agent) with choose(self, state, clock), which returns best_move(state.array(self.seat)) or "
            "the like (`arena docs languages`)",
        ),
        (
            "from agents import Agent\nclass A(Agent):\n    def choose(self, state, clock): return 1\n"
            "    def name(self): return 'A'\n",
            "my_agent.py: A.name is the agent's name, a text: give your method or attribute another name",
        ),
        ("x = 1", "my_agent.py: expected a subclass of Agent (from agents import Agent), but the file defines none"),
        ("from agents import Agent", "expected a subclass of Agent"),
        ("x = 1\nif x = 2:\n  pass", "my_agent.py, line 2: SyntaxError: "),
        ("if 1:\n  x\n y", "my_agent.py, line 3: IndentationError: "),
        ("x = 1\nimport numpyy", "my_agent.py, line 2: there is no module 'numpyy' here; install it, or"),
        ("from agents import Agnt", "my_agent.py, line 1: cannot import name 'Agnt' from 'agents'"),
        ("def f():\n  return y\nf()", "my_agent.py, line 2: NameError: name 'y' is not defined"),
        ("raise RuntimeError", "my_agent.py, line 1: RuntimeError"),
        ("import sys\nsys.exit()", "my_agent.py, line 2: the program ends while it is imported"),
        (
            "from agents import Agent\nclass A(Agent):\n  def chose(self): pass",
            "my_agent.py: A must define choose(self, state, clock)",
        ),
    ],
)
def test_a_file_that_is_no_agent_is_told_why(write: Write, source: str, words: str) -> None:
    assert words in why_not(write(source))


def test_a_file_that_is_not_there_is_told_as_such(tmp_path: Path) -> None:
    assert why_not(str(tmp_path / "gone.py")).endswith("gone.py': No such file or directory")
    assert why_not("engine.c") == "expected FILE.py, FILE.py:CLASS or a folder with agent.py, got 'engine.c'"
    assert "null" in why_not("a\0.py")
    assert why_not(str(tmp_path / "none")).startswith("expected FILE.py, FILE.py:CLASS or a folder")


def test_a_file_of_other_bytes_is_told_as_such(tmp_path: Path) -> None:
    path = tmp_path / "my_agent.py"
    path.write_bytes(b"\xff\xfe\x00x")
    assert why_not(str(path)).startswith("my_agent.py")


def test_a_name_is_a_built_in_or_a_file() -> None:
    assert type(loading.find("pvs:depth=2")()).__name__ == "Pvs"
    with pytest.raises(BadAgent, match="no agent 'alphabta:depth=2'; did you mean 'alphabeta'"):
        loading.find("alphabta:depth=2")
    with pytest.raises(BadAgent, match="there is random, greedy, minimax"):
        loading.find("zzz")
    with pytest.raises(BadAgent, match=r"no agent in 'zzz\.py'"):
        loading.find("zzz.py")


def test_all_missing_modules_are_named_at_once_those_of_its_packages_too_and_none_that_it_does_not_need(
    write: Write, tmp_path: Path
) -> None:
    for name, source in {
        "deep/__init__.py": "",
        "deep/one.py": "from . import two\nimport dillx.y\n",
        "deep/two.py": "import humanx",
        "unused.py": "import kaggle_x",
        "agent.py": "import deep.one\nimport numbax\n" + AGENT.format(name="A"),
    }.items():
        write(source, name)
    with pytest.raises(BadAgent, match=r"no module 'humanx' here \(also missing: 'numbax', 'dillx'\); install it"):
        loading.load(str(tmp_path))
