"""The program `arena`, also started by `python -m arena`.

An error that a user can cause is printed here as one line on stderr, with exit code 2 and without a traceback. Any
other exception (in a user-supplied game, or a bug of ours) is one line too, with exit code 1.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_ENDING_SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


def main() -> None:
    """Run the command line."""
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # another Ctrl-C does not interrupt the end of the process
        # After Ctrl-C in an `exec`, such as that of a dataclass, CPython would end `python -m arena` by SIGINT although
        # it was caught; each `exec` makes it forget the one before.
        exec("")


def _run() -> None:
    # Not at the top: Ctrl-C during these slow imports must end the program without a traceback too.
    import io
    import traceback

    from typer import TyperException

    from adsearch import AdsearchError
    from agents.errors import AgentsError
    from arena.cli import app
    from arena.errors import ArenaError
    from db.errors import DatabaseError

    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # the shell has closed it (>&-): nothing is read, and what is written is lost
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - open until the process ends
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A character that the terminal cannot encode (a tree's branches in ASCII) becomes "?", not an error.
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

        # Paths are shown as the author wrote them, without the store; control characters in user text are escaped.
        print(_fitting(f"arena: {words.without_store(words.printable(str(error)))}{_remedy(error)}"), file=sys.stderr)
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
            "set ARENA_TRACEBACK=1 in the environment to see the whole traceback)",
            file=sys.stderr,
        )
        sys.exit(1)


def _remedy(error: Exception) -> str:
    """Where an extra is missing, the command that installs it."""
    if (extra := getattr(error, "extra", None)) is None:
        return ""
    from arena import installation

    return f": {installation.command(extra)}"


def _fitting(message: str) -> str:
    """The message, wrapped between words on a terminal; one line elsewhere."""
    if not sys.stderr.isatty():
        return message
    from arena.cli.terminal.notes import wrapped

    return wrapped(message, more="")


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """Inside, SIGTERM and SIGHUP end the program as Ctrl-C does: with cleanup, and exit code 128 + the signal. A signal
    that a command ignores at its end stays ignored."""
    before = {number: signal.getsignal(number) for number in _ENDING_SIGNALS}
    for number in _ENDING_SIGNALS:
        if before[number] is not signal.SIG_IGN:  # nohup
            signal.signal(number, _end)
    try:
        yield
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, handler)


def _end(number: int, _: object) -> None:
    """End the program, unless it is ending already: a second signal does not interrupt the cleanup."""
    error = sys.exception()
    while error is not None and not isinstance(error, SystemExit):
        error = error.__context__
    if error is None:
        sys.exit(128 + number)


if __name__ == "__main__":
    # `python -m` puts the current folder first. Modules there, such as a student's `agents`, must not hide ours.
    if not sys.flags.safe_path and sys.path[0] != os.path.dirname(os.path.dirname(os.path.abspath(__file__))):
        del sys.path[0]
    main()
