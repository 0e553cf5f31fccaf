"""Hand-ins are checked, newest first, and the last that passed plays; nothing is collected twice.

The checks are played by a stand-in here: an agent passes unless its text says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.course import roster as rosters
from arena.course.collecting import collector
from arena.course.collecting.collector import Collector, Progress
from arena.course.collecting.hand_in import HandInOutcome, HandInResult, agent_names, read_deadline
from arena.course.collecting.lms_download import read_downloads
from arena.course.roster import RosterMatcher
from arena.errors import ArenaError, BadLeague, BadRoster
from arena.players.player import Player
from arena.players.submissions import Store
from arena.student.checking import CheckReport, CheckStep, Exam, Light, StepName
from arena.student.checking.check_maker import Candidate, ProgressNote
from arena.tournament import collected_file
from arena.tournament.collected_file import Collected, Refused
from arena.walls.run_folder import RunFolder
from db import audit
from db.database import Database
from tests.kit.hand_ins import AGENT, MAY, ROSTER, folder

NOW = datetime(2026, 5, 2, tzinfo=UTC)
Collect = Callable[..., dict[str, HandInResult]]
progress: list[Progress] = []
"""The progress of the latest run."""
not_on_roster: list[str] = []
"""The agents that play but are not on the roster, in the latest run."""


class Examiner:
    """A fake Examiner."""

    warnings: Sequence[str] = ()
    looked_at: list[str] = []  # noqa: RUF012

    def __init__(self, conditions: Exam, folder: RunFolder, *, many: bool) -> None:
        pass

    def __enter__(self) -> Examiner:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def each(self, candidates: Sequence[Candidate], note: ProgressNote) -> Iterator[tuple[int, CheckReport]]:
        """Reports the last candidate first."""
        for ended, (place, candidate) in enumerate(reversed(list(enumerate(candidates)))):
            note(ended, [place])
            assert isinstance(candidate.player, Player)
            path = candidate.player.path
            assert path is not None
            text = (path if path.is_file() else path / "agent.py").read_text()
            if "Ctrl-C" in text:
                raise KeyboardInterrupt
            self.looked_at.append(candidate.name)
            light = next((light for light in (Light.FAILED, Light.WARNING) if light in text), Light.GOOD)
            name = StepName.UNNOTICED if "in its search" in text else StepName.LEGAL
            step = CheckStep(name=name, light=light, seconds=0.0, message="" if light is Light.GOOD else f"{path}: hm")
            yield place, CheckReport(agent=candidate.name, steps=(step,))


@pytest.fixture
def collect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Collect:
    """Collects files; returns each student's result by id, and unmatched hand-ins by label."""
    monkeypatch.setattr(collector, "Examiner", Examiner)
    monkeypatch.setattr(Examiner, "looked_at", [])
    progress.clear()
    store = Store(tmp_path / "arena.store")

    def run(
        source: Path,
        *,
        game: str = "tictactoe",
        until: str | None = None,
        late_too: bool = False,
        only: Sequence[str] | None = None,
        afresh: bool = False,
        file: str = "t.collected.toml",
        listed: str = ROSTER,
    ) -> dict[str, HandInResult]:
        roster = rosters.read(listed, "roster.csv")
        with Database(str(tmp_path / "arena.db")) as database, RunFolder() as scratch:
            collecting = Collector(
                Exam(game=game),
                roster,
                database=database,
                submissions=store,
                file=tmp_path / file,
                folder=scratch,
                deadline=None if until is None else read_deadline(until),
                late_too=late_too,
                only=None if only is None else [one for name in only for one in roster.called(name)],
                afresh=afresh,
                now=lambda: NOW,
            )
            found = read_downloads([source], scratch.scratch, RosterMatcher(roster))
            results = collecting.collect(found, progress.append)
            not_on_roster[:] = collecting.not_on_roster
        by_id = {one.student.id: one for one in results if one.student}
        return by_id | {one.hand_in.label: one for one in results if one.hand_in and not one.student}

    return run


