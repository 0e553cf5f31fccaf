"""A real browser for the tests of pages: contrast, keyboard, width.

It is Debian's Chromium, with windows or without, or Google Chrome from the PATH, driven by Playwright; if one is
missing, the tests are skipped with the reason. A page in a file must load nothing, a page of a server only what that
server has: any other request, console error, pop-up or breach of the page's policy fails its test.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import pytest

from tests.kit import needs
from tests.kit.effort import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import ConsoleMessage, Dialog, Error, Page, Request

_PROGRAMS: Final = (
    *("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
)
"""The first one is the same browser without its windows; it needs a third less time."""


def program() -> str | None:
    """The browser on this machine."""
    return next((found for name in _PROGRAMS if (found := shutil.which(name))), None)


class Browser:
    """Opens pages. A tab is used again for the next page, because a new one takes four times as long."""

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium
        self._tabs: dict[tuple[bool, bool], Page] = {}

    @contextmanager
    def open(
        self,
        place: Path | str,
        *,
        at: str = "",
        dark: bool = False,
        script: bool = True,
        online: bool = False,
        width: int = 1280,
        height: int = 800,
        moves: bool = False,
        alone: bool = False,
        outages: bool = False,
    ) -> Iterator[Page]:
        """The page in that file or at that address. Leaving it fails after any other request, complaint or dialog.

        `moves`: for a reader who has nothing against motion; for all others a game does not begin to play by itself.
        `alone`: in a tab of its own, for a test that changes more than the page, such as the clock.
        `outages`: the test ends the server, so the browser may complain that it does not answer."""
        address = place if isinstance(place, str) else place.resolve().as_uri()
        online = online or isinstance(place, str)
        page = None if alone else self._tabs.pop((script, online), None)
        if page is None:
            page = self._new_page(java_script_enabled=script, offline=not online)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(
            media="null",
            color_scheme="dark" if dark else "light",
            reduced_motion="no-preference" if moves else "reduce",
        )
        page.mouse.move(0, 0)
        witness = _Witness(page, address, outages=outages)
        try:
            page.goto(address + at)
            yield page
            if not alone and len(page.context.pages) == 1:
                page.goto("about:blank")
                witness.leave()
                self._tabs[script, online] = page
        finally:
            if self._tabs.get((script, online)) is not page:
                page.context.close()
        assert not witness.trouble, witness.trouble

    @contextmanager
    def session(self, address: str, *, width: int = 1280, height: int = 800, outages: bool = False) -> Iterator[Page]:
        """A browser of one person, with cookies of its own, at that address of a server. Leaving it fails as `open`."""
        page = self._new_page(viewport={"width": width, "height": height})
        witness = _Witness(page, address, outages=outages)
        try:
            page.goto(address)
            yield page
        finally:
            page.context.close()
        assert not witness.trouble, witness.trouble

    def _new_page(self, **options: Any) -> Page:
        context = self._chromium.new_context(**options)
        context.set_default_timeout(1000 * PATIENCE)
        return context.new_page()


class _Witness:
    """Notes everything that a page must not do."""

    def __init__(self, page: Page, address: str, *, outages: bool) -> None:
        self.trouble: list[str] = []
        self._page, self._outages = page, outages
        parts = urlsplit(address)
        self._server = f"{parts.scheme}://{parts.netloc}/" if parts.netloc else None
        page.on("request", self._note_request)
        page.on("dialog", self._note_dialog)
        page.on("console", self._note_message)
        page.on("pageerror", self._note_error)

    def leave(self) -> None:
        """Notes nothing from now on."""
        self._page.remove_listener("request", self._note_request)
        self._page.remove_listener("dialog", self._note_dialog)
        self._page.remove_listener("console", self._note_message)
        self._page.remove_listener("pageerror", self._note_error)

    def _note_request(self, request: Request) -> None:
        own_file = request.is_navigation_request() and request.url.startswith("file:")
        ours = self._server is not None and request.url.startswith(self._server)
        if not (own_file or ours or request.url == "about:blank"):
            self.trouble.append(f"asks for {request.url}")

    def _note_dialog(self, dialog: Dialog) -> None:
        self.trouble.append(f"pops up: {dialog.message}")
        dialog.dismiss()

    def _note_message(self, message: ConsoleMessage) -> None:
        expected = ["Clear-Site-Data header on "]  # Chromium tells that it has obeyed
        if self._outages:
            expected.append("Failed to load resource: ")
        if not message.text.startswith(tuple(expected)):
            self.trouble.append(f"complains: {message.text} ({message.location['url']})")

    def _note_error(self, error: Error) -> None:
        self.trouble.append(f"fails: {error}")


def until(page: Page, holds: Callable[[], bool]) -> None:
    """Waits until that holds on the page. Playwright's wait_for_function fails unless it holds at once: then the page's
    own script evaluates a text, which the page's policy forbids."""
    give_up = monotonic() + PATIENCE
    while not holds():
        assert monotonic() < give_up, page.inner_text("body")
        page.wait_for_timeout(20)


