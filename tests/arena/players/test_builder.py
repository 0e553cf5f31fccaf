"""Agents in other languages are built behind real walls, by real compilers where this machine has them.

Most tests use a language whose build runs a script of the hand-in: no compiler does worse than that.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from arena import languages
from arena.errors import ArenaError, BadPlayer
from arena.match.allowance import MEBIBYTE, Allowance, WallKind
from arena.players import builder as building
from arena.players.build_commands import LanguageTable
from arena.players.builder import refuse_unlisted, take
from arena.players.player import Player, PlayerKind, read_player
from arena.players.submissions import Store, build_warnings, built_player, find_program
from arena.walls import jail, probe
from tests.kit import needs
from tests.kit.behind_walls import need
from tests.kit.built_agent import DEFAULTS

SCRIPT = LanguageTable("sh", ("sh", "./agent.sh"), ("./agent",))
ONE_LINE = re.compile(r"[^\n]{1,700}")
Build = Callable[..., Player]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store", most_files=30, most_bytes=MEBIBYTE)


@pytest.fixture
def build(tmp_path: Path, store: Store) -> Build:
    """Builds a hand-in with these files, after a skip if this machine has not what the language needs."""
    (tmp_path / "scratch").mkdir()

    def build(files: dict[str, str], language: LanguageTable = SCRIPT, *, store: Store = store) -> Player:
        need(language.build_walls)
        needs.program(*language.build[:1])
        place = tmp_path / "in"
        shutil.rmtree(place, ignore_errors=True)
        for name, text in files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text)
        agent = built_player(take(handed_in(place, language), store, tmp_path / "scratch").source)
        assert not [*(tmp_path / "scratch").iterdir()]
        return agent

    return build


def handed_in(place: Path, *languages: LanguageTable) -> Player:
    """The player of a hand-in, as a course with these languages reads it."""
    return replace(read_player(str(place), {language.name: language for language in languages}), handed_in=True)


def output(player: Player) -> str:
    """What the program prints; only for programs of these tests."""
    return subprocess.run(player.command, capture_output=True, text=True, check=True, cwd="/").stdout


# Compilers.


def test_a_c_program_of_several_files_runs_from_the_store(build: Build, store: Store, tmp_path: Path) -> None:
    main = '#include <stdio.h>\n#include "lib/x.h"\nint main(void) { printf("%d", x()); }\n'
    built = build({"main.c": main, "lib/x.h": "int x(void);", "lib/x.c": "int x(void) { return 7; }"}, DEFAULTS["c"])
    assert output(built) == "7"
    assert built.text == "cmd:./agent"
    assert Path(built.command[0]).is_relative_to(store.folder)
    again = Store(tmp_path / "other").take(built)
    assert again.source.name == store.take(built).hash
    assert again.command == (str(again.source / "files" / "agent"),)


@pytest.mark.parametrize("flag", ["-DN=7", "'-DN=(3 + 4)'"])
def test_a_folder_with_a_makefile_is_built_by_make(build: Build, flag: str) -> None:
    """With a shell, and without."""
    needs.program("make")
    main = '#include <stdio.h>\nint main(void) { printf("%d", N); }\n'
    files = {"bot.c": main, "helper.c": "", "Makefile": f"agent: bot.c\n\tgcc {flag} -o agent bot.c\n"}
    assert output(build(files, DEFAULTS["c"])) == "7"
    with pytest.raises(BadPlayer, match="made no file 'agent'"):
        build(files | {"Makefile": "bot: bot.c\n\tgcc -DN=7 -o bot bot.c\n"}, DEFAULTS["c"])
    with pytest.raises(BadPlayer, match=r"bot\.c, line 2: "):
        build(files | {"bot.c": "\nint main(void) { nothing }\n"}, DEFAULTS["c"])
    # A description that says how it is built is followed.
    own = LanguageTable("c", ("gcc", "-DN=8", "-o", "agent", "bot.c"), ("./agent",))
    assert output(build(files, own)) == "8"


def test_a_compiler_that_starts_no_program_works_in_a_sandbox(build: Build) -> None:
    copying = LanguageTable("sh", ("cp", "agent.sh", "agent"), ("sh", "./agent"), WallKind.SANDBOX)
    assert output(build({"agent.sh": "echo 7\n"}, copying)) == "7\n"


@pytest.mark.costly
def test_a_java_program_in_a_package_runs_from_the_store(build: Build) -> None:
    main = "package de.uni;\nclass Bot { public static void main(String[] a) { System.out.print(Other.X); } }\n"
    built = build(
        {"Bot.java": main, "src/Other.java": "package de.uni;\nclass Other { static int X = 7; }"}, DEFAULTS["java"]
    )
    assert output(built) == "7"
    assert built.text == "cmd:java -Xmx512m -cp . de.uni.Bot"


def test_a_javascript_program_needs_no_build(build: Build) -> None:
    needs.program("node")
    built = build({"agent.js": "console.log(require('./lib/x.js'))", "lib/x.js": "module.exports = 7"}, DEFAULTS["js"])
    assert output(built) == "7\n"


def test_the_first_errors_are_said_with_file_and_line(build: Build) -> None:
    with pytest.raises(BadPlayer) as error:
        build({"a.c": "int main(void) {\n  return x;\n}\n", "b.c": ""}, DEFAULTS["c"])
    assert re.match(r"a\.c, line 2: .x. undeclared", str(error.value))


def test_warnings_are_kept_with_the_agent(build: Build) -> None:
    needs.program("g++")
    warned = build({"a.cpp": "int f() {}\nint main() { return f(); }\n"}, DEFAULTS["cpp"])
    assert warned.path is not None
    assert "agent.cpp, line 1: no return statement" in build_warnings(warned.path)
    clean = build({"a.cpp": "int main() { return 0; }\n"}, DEFAULTS["cpp"])
    assert clean.path is not None
    assert build_warnings(clean.path) == ""


@pytest.mark.parametrize(
    "text",
    [
        '#include "{}"\nint main(void) {{ return 0; }}\n',
        '__asm__(".incbin \\"{}\\"");\nint main(void) {{ return 0; }}\n',
    ],
)
def test_a_compiler_cannot_read_what_is_not_the_agents(build: Build, store: Store, tmp_path: Path, text: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("int secret;")
    store.folder.mkdir()
    for place in (secret, Path(shutil.copy(secret, store.folder)), Path.home() / ".bashrc"):
        with pytest.raises(BadPlayer, match=r"No such file|file not found"):
            build({"a.c": text.format(place)}, DEFAULTS["c"])


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ("./A.java:3: error: ';' expected\n    int x\n         ^\n1 error\n", "A.java, line 3: ';' expected"),
        ("b.c: In function 'f':\nb.c:2:5: error: one; two\nb.c:3:5: warning: w\n", "b.c, line 2: one, two"),
        ("x.c:1:10: fatal error: /etc/x: No such file\nended.\n", "x.c, line 1: /etc/x: No such file"),
        (
            "".join(f"a.c:{n}: error: e\n" for n in "12345"),
            "a.c, line 1: e / a.c, line 2: e / a.c, line 3: e (5 errors)",
        ),
        ("ld: undefined reference to `main'\nld returned 1\n", "ld: undefined reference to `main' / ld returned 1"),
        ("", ""),
    ],
)
def test_errors_are_found_in_a_compilers_messages(messages: str, said: str) -> None:
    pattern = languages.Language.build_error
    assert (building._first(messages, pattern) or building._last_lines(messages)) == said


def test_the_errors_of_every_compiler_are_found() -> None:
    go = "# command-line-arguments\n./bot.go:31:21: turn.Legall undefined (no field)\n"
    rust = "error[E0308]: mismatched types\n  --> ./bot.rs:14:29\n   |\n14 |     let x\nerror: aborting\n"
    assert building._first(go, languages.ours()[".go"].build_error) == (
        "bot.go, line 31: turn.Legall undefined (no field)"
    )
    assert building._first(rust, languages.ours()[".rs"].build_error) == "bot.rs, line 14: mismatched types"


# A file of this user, which brings those beside it that it includes.


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


INCLUDING = [
    (
        "bot.c",
        {
            "bot.c": '#include <stdio.h>\n#include "lib/x.h"\nint main(void) { printf("%d", X); }\n',
            "lib/x.h": '#include "y.h"\n',
            "lib/y.h": "#define X 7\n",
            "other.c": "int main(void) { return 1; }",
        },
    ),
    ("bot.js", {"bot.js": "console.log(require('./agent.js').x)", "agent.js": "exports.x = 7", "other.js": "no"}),
    pytest.param(
        "bot.cpp",
        {
            "bot.cpp": '#include "x.hpp"\n#include <iostream>\nint main() { std::cout << X; }',
            "x.hpp": "const int X = 7;",
        },
        marks=pytest.mark.costly,
    ),
    pytest.param("bot.rs", {"bot.rs": 'mod x;\nfn main() { print!("{}", x::X); }', "x.rs": "pub const X: i32 = 7;"}),
    pytest.param("in.rs", {"in.rs": 'include!("x.rs");\nfn main() { print!("{X}"); }', "x.rs": "const X: i32 = 7;"}),
    pytest.param("bot.go", {"bot.go": 'package main\nfunc main() { println("7") }\n', "other.go": "no"}),
    pytest.param(
        "Kite.java",
        {
            "Kite.java": "// A Word.\nclass Other {}\nclass Kite {\n"
            'public static void main(String[] a) { System.out.print(Wing.X + "Note"); } }',
            "Wing.java": "class Wing { static String X = String.valueOf(7).substring(0, 1); }",
            **dict.fromkeys(("Word.java", "Note.java", "Other.java"), "no"),
        },
        marks=pytest.mark.costly,
    ),
]


@pytest.mark.parametrize(("main", "files"), INCLUDING)
def test_a_file_brings_those_that_it_includes_and_no_others(tmp_path: Path, main: str, files: dict[str, str]) -> None:
    store = Store(tmp_path / "store")
    write(tmp_path, files)
    player = read_player(str(tmp_path / main))
    assert player.language is not None
    assert player.name == Path(main).stem
    need(player.language.build_walls)
    needs.program(*player.language.build[:1], *(word for word in player.language.run[:1] if "/" not in word))
    taken = take(player, store)
    ended = subprocess.run(taken.command, capture_output=True, text=True, check=True, cwd="/")
    assert (ended.stdout + ended.stderr).strip().startswith("7")
    assert not any((taken.source / "files" / f"{name}").exists() for name in files if name.startswith("other"))
    assert take(read_player(str(tmp_path / main)), store) == taken


def test_a_file_that_was_handed_in_brings_nothing_beside_it(store: Store, tmp_path: Path) -> None:
    need(WallKind.CONTAINER)
    needs.program("gcc")
    write(tmp_path, {"bob.c": '#include "alice.c"\n', "alice.c": "int main(void) { return 0; }"})
    with pytest.raises(BadPlayer, match=r"agent.c, line 1: alice.c: No such file"):
        take(handed_in(tmp_path / "bob.c", DEFAULTS["c"]), store)
    assert take(read_player(str(tmp_path / "bob.c")), store)


@pytest.mark.parametrize(
    "text",
    ['#include "../secret.h"', '#include "/etc/passwd"', '#include "a/../../secret.h"', '#include "\\0"', "#include"],
)
def test_what_is_not_in_its_folder_is_not_brought(store: Store, tmp_path: Path, text: str) -> None:
    write(tmp_path, {"secret.h": "", "in/bot.c": text, "in/a/x": ""})
    assert [*store.read_source(tmp_path / "in" / "bot.c", alone=False)] == ["bot.c"]


def test_files_that_include_each_other_are_brought_once(store: Store, tmp_path: Path) -> None:
    write(tmp_path, {"a.js": "require('./b'); require('./a.js')", "b.js": "require('./a')"})
    assert {*store.read_source(tmp_path / "a.js", alone=False)} == {"a.js", "b.js"}


def test_a_link_of_a_version_manager_is_the_program_that_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").write_text("")
    (tmp_path / "real").chmod(0o755)
    (tmp_path / "rustup").write_text(f'#!/bin/sh\n[ "$*" = "which compile" ] && echo {tmp_path}/real\n')
    (tmp_path / "rustup").chmod(0o755)
    (tmp_path / "compile").symlink_to("rustup")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert find_program("compile") == tmp_path / "real"


# Whatever the build does.


def test_what_is_kept_is_the_hand_in_and_all_that_was_made(build: Build) -> None:
    script = (
        "cp agent.sh agent; mkdir d; echo 1 > d/book; ln -s /etc/passwd link; echo 2 > .hidden; echo {} > command.json"
    )
    built = build({"agent.sh": script})
    assert built.path is not None
    found = {str(path.relative_to(built.path)) for path in built.path.rglob("*") if path.is_file()}
    assert found == {"command.json", "files/agent.sh", "files/agent", "files/d/book", "files/command.json"}
    assert os.access(built.path / "files" / "agent", os.X_OK)
    assert not os.access(built.path / "files" / "d" / "book", os.X_OK)


@pytest.mark.parametrize(
    ("script", "wrong"),
    [
        ("echo one; echo two >&2; exit 3", "one / two"),
        ("exit 3", "the build failed"),
        (":", "the build made no file 'agent', which starts the agent"),
        ("yes | head -c 9000000 > agent", "No space left|wrote more than"),
        ("yes | head -c 1500000 > agent", "too many files, or too large"),
        ("for n in $(seq 40); do echo > $n; done", "too many files, or too large"),
        ("for n in $(seq 40); do mkdir d; cd d; done; echo > agent", "at most 32 levels of folders"),
        ("yes | head -c 3000000 > /proc/$PPID/fd/1", "made more than 2097152 bytes|denied"),
        ("echo junk > /proc/$PPID/fd/1", "cannot be read|denied"),
        ("kill -9 $PPID; sleep 100", "the build failed"),
    ],
)
def test_a_build_that_misbehaves_is_the_students_failure(
    build: Build, monkeypatch: pytest.MonkeyPatch, script: str, wrong: str
) -> None:
    monkeypatch.setattr(building, "_ALLOWANCE", Allowance(disk=2 * MEBIBYTE))
    with pytest.raises(BadPlayer, match=wrong) as error:
        build({"agent.sh": script})
    assert ONE_LINE.fullmatch(str(error.value))


@pytest.mark.parametrize(
    "name",
    ["/etc/x", "a//b", "agent/x", "a\0b", "a" * 300, "/".join("a" * 40), "/".join(["a" * 240] * 20), "", "\udcff"],
)
def test_no_name_that_a_build_gives_a_file_is_more_than_the_students_failure(
    build: Build, store: Store, name: str
) -> None:
    encoded = os.fsencode(name)
    written = b"5 1 0\nagent%d 0 0\n%b" % (len(encoded), encoded)
    octal = "".join(f"\\{byte:03o}" for byte in written)
    with pytest.raises(BadPlayer, match=r"a name that a file|levels|too long|cannot be read|denied") as error:
        build({"agent.sh": f"printf '{octal}' > /proc/$PPID/fd/1"})
    assert ONE_LINE.fullmatch(str(error.value))
    assert not [path for path in store.folder.glob("*") if path.name != ".built"]


@pytest.mark.parametrize(
    "files",
    [
        {f"d/{number}": "" for number in range(28)},
        {"book": "x" * (MEBIBYTE - 10)},
        {"/".join("d" * 31) + "/book": ""},
    ],
)
def test_a_submission_just_within_the_limits_is_the_students_failure(build: Build, files: dict[str, str]) -> None:
    needs.program("node")
    with pytest.raises(BadPlayer, match="expected at most"):
        build({"agent.js": "", **files}, DEFAULTS["js"])


@pytest.mark.costly
def test_long_names_are_no_more_than_the_students_failure(build: Build) -> None:
    with pytest.raises(BadPlayer, match=r"^A{200}"):
        build({"A.java": f"public class {'A' * 300} {{ public static void main(String[] a) {{}} }}"}, DEFAULTS["java"])
    with pytest.raises(BadPlayer, match="too many or too long names for one command"):
        build({f"{'a' * 240}{n}.c": "" for n in range(300)}, DEFAULTS["c"], store=Store(Path("store")))


@pytest.mark.parametrize("script", ["yes", "sleep 100 & sleep 100"])
def test_a_build_that_does_not_end_is_stopped(build: Build, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    monkeypatch.setattr(building, "_WITHIN", 0.4)
    with pytest.raises(BadPlayer, match="took longer than 0 s"):
        build({"agent.sh": script})


def test_nothing_that_a_build_started_is_left(build: Build) -> None:
    built = build({"agent.sh": "cp agent.sh agent; sleep 86123 & sleep 86123 &"})
    assert built.text == "cmd:./agent"
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [words for words in running if b"86123" in words]


def test_a_build_has_no_network_and_writes_nothing_outside(build: Build, tmp_path: Path) -> None:
    python = "import socket; socket.create_connection(('127.0.0.1', 22))"
    with pytest.raises(BadPlayer, match="not permitted"):
        build({"agent.sh": f'{os.path.realpath(sys.executable)} -I -S -c "{python}"'})
    with pytest.raises(BadPlayer):
        build({"agent.sh": f"echo x > {tmp_path}/written"})
    assert not (tmp_path / "written").exists()


# Once.


def test_a_source_is_built_once(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    first = build({"agent.sh": "date +%N > agent"})
    with monkeypatch.context() as patch:
        patch.setattr(jail, "start", None)
        assert build({"agent.sh": "date +%N > agent"}) == first
    other = build({"agent.sh": "date +%N > agent"}, LanguageTable("sh", ("sh", "./agent.sh", "x"), ("./agent",)))
    assert other.path != first.path


def test_a_damaged_copy_is_built_again(build: Build) -> None:
    first = build({"agent.sh": "cp agent.sh agent"})
    assert first.path is not None
    first.path.chmod(0o700)
    (first.path / "command.json").chmod(0o600)
    (first.path / "command.json").write_text("{}")
    with pytest.raises(ArenaError, match="was changed: delete"):
        build({"agent.sh": "cp agent.sh agent"})
    for folder in (first.path, *first.path.glob("*/")):
        folder.chmod(0o700)
    shutil.rmtree(first.path)
    assert build({"agent.sh": "cp agent.sh agent"}) == first


# What is not built.


BOTH = (DEFAULTS["c"], DEFAULTS["js"])


def test_python_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "agent.js").write_text("")
    (tmp_path / "mine.py").write_text("")
    with pytest.raises(BadPlayer, match=r"expected a file agent.py"):
        read_player(str(tmp_path))
    assert read_player(str(tmp_path / "mine.py")).language is None
    (tmp_path / "agent.py").write_text("")
    assert read_player(str(tmp_path)).kind is PlayerKind.FOLDER


def test_a_language_without_a_table_is_refused_with_the_table_to_add(tmp_path: Path) -> None:
    (tmp_path / "agent.rs").write_text("")
    allowed = {language.name: language for language in BOTH}
    for path in (tmp_path, tmp_path / "agent.rs"):
        with pytest.raises(BadPlayer, match=r"agent.rs is a Rust program; .* needs the table \[languages.rs\]"):
            refuse_unlisted(handed_in(path, *BOTH), allowed)


def test_two_languages_are_refused_unless_a_description_knows_only_one(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("")
    (tmp_path / "a.js").write_text("")
    for known in ((), BOTH):
        with pytest.raises(BadPlayer, match=r"expected files in one language, got 'a.c' and 'a.js'"):
            handed_in(tmp_path, *known)
    assert handed_in(tmp_path, DEFAULTS["c"]).language is DEFAULTS["c"]


def test_a_link_to_another_students_file_is_refused(store: Store, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "theirs.c").write_text("")
    (tmp_path / "in" / "agent.c").symlink_to(tmp_path / "theirs.c")
    with pytest.raises(BadPlayer, match="expected a symbolic link inside the folder"):
        take(handed_in(tmp_path / "in", *BOTH), store)


def test_a_machine_without_the_compiler_or_the_walls_says_what_to_install(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agent.c").write_text("")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    player = handed_in(tmp_path / "agent.c", *BOTH)
    with pytest.raises(ArenaError, match=r"in C need 'gcc', which is not on this machine; install a C compiler"):
        take(player, store)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    nothing = probe.Offer(WallKind.CONTAINER, False, "bwrap is not on the PATH", "install bubblewrap")
    monkeypatch.setattr(probe, "offer", lambda _: nothing)
    with pytest.raises(ArenaError, match=r"in C: .*no container .* install bubblewrap.* build_walls = \"limits\""):
        take(player, store)


def test_without_walls_an_own_file_is_built_and_a_hand_in_is_not(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs.program("gcc")
    (tmp_path / "bot.c").write_text('#include <stdio.h>\nint main(void) { printf("7"); }\n')
    offer = probe.offer
    none = probe.Offer(WallKind.CONTAINER, False, "bwrap is not on the PATH", "install bubblewrap")
    monkeypatch.setattr(probe, "offer", lambda kind: none if kind is WallKind.CONTAINER else offer(kind))
    assert output(built_player(take(read_player(str(tmp_path / "bot.c")), store).source)) == "7"
    with pytest.raises(ArenaError, match="install bubblewrap"):
        take(handed_in(tmp_path / "bot.c", DEFAULTS["c"]), Store(tmp_path / "other"))
