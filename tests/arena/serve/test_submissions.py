"""Handing in: what is received, and one sentence for everything that is not."""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from threading import Barrier

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.errors import BadSubmission
from arena.match.allowance import WallKind
from arena.players.builder import walls_of
from arena.players.player import PlayerKind
from arena.players.versions import player_of, version_started_as
from arena.serve import submissions
from arena.serve.hand_in_client import packed
from arena.serve.ladder import HandInLimits
from arena.serve.spool import MOST_BYTES, file_name
from arena.serve.submissions import Bucket, Buckets, announce, receive, take_in, too_often, why_no_hand_ins
from arena.walls import probe
from db import ladder, ladder_results, store
from db.audit import StoredVersion
from db.database import Database
from db.ladder import StoredSubmission, SubmissionState
from tests.kit import needs
from tests.kit.account_room import NOW
from tests.kit.hand_in_room import CLOSES, OPENS, HandInRoom, hand_in_room
from tests.kit.hand_ins import folder, zipped
from tests.kit.postgres_server import Server


@pytest.fixture
def room(tmp_path: Path) -> Iterator[HandInRoom]:
    room = hand_in_room(tmp_path)
    with room.database:
        yield room


def refused(one: StoredSubmission) -> str:
    """The words of a submission that was refused: one sentence on one line."""
    assert one.state is SubmissionState.REFUSED
    assert one.words.isprintable()
    assert one.words
    return one.words


def test_a_file_a_folder_and_a_zip_are_received(room: HandInRoom) -> None:
    code = room.file().read_text()
    in_folder = folder(room.folder / "mine", {"agent.py": code, "weights.txt": "1 2 3"})
    in_zip = zipped(room.folder / "hand in.zip", {"inside/deeper/agent.py": code, "inside/deeper/more.txt": "4"})
    for path, author in ((room.file(), "alice"), (in_folder, "bob"), (in_zip, "carol")):
        one = room.receive(path, author)
        assert (one.state, one.author, one.label, one.received) == ("received", author, path.name, OPENS)
        assert one.source is not None
        assert room.store.verify(one.source).is_dir()
    assert len(room.rows()) == 3


@pytest.mark.parametrize("more", [{}, {"built": "make"}])
@pytest.mark.parametrize("said", ["{}", "not JSON", None])
def test_a_hand_in_cannot_say_itself_which_command_it_is(
    room: HandInRoom, said: str | None, more: dict[str, str]
) -> None:
    """Else the files that it names as arguments, such as the accounts, would be copied to where it can read them."""
    secret = room.folder / "arena-accounts.db"
    secret.write_text("secret")
    command = {"program": "python3", "arguments": [str(secret), {"copy": "../.."}]} | more
    files = {"agent.py": room.file().read_text(), "command.json": said or json.dumps(command)}
    one = room.receive(folder(room.folder / "mine", files))
    assert one.source is not None
    started_as = version_started_as(room.store.folder / one.source, "alice")
    assert started_as == "alice/"
    player = player_of(StoredVersion("alice", 1, one.source, started_as), room.store)
    assert player.kind is PlayerKind.FOLDER
    assert walls_of(room.store, one.source, {}) == (None, None)
    taken = room.store.take(player)
    assert taken.hash == one.source
    assert {path.name for path in taken.source.rglob("*")} == {*files}


@pytest.mark.parametrize("name", ["cmd:sh.py", "uci:agent.py", "a:b.py"])
def test_a_file_is_not_called_like_a_command_or_an_engine(room: HandInRoom, name: str) -> None:
    """`arena course similar` and others leave engines out."""
    packed = zipped(room.folder / "mine.zip", {name: room.file().read_text()})
    for path in (room.file(name=name), packed):
        words = refused(room.receive(path))
        assert words == f"'{name}': expected the name of a file without a colon; rename it"


def test_the_newest_hand_in_of_an_agent_replaces_one_that_waits(room: HandInRoom) -> None:
    first, second = room.receive(room.file(1)), room.receive(room.file(2))
    bob = room.receive(room.file(1), "bob")
    assert [(one.id, one.state, one.words) for one in room.rows()] == [
        (first.id, "withdrawn", f"replaced by submission {second.id} before its check"),
        (second.id, "received", ""),
        (bob.id, "received", ""),
    ]