def kept(tmp_path: Path) -> dict[str, Collected]:
    """The agents that play."""
    return {one.name: one for one in collected_file.read(tmp_path / "t.collected.toml")[0]}


def versions(tmp_path: Path) -> list[tuple[str, int]]:
    """The versions in the database."""
    with Database(str(tmp_path / "arena.db")) as database, database.reading() as connection:
        return [(one.agent, one.number) for one in audit.versions(connection)]


def test_every_student_has_a_result_and_agents_that_passed_play(tmp_path: Path, collect: Collect) -> None:
    files = {
        "1001/my.py": AGENT,
        "1002.py": AGENT + "# warning",
        "1003.py": AGENT + "# failed",
        "1004/a.py": "",
        "1004/b.py": "",
        "zorro.py": AGENT,
    }
    told = collect(folder(tmp_path / "in", files))
    assert {id: line.outcome.value for id, line in told.items()} == {
        "1001": "good",
        "1002": "warning",
        "1003": "failed",
        "1004": "failed",
        **dict.fromkeys(("1005", "s-77", "1006", "1007"), "missing"),
        "zorro.py": "unmatched",
    }
    assert {id for id, line in told.items() if line.plays} == {"1001", "1002"}
    assert told["1002"].message.endswith("1002.py: hm")
    assert told["1004"].message == "the folder '1004' has no agent.py"
    assert list(kept(tmp_path)) == ["Bob Brown", "Deep Blue"]
    assert versions(tmp_path) == [("Bob Brown", 1), ("Deep Blue", 1)]


def test_a_mistake_that_ends_no_game_is_a_warning(tmp_path: Path, collect: Collect) -> None:
    found = collect(folder(tmp_path / "in", {"1002.py": AGENT + "# failed in its search"}))["1002"]
    assert (found.outcome, found.plays) == (HandInOutcome.WARNING, True)
    assert found.message.endswith("hm")


def test_nothing_is_collected_or_checked_twice(tmp_path: Path, collect: Collect) -> None:
    source = folder(tmp_path / "in", {"1001.py": AGENT, "1002.py": AGENT})
    collect(source)
    before = (tmp_path / "t.collected.toml").read_bytes()
    told = collect(source)
    assert Examiner.looked_at == ["Bob Brown", "Deep Blue"]
    assert (told["1001"].plays, told["1001"].again, told["1001"].version) == (True, True, 1)
    assert (tmp_path / "t.collected.toml").read_bytes() == before
    assert versions(tmp_path) == [("Bob Brown", 1), ("Deep Blue", 1)]


def test_why_the_latest_hand_in_does_not_play_is_kept_until_one_plays(tmp_path: Path, collect: Collect) -> None:
    def reasons() -> dict[str, str]:
        return {one.name: one.why for one in collected_file.read_refused(tmp_path / "t.collected.toml")}

    files = {"1001.py": AGENT, "1002.py": AGENT + "# failed"}
    collect(folder(tmp_path / "a", files, when=MAY + timedelta(days=1, hours=1)), until=MAY.isoformat())
    assert reasons() == dict.fromkeys(("Bob Brown", "Deep Blue"), "It was handed in 2 days late.")
    collect(folder(tmp_path / "b", files))
    assert list(reasons()) == ["Bob Brown"]
    assert reasons()["Bob Brown"].endswith(": hm")
    collect(folder(tmp_path / "c", {"1006.py": AGENT}))
    assert list(reasons()) == ["Bob Brown"]
    collect(folder(tmp_path / "d", {"1002.py": AGENT}, when=MAY + timedelta(days=2)))
    assert reasons() == {}


def test_a_new_hand_in_is_the_next_version_and_a_broken_one_keeps_the_last(tmp_path: Path, collect: Collect) -> None:
    collect(folder(tmp_path / "a", {"1001.py": AGENT, "1002.py": AGENT}))
    later = {"1001.py": AGENT + "# new", "1002.py": AGENT + "# failed"}
    told = collect(folder(tmp_path / "b", later, when=MAY + timedelta(days=1)))
    assert (told["1001"].version, told["1001"].plays, told["1001"].again) == (2, True, False)
    assert (told["1002"].version, told["1002"].plays, told["1002"].outcome) == (1, False, HandInOutcome.FAILED)
    third = collect(folder(tmp_path / "c", {"1006.py": AGENT}))
    assert (third["1001"].outcome, third["1001"].version) == (HandInOutcome.KEPT, 2)
    assert kept(tmp_path)["Deep Blue"].version == 2


