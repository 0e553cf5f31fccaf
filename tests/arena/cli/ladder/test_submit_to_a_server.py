"""`arena submit --to`: what is sent to a page server, what its user reads, and what no server can make it do."""

from __future__ import annotations

import io
import json
import re
import socket
import subprocess
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
from msgspec.structs import replace

from arena.serve import spool
from arena.serve.submissions import SubmissionDocument
from arena.student.checking import CheckStep, Light, StepName
from db.ladder import SubmissionState, VersionGame
from tests.kit import needs
from tests.kit.answering_server import AnsweringServer, Given
from tests.kit.arena_program import Ended, arena

TOKEN = "at_" + "x" * 43
RECEIVED = SubmissionDocument(
    submission=7,
    ladder="cs101",
    agent="alice",
    file="my_agent.py",
    game="nap",
    clock="5+0.1",
    state=SubmissionState.RECEIVED,
    words="",
    ahead=1,
    steps=(),
)
STEPS = (
    CheckStep(name=StepName.FOUND, light=Light.GOOD, seconds=0.1, message="my_agent.py"),
    CheckStep(name=StepName.STARTS, light=Light.GOOD, seconds=0.2, message="in a sandbox"),
)
ENTERED = replace(RECEIVED, state=SubmissionState.ENTERED, ahead=None, steps=STEPS, version=3, status="active")
GAME = VersionGame(id=15, number=12, opponent="random", points=1.0, verdict="normal")
REFUSED = replace(RECEIVED, state=SubmissionState.REFUSED, words="too late: submissions ended", ahead=None)


def said(document: SubmissionDocument, status: int = 200) -> Given:
    return Given(status=status, body=msgspec.json.encode(document), headers={"Content-Type": "application/json"})


def error(status: int, text: str, **headers: str) -> Given:
    body = json.dumps({"error": text}).encode()
    return Given(status=status, body=body, headers={"Content-Type": "application/json"} | headers)


