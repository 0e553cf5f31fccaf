"""Runs behind the walls of a build: copies a source into its own folder, and there runs the compiler.

`builder.py` starts it with `python -I -S`. Behind walls that allow processes it also writes the folder to its stdout,
because a container's folder ends with the container. It imports the standard library only.

    python -I -S build_inside.py SOURCE pack|stay COMMAND...

Each file is written as a line with the length of its name, 1 if it is executable or else 0, and its size; then its name
and its content. That is no tar or zip file, because a build can write anything to this stdout, and libraries for such
files are not made for that: a tar file of 2 MB can take hours to read.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys

STAY = "stay"
"""The files stay in the folder, and the compiler runs in this process: for walls that allow no other process."""
PACK = "pack"
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
    for folder, _, files in os.walk("."):
        for name in files:
            _pack(os.path.normpath(os.path.join(folder, name)))
    return 0


def _pack(path: str) -> None:
    """Writes a file to stdout, but no link, device or pipe."""
    status = os.lstat(path)
    if stat.S_ISREG(status.st_mode):
        with open(path, "rb") as file:
            content = file.read()
        name = os.fsencode(path)
        executable = bool(status.st_mode & stat.S_IXUSR)
        sys.stdout.buffer.write(b"%d %d %d\n%b%b" % (len(name), executable, len(content), name, content))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