def test_the_newest_that_passes_plays_and_older_ones_are_not_checked(tmp_path: Path, collect: Collect) -> None:
    files = {
        "X_1002_attempt_2026-05-01-10-00-00_a.py": AGENT + "# first",
        "X_1002_attempt_2026-05-01-11-00-00_a.py": AGENT + "# second",
        "X_1002_attempt_2026-05-01-12-00-00_a.py": AGENT + "# failed",
    }
    collect(folder(tmp_path / "in", files))
    assert Examiner.looked_at == ["Bob Brown", "Bob Brown"]
    assert "11-00" in kept(tmp_path)["Bob Brown"].submission


def test_an_older_download_replaces_no_agent(tmp_path: Path, collect: Collect) -> None:
    collect(folder(tmp_path / "b", {"1001.py": AGENT + "# new"}, when=MAY + timedelta(days=1)))
    told = collect(folder(tmp_path / "a", {"1001.py": AGENT}))
    assert told["1001"].outcome is HandInOutcome.OLDER
    assert len(Examiner.looked_at) == 1
    again = collect(folder(tmp_path / "c", {"1001.py": AGENT}, when=MAY + timedelta(days=2)))
    assert (again["1001"].version, again["1001"].plays) == (2, True)


def test_late_hand_ins_are_reported_and_play_only_if_accepted(tmp_path: Path, collect: Collect) -> None:
    source = folder(tmp_path / "in", {"1001.py": AGENT})
    told = collect(source, until="2026-04-30")
    assert (told["1001"].outcome, told["1001"].late_days, told["1001"].plays) == (HandInOutcome.LATE, 1, False)
    assert not kept(tmp_path)
    told = collect(source, until="2026-04-30", late_too=True)
    assert (told["1001"].outcome, told["1001"].late_days, told["1001"].plays) == (HandInOutcome.GOOD, 1, True)
    assert kept(tmp_path)["Deep Blue"].late_days == 1
    collect(source, until="2026-04-28 13:00", late_too=True)
    assert kept(tmp_path)["Deep Blue"].late_days == 3
    collect(source, until="2026-05-08", late_too=True)
    assert kept(tmp_path)["Deep Blue"].late_days == 0
    assert len(Examiner.looked_at) == 1


def test_an_extension_also_counts_if_the_hand_in_is_found_in_another_folder(tmp_path: Path, collect: Collect) -> None:
    collect(folder(tmp_path / "a", {"1001.py": AGENT}), until="2026-04-30", late_too=True)
    assert kept(tmp_path)["Deep Blue"].late_days == 1
    again = folder(tmp_path / "b", {"week 1/1001.py": AGENT})
    told = collect(again, until="2026-05-08", late_too=True)
    assert (told["1001"].outcome, told["1001"].late_days) == (HandInOutcome.GOOD, 0)
    assert kept(tmp_path)["Deep Blue"].late_days == 0
    refused = collect(again, until="2026-04-30")["1001"]
    assert (refused.outcome, refused.plays, refused.again) == (HandInOutcome.LATE, True, True)


