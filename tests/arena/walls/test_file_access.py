"""What an agent can read: the paths that are computed, and what a program behind the walls can do with them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from arena.match.allowance import MEBIBYTE, Allowance, WallKind
from arena.walls import file_access
from tests.kit import needs
from tests.kit.behind_walls import need, needs_linux, run

CONFINED = (WallKind.SANDBOX, WallKind.CONTAINER)


def program(path: Path, content: str = "") -> Path:
    """An executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    path.chmod(0o755)
    return path


# The program of a command.


def test_a_program_needs_itself_and_what_lies_beside_its_folder(tmp_path: Path) -> None:
    engine = program(tmp_path / "engine" / "bin" / "engine")
    for name in ("lib", "lib64", "share", "libexec"):
        (tmp_path / "engine" / name).mkdir()
    beside = [str(tmp_path / "engine" / name) for name in ("lib", "lib64", "libexec")]
    assert set(file_access.of_program([str(engine)])) == {str(engine), *beside}
    assert file_access.of_program([str(program(tmp_path / "engine" / "alone"))]) == (
        str(tmp_path / "engine" / "alone"),
    )


def test_a_link_needs_both_its_ends(tmp_path: Path) -> None:
    real = program(tmp_path / "real" / "bin" / "python3")
    (tmp_path / "real" / "lib").mkdir()
    link = tmp_path / "env" / "bin" / "python"
    link.parent.mkdir(parents=True)
    link.symlink_to(real)
    (tmp_path / "env" / "pyvenv.cfg").touch()
    assert set(file_access.of_program([str(link)])) == {
        str(link),
        str(tmp_path / "env" / "pyvenv.cfg"),
        str(real),
        str(tmp_path / "real" / "lib"),
    }


def test_a_script_needs_its_interpreter_and_that_ones_too(tmp_path: Path) -> None:
    inner = program(tmp_path / "inner")
    outer = program(tmp_path / "outer", f"#! {inner} -x\n")
    script = program(tmp_path / "script", f"#!{outer}\nsay hello\n")
    assert set(file_access.of_program([str(script)])) == {str(inner), str(outer), str(script)}


def test_a_script_in_an_environment_reaches_the_whole_of_it(tmp_path: Path) -> None:
    python = program(tmp_path / "env" / "bin" / "python")
    (tmp_path / "env" / "lib").mkdir()
    tool = program(tmp_path / "env" / "bin" / "tool", f"#!{python}\n")
    assert set(file_access.of_program([str(tool)])) == {str(python), str(tool), str(tmp_path / "env" / "lib")}


def test_env_names_another_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interpreter = program(tmp_path / "tools" / "interpreter")
    monkeypatch.setenv("PATH", f"{interpreter.parent}:{os.environ['PATH']}")
    script = program(tmp_path / "script", "#!/usr/bin/env interpreter\n")
    assert {str(script), "/usr/bin/env", str(interpreter)} <= set(file_access.of_program([str(script)]))
    lost = program(tmp_path / "lost", "#!/usr/bin/env no-such-interpreter\n")
    assert str(lost) in file_access.of_program([str(lost)])


def test_what_has_no_interpreter_needs_none(tmp_path: Path) -> None:
    for name, content in (("text", "#no\n"), ("empty", ""), ("relative", "#!interpreter\n"), ("bare", "#!\n")):
        path = str(program(tmp_path / name, content))
        assert file_access.of_program([path]) == (path,)
    assert file_access.of_program(["/no/such/program"]) == ("/no/such/program",)