def check_axe(page: Page, *rules: str) -> None:
    """Fails where axe-core finds that somebody cannot use the page; all its rules, or only these."""
    axe = pytest.importorskip("axe_playwright_python.base", reason=needs.extra("browser"))
    page.evaluate(axe.AXE_SCRIPT)
    found = page.evaluate(_AXE, rules)
    assert not found, "\n".join(found)


def check_width(page: Page) -> None:
    """Fails where the page is wider than its window."""
    wider = page.evaluate(_WIDER)
    assert not wider, wider


def check_hints(page: Page) -> int:
    """Fails where a box scrolls sideways and does not show it, or cannot be reached or named; returns how many scroll.

    A shade at its edge shows it, which is gone at the end: so that part of the picture changes."""
    boxes = [box for box in page.locator(".wide").all() if box.evaluate(_SCROLLS)]
    for box in boxes:
        assert box.get_attribute("tabindex") == "0", box.evaluate(_NAME)
        assert box.get_attribute("aria-label"), box.evaluate(_NAME)
        seen = []
        for left in (0, 100_000):
            box.evaluate("(box, left) => { box.scrollIntoView({ behavior: 'instant' }); box.scrollLeft = left; }", left)
            at = box.bounding_box()
            assert at is not None
            edge = at["x"] + at["width"] - 5
            seen.append(page.screenshot(clip={"x": edge, "y": max(0, at["y"]) + 2, "width": 4, "height": 18}))
        assert seen[0] != seen[1], box.evaluate(_NAME)
    return len(boxes)


def check_contrast(page: Page) -> None:
    """Fails where words stand out from their ground by less than 4.5 to 1; pictures have their own tests."""
    faint = page.evaluate(_FAINT)
    assert not faint, faint


def check_keyboard(page: Page) -> None:
    """Fails where something to press or to scroll is not reached with the tab key, or not seen to be reached."""
    wanted = page.evaluate(_WANTED)
    assert wanted > 0
    page.evaluate("() => document.activeElement?.blur()")
    missed = page.locator("[data-wanted]:not([data-reached])")
    for pressed in range(2 * wanted + 2):  # it begins where the address points to, and goes round
        if pressed >= wanted and missed.count() == 0:
            return
        page.keyboard.press("Tab")
        unseen = page.evaluate(_REACH)
        assert not unseen, f"reached, and not seen to be: {unseen}"
    assert missed.count() == 0, missed.first.evaluate("element => element.outerHTML")


_AXE: Final = """async (rules) => {
  const only = rules.length ? { runOnly: { type: "rule", values: rules } } : {};
  const { violations, passes } = await axe.run({ ...only, resultTypes: ["violations"] });
  if (!violations.length && !passes.length) return ["no rule applies to this page"];
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 160)}`));
}"""

_WIDER: Final = """() => {
  const room = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= room) return [];
  return [...document.querySelectorAll("body *")]
    .filter(e => e.getBoundingClientRect().right > room + 1 && !e.closest("svg svg, pre *, .wide *, .tabs *"))
    .map(e => e.outerHTML.slice(0, 120)).slice(0, 5).concat("wider than the window");
}"""

_SCROLLS: Final = "box => box.scrollWidth > box.clientWidth + 8"
_NAME: Final = "box => box.outerHTML.slice(0, 160)"

_FAINT: Final = """() => {
  const parse = (text) => {
    const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number);
    return { r, g, b, a };
  };
  const part = (value) => { value /= 255; return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4; };
  const light = (c) => 0.2126 * part(c.r) + 0.7152 * part(c.g) + 0.0722 * part(c.b);
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color.a === 1) return color;
      if (color.a > 0) throw new Error("a ground that is half seen through");
    }
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    return dark ? { r: 18, g: 18, b: 18 } : { r: 255, g: 255, b: 255 };
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let words = 0;
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest("svg, script, style")) continue;
    if (!element.checkVisibility()) continue;
    words += 1;
    const style = getComputedStyle(element);
    const one = light(parse(style.color)), other = light(ground(element));
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5 || Number(style.opacity) < 1) faint.push(`${ratio.toFixed(2)}: ${element.outerHTML.slice(0, 100)}`);
  }
  return words ? faint : ["no words at all"];
}"""

_WANTED: Final = """() => {
  const found = [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")]
    .filter(e => e.checkVisibility() && !e.disabled && !(e.type === "radio" && !e.checked));
  for (const e of found) e.dataset.wanted = "";
  return found.length;
}"""

_REACH: Final = """() => {
  const e = document.activeElement;
  if (!e || e === document.body) return "";
  e.dataset.reached = "";
  const style = getComputedStyle(e);
  const seen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  return seen && e.matches(":focus-visible") ? "" : e.outerHTML.slice(0, 100);
}"""