def test_a_late_hand_in_that_was_collected_before_still_plays_and_is_reported(tmp_path: Path, collect: Collect) -> None:
    first = folder(tmp_path / "in", {"1001.py": AGENT})
    later = folder(tmp_path / "later", {"1001.py": AGENT + "# later"}, when=MAY + timedelta(days=9))
    collect(first, until="2026-05-02")
    told = collect(later, until="2026-06-01")
    assert (told["1001"].plays, told["1001"].version) == (True, 2)
    told = collect(later, until="2026-05-02")
    assert (told["1001"].outcome, told["1001"].plays, told["1001"].version) == (HandInOutcome.LATE, True, 2)
    assert told["1001"].message == "late by this deadline, but collected before, so it plays"
    assert collect(first, until="2026-05-02")["1001"].outcome is HandInOutcome.OLDER
    told = collect(first, until="2026-05-02", afresh=True)
    assert (told["1001"].outcome, told["1001"].plays, told["1001"].version) == (HandInOutcome.GOOD, True, 1)
    told = collect(later, until="2026-05-02")
    assert (told["1001"].outcome, told["1001"].plays, told["1001"].version) == (HandInOutcome.LATE, False, 1)


def test_an_interrupted_run_with_afresh_loses_no_agent(tmp_path: Path, collect: Collect) -> None:
    collect(folder(tmp_path / "in", {"1001.py": AGENT, "1002.py": AGENT}))
    again = folder(tmp_path / "again", {"1001.py": AGENT + "# Ctrl-C", "1002.py": AGENT})
    with pytest.raises(KeyboardInterrupt):
        collect(again, afresh=True)
    assert list(kept(tmp_path)) == ["Bob Brown", "Deep Blue"]
    collect(folder(tmp_path / "again", {"1001.py": AGENT + "# failed"}), afresh=True)
    assert list(kept(tmp_path)) == ["Bob Brown"]


def test_agents_that_are_no_longer_on_the_roster_are_reported(tmp_path: Path, collect: Collect) -> None:
    collect(folder(tmp_path / "in", {"1001.py": AGENT, "1002.py": AGENT}))
    assert not_on_roster == []
    file = tmp_path / "t.collected.toml"
    file.write_text(file.read_text("utf-8").replace('"Deep Blue"', '"Deeper Blue"'), "utf-8")
    collect(tmp_path / "in")
    assert not_on_roster == ["Deeper Blue"]
    collect(tmp_path / "in", afresh=True)
    assert not_on_roster == []


def test_an_earlier_hand_in_before_the_deadline_plays_instead_of_a_late_one(tmp_path: Path, collect: Collect) -> None:
    source = folder(tmp_path / "in", {"1001_a.py": AGENT + "# in time"})
    folder(source, {"1001_b.py": AGENT + "# late"}, when=MAY + timedelta(days=3))
    told = collect(source, until="2026-05-02")
    assert told["1001"].plays
    assert kept(tmp_path)["Deep Blue"].submission == "1001_a.py"


def test_under_other_conditions_all_are_checked_again(tmp_path: Path, collect: Collect) -> None:
    source = folder(tmp_path / "in", {"1001.py": AGENT, "1002.py": AGENT})
    collect(source)
    folder(source, {"1002.py": AGENT})
    collect(source, game="connect4")
    assert Examiner.looked_at.count("Deep Blue") == 2
    assert versions(tmp_path) == [("Bob Brown", 1), ("Deep Blue", 1)]


def test_after_an_interruption_the_next_run_continues(tmp_path: Path, collect: Collect) -> None:
    source = folder(tmp_path / "in", {"1001.py": AGENT + "# Ctrl-C", "1002.py": AGENT})
    with pytest.raises(KeyboardInterrupt):
        collect(source)
    assert list(kept(tmp_path)) == ["Bob Brown"]
    collect(folder(source, {"1001.py": AGENT}))
    assert Examiner.looked_at == ["Bob Brown", "Deep Blue"]
    assert list(kept(tmp_path)) == ["Bob Brown", "Deep Blue"]


def test_the_stored_files_are_those_of_the_student(tmp_path: Path, collect: Collect) -> None:
    collect(folder(tmp_path / "in", {"1003/agent.py": AGENT, "1003/data.txt": "1", "1001.py": AGENT}))
    everybody, store = collected_file.read(tmp_path / "t.collected.toml")
    alone, whole = everybody[1], everybody[0]
    assert (alone.name, alone.started_as) == ("Deep Blue", "1001.py")
    assert whole.name == "<script>alert(1)</script>"
    assert "1003" not in whole.started_as
    path = whole.player(store).path
    assert path is not None
    assert (path / "data.txt").read_text() == "1"
    assert store.take(whole.player(store)).hash == whole.source
    assert store.take(alone.player(store)).hash == alone.source


