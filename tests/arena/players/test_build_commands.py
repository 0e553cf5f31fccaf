"""The words of a build and of a run are made from the files of an agent, without a shell."""

import pytest

from arena.errors import BadPlayer
from arena.players.build_commands import LanguageTable
from db.sources import StoredFile
from tests.kit.built_agent import DEFAULTS

C, JAVA, JS = DEFAULTS["c"], DEFAULTS["java"], DEFAULTS["js"]
MAIN = "public static void main(String[] arguments) { }"


def files(**texts: str) -> dict[str, StoredFile]:
    """Files by name; in the names, _ is written for a dot and __ for a slash."""
    return {
        name.replace("__", "/").replace("_", "."): StoredFile(text.encode(), executable=False)
        for name, text in texts.items()
    }


def test_all_sources_are_built_and_no_name_is_an_option() -> None:
    given = files(b_c="", lib__a_c="", a_h="") | {"-o.c": StoredFile(b"", executable=False)}
    assert C.build_command(given) == ["gcc", "-O2", "-o", "agent", "./-o.c", "./b.c", "./lib/a.c", "-lm"]


def test_a_star_matches_as_in_a_shell_and_one_name_stays_one_word() -> None:
    language = LanguageTable("c", ("cc", "*.c", "lib/*.c", "./*.h", "none*"), ("./agent",))
    given = files(b_c="", lib__a_c="", a_h="") | {"x y.c": StoredFile(b"", executable=False)}
    assert language.build_command(given) == ["cc", "./b.c", "./x y.c", "./lib/a.c", "./a.h"]


@pytest.mark.parametrize(
    ("given", "main"),
    [
        (files(bot_js=""), "./bot.js"),
        (files(agent_js="", lib_js=""), "./agent.js"),
        (files(main_js="", Agent_js=""), "./Agent.js"),
        (files(src__index_js="", src__lib_js=""), "./src/index.js"),
    ],
)
def test_the_main_file_is_found_by_its_name(given: dict[str, StoredFile], main: str) -> None:
    assert JS.run_command(given) == ["node", main]


def test_the_main_file_is_the_one_that_no_other_includes() -> None:
    both = files(bot_js="", lib_js="") | {"bot.js": StoredFile(b"x = require('./lib')", executable=False)}
    assert JS.run_command(both) == ["node", "./bot.js"]
    assert JS.run_command(both, "lib.js") == ["node", "./lib.js"]


def test_two_possible_main_files_are_refused() -> None:
    with pytest.raises(BadPlayer, match=r"which file starts the agent: 'a.js', 'b.js'; rename .* agent.js"):
        JS.run_command(files(a_js="", b_js=""))


@pytest.mark.parametrize(
    ("given", "main"),
    [
        (files(Bot_java=f"public class Bot {{ {MAIN} }}"), "Bot"),
        (files(Bot_java=f"package de.uni;\nclass Bot {{ {MAIN} }}", Other_java="class Other {}"), "de.uni.Bot"),
        (files(de__Bot_java=f"/* ... */\npackage  de ;\nfinal class Bot\n{{ {MAIN} }}\nclass Z {{}}"), "de.Bot"),
        (files(A_java=f"class A {{ {MAIN} }}", Agent_java=f"class Agent {{ {MAIN} }}"), "Agent"),
    ],
)
def test_the_main_class_of_java_is_the_one_with_main(given: dict[str, StoredFile], main: str) -> None:
    assert JAVA.run_command(given) == ["java", "-Xmx512m", "-cp", ".", main]


def test_java_without_a_main_says_what_to_write() -> None:
    with pytest.raises(BadPlayer, match="no class has a method main; write 'public static void main"):
        JAVA.run_command(files(A_java="class A {}"))


def test_a_single_file_gets_a_name_that_learning_systems_do_not_change() -> None:
    assert [*JS.spoken.renamed({"Anna Berger_55_file_bot.js": StoredFile(b"", executable=False)})] == ["agent.js"]
    assert [*JS.spoken.renamed(files(a_js="", b_js=""))] == ["a.js", "b.js"]


def test_files_of_java_get_the_names_of_their_classes() -> None:
    one = {"homework_1003_Bot-1.java": StoredFile(f"class Bot {{ {MAIN} }}".encode(), executable=False)}
    assert [*JAVA.spoken.renamed(one)] == ["Bot.java"]
    two = files(x__Bot_1_java="public final class Bot {}", x__y_java="interface Y {}", x__z_txt="public class Z {}")
    assert [*JAVA.spoken.renamed(two)] == ["x/Bot.java", "x/y.java", "x/z.txt"]
    clash = files(A_java="public class B {}", B_java="public class B {}")
    assert [*JAVA.spoken.renamed(clash)] == ["A.java", "B.java"]
