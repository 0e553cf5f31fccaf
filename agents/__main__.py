"""`python -m agents SPEC`: the process of one player, a built-in agent or a student's.

It speaks to a warden over stdin and stdout, or with `--connect` to the referee over ZeroMQ. It ends by itself when the
other end is gone, and no failure of an agent's ends it in any other way than with a traceback in the log and code 1.
"""

from __future__ import annotations

import argparse
import gc
import os
import signal
import stat
import sys
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from adsearch.errors import quote
from agents import builtin, hosting, loading, parent
from agents.errors import AgentsError
from agents.player import Dismissed, Player
from agents.streams import Log, Streams, claim

if TYPE_CHECKING:
    from agents.over_zmq import Seat

_EXAMPLES = """examples:
  python -m agents my_agent.py --connect FILE    take the seat that `arena play GAME wait ...` offers
  python -m agents alphabeta:depth=6             a built-in agent that reads and writes JSON lines
"""
_LONGEST: Final = 4096
"""Bytes that address and token may have."""


def main() -> int:
    """Hosts one agent until there is no more to play; what the process ends with."""
    options = _options()
    try:
        _host(options.agent, options.connect)
    except Dismissed as dismissed:
        if dismissed.args:
            print(f"agents: the referee refuses this player: {dismissed}", file=sys.stderr)
        return len(dismissed.args)
    except AgentsError as error:
        if error.__cause__ is not None:
            hosting.show(error.__cause__)
        print(f"agents: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        return 130
    except BaseException as error:
        hosting.show(error)
        return 1
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m agents",
        description="The process of one player. Without --connect it reads the protocol's JSON lines on stdin and "
        "answers on stdout.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "agent", metavar="AGENT", help="a built-in (pvs, alphabeta:depth=6), FILE.py, FILE.py:CLASS or a folder"
    )
    parser.add_argument(
        "--connect", metavar="FILE", help="a file with address and token as `arena play` writes it; -: both on stdin"
    )
    return parser.parse_args()


def _host(spec: str, connect: str | None) -> None:
    if connect is None:
        from agents import over_stdio

        if sys.stdin.isatty():
            print("agents: reading JSON messages, one a line; end with Ctrl-D", file=sys.stderr)
        streams = claim()
        over_stdio.run(partial(_player, spec, streams.log), streams)
        return
    from agents import over_zmq

    if connect == "-":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        streams = claim()
        seat = _read_seat(_first_line(streams), "stdin")
        _end_with_the_director(streams)
        over_zmq.run(partial(_player, spec, streams.log), seat)
    else:
        # Started by hand: its streams are left alone, so that a debugger can use them.
        over_zmq.run(partial(_player, spec, None), _read_seat(_content(Path(connect)), connect))


def _player(spec: str, log: Log | None) -> Player:
    """The player that hosts the agent. A built-in's searches leave no cycles behind, so none are looked for."""
    make = loading.find(spec)
    ours = builtin.is_builtin(spec)
    if ours:
        gc.disable()
    return Player(make, name=spec if ours else "", log=log)


def _read_seat(data: bytes, where: str) -> Seat:
    import msgspec

    from agents.over_zmq import Seat

    try:
        return msgspec.json.decode(data, type=Seat)
    except (ValueError, RecursionError):
        # What came may be half a token: it is not shown.
        raise AgentsError(
            f'{where}: expected {{"address": ..., "token": ...}} as `arena play` writes it, got {len(data)} other bytes'
        ) from None


def _content(path: Path) -> bytes:
    try:
        if stat.S_ISDIR(path.stat().st_mode):
            raise AgentsError(f"expected a file with address and token, {quote(str(path))} is a folder")
        with path.open("rb") as file:
            return file.read(_LONGEST)
    except OSError as error:
        raise AgentsError(f"no address and token in {quote(str(path))}: {error.strerror}") from None


def _first_line(streams: Streams) -> bytes:
    # Not a byte more is taken: there is nothing else to come, but its end means that the director is gone.
    with os.fdopen(streams.lines, "rb", buffering=0, closefd=False) as lines:
        return lines.readline(_LONGEST)


def _end_with_the_director(streams: Streams) -> None:
    """From now on this process ends at once when the one that started it is gone."""

    def wait() -> None:
        with suppress(OSError):
            while os.read(streams.lines, 4096):
                pass
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()
    parent.die_with_it()


def _leave(code: int) -> None:
    """Ends the process. After a failure at once, whatever threads the agent may have left."""
    if code:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    sys.exit(0)


if __name__ == "__main__":
    _leave(main())