@pytest.mark.costly
def test_what_cannot_be_an_agent_is_refused_with_one_sentence(room: HandInRoom) -> None:
    def in_file(name: str, content: bytes | str) -> Path:
        return folder(room.folder / f"bad-{len(list(room.folder.iterdir()))}", {name: content}) / name

    bomb = room.folder / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("agent.py", b"#" * 2 * MOST_BYTES + b"#")
    cases = {
        in_file("large.py", b"#" * (MOST_BYTES + 1024**2)): "'large.py': expected at most 33554432 bytes",
        bomb: "expected at most 64 MiB when unpacked, exceeded at 'agent.py'",
        zipped(room.folder / "out.zip", {"../../agent.py": "x"}): "it would write outside its folder",
        in_file("torn.zip", b"PK\x03\x04 torn"): "is not a zip that can be opened",
        in_file("notes.txt", "hello"): "notes.txt is not a Python file",
        in_file("agent.java", "class Agent {}"): "agent.java is a Java program",
        folder(room.folder / "two", {"a.py": "", "b.py": ""}): "the folder 'two' has no agent.py",
        in_file("new\nline.py", ""): "expected a file name of printable characters",
        zipped(room.folder / "inner.zip", {"new\nline.py": ""}): "expected a file name of printable characters",
    }
    for path, words in cases.items():
        one = room.receive(path)
        assert words in refused(one)
        assert one.source is None
        assert one.label.isprintable()
        assert str(room.folder) not in one.words
        assert "submission-0" not in one.words
    assert len(room.rows()) == len(cases)


@pytest.mark.parametrize(
    ("author", "agent", "words"),
    [
        ("", "", "author: expected a name, got ''"),
        ("a\x1b[31m", "", "author: expected a name of printable characters"),
        ("alice@2", "", "author: expected a name without '#' and '@'"),
        ("a" * 65, "", "author: expected a name of at most 64 characters"),
        ("alice", "b" * 60, "expected a name of at most 64 characters"),
        ("alice.second", "", "author: expected a name without a dot, got 'alice.second'"),
        ("alice", "x.y", "agent: expected a name without a dot, got 'x.y'"),
        ("Random", "", "'Random' is an anchor of ladder 'cs101': choose another name"),
        ("AlphaBeta", "", "author: 'AlphaBeta' is the name of a player in commands: choose another name"),
        ("stockfish", "", "author: 'stockfish' is the name of a player in commands"),
        ("human", "", "author: 'human' is the name of a player in commands"),
        ("mcts:rollouts=9", "", "author: expected a name without '=', got 'mcts:rollouts=9'"),
        ("cmd:engine", "", "author: expected a name without ':', got 'cmd:engine'"),
        ("../bob", "", "author: expected a name without a dot, got '../bob'"),
        ("a/b", "", "author: expected a name without '/', got 'a/b'"),
        ("a\\b", "", "author: expected a name without"),
        ("alice", "x,y", "agent: expected a name without ',', got 'x,y'"),
        ("alice--bob", "", "author: expected a name without '--', got 'alice--bob'"),
        ("-rf", "", "author: expected a name that does not start with '-', got '-rf'"),
        ("@all", "", "author: expected a name without '#' and '@'"),
        ("BOB", "", "ladder 'cs101' knows 'bob': write the name like that"),
        ("b\N{CYRILLIC SMALL LETTER O}b", "", "with Cyrillic and Latin letters"),
        ("alice", "\N{GREEK SMALL LETTER OMICRON}", "with Greek and Latin letters"),
    ],
)
def test_a_bad_name_is_an_error_and_leaves_no_row(room: HandInRoom, author: str, agent: str, words: str) -> None:
    room.receive(room.file(), "bob")
    with pytest.raises(BadSubmission) as error:
        room.receive(room.file(), author, agent=agent)
    assert words in str(error.value)
    assert len(room.rows()) == 1