def test_a_collected_file_of_another_store_is_an_error(tmp_path: Path, collect: Collect) -> None:
    collected_file.write(tmp_path / "t.collected.toml", {}, Store(tmp_path / "other.store"))
    with pytest.raises(ArenaError, match=r"lists submissions in .*other\.store"):
        collect(folder(tmp_path / "in", {"1001.py": AGENT}))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,alias\n1,a@b\n", "roster.csv, line 2, alias: expected a name without '#' and '@'"),
        (f"id,name\n1,{'W' * 65}\n", "line 2, name: expected a name of at most 64 characters"),
        ("name\nEve\nEve\n", "line 2: another student has the name 'Eve' too"),
    ],
)
def test_a_name_that_no_agent_can_have_is_an_error_with_its_line(text: str, said: str) -> None:
    with pytest.raises(BadRoster) as error:
        agent_names(rosters.read(text, "roster.csv"))
    assert said in str(error.value)


def test_agents_are_named_by_alias_name_or_id() -> None:
    names = agent_names(rosters.read("id,name,alias\n1,Ann,red\n2,Bob,\n3,Eve,\n4,Eve,\n5,,\n", "roster.csv"))
    assert list(names.values()) == ["red", "Bob", "3", "4", "5"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("store = 1", "store: expected a string, got 1"),
        ("[[agent]]\n", "agent 1: name: expected a name, got None"),
        ('[[agent]]\nname = "a"\n', "source: missing; expected a string"),
        ('[[agent]]\nname = "a"\nsource = "0"\nstarted_as = "a.py"\nhanded_in = "x"\n', "expected a time such as"),
        ('nam = "a"', "unknown key 'nam'"),
        ("[[agent]", "line 1"),
    ],
)
def test_a_damaged_collected_file_is_an_error_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "t.collected.toml"
    file.write_text(text)
    with pytest.raises(BadLeague) as error:
        collected_file.read(file)
    assert str(file) in str(error.value)
    assert said in str(error.value)


@pytest.mark.parametrize("name", ["<script>", "田中", 'a "quoted" \\ name', "W" * 64, "it's", "\x7f\u202e"])
def test_what_is_written_can_be_read(tmp_path: Path, name: str) -> None:
    one = Collected(name if name.isprintable() else "plain", 3, "0" * 64, name, name, "", "warning", name, "")
    refused = Refused(one.name, name, name) if name.isprintable() else Refused("plain", "a", "b")
    collected_file.write(
        tmp_path / "t.collected.toml", {one.name: one}, Store(tmp_path / "arena.store"), {one.name: refused}
    )
    assert collected_file.read_refused(tmp_path / "t.collected.toml") == [refused]
    read, store = collected_file.read(tmp_path / "t.collected.toml")
    assert read == [one]
    assert store.folder == tmp_path / "arena.store"
    assert not list(tmp_path.glob("*.part"))


TEAMS = """\
id,name,alias,deadline
1,Ann,blue,
2,Ben,red,2026-05-03
3,Cem,blue,
4,Dot,red,2026-05-02
5,Eli,green,
"""


def test_a_team_has_one_agent_and_the_latest_hand_in_of_its_members_counts(tmp_path: Path, collect: Collect) -> None:
    source = folder(tmp_path / "in", {"1.py": AGENT + "# first", "5.py": AGENT})
    folder(source, {"3.py": AGENT + "# second"}, when=MAY + timedelta(hours=1))
    told = collect(source, listed=TEAMS)
    assert Examiner.looked_at == ["green", "blue"]
    assert list(kept(tmp_path)) == ["blue", "green"]
    assert kept(tmp_path)["blue"].submission == "3.py"
    for id in ("1", "3"):
        assert (told[id].agent, told[id].version, told[id].plays) == ("blue", 1, True)
        assert [one.label for one in told[id].of_team] == ["3.py", "1.py"]
    assert (told["1"].repeats, told["3"].repeats, told["5"].of_team) == (False, True, ())
    assert {told[id].outcome for id in ("2", "4")} == {HandInOutcome.MISSING}


