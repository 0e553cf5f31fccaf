"""An engine that reads and writes lines."""

from agents.protocol import PROTOCOL, Hello
from arena import engines
from arena.match.engine import Engine


def test_it_says_hello_when_it_is_greeted() -> None:
    translator = engines.find("lines").translator(Engine("lines"))
    assert translator.hear(b"hello") == Hello(PROTOCOL, wants=("position",))