@pytest.mark.parametrize("author", ["Ann Müller", "O'Brien", "Jean-Luc", "s1234567", "李雷", "mctsplayer"])
def test_ordinary_names_are_received(room: HandInRoom, author: str) -> None:
    assert room.receive(room.file(), author).author == author


def test_nothing_at_the_path_is_an_error_and_leaves_no_row(room: HandInRoom) -> None:
    with pytest.raises(BadSubmission, match=r"^no file or folder '.*nothing\.py'"):
        room.receive(room.folder / "nothing.py")
    with pytest.raises(BadSubmission):
        room.receive(room.folder / ("long" * 1000))
    assert not room.rows()


def test_the_ladder_takes_submissions_only_while_it_is_open(room: HandInRoom) -> None:
    room.now = OPENS - timedelta(seconds=1)
    assert "ladder 'cs101' is not open yet: it opens on 2026-11-01" in refused(room.receive(room.file()))
    room.now = CLOSES
    assert room.receive(room.file()).state == "received"
    assert "too late: submissions to ladder 'cs101' ended on 2026-12-20" in refused(room.receive(room.file(), after=1))
    with room.database.writing() as connection:
        ladder.extend(connection, room.opened.id, "alice", CLOSES + timedelta(days=1), reason="was ill", now=room.now)
    assert room.receive(room.file(1)).state == "received"
    assert "too late" in refused(room.receive(room.file(1), "bob"))
    with room.database.writing() as connection:
        store.create_tournament(
            *(connection, "cs101 final"), format="swiss", rules="nap", clock="none", seed=0, settings={}, now=room.now
        )
    assert refused(room.receive(room.file(2))) == "too late: the final of ladder 'cs101' has begun"


@pytest.mark.parametrize(
    ("begins", "takes", "counts"),
    [
        (-1, 0, -1),
        (-1, 3, -1),
        (-1, 60, -1),  # complete 59 s after the end
        (0, 60, 0),
        (-3600, 3660, -3600),  # hours do not matter, the 60 s after the end do
        (-1, 61.5, None),
        (-3600, 3660.5, None),
        (0.5, 0, None),
    ],
)
def test_an_upload_counts_from_its_request_if_it_is_complete_a_minute_after_the_end(
    room: HandInRoom, begins: float, takes: float, counts: float | None
) -> None:
    with room.database.writing() as connection:
        later = CLOSES + timedelta(days=1)
        ladder.extend(connection, room.opened.id, "bob", later, reason="was ill", now=room.now)
    room.now = CLOSES
    assert room.upload(b"", "bob", after=1).state == "received", "a later one of somebody else changes nothing"
    room.now = CLOSES + timedelta(seconds=begins)
    one = room.upload(b"", "alice", takes=takes)
    if counts is not None:
        assert (one.state, one.received) == ("received", CLOSES + timedelta(seconds=counts)), one.words
        return
    words = "too late: submissions to ladder 'cs101' ended on 2026-12-20 23:59 UTC"
    began = "; this upload began before, but was not complete 60 s after"
    assert refused(one) == words + (began if begins <= 0 else "")
    assert one.received == room.now


def test_an_upload_that_ends_in_an_extension_counts_from_its_request(room: HandInRoom) -> None:
    until = CLOSES + timedelta(days=1)
    with room.database.writing() as connection:
        ladder.extend(connection, room.opened.id, "alice", until, reason="was ill", now=room.now)
    room.now = until - timedelta(seconds=1)
    assert room.upload(b"", takes=30).received == until - timedelta(seconds=1)
    assert refused(room.upload(b"", takes=62)).startswith("too late")


def test_a_clock_that_was_set_back_changes_nothing(room: HandInRoom) -> None:
    room.now = CLOSES
    room.receive(room.file(), "bob")
    room.now = OPENS - timedelta(days=365)
    one = room.receive(room.file())
    assert (one.state, one.received) == ("received", CLOSES)


