"""The referee's sockets for players: why a message cannot be sent."""

from pathlib import Path

import zmq

from arena.play.referee import CONNECTION_ENDED, PlayerSockets


def test_a_player_that_is_gone_and_one_that_does_not_read_are_told_apart(tmp_path: Path) -> None:
    address = f"ipc://{tmp_path}/p"
    with zmq.Context() as context:
        sockets = PlayerSockets(context, address)
        try:
            assert sockets.send(b"gone", b"over") == CONNECTION_ENDED
            with context.socket(zmq.DEALER) as player:
                player.set(zmq.RCVHWM, 1)
                player.connect(address)
                player.send(b"hello")
                name = sockets.router.recv()
                problems = (sockets.send(name, bytes(1_000_000)) for _ in range(200))
                assert next(filter(None, problems)) == "does not read its messages"
        finally:
            context.destroy(0)
