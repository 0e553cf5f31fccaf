"""An agent is stored completely, under the hash of its content, or refused; nothing half-written is ever used.

Files, links, pipes and processes are real; the store is a folder of the test.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from adsearch import games
from adsearch.errors import AdsearchError
from arena.errors import ArenaError, BadFixture, BadPlayer
from arena.players import versions
from arena.players.player import Player, PlayerKind, read_player
from arena.players.submissions import Store, Submission, find_program
from db import store as record
from db.database import Database
from db.records import PastSeat
from db.sources import MOST_LEVELS
from tests.kit.places import COUNTDOWN, ROOT

GAME = COUNTDOWN.read_text("utf-8")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with the students' files."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def folder_agent(folder: Path, **files: str) -> Player:
    """An agent in a folder, with more files (their names with _ for a dot)."""
    folder.mkdir(exist_ok=True)
    (folder / "agent.py").write_text("# an agent")
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content)
    return Player(PlayerKind.FOLDER, str(folder), folder.name, path=folder)


def stored(submission: Submission) -> dict[str, str]:
    """The files of a submission."""
    paths = [path for path in submission.source.rglob("*") if path.is_file()]
    return {str(path.relative_to(submission.source)): path.read_text() for path in paths}


def refusal(take: Callable[[], object]) -> str:
    with pytest.raises(BadPlayer) as caught:
        take()
    assert "\n" not in str(caught.value)
    return str(caught.value)


# Files and folders.


def test_a_file_runs_from_the_store_and_not_from_where_it_was(here: Path, store: Store) -> None:
    (here / "my_agent.py").write_text("# mine")
    taken = store.take(read_player("my_agent.py:MyAgent"))
    agent = store.folder / taken.hash / "my_agent.py"
    assert taken.command == (f"{agent}:MyAgent",)
    assert (taken.kind, taken.source, stored(taken)) == (PlayerKind.FILE, agent.parent, {"my_agent.py": "# mine"})
    assert store.take(read_player("my_agent.py")).command[-1] == str(agent)
    (here / "my_agent.py").write_text("# mine, but better")
    better = store.take(read_player("my_agent.py"))
    assert better.hash != taken.hash
    assert agent.read_text() == "# mine"


def test_a_folder_is_taken_with_all_that_it_needs_and_nothing_else(here: Path, store: Store) -> None:
    player = folder_agent(here / "alice", book_txt="e4", _hidden="no", old_pyc="no")
    for inner, name in (("weights", "w.bin"), (".git", "HEAD"), ("__pycache__", "agent.cpython-311.pyc"), ("none", "")):
        (here / "alice" / inner).mkdir()
        if name:
            (here / "alice" / inner / name).write_text(inner)
    taken = store.take(player)
    assert stored(taken) == {"agent.py": "# an agent", "book.txt": "e4", "weights/w.bin": "weights"}
    assert taken.command == (str(taken.source / "agent.py"),)


def test_the_hash_is_of_names_contents_and_what_is_executable_and_of_nothing_else(here: Path, store: Store) -> None:
    first = store.take(folder_agent(here / "a", x_txt="1", y_txt="2"))
    again = folder_agent(here / "b", y_txt="2", x_txt="1")
    os.utime(here / "b" / "x.txt", (1, 1))
    assert store.take(again).hash == first.hash
    others = [folder_agent(here / "c", x_txt="2", y_txt="1"), folder_agent(here / "d", x_txt="12", y_txt="")]
    others += [folder_agent(here / "e", x_txt="1", z_txt="2"), folder_agent(here / "f", x_txt="1", y_txt="2")]
    (here / "f" / "x.txt").chmod(0o755)
    assert len({first.hash, *(store.take(other).hash for other in others)}) == 5


def test_what_is_stored_is_read_only(here: Path, store: Store) -> None:
    player = folder_agent(here / "alice", engine="#!/bin/sh")
    (here / "alice" / "inner").mkdir()
    (here / "alice" / "inner" / "data").write_text("")
    (here / "alice" / "engine").chmod(0o700)
    source = store.take(player).source
    modes = {path.name: path.stat().st_mode & 0o777 for path in (source, *source.rglob("*"))}
    assert modes == {source.name: 0o555, "inner": 0o555, "data": 0o444, "agent.py": 0o444, "engine": 0o555}


def test_a_folder_that_holds_the_store_is_taken_without_it(here: Path) -> None:
    store = Store(here / "store")
    player = folder_agent(here, book_txt="e4")
    first = store.take(player)
    assert stored(store.take(player)) == {"agent.py": "# an agent", "book.txt": "e4"}
    assert store.take(player).hash == first.hash


def test_links_inside_are_followed_and_become_files(here: Path, store: Store) -> None:
    player = folder_agent(here / "alice", book_txt="e4")
    (here / "alice" / "data").mkdir()
    (here / "alice" / "data" / "w.bin").write_text("w")
    (here / "alice" / "other.txt").symlink_to("book.txt")
    (here / "alice" / "more").symlink_to(here / "alice" / "data")
    taken = store.take(player)
    assert stored(taken)["other.txt"] == "e4"
    assert stored(taken)["more/w.bin"] == "w"
    assert not any(path.is_symlink() for path in taken.source.rglob("*"))


def test_an_agent_that_is_itself_a_link_is_what_it_leads_to(here: Path, store: Store) -> None:
    original = store.take(folder_agent(here / "submission-17"))
    (here / "alice").symlink_to("submission-17")
    assert store.take(read_player("alice")).hash == original.hash


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("/etc/passwd", "expected a symbolic link inside the folder"),
        ("../secret", "expected a symbolic link inside the folder"),
        ("../alice-too/agent.py", "expected a symbolic link inside the folder"),
        ("nothing", "expected a symbolic link to a file"),
        ("link", "expected a symbolic link to a file"),
        (".", "expected at most 32 levels of folders"),
    ],
)
def test_a_link_that_leads_outside_to_nothing_or_round_in_a_circle_is_refused(
    here: Path, store: Store, target: str, words: str
) -> None:
    (here / "secret").write_text("the teacher's")
    folder_agent(here / "alice-too")
    player = folder_agent(here / "alice")
    (here / "alice" / "link").symlink_to(target)
    assert words in refusal(lambda: store.take(player))


def test_a_pipe_is_refused_and_not_waited_for(here: Path, store: Store) -> None:
    player = folder_agent(here / "alice")
    os.mkfifo(here / "alice" / "pipe")
    assert "got a device, a pipe or a socket" in refusal(lambda: store.take(player))


def test_a_submission_has_a_most_size_and_a_most_number_of_files(here: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store", most_bytes=100, most_files=4)
    full = folder_agent(here / "full", a_txt="x" * 45, b_txt="x" * 45)
    assert store.take(full)
    heavy = folder_agent(here / "heavy", a_txt="x" * 45, b_txt="x" * 46)
    assert "expected at most 100 bytes" in refusal(lambda: store.take(heavy))
    many = folder_agent(here / "many", a_txt="", b_txt="", c_txt="", d_txt="")
    assert "expected at most 4 files and folders" in refusal(lambda: store.take(many))
    hollow = folder_agent(here / "hollow")
    for number in range(4):
        (here / "hollow" / str(number)).mkdir()
    assert "expected at most 4 files and folders" in refusal(lambda: store.take(hollow))
    assert len(list(store.folder.iterdir())) == 1


def test_a_name_that_is_no_text_is_refused(here: Path, store: Store) -> None:
    player = folder_agent(here / "alice")
    try:
        Path(os.fsdecode(os.fsencode(here / "alice") + b"/\xff")).write_text("")
    except OSError:
        return  # a file system that has no such names
    assert "expected a name in UTF-8" in refusal(lambda: store.take(player))


def test_a_file_deleted_in_the_meantime_is_refused(here: Path, store: Store) -> None:
    file = here / "my_agent.py"
    file.write_text("")
    player = read_player("my_agent.py")
    file.unlink()
    assert "cannot read" in refusal(lambda: store.take(player))
    gone = folder_agent(here / "alice")
    (here / "alice" / "agent.py").unlink()
    assert "expected a file agent.py" in refusal(lambda: store.take(gone))
    assert "expected a file, a folder or a command" in refusal(lambda: store.take(read_player("human")))


# The store.


def test_taking_the_same_again_rewrites_nothing(here: Path, store: Store) -> None:
    player = folder_agent(here / "alice")
    source = store.take(player).source
    os.utime(source / "agent.py", (1, 1))
    before = (source / "agent.py").stat()
    store.take(player)
    after = (source / "agent.py").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_many_processes_may_take_the_same_at_once(here: Path, store: Store) -> None:
    folder_agent(here / "alice", **{f"f{number}_txt": str(number) * 1000 for number in range(50)})
    code = """if True:
        import sys
        from pathlib import Path
        from arena.players.player import Player, PlayerKind
        from arena.players.submissions import Store
        sys.stdin.readline()
        player = Player(PlayerKind.FOLDER, "alice", "alice", path=Path("alice").absolute())
        print(Store(Path(sys.argv[1])).take(player).hash)
    """
    command = [sys.executable, "-c", code, str(store.folder)]
    pipe, environment = subprocess.PIPE, os.environ | {"PYTHONPATH": str(ROOT)}
    takers = [subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment, text=True) for _ in range(4)]
    for taker in takers:
        assert taker.stdin is not None
        taker.stdin.write("now\n")
        taker.stdin.flush()
    hashes = {taker.communicate()[0].strip() for taker in takers}
    assert [taker.returncode for taker in takers] == [0] * 4
    assert len(hashes) == 1
    assert [path.name for path in store.folder.iterdir()] == list(hashes)


def test_a_copy_that_a_crash_left_half_written_is_never_used(here: Path, store: Store) -> None:
    player = folder_agent(here / "alice", book_txt="e4")
    code = """if True:
        import os, sys
        from pathlib import Path
        from arena.players.player import Player, PlayerKind
        from arena.players.submissions import Store
        os.rename = lambda *_: os._exit(9)
        Store(Path(sys.argv[1])).take(Player(PlayerKind.FOLDER, "alice", "alice", path=Path("alice").absolute()))
    """
    command = [sys.executable, "-c", code, str(store.folder)]
    assert subprocess.run(command, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False).returncode == 9
    assert len(list(store.folder.iterdir())) == 1
    taken = store.take(player)
    assert stored(taken) == {"agent.py": "# an agent", "book.txt": "e4"}
    assert store.verify(taken.hash) == taken.source


def test_a_store_that_cannot_be_written_to_says_so_and_leaves_nothing(
    here: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    player = folder_agent(here / "alice")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ArenaError, match=r"cannot write to the store .*: No space left on device"):
        store.take(player)
    assert list(store.folder.iterdir()) == []
    (here / "file").write_text("")
    with pytest.raises(ArenaError, match="cannot write to the store"):
        Store(here / "file").take(player)


@pytest.mark.parametrize("damage", ["changed", "more", "less", "link", "executable", "renamed"])
def test_a_submission_that_was_tampered_with_is_found_out(here: Path, store: Store, damage: str) -> None:
    player = folder_agent(here / "alice", book_txt="e4")
    taken = store.take(player)
    taken.source.chmod(0o755)
    book = taken.source / "book.txt"
    book.chmod(0o755 if damage == "executable" else 0o644)
    if damage == "changed":
        book.write_text("d4")
    elif damage == "more":
        (taken.source / ".more").write_text("")
    elif damage == "less":
        book.unlink()
    elif damage == "link":
        book.rename(here / "book.txt")
        book.symlink_to(here / "book.txt")
    elif damage == "renamed":
        book.rename(taken.source / "cook.txt")
    for use in (lambda: store.verify(taken.hash), lambda: store.take(player)):
        with pytest.raises(ArenaError, match=r"was changed|is damaged") as caught:
            use()
        assert "enter it again" in str(caught.value)


@pytest.mark.parametrize("name", ["", "..", "../store", "0" * 63, "0" * 65, "G" * 64, "0" * 64])
def test_what_was_never_taken_cannot_be_verified(store: Store, name: str) -> None:
    with pytest.raises(ArenaError):
        store.verify(name)


def test_what_was_taken_is_found_again_by_another_store_on_the_same_folder(here: Path, store: Store) -> None:
    taken = store.take(folder_agent(here / "alice"))
    assert Store(store.folder).verify(taken.hash) == taken.source


# Commands.


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    """An executable file."""
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_a_command_keeps_its_program_in_place_and_gets_copies_of_its_files(here: Path, store: Store) -> None:
    engine = program(here / "engine")
    (here / "book.bin").write_text("e4")
    taken = store.take(read_player("cmd:./engine --fast book.bin nothing.bin ''"))
    copy = store.folder / taken.hash / "2" / "book.bin"
    assert taken.command == (str(engine), "--fast", str(copy), "nothing.bin", "")
    assert copy.read_text() == "e4"
    assert taken.kind is PlayerKind.COMMAND
    told = json.loads((taken.source / "command.json").read_text())
    assert told["program"] == "engine"
    assert told["arguments"] == ["--fast", {"copy": "2/book.bin"}, "nothing.bin", ""]
    assert store.verify(taken.hash) == taken.source


def test_a_program_is_found_as_a_shell_finds_it(here: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "bin").mkdir()
    engine = program(here / "bin" / "engine")
    monkeypatch.setenv("PATH", "bin")
    assert store.take(read_player("cmd:engine")).command == (str(engine),)


def test_two_files_of_one_name_stay_two(here: Path, store: Store) -> None:
    program(here / "engine")
    for name in ("a", "b"):
        (here / name).mkdir()
        (here / name / "book").write_text(name)
    command = store.take(read_player("cmd:./engine a/book b/book")).command
    assert [Path(word).read_text() for word in command[1:]] == ["a", "b"]


def test_a_command_gets_copies_of_the_folders_that_it_names(here: Path, store: Store) -> None:
    program(here / "engine")
    classes = folder_agent(here / "classes", Main_class="compiled", **{".git": "hidden"}).path
    (here / "gson.jar").write_text("jar")
    taken = store.take(read_player("cmd:./engine -cp classes:gson.jar:none Main classes/ ./classes classes"))
    source = taken.source
    assert taken.command[1:] == (
        *("-cp", f"{source}/2/1:{source}/2/2/gson.jar:none", "Main"),
        *(f"{source}/4/", f"{source}/5", "classes"),  # without '/' it need not be the folder
    )
    copies = {f"{place}/{name}" for place in ("2/1", "4", "5") for name in ("agent.py", "Main.class")}
    assert {*stored(taken)} == {"command.json", "2/2/gson.jar", *copies}
    assert (source / "4/Main.class").read_text() == "compiled"
    assert store.take(read_player(f"cmd:./engine -cp {classes}:gson.jar:none Main classes/ ./classes classes")) == taken


def test_a_command_with_a_folder_keeps_the_limits_of_a_submission(here: Path, tmp_path: Path) -> None:
    program(here / "engine")
    folder_agent(here / "data", a_txt="a", b_txt="b")
    most = [("taken", 5), ("refused", 4)]  # command.json, the folder 1, and three files
    store = {name: Store(tmp_path / name, most_files=files) for name, files in most}
    assert len(stored(store["taken"].take(read_player("cmd:./engine data/")))) == 4
    refused = refusal(lambda: store["refused"].take(read_player("cmd:./engine data/")))
    assert "expected at most 4 files and folders in one submission" in refused
    deep = here / "deep" / "/".join("d" * (MOST_LEVELS - 1))
    deep.mkdir(parents=True)
    (deep / "leaf.txt").write_text("deep")
    assert f"expected at most {MOST_LEVELS} levels" in refusal(
        lambda: Store(tmp_path / "levels").take(read_player("cmd:./engine deep/"))
    )


def test_a_commands_hash_tells_its_program_its_words_and_its_files(here: Path, store: Store) -> None:
    program(here / "engine")
    (here / "book").write_text("e4")
    first = store.take(read_player("cmd:./engine --fast book"))
    assert store.take(read_player(f"cmd:{here}/engine --fast {here}/book")).hash == first.hash
    hashes = {first.hash, store.take(read_player("cmd:./engine --slow book")).hash}
    hashes.add(store.take(read_player("cmd:./engine book --fast")).hash)
    (here / "book").write_text("d4")
    hashes.add(store.take(read_player("cmd:./engine --fast book")).hash)
    program(here / "engine", "#!/bin/sh\n# new\n")
    hashes.add(store.take(read_player("cmd:./engine --fast book")).hash)
    assert len(hashes) == 5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cmd:no-program-of-this-name", "no program 'no-program-of-this-name' on the PATH; look for a typo"),
        ("cmd:engine", "no program 'engine' on the PATH; for the one in this folder write 'cmd:./engine'"),
        ("cmd:source.c", "write the file itself, without 'cmd:': source.c"),
        ("cmd:./source.c", "write the file itself, without 'cmd:': ./source.c"),
        ("cmd:./nothing", "no program './nothing'"),
        ("cmd:./source", "did you mean the file './source.c'?"),
        ("cmd:./book", "'./book' is not executable"),
        ("cmd:./folder", "no program './folder'"),
    ],
)
def test_a_program_that_cannot_be_run_is_refused(here: Path, store: Store, text: str, words: str) -> None:
    (here / "book").write_text("e4")
    (here / "source.c").touch()
    (here / "folder").mkdir()
    program(here / "engine")
    assert words in refusal(lambda: store.take(read_player(text)))


@pytest.mark.parametrize(("text", "words"), [("cmd:java Bot.java", "install a JDK"), ("cmd:node a.js", "Node.js")])
def test_a_language_that_is_not_installed_is_named(
    here: Path, store: Store, monkeypatch: pytest.MonkeyPatch, text: str, words: str
) -> None:
    monkeypatch.setenv("PATH", str(here))
    assert words in refusal(lambda: store.take(read_player(text)))


def test_a_frozen_command_runs_from_anywhere(here: Path, store: Store) -> None:
    (here / "hello.py").write_text("print('hello')")
    command = store.take(read_player("cmd:python3 hello.py")).command
    (here / "hello.py").unlink()
    assert subprocess.run(command, cwd="/", capture_output=True, check=True).stdout == b"hello\n"


# Games.


@pytest.mark.parametrize("rules", ["connect4", "connect4:rows=5,columns=6", "tree:window", "maze:map=open", "nap:11"])
def test_a_game_of_the_catalogue_comes_back_as_it_is(here: Path, store: Store, rules: str) -> None:
    (here / "open").write_text("a file that is called like a map")
    assert store.take_game(rules) == rules
    assert not store.folder.exists()


@pytest.mark.parametrize(
    ("rules", "options"),
    [
        ("my_game.py:Countdown:n=30", ":n=30"),
        ("my_game.py:Countdown:30", ":n=30"),
        ("my_game.py:Countdown", ""),
        ("my_game.py", ""),
        ("./my_game.py::n=30", ":n=30"),
    ],
)
def test_a_game_by_path_is_frozen_with_its_class_and_options(
    here: Path, store: Store, rules: str, options: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "my_game.py").write_text(GAME)
    before = games.start(rules).position()
    frozen = store.take_game(rules)
    (copy,) = store.folder.glob("*/my_game.py")
    assert frozen == f"{copy}:Countdown{options}"
    (here / "my_game.py").unlink()
    monkeypatch.chdir("/")
    assert games.start(frozen).position() == before
    assert store.take_game(frozen) == frozen


def test_a_file_that_a_games_option_names_is_frozen_too(
    here: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "my.json").write_text('{"root": "MAX", "tree": {"A": {"B": 3, "C": 5}}}')
    tiny = (ROOT / "adsearch" / "games" / "mazes" / "tiny.txt").read_text("utf-8")
    (here / "mine.txt").write_text(tiny)
    given = ("tree:file=my.json", "maze:ghosts=1,map=./mine.txt,steps=50")
    before = [games.start(rules).position() for rules in given]
    frozen = [store.take_game(rules) for rules in given]
    (here / "my.json").unlink()
    monkeypatch.chdir("/")
    assert [games.start(rules).position() for rules in frozen] == before
    assert frozen[1].startswith("maze:ghosts=1,map=")


@pytest.mark.parametrize("rules", ["conect4", "connect4:rows=99", "nothing.py:Game", "my_game.py:Nobody"])
def test_a_game_that_there_is_not_is_refused_as_everywhere(here: Path, store: Store, rules: str) -> None:
    (here / "my_game.py").write_text(GAME)
    with pytest.raises(AdsearchError):
        store.take_game(rules)


def test_a_game_too_large_to_be_frozen_is_refused(here: Path, tmp_path: Path) -> None:
    (here / "my_game.py").write_text(GAME)
    with pytest.raises(BadFixture, match="expected at most 10 bytes"):
        Store(tmp_path / "small", most_bytes=10).take_game("my_game.py:Countdown")


def test_a_line_is_read_from_files_of_the_submission_only(here: Path, store: Store) -> None:
    """The name comes from what an agent printed; with "..", it could name any file of the instructor."""
    taken = store.take(folder_agent(here / "mine", more_py="one\ntwo\n"))
    (store.folder / "secret.txt").write_text("secret\n")
    assert [store.line(taken.hash, "more.py", number) for number in (0, 1, 2, 3)] == ["", "one", "two", ""]
    for name in ("../secret.txt", str(store.folder / "secret.txt"), "no.py", ".", "a\0b", "x" * 5000):
        assert store.line(taken.hash, name, 1) == "", name


def script(path: Path, *lines: str) -> Path:
    """An executable script with these lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(("#!/bin/sh", *lines, "")))
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(("folder", "manager"), [(".pyenv", "pyenv"), ("mise", "mise"), (".asdf", "asdf")])
def test_a_shim_is_replaced_by_what_it_starts(
    folder: str, manager: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shim = script(tmp_path / folder / "shims" / "interpreter", "exit 126")
    program = script(tmp_path / "versions" / "interpreter")
    monkeypatch.setenv("PATH", f"{shim.parent}:/usr/bin:/bin")
    with pytest.raises(BadPlayer, match=rf"is a shim of {manager}, .*\({manager} which interpreter\)"):
        find_program("interpreter")
    script(tmp_path / folder / "bin" / manager, f'[ "$*" = "which interpreter" ] && echo {program}')
    assert find_program("interpreter") == find_program(str(shim)) == program


def test_a_folder_of_that_name_alone_is_no_shim(tmp_path: Path) -> None:
    program = script(tmp_path / "tools" / "shims" / "interpreter")
    assert find_program(str(program)) == program


# Recorded versions: what was entered is found again, and is the same submission as before.


NOW = datetime(2026, 5, 1, tzinfo=UTC)
SOURCE = """
from agents import Agent

class Mine(Agent):
    def choose(self, state, clock):
        return state.moves()[0]
"""


@pytest.fixture
def entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Database, Store]]:
    """A file and its class, a folder, commands with files and folders, two versions of alice, and an imported name."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(SOURCE)
    Path("team").mkdir()
    Path("team/agent.py").write_text(SOURCE)
    Path("team/book.txt").write_text("e4")
    database, store = Database(str(tmp_path / "arena.db")), Store(tmp_path / "arena.store")
    with database.writing() as connection:
        texts = {"mine": "mine.py:Mine", "team": "./team", "engine": "cmd:sh team/book.txt -x"}
        texts["classes"] = "cmd:sh -cp team:team/book.txt:none Main team/ ./team"
        for name, text in texts.items():
            record.version(connection, name, store.take(read_player(text)).hash, text, NOW)
        record.version(connection, "alice", "random", "random", NOW)
        record.version(connection, "alice", "pvs:depth=2", "pvs:depth=2", NOW)
        record.version(connection, "far", "imported", "imported", NOW)
    yield database, store
    database.close()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("mine", PlayerKind.FILE),
        ("team", PlayerKind.FOLDER),
        ("engine", PlayerKind.COMMAND),
        ("classes", PlayerKind.COMMAND),
        ("alice@1", PlayerKind.BUILTIN),
    ],
)
def test_what_was_entered_is_the_same_again(entered: tuple[Database, Store], name: str, kind: PlayerKind) -> None:
    database, store = entered
    with database.reading() as connection:
        version = versions.find_version(connection, name)
    player = versions.player_of(version, store)
    assert player.kind is kind
    if kind is not PlayerKind.BUILTIN:
        assert store.take(player).hash == version.source
    assert player.class_name == ("Mine" if name == "mine" else "")


def test_a_name_alone_is_its_last_version(entered: tuple[Database, Store]) -> None:
    with entered[0].reading() as connection:
        assert versions.find_version(connection, "alice").number == 2
        assert versions.find_version(connection, "alice@1").source == "random"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("alise", "did you mean 'alice'"),
        ("alice@7", "there is alice@1 to alice@2"),
        ("alice@", "there is alice@1 to alice@2"),
        ("@", "no agent '@' in the database"),
        ("mal\x1b[31mlory@1", "no agent 'mal\\x1b[31mlory'"),
    ],
)
def test_who_is_not_there_is_one_error(entered: tuple[Database, Store], name: str, words: str) -> None:
    with entered[0].reading() as connection, pytest.raises(BadPlayer) as error:
        versions.find_version(connection, name)
    assert words in str(error.value)


def test_an_empty_database_is_likely_the_wrong_folder(tmp_path: Path) -> None:
    words = "no agent 'alice': the database has no agents; change to the folder where you played"
    with (
        Database(str(tmp_path / "new.db")) as database,
        database.reading() as connection,
        pytest.raises(BadPlayer, match=words),
    ):
        versions.find_version(connection, "alice@1")


def test_a_name_that_a_file_here_has_too_must_be_said_exactly(entered: tuple[Database, Store]) -> None:
    database, store = entered
    with database.reading() as connection:
        with pytest.raises(BadPlayer, match=r"'mine' is a file here and in the database: write mine\.py, or mine@1"):
            versions.named_player(connection, "mine", store)
        assert versions.named_player(connection, "mine.py:Mine", store)[1] is None
        _, version = versions.named_player(connection, "mine@1", store)
        assert version is not None
        assert version.agent == "mine"


def test_what_cannot_be_run_again_says_why(entered: tuple[Database, Store]) -> None:
    database, store = entered
    with database.reading() as connection:
        far, mine = (versions.find_version(connection, name) for name in ("far", "mine"))
    with pytest.raises(BadPlayer, match="its games were imported"):
        versions.player_of(far, store)
    with pytest.raises(BadPlayer, match="enter it again"):
        versions.player_of(mine, Store(Path("elsewhere")))


def test_the_player_of_a_seat_is_found_with_its_version(entered: tuple[Database, Store]) -> None:
    with entered[0].reading() as connection:
        assert versions.version_of_seat(connection, PastSeat(seat=0, player="alice", version=1)).source == "random"
        with pytest.raises(BadPlayer, match="no version 'alice@9' in the database; there is alice@1 to alice@2"):
            versions.version_of_seat(connection, PastSeat(seat=0, player="alice", version=9))