def test_a_clock_that_was_wrong_for_a_while_does_not_close_the_ladder(room: HandInRoom) -> None:
    room.now = CLOSES + timedelta(days=365)
    assert "too late" in refused(room.receive(room.file(), "Bob"))
    room.now = OPENS
    assert [room.receive(room.file(), author).state for author in ("alice", "bob")] == ["received", "received"]


def test_pause_burst_and_day_say_when_it_is_possible_again(tmp_path: Path) -> None:
    room = hand_in_room(tmp_path, limits='pause = "5m"\nburst = 2\nper_day = 3')
    with room.database:
        assert [room.receive(room.file(number)).state for number in range(2)] == ["received"] * 2
        words = refused(room.receive(room.file(2), after=60))
        assert words.startswith("at most one submission in 5 min, after the first 2: the next one is possible in 4 min")
        assert words.endswith(f", on {room.now + timedelta(minutes=4):%Y-%m-%d at %H:%M:%S UTC}")
        assert room.receive(room.file(2), after=240).state == "received"
        words = refused(room.receive(room.file(3), after=3600))
        assert words.startswith("at most 3 submissions in 24 hours: the next one is possible in 22 h 55 min, on 2026-")
        assert room.receive(room.file(3), "bob").state == "received"  # limits are each author's own
        assert room.receive(room.file(3), after=22 * 3600 + 55 * 60).state == "received"


