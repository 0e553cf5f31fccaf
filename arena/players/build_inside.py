"""Runs behind the walls of a build: copies a source into its own folder, and there runs the compiler.

`builder.py` starts it with `python -I -S`. Behind walls that allow processes it also writes the folder to its stdout,
as a tar file, because a container's folder ends with the container. It imports the standard library only.

    python -I -S build_inside.py SOURCE tar|stay COMMAND...
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile

STAY = "stay"
"""The files stay in the folder, and the compiler runs in this process: for walls that allow no other process."""
PACK = "tar"
"""The compiler is another process, and the folder is then written to stdout."""


def main(source: str, how: str, command: list[str]) -> int:
    """Builds in the current folder. The compiler's output goes to stderr."""
    for folder, _, files in os.walk(source):
        inside = os.path.relpath(folder, source)
        os.makedirs(inside, exist_ok=True)
        for name in files:
            # No copy of times and modes: the walls refuse to set them.
            shutil.copyfile(os.path.join(folder, name), os.path.join(inside, name))
    if how == STAY:
        os.dup2(2, 1)
        os.execvp(command[0], command)
    if subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False).returncode:
        return 1
    with tarfile.open(fileobj=sys.stdout.buffer, mode="w|") as packed:
        packed.add(".")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