@pytest.fixture(autouse=True)
def _nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    for name in ("ARENA_SERVER", "ARENA_TOKEN"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    path = tmp_path / "my_agent.py"
    path.write_text("print('an agent')\n")
    return path


def submitted(address: str, path: Path, *options: str, token: str = TOKEN) -> Ended:
    return arena("submit", str(path), "--to", address, "--token", token, *options)


def to_one_that_says(path: Path, *answers: Given, options: tuple[str, ...] = ()) -> tuple[Ended, AnsweringServer]:
    server = AnsweringServer(answers)
    with server.running() as address:
        return submitted(address, path, *options), server


# What is sent.


def test_the_bytes_of_the_file_are_sent_with_its_name_and_the_token(agent: Path) -> None:
    ended, server = to_one_that_says(agent, said(RECEIVED, 201), options=("--agent", "second one"))
    assert (ended.code, ended.err) == (0, "")
    received, page = ended.out.splitlines()
    assert received == "submission 7 of alice is received by ladder cs101; 1 other is before it"
    assert re.fullmatch(r"its page: http://127\.0\.0\.1:\d+/s/7", page)
    (asked,) = server.asked
    place = urlsplit(asked.path)
    assert (asked.method, place.path) == ("POST", "/api/v1/submissions")
    assert parse_qs(place.query) == {"file": ["my_agent.py"], "agent": ["second one"]}
    assert asked.headers["Authorization"] == f"Bearer {TOKEN}"
    assert asked.body == agent.read_bytes()


def test_server_and_token_come_from_the_environment(agent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = AnsweringServer([said(RECEIVED, 201)])
    with server.running() as address:
        monkeypatch.setenv("ARENA_SERVER", f"{address}/")
        monkeypatch.setenv("ARENA_TOKEN", TOKEN)
        ended = arena("submit", str(agent), "--format", "json")
        assert ended.code == 0
        (row,) = json.loads(ended.out)
        assert (row["submission"], row["state"], row["ahead"], row["running"]) == (7, "received", 1, True)
        ended = arena("submit", str(agent), "--as", "alice")
    assert ended.code == 2
    assert ended.err.startswith("arena: expected --as or --to, which is set by $ARENA_SERVER, got both: ")
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("given", "wrong", "meant"),
    [("ARENA_SERVER", "ARENA_TOKN", "ARENA_TOKEN"), ("ARENA_OTHER", "ARENA_SEVER", "ARENA_SERVER")],
)
def test_a_typo_of_an_environment_variable_is_named(
    monkeypatch: pytest.MonkeyPatch, given: str, wrong: str, meant: str
) -> None:
    monkeypatch.setenv(given, "http://127.0.0.1:1")
    monkeypatch.setenv(wrong, "x")
    ended = arena("submit", "a.py", columns=200)
    assert ended.code == 2
    assert ended.err.startswith(f"arena: the environment variable {wrong} is set; did you mean {meant}?")


def test_a_folder_is_sent_as_a_zip_without_what_is_hidden_and_without_links(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    (folder / "nets" / "__pycache__").mkdir(parents=True)
    (folder / ".git").mkdir()
    for name in ("agent.py", "nets/net.bin", "nets/__pycache__/x.pyc", ".git/config", ".token"):
        (folder / name).write_text(name)
    (folder / "net.bin").symlink_to("nets/net.bin")
    _, server = to_one_that_says(folder, said(RECEIVED, 201))
    (asked,) = server.asked
    assert "file=mine.zip" in asked.path
    with zipfile.ZipFile(io.BytesIO(asked.body)) as archive:
        assert {name: archive.read(name).decode() for name in archive.namelist()} == {
            "agent.py": "agent.py",
            "nets/net.bin": "nets/net.bin",
            "net.bin": "nets/net.bin",
        }


def test_what_cannot_be_sent_is_refused_before_anything_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, folder = tmp_path / "secret", tmp_path / "mine"
    secret.write_text("a key")
    folder.mkdir()
    (tmp_path / "empty").mkdir()
    (folder / "agent.py").symlink_to(secret)
    large = tmp_path / "large.py"
    large.write_bytes(b"x" * 1001)
    many = tmp_path / "many"
    many.mkdir()
    for number in range(6):
        (many / f"{number}.txt").touch()
    monkeypatch.setattr("arena.serve.hand_in_client.MOST_BYTES", 1000)
    monkeypatch.setattr("arena.serve.hand_in_client.MOST_UPLOADED_FILES", 5)
    server = AnsweringServer([said(RECEIVED, 201)])
    with server.running() as address:
        for path, words in (
            (large, "'large.py': expected at most 1000 bytes in one submission, got more"),
            (folder, "'agent.py': expected a symbolic link inside the folder"),
            (many, "'5.txt': expected at most 5 files and folders in one submission, got more"),
            (tmp_path / "empty", "the folder 'empty' has no files"),
            (tmp_path / "nothing.py", "no file or folder"),
            (Path("/dev/zero"), "'zero': expected a file, got a device"),
        ):
            ended = submitted(address, path)
            assert (ended.code, ended.out) == (2, "")
            assert ended.err.startswith(f"arena: {words}"), ended.err
            assert ended.err.count("\n") == 1
    assert server.asked == []
    assert (spool.MOST_BYTES, spool.MOST_UPLOADED_FILES) == (32 * 2**20, 2000)


# What its user reads.


def test_waiting_prints_what_it_prints_on_the_machine_of_the_ladder(agent: Path) -> None:
    ended, server = to_one_that_says(
        agent,
        said(RECEIVED, 201),
        said(replace(RECEIVED, state=SubmissionState.CHECKING, steps=STEPS[:1])),
        error(503, "The server is busy. Try again in a few seconds."),
        said(ENTERED),
        said(replace(ENTERED, first_games=(GAME,))),
        said(replace(ENTERED, first_games=(GAME,), rating=512.3, error=130.2, games=1)),
        options=("--wait",),
    )
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[2:] == [
        "Checking my_agent.py for cs101: nap, clock 5+0.1",
        " 1 ✓ found and importable   0.1 s  my_agent.py",
        " 2 ✓ starts in time         0.2 s  in a sandbox",
        "alice plays on ladder cs101 now",
        "game 12: won against random (normal)",
        "rating 512 ± 130 after 1 game",
    ]
    assert {(asked.method, asked.path) for asked in server.asked[1:]} == {("GET", "/api/v1/s/7")}


@pytest.mark.parametrize(
    ("last", "code", "line"),
    [
        (
            replace(RECEIVED, state=SubmissionState.FAILED),
            *(1, "submission 7 failed its check: correct the agent, and hand it in again"),
        ),
        (REFUSED, 2, "submission 7 is refused: too late: submissions ended"),
        (replace(ENTERED, status="replaced"), 0, "a newer submission plays now"),
        (replace(ENTERED, status="quarantined"), 0, "alice is quarantined"),
    ],
)
def test_the_exit_code_says_what_became_of_it(agent: Path, last: SubmissionDocument, code: int, line: str) -> None:
    ended, _ = to_one_that_says(agent, said(RECEIVED, 201), said(last), options=("--wait",))
    assert (ended.code, ended.out.splitlines()[-1]) == (code, line)


def test_a_refused_one_is_one_sentence_and_exit_code_2(agent: Path) -> None:
    ended, _ = to_one_that_says(agent, said(REFUSED, 409))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "arena: submission 7 is refused: too late: submissions ended\n"
    ended, _ = to_one_that_says(agent, said(REFUSED, 409), options=("--format", "json"))
    assert (ended.code, json.loads(ended.out)[0]["state"], ended.err) == (2, "refused", "")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            error(401, "x"),
            "HOST does not know this token: it is mistyped or revoked; ADDRESS/me makes one",
        ),
        (error(400, "expected a name without a dot."), "expected a name without a dot"),
        (error(413, "at most 32 MiB"), "at most 32 MiB"),
        (Given(status=400, body=b"No name.\n", headers={"Content-Type": "text/plain"}), "No name"),
        (error(409, "another upload is in progress"), "another upload is in progress"),
        (error(503, "Busy."), "HOST cannot answer now (503: Busy); try again later"),
        (Given(status=500), "HOST cannot answer now (500); try again later"),
        (error(404, "There is no page"), "HOST refused that (404: There is no page)"),
        (Given(status=404), "HOST is not a server of arena that takes agents (404); check the address"),
        (Given(body=b"<html>Welcome"), "HOST is not a server of arena that takes agents (200); check the address"),
        (Given(status=201, body=b"[" * 10_000), "HOST is not a server of arena that takes agents (201)"),
        (Given(status=201, body=b"9" * (2**20 + 1)), "HOST is not a server of arena that takes agents (201)"),
        (said(RECEIVED, 200), "HOST is not a server of arena that takes agents (200)"),
        (error(418, "\x1b[31mred\x07"), "HOST refused that (418: \\x1b[31mred\\x07)"),
    ],
)
def test_what_a_server_says_instead_is_one_sentence(agent: Path, answer: Given, words: str) -> None:
    server = AnsweringServer([answer])
    with server.running() as address:
        ended = submitted(address, agent)
    assert (ended.code, ended.out) == (2, "")
    expected = words.replace("ADDRESS", address).replace("HOST", urlsplit(address).netloc)
    assert ended.err.startswith(f"arena: {expected}"), ended.err
    assert ended.err.count("\n") == 1
    assert TOKEN not in ended.err