@given(st.integers(1, 6), st.integers(1, 4), st.integers(0, 5), st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_the_bucket_is_that_of_a_plain_count_of_tokens(pause: int, burst: int, per_day: int, steps: list[int]) -> None:
    limits = HandInLimits(timedelta(hours=pause), burst, per_day)
    taken: list[datetime] = []
    tokens, now = float(burst), OPENS
    for step in steps:
        now += timedelta(hours=step)
        tokens = min(burst, tokens + step / pause)
        in_a_day = sum(now - one < timedelta(days=1) for one in taken)
        allowed = tokens > 1 - 1e-9 and not (per_day and in_a_day >= per_day)
        assert (too_often(taken, limits, now) == "") == allowed
        if allowed:
            tokens -= 1
            taken.append(now)


def test_a_pause_of_zero_is_no_limit() -> None:
    assert too_often([OPENS] * 50, HandInLimits(timedelta(), 1, 0), OPENS) == ""


def test_a_further_agent_of_an_author_needs_a_ladder_that_allows_it(tmp_path: Path) -> None:
    room = hand_in_room(tmp_path, agents=2)
    with room.database:
        assert room.receive(room.file()).author == "alice"
        assert room.receive(room.file(), agent="second").author == "alice.second"
        words = refused(room.receive(room.file(), agent="third"))
        assert words == "an author can have at most 2 agents on this ladder; alice has 'alice' and 'alice.second'"


def test_the_same_content_is_not_played_anew(room: HandInRoom) -> None:
    first = room.receive(room.file())
    words = refused(room.receive(room.file()))
    assert words == f"this is submission {first.id}, whose check is not over yet: nothing was changed"
    assert first.source is not None
    with room.database.writing() as connection:
        version = store.version(connection, "alice", first.source, "my_agent.py", OPENS)
        store.enter(connection, room.opened.id, "alice", version)
        ladder.change_submission(connection, first.id, SubmissionState.ENTERED, OPENS, version=version)
    words = refused(room.receive(room.file()))
    assert words == "this is version 1 of 'alice', which plays already: nothing was changed"
    waiting = room.receive(room.file(1))
    assert room.receive(room.file()).state == "received"  # back to the version that plays, instead of what waits
    assert {one.id: one.state for one in room.rows()}[waiting.id] == "withdrawn"
    with room.database.writing() as connection:
        (last,) = ladder.open_submissions(connection, room.opened.id)
        ladder.change_submission(connection, last.id, SubmissionState.ENTERED, OPENS, version=version)
        store.set_entry_status(connection, room.opened.id, "alice", "quarantined")
    assert room.receive(room.file()).state == "received"  # it was put aside, and may try again
    with room.database.writing() as connection:
        store.set_entry_status(connection, room.opened.id, "alice", "withdrawn")
    words = refused(room.receive(room.file(1)))
    assert words == "'alice' was withdrawn from ladder 'cs101' by the instructor"


def test_two_submissions_in_the_same_second_are_two_rows(room: HandInRoom) -> None:
    one, other = room.receive(room.file(1), "alice"), room.receive(room.file(1), "bob")
    assert one.received == other.received
    assert one.id < other.id
    assert replace(one, id=0, author="") == replace(other, id=0, author="")


# Uploads, which are opened later.


def opened_as(room: HandInRoom, one: StoredSubmission, source: str | None, wrong: str = "") -> StoredSubmission:
    """The row of an upload once it is known what is in it."""
    with room.database.writing() as connection:
        take_in(connection, room.opened, one.id, source, wrong, room.now)
        return ladder.submission(connection, one.id)


def test_an_upload_is_received_unopened_and_its_file_is_kept_before_the_row_is_there(room: HandInRoom) -> None:
    kept: list[tuple[int, int]] = []

    def keep(id: int) -> None:
        kept.append((id, len(room.rows())))

    one = announce(room.database, room.opened, "alice", "a.py", OPENS, begun=OPENS, keep=keep)
    assert (one.state, one.source, one.author, one.label, one.received) == ("received", None, "alice", "a.py", OPENS)
    assert kept == [(one.id, 0)]
    with pytest.raises(OSError, match="the disk is full"):
        announce(room.database, room.opened, "bob", "a.py", OPENS, begun=OPENS, keep=fail_to_keep)
    assert len(room.rows()) == 1
    with pytest.raises(BadSubmission, match="author: expected a name without a dot"):
        announce(room.database, room.opened, "../bob", "a.py", OPENS, begun=OPENS, keep=keep)
    with pytest.raises(BadSubmission, match="ladder 'cs101' knows 'alice'"):
        announce(room.database, room.opened, "ALICE", "a.py", OPENS, begun=OPENS, keep=keep)
    assert len(kept) == 1


def fail_to_keep(id: int) -> None:
    raise OSError("the disk is full")


def test_an_upload_has_the_limits_of_all_hand_ins(tmp_path: Path) -> None:
    room = hand_in_room(tmp_path, limits='pause = "5m"\nburst = 2\nper_day = 0', closes=OPENS + timedelta(hours=1))
    with room.database:
        assert room.receive(room.file()).state == "received"
        second = room.upload(b"1")
        assert "at most one submission in 5 min" in refused(room.upload(b"2"))
        room.now += timedelta(seconds=1)
        assert refused(opened_as(room, second, None, "it is a picture")) == "it is a picture"
        words = refused(room.upload(b"3", after=60))
        assert "the next one is possible in 3 min 59 s" in words, "it was opened, so it counts"
        words = refused(room.upload(b"4", after=60, label="a\n.py"))
        assert "the next one is possible in 2 min 59 s" in words, "what was refused at once does not count"
        again = room.upload(b"5", after=179)
        assert again.state == "received"
        room.now += timedelta(seconds=1)
        assert "whose check is not over yet" in refused(opened_as(room, again, room.rows()[0].source))
        assert "the next one is possible in 4 min 59 s" in refused(room.upload(b"6"))
        assert "an author can have at most 1 agent" in refused(room.upload(b"4", agent="second"))
        assert "too late: submissions to ladder 'cs101' ended" in refused(room.upload(b"5", "bob", after=3601))


def test_time_does_not_run_back_before_an_upload_that_was_opened_and_refused(room: HandInRoom) -> None:
    room.now = OPENS + timedelta(days=1)
    one = room.upload(b"1")
    room.now += timedelta(seconds=1)
    assert opened_as(room, one, None, "it is a picture").state == "refused"
    room.now = OPENS
    assert room.upload(b"2", "bob").received == one.received


def test_the_newest_upload_replaces_those_before_it_only_if_it_is_good(room: HandInRoom) -> None:
    first, second, third = room.upload(b"1"), room.upload(b"2"), room.upload(b"3")
    assert opened_as(room, first, "1" * 64).state == "received"
    assert opened_as(room, second, None, "it is a picture").state == "refused"
    assert [one.state for one in room.rows()] == ["received", "refused", "received"]
    assert opened_as(room, third, "3" * 64).state == "received"
    assert [one.state for one in room.rows()] == ["withdrawn", "refused", "received"]
    fourth, fifth = room.upload(b"4"), room.receive(room.file())
    assert [one.state for one in room.rows()][3:] == ["withdrawn", "received"]
    assert opened_as(room, fourth, "4" * 64).state == "withdrawn", "it was replaced before it was opened"
    with room.database.reading() as connection:
        submissions = [what for _, what in ladder_results.contradictions(connection) if "submission" in what]
    assert submissions == []
    assert fifth.source is not None


def test_the_same_content_again_is_found_when_it_is_opened(room: HandInRoom) -> None:
    first = room.receive(room.file())
    again, newer = room.upload(b"again"), room.upload(b"newer")
    words = refused(opened_as(room, again, first.source))
    assert words == f"this is submission {first.id}, whose check is not over yet: nothing was changed"
    assert opened_as(room, newer, "1" * 64).source == "1" * 64
    assert opened_as(room, newer, "2" * 64).source == "1" * 64, "it is opened once"
    last = room.upload(b"last")
    assert refused(opened_as(room, last, "1" * 64)).startswith(f"this is submission {newer.id}")


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("agent.py", "agent.py"),
        ("../../x.py", "x.py"),
        ("a/b.py", "b.py"),
        ("C:\\Users\\ann\\agent.zip", "agent.zip"),
        ("/dev/zero", "zero"),
        ("CON", "CON"),
        ("-rf", "-rf"),
        ("Ähre 1.py", "Ähre 1.py"),
    ],
)
def test_an_uploaded_file_has_a_name_without_folders(room: HandInRoom, label: str, name: str) -> None:
    assert file_name(label) == name
    assert room.upload(b"x", label=label).label == name


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("", "expected the name of a file, got ''"),
        (".", "expected the name of a file, got '.'"),
        ("a/..", "expected the name of a file, got 'a/..'"),
        ("a\0.py", "expected a file name of printable characters"),
        ("a\n.py", "expected a file name of printable characters"),
        ("a\ud800.py", "expected a file name of printable characters"),
        ("a\N{RIGHT-TO-LEFT OVERRIDE}yp.exe", "expected a file name of printable characters"),
        (f"{'a' * 297}.py", "expected a file name of at most 200 bytes, got 300; rename the file"),
    ],
)
def test_an_upload_whose_name_no_file_can_have_is_refused_and_not_kept(
    room: HandInRoom, label: str, words: str
) -> None:
    one = room.upload(b"x", label=label)
    assert refused(one) == words
    assert one.label.isprintable()
    assert len(one.label) <= 200
    assert [*(room.store.folder / ".uploads").iterdir()] == []