def test_interpreters_that_name_each_other_are_found_once(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    program(one, f"#!{other}\n")
    program(other, f"#!{one}\n")
    assert set(file_access.of_program([str(one)])) == {str(one), str(other)}


# What is hidden.


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with a secret in it, three levels deep."""
    for name in ("open/a", "open/deep/b", "open/deep/secret/c", "open/deep/secret/shown/d"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


def expanded(paths: Iterable[Path], hidden: Iterable[Path], root: Path) -> dict[str, bool]:
    found = file_access.beneath(map(str, paths), map(str, hidden))
    return {os.path.relpath(path, root): whole for path, whole in found}


def test_nothing_hidden_leaves_everything_whole(tree: Path) -> None:
    assert expanded([tree / "open"], [], tree) == {"open": True}
    assert expanded([tree / "open"], [tree / "elsewhere"], tree) == {"open": True}
    assert expanded([tree / "open"], [tree / "op"], tree) == {"open": True}


def test_around_what_is_hidden_folders_are_only_listed(tree: Path) -> None:
    secret = tree / "open" / "deep" / "secret"
    assert expanded([tree / "open"], [secret], tree) == {
        "open": False,
        "open/a": True,
        "open/deep": False,
        "open/deep/b": True,
    }


def test_what_is_hidden_itself_is_not_there_and_what_is_named_in_it_is(tree: Path) -> None:
    secret = tree / "open" / "deep" / "secret"
    assert expanded([secret], [secret], tree) == {}
    assert expanded([secret, secret / "shown"], [secret], tree) == {"open/deep/secret/shown": True}


def test_links_are_followed_before_anything_is_compared(tree: Path) -> None:
    (tree / "way").symlink_to(tree / "open" / "deep")
    (tree / "veil").symlink_to(tree / "open" / "deep" / "secret")
    assert expanded([tree / "way"], [tree / "veil"], tree) == {"open/deep": False, "open/deep/b": True}


# Behind the walls.

LOOKS = """if True:
    import os, sys
    for path in sys.argv[1:]:
        try:
            print(*(sorted(os.listdir(path)) or ["nothing"]) if os.path.isdir(path) else [open(path).read()])
        except OSError as error:
            print(type(error).__name__)
"""


def looks(
    kind: WallKind, scratch: Path, *paths: Path | str, readable: Iterable[Path], hidden: Iterable[Path]
) -> list[str]:
    """What a program can do with each path."""
    given = {"readable": tuple(map(str, readable)), "hidden": tuple(map(str, hidden))}
    return run(LOOKS, kind, scratch, *map(str, paths), **given).splitlines()


@needs_linux
def test_a_sandbox_reads_what_it_may_and_nothing_else(tree: Path) -> None:
    deep, scratch = tree / "open" / "deep", tree / "scratch"
    scratch.mkdir()
    paths = (tree / "open" / "a", deep, deep / "b", deep / "secret", deep / "secret" / "c", tree, "/etc/passwd", "/tmp")
    told = looks(WallKind.SANDBOX, scratch, *paths, readable=[tree / "open"], hidden=[deep / "secret"])
    refused = "PermissionError"
    # A folder that can be listed shows all names, also hidden ones, but nothing else of them.
    assert told == ["open/a", "b secret", "open/deep/b", "c shown", refused, refused, refused, refused]


@needs_linux
def test_a_sandbox_reads_what_is_named_in_something_hidden(tree: Path) -> None:
    secret, scratch = tree / "open" / "deep" / "secret", tree / "scratch"
    scratch.mkdir()
    paths = (secret / "shown", secret / "shown" / "d", secret / "c")
    told = looks(WallKind.SANDBOX, scratch, *paths, readable=[tree / "open", secret / "shown"], hidden=[secret])
    assert told == ["d", "open/deep/secret/shown/d", "PermissionError"]


@needs_linux
def test_a_container_shows_what_it_may_and_the_rest_is_not_there(tree: Path) -> None:
    secret, scratch = tree / "open" / "deep" / "secret", tree / "scratch"
    scratch.mkdir()
    paths = (tree / "open" / "a", secret, secret / "shown" / "d", secret / "c", "/etc/passwd", "/dev/shm")
    told = looks(WallKind.CONTAINER, scratch, *paths, readable=[tree / "open", secret / "shown"], hidden=[secret])
    missing = "FileNotFoundError"
    assert told == ["open/a", "shown", "open/deep/secret/shown/d", missing, missing, "nothing"]


@needs_linux
@pytest.mark.parametrize("kind", CONFINED)
def test_devices_that_hold_nothing_are_there(kind: WallKind, tmp_path: Path) -> None:
    source = """if True:
        for device in ("null", "full", "random", "urandom"):
            with open(f"/dev/{device}", "rb") as file:
                print(len(file.read(3)), end=" ")
        try:
            print(len(open("/dev/zero", "rb").read(3)), end=" ")  # memory that nobody counts
        except PermissionError:
            print(0, end=" ")
        print(open("/dev/null", "wb").write(b"x"))
    """
    assert run(source, kind, tmp_path) == "0 3 3 3 0 1"


WRITES = """if True:
    import os, sys
    def attempt(does):
        try:
            does()
        except OSError as error:
            return type(error).__name__
        return "done"
    def put(path, text="x"):
        with open(path, "w") as file:
            file.write(text)
    def run():
        put("program", "#!/bin/sh\\n")
        os.execv("./program", ["program"])
    print(
        attempt(lambda: os.listdir(".")),
        attempt(lambda: put("file")),
        attempt(lambda: os.mkdir("folder")),
        attempt(lambda: put("folder/inner")),
        attempt(lambda: os.rename("file", "moved")),
        attempt(lambda: os.rename("moved", "folder/moved")),
        attempt(lambda: os.symlink("/etc/passwd", "way")),
        attempt(lambda: open("way").close()),
        attempt(lambda: put("moved", "shorter")),
        attempt(lambda: os.remove("moved")),
        attempt(run),
        attempt(lambda: put(sys.argv[1])),
        attempt(lambda: put("../escaped")),
    )
"""


@needs_linux
@pytest.mark.parametrize(("disk", "works"), [(0, {0}), (MEBIBYTE, {0, 1, 2, 3, 8})], ids=["without disk", "with disk"])
def test_a_sandbox_makes_files_in_its_own_folder_if_it_has_disk_and_takes_none_away(
    disk: int, works: set[int], tmp_path: Path
) -> None:
    scratch, outside = tmp_path / "scratch", tmp_path / "outside"
    scratch.mkdir()
    outside.write_text("whole")
    words = run(
        WRITES, WallKind.SANDBOX, scratch, str(outside), allowance=Allowance(disk=disk), readable=(str(outside),)
    ).split()
    assert len(words) == 13
    assert {at for at, word in enumerate(words) if word == "done"} == works
    assert outside.read_text() == "whole"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["outside", "scratch"]
    assert list(scratch.iterdir()) == []


@needs_linux
def test_a_container_writes_what_does_not_stay(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    source = """if True:
        import os, sys
        for folder in (".", "/tmp", "/dev/shm"):
            with open(f"{folder}/file", "wb") as file:
                try:
                    print(file.write(b"x" * 900_000), end=" ", flush=True)
                    print(file.write(b"x" * 900_000), end=" ")
                    file.flush()
                except OSError as error:
                    print(error.strerror, end=", ")
    """
    told = run(source, WallKind.CONTAINER, scratch, allowance=Allowance(disk=MEBIBYTE, memory=None))
    assert told.count("900000") >= 3
    assert told.count("No space left on device") + told.count("File too large") == 3
    assert list(scratch.iterdir()) == []


@needs_linux
def test_a_container_sees_its_own_processes_alone(tmp_path: Path) -> None:
    source = "import os; print(os.getppid(), len([name for name in os.listdir('/proc') if name.isdigit()]))"
    assert run(source, WallKind.CONTAINER, tmp_path) == "1 2"


# The command of a container.


@needs_linux
def test_a_container_is_furnished_in_an_order_that_holds(tree: Path) -> None:
    run_folder = tree / "open" / "run"
    store = run_folder / "store"
    for folder in (store / "mine", store / "theirs"):
        folder.mkdir(parents=True)
    readable = [str(tree / "open"), str(store / "mine"), "/usr/lib", "/no/such/folder", "/proc/meminfo", "/dev/null"]
    words = file_access.container(readable, [str(run_folder), str(tree / "not there")], MEBIBYTE)
    assert (words[0], words[-1]) == ("bwrap", "--")
    for option in ("--unshare-all", "--die-with-parent", "--cap-drop"):
        assert option in words

    def mounted(option: str, path: Path | str) -> int:
        """The position in the command at which that is mounted."""
        at = [place for place in range(len(words)) if words[place : place + 2] == [option, str(path)]]
        return at[-1]

    assert mounted("--ro-bind", tree / "open") < mounted("--tmpfs", run_folder)
    assert mounted("--tmpfs", run_folder) < mounted("--remount-ro", run_folder)
    assert mounted("--tmpfs", run_folder) < mounted("--ro-bind", store / "mine")
    assert mounted("--tmpfs", "/agent") < mounted("--remount-ro", "/")
    assert words.count(str(store / "theirs")) == 0
    assert not {"/no/such/folder", "/proc/meminfo", str(tree / "not there")} & set(words)
    sizes = [words[at + 1] for at, word in enumerate(words) if word == "--size"]
    assert sizes == [str(MEBIBYTE)] * 3
    assert words[words.index("--chdir") + 1] == "/agent"


@needs_linux
def test_what_lies_in_something_shown_is_not_mounted_twice(tree: Path) -> None:
    words = file_access.container([str(tree / "open"), str(tree / "open" / "deep")], [], 1)
    assert words.count("--ro-bind") == 1


@needs_linux
@pytest.mark.parametrize("kind", CONFINED)
def test_the_system_is_there_and_nobodys_secrets(kind: WallKind, tmp_path: Path) -> None:
    need(kind)
    source = """if True:
        import os, sys
        reads = lambda path: os.access(path, os.R_OK) and bool(open(path, "rb").read(1) or True)
        told = []
        for path in sys.argv[1:]:
            try:
                told.append(reads(path))
            except OSError:
                told.append(False)
        print(*told)
    """
    library = next(
        path for path in ("/lib/ld-linux-aarch64.so.1", "/lib64/ld-linux-x86-64.so.2") if os.path.exists(path)
    )
    secrets = ("/etc/shadow", "/etc/passwd", str(Path.home() / ".bashrc"), "/var/lib/dpkg/status", str(Path(__file__)))
    assert run(source, kind, tmp_path, library, "/proc/meminfo", *secrets) == "True True" + " False" * len(secrets)


@needs_linux
def test_in_a_container_programs_can_be_run(tmp_path: Path) -> None:
    needs.program("ls")
    source = "import subprocess; print(subprocess.run(['ls', '/usr/bin/env'], capture_output=True, text=True).stdout)"
    assert run(source, WallKind.CONTAINER, tmp_path) == "/usr/bin/env"
