"""Who can take games or hand them out: only who has the cluster's certificate. And what to install without Dask."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit import dask_room, needs
from tests.kit.arena_program import arena
from tests.kit.dask_room import Program, Room

_TLS = "DASK_DISTRIBUTED__COMM__TLS__"


@pytest.fixture
def room() -> Iterator[Room]:
    """A cluster that needs a certificate."""
    security = pytest.importorskip("distributed.security", reason=needs.extra("scale")).Security

    def with_certificates(folder: Path) -> Room:
        made = Room(folder, "tls", **certificate(security.temporary(), folder / "its"))
        made.strangers = certificate(security.temporary(), folder / "strange")
        return made

    with dask_room.cluster(with_certificates) as made:
        yield made


def certificate(security: object, folder: Path) -> dict[str, str]:
    """Writes a certificate and its key into `folder`; what Dask's configuration says about them."""
    folder.mkdir()
    for name, field in (("cert", "tls_worker_cert"), ("key", "tls_worker_key")):
        (folder / name).write_text(getattr(security, field), "utf-8")
    said = {f"{_TLS}{role}__{name}": str(folder / name.lower()) for role in _ROLES for name in ("CERT", "KEY")}
    return said | {"DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "True", f"{_TLS}CA_FILE": str(folder / "cert")}


_ROLES = ("SCHEDULER", "WORKER", "CLIENT")


@pytest.mark.costly(seconds=15)
def test_nobody_without_the_certificate_hands_out_or_takes_games(room: Room) -> None:
    game = ("tictactoe", "random", "random:seed=1", "--seed", "1")
    preload = ("--preload", "arena.hosts.preload", "--no-nanny", "--no-dashboard")
    host = Program(room, "-m", "distributed.cli.dask_worker", room.address, *preload)
    host.until("Registered to")
    its, room.environment = room.environment, room.environment | room.strangers
    command = room.run(*game)
    taker = Program(room, "-m", "arena", "worker", room.address)
    plain = room.run(*game, "--name", "plain", on=room.address.replace("tls:", "tcp:"))
    assert command.ended() == 1
    assert "no Dask scheduler answers at" in command.said[-1], command.said
    assert plain.ended() == 2
    assert "--on: Dask's configuration on this machine wants encryption: use tls://" in plain.said[-1], plain.said
    taker.until("no scheduler answers at")
    taker.send(signal.SIGTERM)
    assert taker.ended() == 128 + signal.SIGTERM
    room.environment = its
    run = room.run(*game)
    assert run.ended() == 0, run.said
    assert any("is finished: 2 games" in line for line in run.said)
    host.send(signal.SIGTERM)
    host.ended()


@pytest.mark.parametrize("words", ["run tictactoe random greedy --on dask", "worker tcp://far:8786"])
def test_without_dask_the_command_says_what_to_install(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    ended = arena(*words.split())
    assert ended.code == 2
    assert "needs distributed, which is not installed: " in ended.err
    assert "install" in ended.err.partition("not installed: ")[2]


@pytest.mark.parametrize(
    "words",
    [
        "run tictactoe random greedy --on scheduler",
        "worker scheduler:8786",
        "worker http://far:8786",
        "worker tcp://far:65536",
        "worker tls://far:0",
    ],
)
def test_what_is_no_address_is_refused(words: str) -> None:
    ended = arena(*words.split())
    assert ended.code == 2
    assert "expected the address of a Dask scheduler, such as tcp://scheduler:8786" in ended.err


@pytest.mark.parametrize("words", ["run tictactoe random greedy --on tls://far:8786", "worker tls://far:8786"])
def test_a_certificate_that_cannot_be_used_is_told_before_anything_else(words: str, tmp_path: Path) -> None:
    config = pytest.importorskip("dask.config", reason=needs.extra("scale"))
    key, wrong = tmp_path / "cluster.key", tmp_path / "wrong.key"
    wrong.write_text("no key")

    def told(**files: Path) -> str:
        tls = {
            f"distributed.comm.tls.{role.lower()}.{name}": str(file) for role in _ROLES for name, file in files.items()
        }
        with config.set(tls | {"distributed.comm.tls.ca-file": str(wrong)} if files else {}):
            ended = arena(*words.split())
        assert ended.code == 2
        assert "`arena docs tournaments`" in ended.err
        return ended.err

    assert "tls:// needs a certificate, and Dask's configuration names none" in told()
    assert f"names the file {key}, which does not exist" in told(cert=key, key=wrong)
    assert "the certificate of Dask's configuration cannot be used" in told(cert=wrong, key=wrong)
