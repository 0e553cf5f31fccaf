"""`python -m agents AGENT`: the process of one player, a built-in agent or a student's agent.

It speaks to a warden over stdin and stdout, or with `--connect` to the referee over ZeroMQ. It ends when the other side
closes the connection. If the agent raises, it prints a traceback to the log and ends with exit code 1.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from adsearch.errors import quote
from agents import hosting, loading, own_process, quick_start
from agents.errors import AgentsError
from agents.player import Dismissed, Player
from agents.streams import Log, Streams, claim

if TYPE_CHECKING:
    from agents.over_zmq import Seat

_EXAMPLES = """examples:
  python -m agents my_agent.py --connect FILE    play the seat 'wait' of `arena play GAME wait ...`
  python -m agents alphabeta:depth=6             a built-in agent that reads and writes JSON lines
"""
_LONGEST: Final = 4096
"""Longest text with an address and a token, in bytes."""


class _Options(NamedTuple):
    agent: str
    connect: str | None = None
    strict: bool = False


def main() -> int:
    """Host one agent until the connection ends; return the exit code of the process."""
    options = _options(sys.argv[1:])
    try:
        _host(options.agent, options.connect, strict=options.strict)
    except Dismissed as dismissed:
        if dismissed.args:
            print(f"agents: the referee refused this player: {dismissed}", file=sys.stderr)
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


def _options(words: list[str]) -> _Options:
    if len(words) == 1 and not words[0].startswith("-"):
        return _Options(words[0])  # as wardens start agents, which must start fast: argparse takes 5 ms to import
    import argparse

    parser = argparse.ArgumentParser(
        prog="python -m agents",
        description="Run one agent as a player. Without --connect, read the protocol's JSON messages from stdin and "
        "answer on stdout.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "agent", metavar="AGENT", help="built-in agent (pvs, alphabeta:depth=6), FILE.py, FILE.py:CLASS or folder"
    )
    parser.add_argument(
        "--connect", metavar="FILE", help="file with address and token that `arena play` wrote; -: read them from stdin"
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="report mistakes with positions on stderr: illegal moves that are played, results of play that are thrown "
        "away, attributes that are assigned",
    )
    return _Options(**vars(parser.parse_args(words)))


def _host(spec: str, connect: str | None, *, strict: bool) -> None:
    if connect is None:
        from agents import over_stdio

        if sys.stdin.isatty():
            print("agents: reading JSON messages from stdin, one per line; end with Ctrl-D", file=sys.stderr)
        streams = claim()
        over_stdio.run(partial(_player, spec, streams.log, strict), streams)
        return
    from agents import over_zmq

    if connect == "-":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        streams = claim()
        seat = _read_seat(_first_line(streams), "stdin")
        _end_with_the_director(streams)
        over_zmq.run(partial(_player, spec, streams.log, strict), seat)
    else:
        # Started by hand: stdin and stdout are not claimed, so that a debugger can use them.
        over_zmq.run(partial(_player, spec, None, strict), _read_seat(_content(connect), connect))


def _player(spec: str, log: Log | None, strict: bool) -> Player:
    """The player that hosts the agent. Garbage collection stays off for built-in agents: they create no cycles."""
    ours = loading.is_builtin(spec)
    if not ours:
        quick_start.finish()
    make = loading.find(spec)
    name = spec if ours else ""
    if strict:
        from agents.strict import StrictPlayer

        return StrictPlayer(make, name=name, log=log)
    return Player(make, name=name, log=log)


def _read_seat(data: bytes, where: str) -> Seat:
    import msgspec

    from agents.over_zmq import Seat

    try:
        return msgspec.json.decode(data, type=Seat)
    except (ValueError, RecursionError):
        # The bytes are not shown, because they can contain part of a token.
        raise AgentsError(
            f'{where}: expected {{"address": ..., "token": ...}} as `arena play` writes it, got {len(data)} other bytes'
        ) from None


def _content(path: str) -> bytes:
    try:
        if os.path.isdir(path):
            raise AgentsError(f"expected a file with address and token, but {quote(path)} is a folder")
        with open(path, "rb") as file:
            return file.read(_LONGEST)
    except OSError as error:
        raise AgentsError(f"no address and token in {quote(path)}: {error.strerror}") from None


def _first_line(streams: Streams) -> bytes:
    # Unbuffered, to read nothing after the line: later, the end of stdin means that the director has ended.
    with os.fdopen(streams.lines, "rb", buffering=0, closefd=False) as lines:
        return lines.readline(_LONGEST)


def _end_with_the_director(streams: Streams) -> None:
    """End this process immediately when the director (its parent process) ends."""

    def wait() -> None:
        with suppress(OSError):
            while os.read(streams.lines, 4096):
                pass
        os._exit(0)

    import threading

    threading.Thread(target=wait, daemon=True).start()
    own_process.die_with_it()


def _leave(code: int) -> None:
    """End the process; after a failure with os._exit, because threads of the agent could keep it alive."""
    if code:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    sys.exit(0)


if __name__ == "__main__":
    _leave(main())
