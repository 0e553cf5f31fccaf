"""What kept the processors busy, named for an instructor when a game is void."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from agents.protocol import Verdict
from arena.match.clock import TOO_BUSY
from arena.play.crew import Member, explained
from arena.walls import usage
from arena.walls.usage import Programs
from db.records import GameRecord
from tests.kit.behind_walls import needs_linux


@needs_linux
def test_the_programs_that_computed_are_named_with_what_they_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage, "_MOST_NAMED", 1000)  # however many others compute too
    monkeypatch.setattr(usage, "_LEAST", 0.0)
    programs = Programs()
    until = time.process_time() + 0.3
    while time.process_time() < until:
        pass
    programs.tell(7)
    said = capsys.readouterr().err
    assert said.startswith("game 7, used by: ")
    assert f"(pid {os.getpid()}) 0." in said
    assert said.rstrip().endswith(f"on {os.cpu_count()} processors")
    log = tmp_path / "log"
    log.write_text(f"something else\n{said}game 8, used by: others\n")
    assert usage.busy_note(log, 7) == said.rstrip().replace("game 7, used by: ", "the processors were used by ")
    assert usage.busy_note(log, 8) == "the processors were used by others"
    assert usage.busy_note(log, 9) == usage.busy_note(tmp_path / "none", 7) == ""


def test_where_no_program_can_be_seen_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(usage, "_PROCESSES", "/no/such/folder")
    Programs().tell(7)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("verdict", "detail", "told"),
    [
        (Verdict.VOID, f"ann waited: {TOO_BUSY}", "the processors were used by a compiler"),
        (Verdict.VOID, "its warden was killed", ""),
        (Verdict.TIME, "ann used 2 s of 1 s", ""),
    ],
)
def test_a_void_game_says_what_kept_the_processors_busy_to_its_director_alone(
    verdict: Verdict, detail: str, told: str, tmp_path: Path
) -> None:
    class Warden:
        log = tmp_path / "log"

    Warden.log.write_text("game 7, used by: a compiler\n")
    guarded, built_in = Member("a", guarded=True), Member("b", guarded=False)
    guarded.process = Warden()  # type: ignore[assignment]
    record = explained(GameRecord(7, verdict, None, detail, (), (), 0), [built_in, guarded])
    assert (record.busy, record.detail) == (told, detail)
