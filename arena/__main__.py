"""The program `arena`, also started by `python -m arena`.

Every error that a user can cause ends here as one line on stderr and exit code 2; no traceback reaches a user. What
fails otherwise (a game of somebody's own while it is played, a mistake of ours) is one line too, and exit code 1.
"""

import io
import os
import sys
import traceback

from adsearch import AdsearchError
from arena.cli import app


def main() -> None:
    """Runs the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # What a terminal cannot write (a tree's branches in plain ASCII) is no reason to fail.
            stream.reconfigure(errors="replace")
    try:
        app(prog_name="arena")
    except AdsearchError as error:
        print(f"arena: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"arena: {error.strerror or error}", file=sys.stderr)
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


if __name__ == "__main__":
    main()