def test_texts_of_a_server_do_not_reach_the_terminal_as_commands(agent: Path) -> None:
    red = "\x1b[31mred"
    step = CheckStep(name=StepName.FOUND, light=Light.GOOD, seconds=0.1, message=red, stderr=red, board=red, again=red)
    game = replace(GAME, opponent=red, verdict=red)
    nasty = replace(RECEIVED, agent=red, ladder=red, file=red, game=red, clock=red, words=red)
    nasty = replace(nasty, steps=(step,), first_games=(game,))
    ended, _ = to_one_that_says(
        agent,
        said(nasty, 201),
        said(replace(nasty, state=SubmissionState.ENTERED, status=red, version=1)),
        options=("--wait",),
    )
    assert ended.code == 0
    assert all(line.isprintable() for line in ended.out.splitlines())
    for state in (SubmissionState.REFUSED, SubmissionState.WITHDRAWN):
        ended, _ = to_one_that_says(agent, said(nasty, 201), said(replace(nasty, state=state)), options=("--wait",))
        assert all(line.isprintable() for line in (*ended.out.splitlines(), *ended.err.splitlines()))


def test_an_answer_before_everything_was_sent_counts(tmp_path: Path) -> None:
    large = tmp_path / "large.py"
    large.write_bytes(b"x" * 8 * 2**20)
    answer = replace(error(401, "expected a token"), reads=False)
    ended, _ = to_one_that_says(large, answer)
    assert ended.code == 2
    # The kernel can drop an answer with the connection; then the sentence says that much.
    assert "does not know this token" in ended.err or "closed the connection" in ended.err


# Where the token goes.


def test_no_redirect_is_followed(agent: Path) -> None:
    other = AnsweringServer([said(RECEIVED, 201)])
    with other.running() as elsewhere:
        for status in (301, 302, 303, 307, 308):
            ended, _ = to_one_that_says(agent, Given(status=status, headers={"Location": f"{elsewhere}/\x1b"}))
            assert ended.code == 2
            assert f"leads elsewhere, to {elsewhere}/" in ended.err
            assert ended.err.removesuffix("\n").isprintable()
    assert other.asked == []


@pytest.mark.parametrize(
    "address",
    [
        *("http://arena.example.org", "http://192.0.2.7:8000", "http://127.0.0.1.example.org"),
        *("http://localhost.example.org", "http://[::2]"),
    ],
)
def test_a_token_is_not_sent_without_encryption(agent: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "create_connection", lambda *_, **__: pytest.fail("something was sent"))
    ended = submitted(address, agent)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("arena: expected an address"), ended.err


