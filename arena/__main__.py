"""The program `arena`, also started by `python -m arena`.

Every error that a user can cause ends here as one line on stderr and exit code 2; no traceback reaches a user.
"""

import io
import sys

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


if __name__ == "__main__":
    main()
