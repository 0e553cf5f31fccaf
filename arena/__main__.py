"""The program `arena`, also started by `python -m arena`.

Every error that a user can cause ends here as one line on stderr and exit code 2; no traceback reaches a user. What
fails otherwise (a game of somebody's own while it is played, a mistake of ours) is one line too, and exit code 1.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_ENDING_SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


def main() -> None:
    """Runs the command line."""
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def _run() -> None:
    # Not at the top: these take a moment, in which Ctrl-C is to end the program as quietly as later.
    import io
    import traceback

    from typer import TyperException

    from adsearch import AdsearchError
    from agents.errors import AgentsError
    from arena.cli import app
    from arena.errors import ArenaError
    from db.errors import DatabaseError

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # What a terminal cannot write (a tree's branches in plain ASCII) is no reason to fail.
            stream.reconfigure(errors="replace")
    try:
        with _ending_in_order():
            sys.exit(app(prog_name="arena", standalone_mode=False))
    except TyperException as error:
        from arena.cli.terminal.usage_errors import message

        if problem := message(error):
            print(_fitting(f"arena: {problem}"), file=sys.stderr)
        sys.exit(error.exit_code)
    except (AdsearchError, AgentsError, ArenaError, DatabaseError) as error:
        from arena.history import words

        # Files are told as their author knows them, and what somebody's own code has said so that no terminal obeys it.
        print(_fitting(f"arena: {words.without_store(words.printable(str(error)))}"), file=sys.stderr)
        sys.exit(error.exit_code if isinstance(error, ArenaError) else 2)
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        print(f"arena: {error.strerror or error}{where}", file=sys.stderr)
        sys.exit(2)
    except Exception as error:
        if os.environ.get("ARENA_TRACEBACK"):
            raise
        at = traceback.extract_tb(error.__traceback__)[-1]
        print(
            f"arena: {type(error).__name__}: {error} ({at.filename}, line {at.lineno}; "
            "with ARENA_TRACEBACK=1 in the environment the whole traceback is shown)",
            file=sys.stderr,
        )
        sys.exit(1)


def _fitting(message: str) -> str:
    """On a terminal in lines that break between words; elsewhere one line."""
    if not sys.stderr.isatty():
        return message
    from arena.cli.terminal.wrapping import wrapped

    return wrapped(message, more="")


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """Inside, SIGTERM and SIGHUP end the program as Ctrl-C does: it clears up, and its code is the usual one."""
    before = {number: signal.getsignal(number) for number in _ENDING_SIGNALS}
    for number in _ENDING_SIGNALS:
        if before[number] is not signal.SIG_IGN:  # nohup
            signal.signal(number, _end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, _: object) -> None:
    """Ends the program, unless it is ending already: nothing interrupts the clearing up."""
    error = sys.exception()
    while error is not None and not isinstance(error, SystemExit):
        error = error.__context__
    if error is None:
        sys.exit(128 + number)


if __name__ == "__main__":
    main()
