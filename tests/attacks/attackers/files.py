"""Attacks on files: secrets, its own source, the sockets of the run."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.attacks.attackers.agent import Situation


def read_secrets(at: Situation) -> None:
    """A file with a token, the database, another agent's source in the store."""
    for name in ("secret", "database", "source"):
        at.attempt(f"read the {name}", partial(_read, at.targets[name]))
        at.attempt(f"see the {name} listed", partial(_list, at.targets[name]))


def read_shadow(at: Situation) -> None:
    for path in ("/etc/shadow", "/etc/passwd", at.targets["of_root"], "/proc/1/environ", "/proc/kcore", "/dev/kmsg"):
        if at.kind != "container" or not path.startswith(("/proc/1/", "/dev/")):
            at.attempt(f"read {path}", lambda path=path: len(_read(path)))  # type: ignore[misc]


def read_through_links(at: Situation) -> None:
    """A link in its own folder that leads to a secret."""
    secret = at.targets["secret"]
    climbing = "../" * 40
    at.attempt("read through ..", lambda: _read(f"{os.getcwd()}/{climbing}{secret}"))
    at.attempt("read through its process's folder", lambda: _read(f"/proc/self/cwd/{climbing}{secret}"))
    at.attempt("read through its process's root", lambda: _read(f"/proc/self/root{secret}"))
    for name, link in (("symbolic", os.symlink), ("hard", os.link)):
        try:
            link(secret, f"a-{name}-link")
        except OSError as error:
            print(f"refused: make a {name} link: {error}")
        else:
            at.attempt(f"read through a {name} link", partial(_read, f"a-{name}-link"))


def read_the_run_folder(at: Situation) -> None:
    """Logs of other processes, folders of other agents."""
    run = at.targets["run"]
    at.attempt("see the sockets", lambda: _list(f"{run}/players"))
    for name in _listed(run):
        if name.startswith("log-"):
            at.attempt("read a log", partial(_read, f"{run}/{name}"))


def write_outside_its_folder(at: Situation) -> None:
    run = at.targets["run"]
    home = os.path.dirname(at.targets["secret"])
    for folder in (run, f"{run}/scratch", home, os.path.dirname(at.targets["source"])):
        path = Path(folder, f"written-by-{os.getpid()}")
        if at.kind == "container":  # it may have a folder of that name for itself; who looks from outside will know
            with suppress(OSError):
                path.write_text("x")
        elif at.attempt(f"write a file into {folder}", lambda path=path: path.write_text("x")) is not None:  # type: ignore[misc]
            path.unlink()
    if at.kind == "container":
        with suppress(OSError):
            Path(at.targets["secret"]).write_text("x")
    elif at.kind == "limits":
        at.attempt("be allowed to write into the database", lambda: open(at.targets["database"], "ab").close())
    else:
        at.attempt("write into the secret", lambda: Path(at.targets["secret"]).write_text("x"))
        at.attempt("move the secret", lambda: os.rename(at.targets["secret"], at.targets["secret"] + "-moved"))
    if at.kind != "limits":
        at.attempt("remove the database", lambda: os.unlink(at.targets["database"]))
        at.attempt("truncate the database", lambda: os.truncate(at.targets["database"], 0))


def write_into_its_folder(at: Situation) -> None:
    """Leaves files that are hard to remove, where it can write at all; this must disturb nobody."""
    try:
        os.mkdir("deep")
        os.chdir("deep")
        for _ in range(200):
            os.mkdir("deeper")
            os.chdir("deeper")
        os.mkfifo("pipe")
        os.mkdir("closed", 0)
    except OSError as error:
        print(f"refused: write into its folder: {error}")


def change_its_source(at: Situation) -> None:
    """Its source in the store must stay unchanged, also its permissions."""
    source = Path(__file__)
    folder = source.parent
    if at.kind == "limits":
        at.attempt("change the mode of its source", lambda: os.chmod(source, source.stat().st_mode & 0o777))
        at.attempt("change the mode of its folder", lambda: os.chmod(folder, folder.stat().st_mode & 0o777))
        return
    at.attempt("make its source writable", lambda: os.chmod(source, 0o644))
    at.attempt("make its folder writable", lambda: os.chmod(folder, 0o755))
    at.attempt("write into its source", lambda: source.write_text("changed"))
    at.attempt("truncate its source", lambda: os.truncate(source, 0))
    at.attempt("truncate its source on reading", lambda: os.close(os.open(source, os.O_RDONLY | os.O_TRUNC)))
    at.attempt("remove its source", source.unlink)
    at.attempt("move its source", lambda: source.rename(folder / "moved.py"))
    at.attempt("add to its source", lambda: (folder / "added.py").write_text("x"))
    at.attempt("date its source", lambda: os.utime(source))
    at.attempt("mark its source", lambda: os.setxattr(source, "user.mark", b"x"))
    at.attempt("give its source away", lambda: os.chown(source, os.getuid(), os.getgid()))


def truncate_on_reading(at: Situation) -> None:
    """Landlock controls truncation only since its ABI version 3."""
    places = [at.targets["secret"], at.targets["database"], at.targets["source"], *_copies()]
    for path in places:
        if at.kind == "limits":
            at.attempt(f"be allowed to write to {path}", lambda path=path: open(path, "ab").close())  # type: ignore[misc]
            return
        for flags in (os.O_RDONLY | os.O_TRUNC, os.O_RDONLY | os.O_TRUNC | os.O_CREAT, 3 | os.O_TRUNC):
            at.attempt(f"truncate {path}", lambda path=path, flags=flags: os.close(os.open(path, flags)))  # type: ignore[misc]
        at.attempt(f"truncate {path} by its name", lambda path=path: os.truncate(path, 0))  # type: ignore[misc]


def _copies() -> list[str]:
    """Files that this user owns and an agent can read: copies in the library."""
    import adsearch.games

    name = adsearch.games.__file__ or ""
    return [name] if f"{os.sep}library-" in os.path.realpath(name) else []


def connect_to_the_referee(at: Situation) -> None:
    for name in ("players", "control"):
        at.attempt(f"connect to {name}", lambda name=name: _connect(f"{at.targets['run']}/{name}"))  # type: ignore[misc]


def _connect(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)


def unlink_the_sockets(at: Situation) -> None:
    run = at.targets["run"]
    if at.kind == "limits":
        at.attempt("be allowed to unlink sockets", lambda: _require(os.access(run, os.W_OK | os.X_OK)))
        return
    for name in ("players", "control"):
        at.attempt(f"unlink {name}", lambda name=name: os.unlink(f"{run}/{name}"))  # type: ignore[misc]
        at.attempt(f"move {name}", lambda name=name: os.rename(f"{run}/{name}", f"{run}/moved"))  # type: ignore[misc]


def _require(holds: bool) -> None:
    if not holds:
        raise PermissionError("not allowed")


def _read(path: str) -> str:
    with open(path, "rb") as file:
        return file.read(2000).decode("utf-8", "replace")


def _list(path: str) -> None:
    if os.path.basename(path) not in os.listdir(os.path.dirname(path)):
        raise FileNotFoundError("not there")


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
