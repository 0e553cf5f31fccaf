"""The intake: real processes open real uploads, hostile ones too, and are killed at every step."""

from __future__ import annotations

import io
import os
import select
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
import pytest

from arena.play.helper import HelperLimits
from arena.serve.intake import MOST_INTERRUPTIONS, WITHIN, IntakeProcess, IntakeSettings
from arena.walls import usage
from arena.walls.run_folder import RunFolder
from db import ladder
from db.ladder import StoredSubmission
from tests.kit import needs
from tests.kit.behind_walls import need
from tests.kit.built_agent import DEFAULTS
from tests.kit.effort import PATIENCE, SOAK
from tests.kit.hand_in_room import AGENT, HandInRoom, hand_in_room
from tests.kit.places import ROOT
from tests.kit.postgres_server import Server

SCRIPT: Final = '[languages.sh]\nbuild = "sh ./agent.sh"\nrun = "./agent"\nbuild_walls = "limits"\n'
"""A language whose build runs a script of the upload."""


def agent(number: int = 0) -> bytes:
    return AGENT.replace("{number}", str(number)).encode()


def zipped(files: dict[str, bytes]) -> bytes:
    place = io.BytesIO()
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return place.getvalue()


def zip_of(entries: list[tuple[bytes, bytes, int]]) -> bytes:
    """A zip made by hand, with compressed contents of any claimed size: names, contents, sizes."""
    body, directory = bytearray(), bytearray()
    for name, packed, size in entries:
        fields = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, 0, len(packed), size, len(name), 0)
        directory += b"PK\1\2" + struct.pack("<H", 20) + fields + struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + name
        body += b"PK\3\4" + fields + name + packed
    end = struct.pack("<HHHHIIH", 0, 0, len(entries) % 65536, len(entries) % 65536, len(directory), len(body), 0)
    return bytes(body + directory + b"PK\5\6" + end)