@pytest.mark.parametrize(
    "address",
    [
        *("arena.example.org", "localhost:8000", "https://", "https://a b", "https://[", "https://a:b", "ftp://a"),
        *(
            "https://arena.example.org/me",
            "https://arena.example.org?x=1",
            "http://user@localhost",
            "https://u:w@a.example",
        ),
        *("https://arena.example.org\\@evil.example", "https://\x1b[31m", "file:///etc/passwd"),
    ],
)
def test_only_the_address_of_a_page_server_is_taken(agent: Path, address: str) -> None:
    ended = submitted(address, agent)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("arena: expected the address of a page server, such as https://arena.example.org, got")
    assert ended.err.removesuffix("\n").isprintable()


def test_a_proxy_of_the_environment_does_not_get_the_token(agent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = AnsweringServer([said(RECEIVED, 201)])
    with proxy.running() as elsewhere:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, elsewhere)
        ended, _ = to_one_that_says(agent, said(RECEIVED, 201))
    assert ended.code == 0
    assert proxy.asked == []


def test_a_certificate_that_nobody_vouches_for_is_refused(agent: Path, tmp_path: Path) -> None:
    openssl = needs.program("openssl")
    made = tmp_path / "certificate.pem"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"]
    subprocess.run(
        [openssl, *words, "-keyout", str(made), "-out", str(tmp_path / "public.pem")], check=True, capture_output=True
    )
    made.write_text(made.read_text() + (tmp_path / "public.pem").read_text())
    server = AnsweringServer([said(RECEIVED, 201)])
    with server.running(made) as address:
        ended = submitted(address, agent)
        assert ended.code == 2
        assert ended.err.startswith(f"arena: the certificate of {urlsplit(address).netloc} is not valid (")
    assert server.asked == []
    with server.running() as address:
        ended = submitted(address.replace("http:", "https:"), agent)
    assert ended.err == f"arena: {urlsplit(address).netloc} does not answer with HTTPS; check the address\n"


def test_a_server_that_is_not_there_is_one_sentence(agent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with AnsweringServer([Given()]).running() as address:
        pass
    ended = submitted(address, agent)
    assert (ended.code, ended.err) == (2, f"arena: nothing answers at {urlsplit(address).netloc}\n")

    def no_name(*_: Any, **__: Any) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "create_connection", no_name)
    ended = submitted("https://arena.example.org", agent)
    assert (ended.code, ended.err) == (2, "arena: there is no server arena.example.org, or no network\n")

    def too_late(*_: Any, **__: Any) -> None:
        raise TimeoutError

    monkeypatch.setattr(socket, "create_connection", too_late)
    ended = submitted("https://a.example", agent)
    assert ended.err == (
        "arena: a.example did not answer in time; look at https://a.example/me, it may have your agent\n"
    )


def test_a_server_that_stays_away_ends_the_waiting(agent: Path) -> None:
    from arena.errors import NoAnswer
    from arena.serve.hand_in_client import HandInClient

    now = [0.0]
    server = AnsweringServer([said(RECEIVED), error(502, "Bad gateway")])
    with server.running() as address:
        client = HandInClient(
            address, TOKEN, clock=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds)
        )
        assert client.look(7) == RECEIVED
        with pytest.raises(NoAnswer, match="cannot answer now"):
            client.look(7)
    assert 10 < len(server.asked) < 50
    assert now[0] >= 60


# Options.


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ("--to", "https://a.example", "--token", TOKEN, "--as", "alice"),
            "expected --as or --to, got both: the server",
        ),
        (
            ("--to", "https://a.example", "--token", TOKEN, "--db", "x.db"),
            "expected --db or --to, got both: the server",
        ),
        (("--to", "https://a.example", "--token", TOKEN, "--ladder", "x"), "expected --ladder or --to, got both"),
        (("--token", TOKEN, "--as", "alice"), "--token needs --to ADDRESS too"),
        ((), "missing --as AUTHOR; for example: arena submit my_agent.py --as alice"),
        (("--to", "https://a.example"), "a server needs your token: set the environment variable ARENA_TOKEN"),
        (("--to", "https://a.example", "--token", "as_secret"), "expected a token, which begins with at_"),
        (("--to", "https://a.example", "--token", "at_se\ncret"), "expected a token, which begins with at_"),
    ],
)
def test_a_mistake_in_the_command_is_one_sentence_and_exit_code_2(
    agent: Path, options: tuple[str, ...], words: str
) -> None:
    ended = arena("submit", str(agent), *options)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"arena: {words}"), ended.err
    assert ended.err.count("\n") == 1
    assert "cret" not in ended.err
