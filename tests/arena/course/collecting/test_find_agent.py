"""The agent is found inside folders and zips; of several files none is chosen."""

from pathlib import Path

import pytest

from arena.course.collecting.inbox import find_agent
from tests.kit.hand_ins import AGENT, folder, zipped


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (("agent.py", "more.py"), "."),
        (("mine.py", "notes.txt"), "mine.py"),
        (("a.py", "b.py"), "."),
        (("inner/agent.py", "inner/more.py"), "inner"),
        (("inner/deeper/mine.py", "__MACOSX/x.py"), "inner/deeper/mine.py"),
        (("one/agent.py", "two/agent.py"), "."),
        (("lib/heuristics.txt", "agent.js"), "."),
        (("data/book.txt", "agent.ipynb"), "."),
        (("my_agent/agent.py", "notes.ipynb"), "my_agent"),
    ],
)
def test_single_folders_are_opened(tmp_path: Path, files: tuple[str, ...], found: str) -> None:
    source = folder(tmp_path / "in", dict.fromkeys(files, AGENT))
    assert find_agent(source, lambda: tmp_path / "new") == source / found


def test_a_folder_with_an_agent_in_a_language_of_the_course_is_not_left(tmp_path: Path) -> None:
    source = folder(tmp_path / "in", {"agent.rb": "", "data/book.txt": ""})
    assert find_agent(source, lambda: tmp_path / "new", {".rb"}) == source
    assert find_agent(source, lambda: tmp_path / "new") == source / "data"


def test_a_zip_in_a_folder_is_unpacked(tmp_path: Path) -> None:
    source = folder(tmp_path / "in", {"readme.txt": "see the zip"})
    zipped(source / "work.zip", {"work/agent.py": AGENT})
    (tmp_path / "new").mkdir()
    assert find_agent(source, lambda: tmp_path / "new") == tmp_path / "new" / "work" / "work"