def four_gigabytes_of_zeros() -> bytes:
    """In 4 MB."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = packer.compress(bytes(1024**2)) + packer.flush(zlib.Z_FULL_FLUSH)
    return zip_of([(b"agent.py", piece * 4095 + packer.flush(), 2**32 - 2**20)])


@dataclass
class Room:
    """A ladder, and the folder of a run."""

    hand_ins: HandInRoom
    folder: RunFolder

    def start(self, *, within: float = WITHIN) -> IntakeProcess:
        hand_ins = self.hand_ins
        return IntakeProcess(self.folder, hand_ins.database, hand_ins.store, hand_ins.opened.name, within=within)

    def open_all(self, *, within: float = WITHIN, more: Callable[[IntakeProcess], None] = lambda _: None) -> None:
        """Runs an intake until no upload waits; then it has no process, no file of it is left, and no upload."""
        intake = self.start(within=within)
        try:
            self.wait_for(intake)
            more(intake)
            assert usage.descendants(intake.pid) == set()
        finally:
            intake.end()
        assert [*self.folder.scratch.iterdir()] == []
        assert [*(self.hand_ins.store.folder / ".uploads").iterdir()] == []

    def wait_for(self, link: socket.socket | IntakeProcess) -> None:
        """Until the intake at the other end of the link has opened all uploads."""
        while self._waits():
            assert select.select([link], [], [], PATIENCE)[0]
            assert link.recv(100) if isinstance(link, socket.socket) else link.read(), "it has ended"

    def _waits(self) -> bool:
        with self.hand_ins.database.reading() as connection:
            return bool(ladder.unopened(connection))

    def rows(self) -> list[StoredSubmission]:
        return self.hand_ins.rows()


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    hand_ins = hand_in_room(tmp_path, more=SCRIPT)
    with hand_ins.database, RunFolder() as folder:
        yield Room(hand_ins, folder)


def in_order(room: Room, uploads: dict[str, tuple[str, bytes]]) -> dict[str, StoredSubmission]:
    """Each upload (its file's name and content), opened: by what it is."""
    rows = {}
    for number, (what, (label, content)) in enumerate(uploads.items()):
        one = room.hand_ins.upload(content, f"author{number}", label=label)
        rows[one.id] = what
    room.open_all()
    return {rows[one.id]: one for one in room.rows()}


# What is in an upload.


def test_a_file_and_a_zip_are_opened_and_stored_like_those_of_the_command(room: Room) -> None:
    in_zip = zipped({"mine/agent.py": agent(), "mine/weights.txt": b"1 2 3"})
    assert room.hand_ins.upload(agent(1), "alice", label="../../my_agent.py").source is None
    room.hand_ins.upload(in_zip, "bob", label="hand in.zip")
    room.hand_ins.upload(b"def choose(:", "dora")

    def is_nice(intake: IntakeProcess) -> None:
        assert os.getpriority(os.PRIO_PROCESS, intake.pid) >= min(19, os.getpriority(os.PRIO_PROCESS, 0) + 10)

    room.open_all(more=is_nice)
    alice, bob, dora = room.rows()
    assert (alice.state, alice.label, alice.interruptions) == ("received", "my_agent.py", 0)
    assert (bob.state, bob.label) == ("received", "hand in.zip")
    assert (dora.state, dora.words) == ("received", ""), "a syntax error is for the check"
    by_command = room.hand_ins.receive(room.hand_ins.file(1), "carol")
    assert alice.source == by_command.source
    assert set(room.hand_ins.store.read(str(bob.source))) == {"agent.py", "weights.txt"}


@pytest.mark.costly
def test_what_cannot_be_an_agent_is_refused_with_one_sentence(room: Room) -> None:
    link = zipfile.ZipInfo("agent.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    place = io.BytesIO()
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    nested = zipped({"agent.py": agent()})
    for _ in range(10):
        nested = zipped({"inner.zip": nested})
    many = zip_of([(b"%d.py" % number, b"\3\0", 0) for number in range(300_000 if SOAK else 60_000)])
    too_many = zipped({"agent.py": agent(), **{f"data/{number}": b"" for number in range(1999)}})
    cases = {
        "zeros": ("a.zip", four_gigabytes_of_zeros(), "expected at most 64 MiB when unpacked, exceeded at 'agent.py'"),
        "too many": ("a.zip", too_many, "expected at most 2000 files and folders in one submission, got more"),
        "nested": ("a.zip", nested, "is a zip archive"),
        "many": ("a.zip", many, "expected at most 10,000 files and folders in a zip, got more"),
        "links": ("a.zip", place.getvalue(), "'agent.py' is a link: expected files and folders"),
        "outside": ("a.zip", zipped({"../../x": b"1"}), "it would write outside its folder, to '../../x'"),
        "torn": ("a.zip", b"PK\3\4 torn", "is not a zip that can be opened"),
        "device": ("/dev/zero", b"1", "zero has no file extension"),
        "program": ("a.sh", b"exit 1", "the build failed (1)"),
        "unknown": ("a.java", b"class A {}", "a.java is a Java program"),
        "deep": ("a.zip", zipped({"d/" * 500 + "agent.py": agent()}), "the folder 'd' has no agent.py"),
    }
    rows = in_order(room, {what: (label, content) for what, (label, content, _) in cases.items()})
    for what, (_, _, words) in cases.items():
        one = rows[what]
        assert (one.state, one.source) == ("refused", None), what
        assert words in one.words, what
        assert one.words.isprintable()
        assert str(room.folder.scratch) not in one.words
        assert "handed-in" not in one.words


@pytest.mark.costly
@pytest.mark.parametrize("language", ["c", "java"])
def test_agents_in_other_languages_are_built_by_the_helper(tmp_path: Path, language: str) -> None:
    need(DEFAULTS[language].build_walls)
    needs.program(DEFAULTS[language].build[0])
    sources = {
        "c": b"int main(void) { return 0; }\n",
        "java": b"class Agent { public static void main(String[] a) {} }\n",
    }
    hand_ins = hand_in_room(tmp_path, more=f"[languages.{language}]\n")
    with hand_ins.database, RunFolder() as folder:
        room = Room(hand_ins, folder)
        files = 1900 if SOAK else 300  # each is synced to the disk
        more = {f"data/{number}.bin": os.urandom(30_000_000 // files) for number in range(files)}
        rows = in_order(room, {"agent": ("a.zip", zipped({f"agent.{language}": sources[language], **more}))})
    assert rows["agent"].words == ""
    assert rows["agent"].source is not None


def test_a_build_that_takes_for_ever_is_ended_with_all_that_it_started(room: Room) -> None:
    room.hand_ins.upload(b"setsid sleep 1000 & sleep 1000 & wait", label="agent.sh")
    room.open_all(within=2.0)
    (one,) = room.rows()
    assert one.state == "refused"
    assert one.words.startswith("opening and building it took longer than 2 s; hand in only the files that the")


def test_a_missing_or_damaged_file_is_refused(room: Room) -> None:
    missing, short = room.hand_ins.upload(agent()), room.hand_ins.upload(agent(), "bob")
    uploads = room.hand_ins.store.folder / ".uploads"
    (uploads / str(missing.id)).unlink()
    os.truncate(uploads / str(short.id), 100)
    room.open_all()
    assert [(one.state, one.words) for one in room.rows()] == [
        ("refused", "the uploaded file is not on the server any more: hand it in again"),
        ("refused", "the uploaded file is not complete on the server: hand it in again"),
    ]


@pytest.mark.costly
def test_forty_uploads_are_opened_in_their_order(room: Room) -> None:
    for number in range(40):
        room.hand_ins.upload(agent(number), f"author{number}")
    room.open_all()
    rows = room.rows()
    assert {(one.state, one.words) for one in rows} == {("received", "")}
    assert len({one.source for one in rows}) == 40
    changed = [one.changed for one in rows]
    assert changed == sorted(changed)


def test_authors_take_turns(tmp_path: Path) -> None:
    hand_ins = hand_in_room(tmp_path, agents=2)
    with hand_ins.database, RunFolder() as folder:
        room = Room(hand_ins, folder)
        for name in ("alice", "alice", "alice.two", "bob", "bob", "carol"):
            author, _, second = name.partition(".")
            hand_ins.upload(b"", author, label="picture.png", agent=second)
        room.open_all()
        opened = sorted(room.rows(), key=lambda one: one.changed)
    assert [one.author for one in opened] == ["alice", "bob", "carol", "alice", "bob", "alice.two"]


def test_an_author_whose_uploads_are_refused_has_limits(tmp_path: Path) -> None:
    hand_ins = hand_in_room(tmp_path, limits="pause = 0\nper_day = 3")
    with hand_ins.database, RunFolder() as folder:
        room = Room(hand_ins, folder)
        for content in (agent(1), agent(1), b""):
            hand_ins.upload(content, label="agent.py" if content else "picture.png")
        room.open_all()
        assert [one.state for one in room.rows()] == ["received", "refused", "refused"]
        for _ in range(2):
            assert hand_ins.upload(agent(2)).words.startswith("at most 3 submissions in 24 hours")
        assert hand_ins.upload(agent(2), after=24 * 3600).state == "received"


def test_an_upload_that_is_replaced_before_it_is_opened(room: Room) -> None:
    room.hand_ins.upload(agent(1), "alice")
    room.hand_ins.upload(agent(2), "alice")
    room.hand_ins.upload(agent(1), "bob")
    room.hand_ins.upload(b"", "bob", label="picture.png")
    room.hand_ins.upload(agent(1), "carol")
    room.hand_ins.upload(agent(1), "carol")
    room.open_all()
    assert [(one.author, one.state) for one in room.rows()] == [
        *(("alice", "withdrawn"), ("alice", "received")),
        *(("bob", "received"), ("bob", "refused")),
        *(("carol", "received"), ("carol", "refused")),
    ]
    assert room.rows()[-1].words == "this is submission 5, whose check is not over yet: nothing was changed"


def test_uploads_on_postgres(tmp_path: Path, postgres: Server) -> None:
    hand_ins = hand_in_room(tmp_path, where=postgres.new_database())
    with hand_ins.database, RunFolder() as folder:
        room = Room(hand_ins, folder)
        for content in (agent(1), b"def choose(", agent(2), agent(2)):
            hand_ins.upload(content)
        room.open_all()
        assert [one.state for one in room.rows()] == ["withdrawn", "withdrawn", "received", "refused"]


# Killed.


class Patched:
    """An intake whose code was changed by the test, also where it opens an upload; it runs until it ends."""

    def __init__(self, room: Room, patch: str) -> None:
        folder = Path(tempfile.mkdtemp(dir=room.hand_ins.folder))
        (folder / "patched.py").write_text(PATCHED.format(patch=patch))
        self.link, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "arena.play.helper", "patched:open_uploads"],
                stdin=theirs.fileno(),
                env=os.environ | {"PYTHONPATH": f"{ROOT}:{folder}"},
            )
        hand_ins = room.hand_ins
        settings = IntakeSettings(
            database=hand_ins.database.address.render_as_string(hide_password=False),
            store=str(hand_ins.store.folder),
            ladder=hand_ins.opened.name,
            scratch=str(room.folder.scratch),
            within=WITHIN,
        )
        for job in (HelperLimits(finishes=True), settings):
            self.link.sendall(msgspec.json.encode(job) + b"\n")

    def ended(self) -> int:
        """Its exit code; negative: the signal that ended it."""
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.link.close()

    def hang_up(self) -> None:
        """The director ends."""
        self.link.close()


PATCHED: Final = """
import os, resource, signal
from types import SimpleNamespace
from arena.play.helper import HelperLimits
from arena.serve import intake, spool

opens = spool.open_upload
def open_upload(asker):
    opens(asker)
intake.open_upload = open_upload
open_uploads = intake.open_uploads
{patch}
"""
"""Both the intake and what opens an upload import this."""
KILLS: Final = """
begin = intake.Intake._begin
def noted(*given):
    global now
    now = begin(*given)
    kill("before the note in the row is committed", os.getpid())
    return now
intake.Intake._begin = noted

def kill(step, process):
    if now.author == {author!r} and step == {step!r}:
        os.kill(process, signal.SIGKILL)
        signal.pause()

def around(place, name, before, after, process):
    does = getattr(place, name)
    def done(*given, **named):
        kill(before, process())
        found = does(*given, **named)
        kill(after, process())
        return found
    setattr(place, name, done)

around(intake, "Helper", "before it starts a helper", "when it has started one", os.getpid)
around(spool, "stored", "before the agent is stored", "when the agent is stored", os.getppid)
around(intake, "take_in", "before the row", "before the row is committed", os.getpid)
around(intake.Spool, "remove", "after the row", "after the file is removed", os.getpid)

find = spool._opened
def found(upload):
    global now
    now = upload
    return find(upload)
spool._opened = found
"""
"""Kills the intake at this step of this author's upload."""
STEPS: Final = (
    "before the note in the row is committed",
    "before it starts a helper",
    "when it has started one",
    "before the agent is stored",
    "when the agent is stored",
    "before the row",
    "before the row is committed",
    "after the row",
    "after the file is removed",
)


@pytest.mark.costly
def test_an_intake_that_is_killed_at_any_step_opens_every_upload_exactly_once(room: Room) -> None:
    for number, step in enumerate(STEPS):
        one = room.hand_ins.upload(agent(number), f"author{number}")
        assert Patched(room, KILLS.format(author=one.author, step=step)).ended() == -signal.SIGKILL, step
        is_opened = step.startswith("after")
        last = room.rows()[-1]
        assert (last.source is not None) == is_opened, step
        assert last.interruptions == (not is_opened and step != STEPS[0]), step
    for left in (room.hand_ins.store.folder / ".uploads").iterdir():
        os.utime(left, (0, 0))
    room.hand_ins.upload(agent(99), "last")
    room.open_all()
    rows = room.rows()
    assert {(row.state, row.interruptions) for row in rows} == {("received", 0)}
    assert len({row.source for row in rows}) == len(STEPS) + 1
    for row in rows:
        room.hand_ins.store.verify(str(row.source))


@pytest.mark.costly
def test_no_upload_is_refused_however_often_the_server_is_killed(room: Room) -> None:
    """From the third kill on, those of others are opened before it."""
    one = room.hand_ins.upload(agent())
    for number in range(1, MOST_INTERRUPTIONS + 3):
        room.hand_ins.upload(agent(number), f"author{number}")
        assert Patched(room, KILLS.format(author=one.author, step="when the agent is stored")).ended() < 0
        is_last = number > MOST_INTERRUPTIONS
        assert [each.is_unopened for each in room.rows()[1:]] == [not is_last] * number
        assert room.rows()[0].interruptions == number
    room.hand_ins.upload(agent(99), "last")
    room.open_all()
    assert {(row.state, row.interruptions) for row in room.rows()} == {("received", 0)}
    assert max(room.rows(), key=lambda row: row.changed).id == one.id


@pytest.mark.costly
def test_a_helper_that_ends_by_itself_once_is_not_the_fault_of_its_upload(room: Room) -> None:
    room.hand_ins.upload(agent())
    mark = str(room.hand_ins.folder / "mark")
    intake = Patched(
        room,
        f"""
does = spool.stored
def once(*given, **named):
    if not os.path.exists({mark!r}):
        open({mark!r}, "x")
        os.kill(os.getpid(), signal.SIGKILL)
    return does(*given, **named)
spool.stored = once
""",
    )
    room.wait_for(intake.link)
    intake.hang_up()
    assert intake.ended() == 0
    assert os.path.exists(mark)
    assert [(row.state, row.source is None, row.interruptions) for row in room.rows()] == [("received", False, 0)]


@pytest.mark.costly
def test_the_end_of_the_director_ends_the_helper_and_does_not_count_against_the_upload(room: Room) -> None:
    room.hand_ins.upload(agent())
    begun = room.hand_ins.folder / "begun"
    os.mkfifo(begun)
    intake = Patched(
        room, f"spool.stored = lambda *_, **__: (open({str(begun)!r}, 'w').write(str(os.getpid())), signal.pause())"
    )
    child = os.pidfd_open(int(begun.read_text()))
    assert room.rows()[0].interruptions == 1
    intake.hang_up()
    assert intake.ended() == 0
    assert select.select([child], [], [], PATIENCE)[0]
    os.close(child)
    assert [(one.state, one.source, one.interruptions) for one in room.rows()] == [("received", None, 0)]
    room.open_all()
    assert room.rows()[0].source is not None


FAILING: Final = {
    "os.kill(os.getpid(), signal.SIGKILL)": (
        "the process that opens it ended twice by itself (SIGKILL); hand in only the files that the agent needs; it is "
        "not known whether the agent is to blame"
    ),
    "[0 for _ in iter(int, 1)]": "opening and building it took longer than 300 s; hand in only the files that the",
    "bytes(2**31)": "opening it took more than 1,024 MiB of memory; hand in only the files",
    "does('again')": "the server could not open it (RecursionError); it is not known whether",
    "fails(OSError(28, 'No space left on device'))": "the server could not open it (No space left on device); it",
    "fails(spool.ArenaError('no program gcc on this machine'))": (
        "no program gcc on this machine. This is not a fault of the agent: tell your instructor"
    ),
    "os.closerange(3, 200)": "the process that opens it ",  # or it is ended before it ends
    "('../../etc', '')": "the process that opens it ended twice by itself (without an answer)",
    "('0' * 64, '')": "the process that opens it ended twice by itself (without an answer)",
    "(None, 'x' * 2**20)": "the process that opens it ",
    "(None, 'a\\x1b[31m' + 'x' * 5000)": "a\\x1b[31mxxxx",
}
"""What a helper does instead of storing an agent, and the words in its row."""


@pytest.mark.costly
def test_a_helper_that_fails_is_words_in_the_row_and_the_intake_goes_on(room: Room) -> None:
    for number, code in enumerate(FAILING):
        room.hand_ins.upload(code.encode(), f"author{number}")
    patch = """
def fails(error):
    raise error
def does(code):
    return does(code) if code == "again" else eval(code)
intake._LIMITS = HelperLimits(resources={**intake._LIMITS.resources, resource.RLIMIT_CPU: 1})
spool.stored = lambda store, path, *_, **__: does(path.read_text())
"""
    intake = Patched(room, patch)
    room.wait_for(intake.link)
    for (code, words), one in zip(FAILING.items(), room.rows(), strict=True):
        assert one.state == "refused", code
        assert one.words.startswith(words), code
        assert len(one.words) <= 1000
        assert one.words.isprintable()
    intake.hang_up()
    assert intake.ended() == 0