def test_a_team_keeps_the_earlier_hand_in_of_a_member_if_the_latest_fails(tmp_path: Path, collect: Collect) -> None:
    source = folder(tmp_path / "in", {"1.py": AGENT})
    folder(source, {"3.py": AGENT + "# failed"}, when=MAY + timedelta(hours=1))
    told = collect(source, listed=TEAMS)
    assert kept(tmp_path)["blue"].submission == "1.py"
    assert told["1"].version == told["3"].version == 1


def test_a_team_has_the_latest_deadline_of_its_members(tmp_path: Path, collect: Collect) -> None:
    files = {"1.py": AGENT, "4.py": AGENT}
    source = folder(tmp_path / "in", files, when=MAY + timedelta(days=2, hours=1))
    told = collect(source, listed=TEAMS, until="2026-05-01")
    assert {id: told[id].late_days for id in ("1", "2", "3", "4")} == {"1": 2, "2": 0, "3": 2, "4": 0}
    assert [told[id].outcome.value for id in ("1", "2", "3", "4")] == ["late", "good", "late", "good"]


def test_an_old_extension_does_not_shorten_the_deadline_of_the_next_round(tmp_path: Path, collect: Collect) -> None:
    source = folder(tmp_path / "in", {"2.py": AGENT}, when=MAY + timedelta(days=9))
    assert collect(source, listed=TEAMS, until="2026-05-15")["2"].outcome is HandInOutcome.GOOD


def test_a_bad_deadline_on_the_roster_is_an_error_with_its_line(tmp_path: Path, collect: Collect) -> None:
    with pytest.raises(BadRoster, match=r"roster\.csv, line 2, deadline: expected a day"):
        collect(folder(tmp_path / "in", {"1.py": AGENT}), listed="id,alias,deadline\n1,blue,soon\n")


@pytest.mark.parametrize("afresh", [False, True])
def test_with_only_nothing_of_other_students_changes(tmp_path: Path, collect: Collect, *, afresh: bool) -> None:
    collect(folder(tmp_path / "a", {"1.py": AGENT, "5.py": AGENT}), listed=TEAMS)
    before = kept(tmp_path)
    files = {"3.py": AGENT + "# second", "5.py": AGENT + "# not looked at", "2.py": AGENT}
    source = folder(tmp_path / "b", files, when=MAY + timedelta(hours=1))
    told = collect(source, listed=TEAMS, only=["Cem"], afresh=afresh)
    assert set(told) == {"1", "3"}
    assert kept(tmp_path)["green"] == before["green"]
    assert set(kept(tmp_path)) == {"blue", "green"}
    assert kept(tmp_path)["blue"].version == 2


def test_with_afresh_and_only_a_student_without_hand_in_no_longer_plays(tmp_path: Path, collect: Collect) -> None:
    collect(folder(tmp_path / "a", {"1.py": AGENT, "5.py": AGENT}), listed=TEAMS)
    collect(folder(tmp_path / "b", {"1.py": AGENT}), listed=TEAMS, only=["green"], afresh=True)
    assert list(kept(tmp_path)) == ["blue"]


def test_progress_says_what_is_read_and_then_what_is_checked(tmp_path: Path, collect: Collect) -> None:
    source = folder(tmp_path / "in", {"1.py": AGENT, "5.py": AGENT})
    folder(source, {"3.py": AGENT + "# failed"}, when=MAY + timedelta(hours=1))
    collect(source, listed=TEAMS)
    told = [(one.reading, one.done, one.total, [student.name for student in one.students]) for one in progress]
    assert told == [
        (True, 0, 2, ["Cem"]),
        (True, 1, 2, ["Eli"]),
        (False, 0, 2, ["Eli"]),
        (False, 1, 2, ["Cem"]),
        (True, 0, 1, ["Ann"]),
        (False, 2, 3, ["Ann"]),
    ]
