"""README and docs tell the truth: their commands print what is shown, their Python runs, their links lead somewhere."""

import doctest
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from arena.players.engines import known
from arena.student.starter import FOLDER
from tests.kit import needs, shown_commands
from tests.kit.engines import need
from tests.kit.places import EXAMPLES, ROOT
from tests.kit.shown_commands import CHANGE, PAGES, STORIES, STUDENT, blocks, commands, scenes


def without_times(printed: str) -> list[str]:
    """The lines of an output, with every date, every time it took, and what the machine's walls are made the same."""
    dated = re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?( [A-Z]{3,5}\b( \(\d\d:\d\d UTC\))?)?)?", "DATE", printed)
    dated = re.sub(r"^\d\d:\d\d:\d\d [A-Z]{3,5} ", "TIME ", dated, flags=re.MULTILINE)
    dated = re.sub(r"confined: \w+$|is confined \(\w+\): .*$", "confined: WALLS", dated, flags=re.MULTILINE)
    dated = re.sub(r"(behind|in|with) (a sandbox|limits( only)?|a container)", "behind WALLS", dated)
    dated = re.sub(r"points +score", "points  score", dated)  # 100.0% is wider than any other score
    dated = re.sub(r" *\d+ k\b", " SPEED k", dated)
    dated = re.sub(r"\d+\.\d\d times as fast as \w+|too fast to time", "SPEED-UP", dated)
    return [re.sub(r" *[0-9.]+ (s|min)\b", " TIME s", line.rstrip()) for line in dated.splitlines()]


def is_shown(printed: str, shown: str) -> bool:
    """Whether that is what is shown; a line "..." stands for any lines that were left out, or for none: how agents are
    confined is printed once a day."""
    parts = (re.escape(line) + "\n" if line != "..." else "(?:.*\n)?" for line in shown.split("\n"))
    return re.fullmatch("".join(parts), printed + "\n", re.DOTALL) is not None


@pytest.mark.parametrize(
    ("page", "block"),
    [pytest.param(*scene, marks=pytest.mark.costly(seconds=20 if scene[0] in STORIES else 0)) for scene in scenes()],
)
def test_shown_commands_print_and_draw_what_is_shown(
    page: str, block: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The commands of a block are given one after the other in one folder."""
    for name, (protocol, engine) in known().items():
        if protocol.player(engine) in block:
            need(name)
    if "openspiel:" in block:
        pytest.importorskip("pyspiel", reason=needs.extra("openspiel"))
    if page == STUDENT:
        folder, given = shown_commands.student(tmp_path_factory)
    else:
        folder, given = tmp_path, shown_commands.give(page, block, tmp_path, tmp_path_factory)
    for one in given:
        printed = "\n".join(without_times(one.printed))
        assert is_shown(printed, "\n".join(without_times(one.shown))), f"{one.command}\n{one.printed}"
        assert one.code != 2 or "arena: " in one.shown, f"{one.command}\n{one.printed}"
    for picture in (ROOT / "docs" / "pictures").iterdir():
        if (drawn := folder / picture.name).exists():
            assert drawn.read_text("utf-8") == picture.read_text("utf-8")


@pytest.mark.parametrize(("page", "block"), [(page.name, block) for page, block in blocks("python") if ">>>" in block])
def test_shown_python_prints_what_is_shown(page: str, block: str) -> None:
    if "adsearch.pettingzoo" in block:
        pytest.importorskip("pettingzoo", reason=needs.extra("pettingzoo"))
    test = doctest.DocTestParser().get_doctest(block, {}, page, page, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def unspaced(text: str) -> str:
    """Its lines without indents and empty ones: a part of a file is shown farther to the left."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def test_shown_files_are_as_shown() -> None:
    for kind, ending in (("python", "py"), ("csv", "csv")):
        files = [*EXAMPLES.glob(f"*.{ending}"), *FOLDER.glob(f"*.{ending}")]
        sources = [unspaced(path.read_text("utf-8")) for path in files]
        for page, block in blocks(kind):
            if ">>>" not in block and not (page.name in STORIES and CHANGE.match(block)):
                assert any(unspaced(block) in source for source in sources), page


def test_every_picture_is_drawn_by_a_shown_command() -> None:
    shown = "\n".join(command for _, block in blocks("console") for command, _ in commands(block))
    for picture in (ROOT / "docs" / "pictures").iterdir():
        assert re.search(rf"--(?:svg|answers) {picture.name}\b", shown), picture


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_commands_that_install_an_extra_name_all_its_packages() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    packages = {name: {re.split(r"[ ;]", package)[0] for package in extras[name]} for name in extras}
    page = (ROOT / "docs" / "install.md").read_text("utf-8")
    injected = [{*shlex.split(line)} for line in re.findall(r"^pipx inject arena-referee (.+)$", page, re.MULTILINE)]
    assert injected == [
        packages[name] for name in ("web", "spreadsheet", "postgres", "scale", "openspiel", "pettingzoo")
    ]


def test_files_named_in_the_text_exist() -> None:
    for page in PAGES:
        for name in re.findall(
            r"`((?:adsearch|agents|arena|db|tests|benchmarks|docs|examples)/[\w./]+)`", page.read_text("utf-8")
        ):
            assert (ROOT / name).exists(), f"{page.name}: {name}"
