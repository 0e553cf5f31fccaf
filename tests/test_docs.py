"""README and docs tell the truth: their commands print what is shown, their Python runs, their links lead somewhere."""

import doctest
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.arena_program import arena

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STORIES = ("instructor.md", "student.md")
"""Pages to be followed from the first line to the last: their blocks share one folder."""
MAKES_AN_ENVIRONMENT = re.compile(r"make (demo|test)\b|python3 -m venv \.venv && |\.venv/bin/arena demo$")
"""Commands that install; `.ci/run` runs `make test`, and the targets exist."""


def blocks(kind: str) -> Iterator[tuple[Path, str]]:
    """The fenced blocks of that kind."""
    for page in PAGES:
        for match in FENCED.finditer(page.read_text("utf-8")):
            if match[1] == kind:
                yield page, match[2]


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Every command shown after a "$", and the output shown below it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command.partition("  #")[0].strip(), output


def without_times(printed: str) -> list[str]:
    """The lines of an output, with every date, every time it took, and what the machine's walls are made the same."""
    dated = re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?", "DATE", printed)
    dated = re.sub(r"confined: \w+$|is confined \(\w+\): .*$", "confined: WALLS", dated, flags=re.MULTILINE)
    dated = re.sub(r"behind (a sandbox|limits|a container)", "behind WALLS", dated)
    return [re.sub(r" *[0-9.]+ s\b", " TIME s", line.rstrip()) for line in dated.splitlines()]


def is_shown(printed: str, shown: str) -> bool:
    """Whether that is what is shown; a line "..." stands for any lines that were left out."""
    parts = (re.escape(line) if line != "..." else ".*" for line in shown.split("\n"))
    return re.fullmatch("\n".join(parts), printed, re.DOTALL) is not None


def scenes() -> list[tuple[str, str]]:
    """Console blocks with the page that they are on; of a story all in one."""
    shown = [(page.name, block) for page, block in blocks("console")]
    told = [(story, "".join(block for page, block in shown if page == story)) for story in STORIES]
    return [scene for scene in shown if scene[0] not in STORIES] + told


@pytest.mark.parametrize(("page", "block"), scenes())
def test_shown_commands_print_and_draw_what_is_shown(page: str, block: str, tmp_path: Path) -> None:
    """The commands of a block are given one after the other in one folder."""
    (tmp_path / "docs" / "pictures").mkdir(parents=True)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for command, output in commands(block):
        if MAKES_AN_ENVIRONMENT.match(command):
            target = re.match(r"make (\w+)", command)
            assert target is None or f"\n{target[1]}:" in (ROOT / "Makefile").read_text("utf-8")
            continue
        program, *arguments = shlex.split(command)
        assert program == "arena", page
        ended = arena(*arguments, cwd=tmp_path)
        printed = ended.err if ended.code == 2 else ended.out
        assert is_shown("\n".join(without_times(printed)), "\n".join(without_times(output))), f"{command}\n{printed}"
    for drawn in (tmp_path / "docs" / "pictures").iterdir():
        assert drawn.read_text("utf-8") == (ROOT / "docs" / "pictures" / drawn.name).read_text("utf-8")


@pytest.mark.parametrize(("page", "block"), [(page.name, block) for page, block in blocks("python") if ">>>" in block])
def test_shown_python_prints_what_is_shown(page: str, block: str) -> None:
    test = doctest.DocTestParser().get_doctest(block, {}, page, page, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def unspaced(text: str) -> str:
    """Its lines without indents and empty ones: a part of a file is shown farther to the left."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def test_shown_files_are_as_shown() -> None:
    for kind, ending in (("python", "py"), ("csv", "csv")):
        sources = [unspaced(path.read_text("utf-8")) for path in (ROOT / "examples").glob(f"*.{ending}")]
        for page, block in blocks(kind):
            assert ">>>" in block or any(unspaced(block) in source for source in sources), page


def test_every_picture_is_drawn_by_a_shown_command() -> None:
    shown = "".join(command for _, block in blocks("console") for command, _ in commands(block))
    for picture in (ROOT / "docs" / "pictures").iterdir():
        assert f"docs/pictures/{picture.name}" in shown


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_files_named_in_the_text_exist() -> None:
    for page in PAGES:
        for name in re.findall(
            r"`((?:adsearch|agents|arena|db|tests|benchmarks|docs|examples)/[\w./]+)`", page.read_text("utf-8")
        ):
            assert (ROOT / name).exists(), f"{page.name}: {name}"
