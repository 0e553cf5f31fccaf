"""What can be shared of a replay: a link to a move, its picture, and the game as an animation."""

from __future__ import annotations

import struct
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arena.pages.replay_page import page
from tests.kit.chromium import Browser, until
from tests.kit.page_games import past_game

if TYPE_CHECKING:
    from playwright.sync_api import Page

PLIES = 12
COLOUR = """async ([address, x, y]) => {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  return [...context.getImageData(x * image.width, y * image.height, 1, 1).data].slice(0, 3);
}"""
"""The colour of an image at a place, as a browser reads the file."""
BLUE = [36, 88, 179]
"""The frame of Connect-4."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "game.html"
    file.write_text(page(past_game("connect4", moves=" ".join("1234567" * 2)[: 2 * PLIES - 1])).text, "utf-8")
    return file


def saved(shown: Page, button: str, folder: Path) -> tuple[str, bytes]:
    """The name and the content of the file that a button saves."""
    shown.get_by_text("Share").click()
    with shown.expect_download() as download:
        shown.locator(button).click()
    download.value.save_as(folder / "saved")
    return download.value.suggested_filename, (folder / "saved").read_bytes()


def address(kind: str, content: bytes) -> str:
    return f"data:image/{kind};base64,{b64encode(content).decode()}"


def test_the_picture_of_a_move_is_a_large_png_in_the_colours_of_the_page(
    browser: Browser, file: Path, tmp_path: Path
) -> None:
    with browser.open(file, at="#ply-3") as shown:
        name, content = saved(shown, "#share-png", tmp_path)
        assert name == "game-7-3.png"
        assert max(struct.unpack(">II", content[16:24])) == 1024
        assert shown.evaluate(COLOUR, [address("png", content), 0.5, 0.02]) == BLUE


def test_the_animation_has_every_position_and_a_browser_shows_it(browser: Browser, file: Path, tmp_path: Path) -> None:
    with browser.open(file, at="#ply-3") as shown:
        name, content = saved(shown, "#share-gif", tmp_path)
        assert name == "game-7.gif"
        frames, (width, height) = frames_of(content)
        assert (len(frames), max(width, height)) == (PLIES + 1, 480)
        assert frames[0] == (0, 0, width, height)
        written = sum(across * down for _, _, across, down in frames)
        assert written < len(frames) * width * height / 2, "only what has changed"
        assert shown.evaluate(COLOUR, [address("gif", content), 0.5, 0.02]) == BLUE
        assert shown.locator(".figure").count() == 1
        assert shown.url.endswith("#ply-3")


def frames_of(content: bytes) -> tuple[list[tuple[int, ...]], tuple[int, int]]:
    """The rectangles of the frames of a GIF, and its size."""
    assert content.startswith(b"GIF89a")
    size, at, frames = struct.unpack("<HH", content[6:10]), 13 + 3 * 256, []
    while content[at] != 0x3B:
        if content[at] == 0x2C:
            frames.append(struct.unpack("<HHHH", content[at + 1 : at + 9]))
            at += 11
        else:
            assert content[at] == 0x21
            at += 2
        while content[at]:
            at += content[at] + 1
        at += 1
    assert at == len(content) - 1
    return frames, size


def test_a_link_leads_to_the_move_that_is_shown(browser: Browser, file: Path) -> None:
    with browser.open(file, at="#ply-3") as shown:
        shown.keyboard.press("ArrowRight")
        shown.get_by_text("Share").click()
        shown.locator("#share-link").click()
        said = shown.locator("#share output")
        until(shown, lambda: said.text_content() != "")
        assert said.text_content() == "The link is copied." or str(said.text_content()).endswith("game.html#ply-4")