@pytest.mark.parametrize(
    ("kind", "more", "what"),
    [
        (None, "", ""),
        (WallKind.LIMITS, "", "agents are behind limits only"),
        (None, '[languages.c]\nwalls = "limits"', "agents in [languages.c] are behind limits only"),
        (None, '[languages.c]\nbuild_walls = "limits"', "builds in [languages.c] are behind limits only"),
    ],
)
def test_no_uploads_are_taken_where_limits_are_all_that_confines_an_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: WallKind | None, more: str, what: str
) -> None:
    def offer(wanted: WallKind) -> probe.Offer:
        return probe.Offer(wanted, wanted is not WallKind.CONTAINER)

    monkeypatch.setattr(probe, "offer", offer)
    room = hand_in_room(tmp_path, more=more)
    with room.database:
        league = room.opened.ladder.league
        league = dataclasses.replace(league, conditions=replace(league.conditions, walls=kind))
        opened = replace(room.opened, ladder=replace(room.opened.ladder, league=league))
        why = why_no_hand_ins(opened, trusts_everybody=False)
        assert why_no_hand_ins(opened, trusts_everybody=True) == ""
    assert (what in why) if what else why == ""
    assert why == "" or "--trust-everybody" in why


def test_without_a_sandbox_no_uploads_are_taken(room: HandInRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "offer", lambda kind: probe.Offer(kind, kind is WallKind.LIMITS, "no Landlock"))
    assert why_no_hand_ins(room.opened, trusts_everybody=False).startswith("no agents are taken over the web: agents")
    assert why_no_hand_ins(room.opened, trusts_everybody=True) == ""


