"""The program `arena`, also started by `python -m arena`.

Every error that a user can cause ends here as one line on stderr and exit code 2; no traceback reaches a user.
"""

import os
import sys

from adsearch import AdsearchError
from arena.cli import app


def main() -> None:
    """Runs the command line."""
    try:
        app(prog_name="arena")
    except AdsearchError as error:
        print(f"arena: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        # The reader (`| head`) has enough; what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


if __name__ == "__main__":
    main()
