"""Streams of server-sent events: what each page gets, however slowly it reads."""

from __future__ import annotations

import asyncio
import random
import zlib
from collections.abc import Awaitable, Callable, Sequence
from statistics import mean
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some

from adsearch import CHANCE, State, games
from arena.pages.boards import plain_board
from arena.web.events import MOST_TOPICS, Change, Streams, delta, event
from tests.kit.page_games import EVERY_GAME


def change(kind: str, data: object, *, topic: str = "g=7") -> Change:
    return Change(topic, kind, data, event(kind, data, now=5_000_000))


class Page:
    """A page that reads its stream; `gate` holds it up."""

    def __init__(self) -> None:
        self.head: dict[bytes, bytes] = {}
        self.body = b""
        self.ended = False
        self.gate = asyncio.Event()
        self.gate.set()
        self._gone = asyncio.Event()

    async def send(self, message: Any) -> None:
        await self.gate.wait()
        if message["type"] == "http.response.start":
            self.head = dict(message["headers"])
            return
        self.body += message["body"]
        self.ended = not message.get("more_body", False)

    async def receive(self) -> Any:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    def leave(self) -> None:
        self._gone.set()


async def settle() -> None:
    """Lets everything happen that can happen now."""
    for _ in range(20):
        await asyncio.sleep(0)


def run(story: Callable[[Streams, Page], Awaitable[None]], *, gzip: bool = False) -> Page:
    """The page after the story: its stream of game 7 begins before it and is closed after it."""

    async def page_after() -> Page:
        streams, page = Streams(), Page()
        stream = asyncio.create_task(streams.serve("g=7", page.receive, page.send, gzip=gzip))
        await settle()
        await story(streams, page)
        await settle()
        streams.close()
        await stream
        assert len(streams) == 0
        return page

    return asyncio.run(page_after())


def test_a_slow_reader_gets_the_newest_state_of_each_kind_and_never_a_queue() -> None:
    async def story(streams: Streams, page: Page) -> None:
        page.gate.clear()
        streams.publish([change("parts", 0)])
        await settle()  # this one is being sent
        for number in range(1, 1000):
            streams.publish([change("parts", number)])
        streams.publish([change("over", None)])
        page.gate.set()

    body = run(story).body.decode()
    assert [line for line in body.splitlines() if "data" in line and '"now":5.0' in line] == [
        'data: {"now":5.0,"data":0}',
        'data: {"now":5.0,"data":999}',
        'data: {"now":5.0,"data":null}',
    ]


def test_a_packed_stream_is_the_plain_one_and_each_part_can_be_read_when_it_arrives() -> None:
    seen: list[bytes] = []

    async def story(streams: Streams, page: Page) -> None:
        unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
        at = 0
        for number in range(3):
            streams.publish([change("parts", f"<svg>{number}</svg>" * 50), change("side", "Ünïcode\n")])
            await settle()
            seen.append(unpacking.decompress(page.body[at:]))
            at = len(page.body)

    page = run(story, gzip=True)
    assert page.head[b"content-encoding"] == b"gzip"
    assert seen[0].startswith(b"retry: 1000\n\nevent: alive\n")
    for number, part in enumerate(seen):
        assert part.count(b"<svg>%d</svg>" % number) == 50
        assert part.endswith('event: side\ndata: {"now":5.0,"data":"Ünïcode\\n"}\n\n'.encode())


def test_a_new_page_gets_the_last_states_at_once_until_they_are_forgotten() -> None:
    async def story(streams: Streams, _: Page) -> None:
        streams.publish([change("parts", "old"), change("parts", "new")])
        assert await streams.state("g=7", "parts", patience=0) == "new"
        stream = streams.open("g=7")
        assert len(await stream.next()) == 1
        streams.leave(stream)
        streams.forget("g=7")
        assert await streams.state("g=7", "parts", patience=0) is None

    assert b'"data":"new"' in run(story).body


def test_what_changed_before_the_stream_was_open_can_be_sent_when_it_is() -> None:
    async def story() -> Page:
        streams, page = Streams(), Page()

        def changed() -> None:
            if "g=7" in streams.wanted:
                streams.publish([change("parts", "your turn")])

        changed()
        stream = asyncio.create_task(streams.serve("g=7", page.receive, page.send, gzip=False, opened=changed))
        await settle()
        streams.close()
        await stream
        return page

    assert b"your turn" in asyncio.run(story()).body


def test_a_page_that_waits_for_the_first_state_gets_it_and_not_that_of_another_game() -> None:
    async def story(streams: Streams, _: Page) -> None:
        found = asyncio.create_task(streams.state("g=8", "parts", patience=60))
        await settle()
        assert streams.wanted == {"g=7", "g=8"}
        streams.publish([change("side", 1, topic="g=8"), change("parts", 2, topic="g=8")])
        assert await found == 2
        assert streams.wanted == {"g=7"}

    assert b'"data":2' not in run(story).body


def test_a_page_that_was_closed_is_forgotten() -> None:
    async def story(streams: Streams, page: Page) -> None:
        assert len(streams) == 1
        page.leave()
        await settle()
        assert len(streams) == 0
        assert streams.wanted == frozenset()

    assert run(story).ended


def test_only_some_topics_are_followed_and_any_number_of_pages_of_each() -> None:
    streams = Streams()
    opened = [streams.open(f"g={id}") for id in range(MOST_TOPICS)]
    assert streams.is_full("g=-1")
    assert not streams.is_full("g=1")
    streams.leave(opened[0])
    assert not streams.is_full("g=-1")


def test_streams_end_when_the_server_ends_and_no_new_ones_begin() -> None:
    async def story(streams: Streams, _: Page) -> None:
        assert not streams.is_full("g=1")
        streams.close()
        assert streams.is_full("g=1")

    assert run(story).ended


# A text in pieces of the text before it: always the same text again, and short for a move on any board.


MARKUP = some.lists(
    some.sampled_from(["<g>", "</g>", '<use href="#b1"/>', "a word ", "\N{GRINNING FACE} ", "é", "<", " ", "word"])
).map("".join)


def whole(before: str, pieces: Sequence[Any]) -> str:
    """What a script makes of the pieces: it counts in units of UTF-16."""
    units = before.encode("utf-16-le")
    return "".join(
        piece if isinstance(piece, str) else units[2 * piece[0] : 2 * piece[1]].decode("utf-16-le") for piece in pieces
    )


@given(MARKUP, MARKUP)
def test_the_pieces_make_the_text(before: str, after: str) -> None:
    assert whole(before, delta(before, after)) == after


def test_what_stays_is_one_piece() -> None:
    text = "<g>one two three</g>"
    assert delta(text, text) == [(0, len(text))]
    assert delta("", text) == [text]


@pytest.mark.parametrize("rules", EVERY_GAME)
def test_a_ply_of_any_game_is_short(rules: str) -> None:
    """Compressed as it is sent: 300 bytes a ply on average at most."""
    chance, state = random.Random(1), games.start(rules)
    sizes, before = list[int](), ""
    while state.turn is not None and len(sizes) < 60:
        move = _any_move(state, chance)
        state = state.play(move)
        board = plain_board(state, move)
        deflating = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        packed = deflating.compress(msgspec.json.encode(delta(before, board))) + deflating.flush(zlib.Z_FULL_FLUSH)
        sizes.append(len(packed))
        before = board
    assert mean(sizes[1:] or [0]) <= 300


def _any_move(state: State[Any], chance: random.Random) -> Any:
    return chance.choice([move for move, _ in state.chances()] if state.turn == CHANCE else [*state.moves()])