@pytest.mark.costly
def test_two_processes_cannot_pass_the_same_limit(tmp_path: Path, postgres: Server) -> None:
    where = postgres.new_database()
    room = hand_in_room(tmp_path, limits="pause = 0\nper_day = 1", where=where)
    files = [room.file(number) for number in range(2)]
    barrier = Barrier(2)

    def hand_in(file: Path, author: str) -> str:
        with Database(where) as database:
            barrier.wait()
            return receive(database, room.store, room.opened, file, author, OPENS).state

    with room.database, ThreadPoolExecutor(2) as threads:
        for author in ("alice", "bob", "carol"):
            states = threads.map(hand_in, files, (author, author))
            assert sorted(states) == ["received", "refused"]


def test_a_source_brings_the_files_that_it_includes_over_both_ways(tmp_path: Path) -> None:
    """On this machine, and packed for a page server: the same agent, so the second one changes nothing."""
    needs.program("node")
    room = hand_in_room(tmp_path, more="[languages.js]\n")
    place = folder(tmp_path / "mine", {"bot.js": "require('./rules.js')", "rules.js": "exports.x = 1", "other.js": ""})
    sent = packed(place / "bot.js")
    assert (sent.name, zipfile.ZipFile(io.BytesIO(sent.content)).namelist()) == ("bot.zip", ["bot.js", "rules.js"])
    (tmp_path / sent.name).write_bytes(sent.content)
    assert packed(place / "other.js").name == "other.js"
    with room.database:
        first, second = room.receive(place / "bot.js", "alice"), room.receive(tmp_path / sent.name, "alice")
        assert first.source is not None
        files = {name for name in room.store.read(first.source) if name.startswith("files/")}
        assert files == {"files/bot.js", "files/rules.js"}
        assert first.state == SubmissionState.RECEIVED
        assert (second.state, "whose check is not over yet" in second.words) == (SubmissionState.REFUSED, True)


# Token buckets: one a key, refilled by time alone, and never more than are kept.


MINUTE = timedelta(minutes=1)


def test_a_burst_is_allowed_and_then_one_each_pause() -> None:
    buckets = Buckets(Bucket(MINUTE, 3))
    assert [buckets.take("ann", NOW) for _ in range(3)] == [None] * 3
    assert buckets.take("ann", NOW) == NOW + MINUTE
    assert buckets.take("ann", NOW + MINUTE - timedelta(seconds=1)) == NOW + MINUTE
    assert buckets.take("ann", NOW + MINUTE) is None
    assert buckets.take("ann", NOW + MINUTE) == NOW + 2 * MINUTE


def test_a_refusal_takes_nothing_and_a_bucket_is_never_fuller_than_full() -> None:
    buckets = Buckets(Bucket(MINUTE, 2))
    for _ in range(50):
        buckets.take("ann", NOW)
    later = NOW + 60 * MINUTE
    assert [buckets.take("ann", later) for _ in range(3)] == [None, None, later + MINUTE]


def test_every_key_has_its_own() -> None:
    buckets = Buckets(Bucket(MINUTE, 1))
    assert [buckets.take(key, NOW) for key in ("ann", "bob", 7, "ann")] == [None, None, None, NOW + MINUTE]


def test_of_very_many_keys_the_oldest_are_forgotten_and_full_ones_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submissions, "_MOST_KEYS", 8)
    buckets = Buckets(Bucket(MINUTE, 1))
    for number in range(1000):
        assert buckets.take(number, NOW) is None
        assert len(buckets._full) <= 8
    assert buckets.take(999, NOW) is not None
    for number in range(8):
        buckets.take(-number, NOW + 2 * MINUTE)
    assert buckets.take(999, NOW + 2 * MINUTE) is None
