"""A user-supplied game whose moves, boards and pictures attack whoever looks at them in a browser.

An option chooses the picture, another the text that moves and boards consist of.
"""

from __future__ import annotations

from base64 import b64encode
from itertools import pairwise
from typing import Final

from adsearch import Option, State
from adsearch.errors import BadMove

LISTENER: Final = "http://127.0.0.1:9/"
"""What anything would be loaded from. The test puts its own address here."""
RUN: Final = "window.owned=1"
"""What a script that runs does."""

TEXTS: Final = (
    f"<script>{RUN}</script>",
    f'"><img src=x onerror={RUN}>',
    f"' autofocus onfocus={RUN} x='` onpointerenter={RUN} `",
    f"</script></style></title></textarea></pre></svg><svg onload={RUN}>",
    f"]]><script>{RUN}</script><![CDATA[",
    f"<!--<script>{RUN}</script>--!><!--",
    f'<a href="javascript:{RUN}">javascript:{RUN}</a>',
    f"}}</style><style>@import url({LISTENER});*{{position:fixed;background:url({LISTENER})}}",
    f'<meta http-equiv=refresh content="0;url={LISTENER}"><base href={LISTENER}><link rel=stylesheet href={LISTENER}>',
    f'<iframe srcdoc="<script>parent.owned=1</script>"></iframe><object data={LISTENER}></object><form action=/>',
    f"${{{RUN}}}{{{{constructor.constructor('{RUN}')()}}}}<%= {RUN} %>",
    f"&lt;script&gt;{RUN}&lt;/script&gt;&#60;img src=x onerror={RUN}&#62;&amp",
    "mal\x1b[31m\x1b]0;x\x07\x9b2Jlory\r\x08\x7f",
    "sep\u2028ara\u2029tors\x85\x0b\x0c",
    "\u202egnp.exe\u2066\u2067\u200f\u061c\u200b\ufeff",
    "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
    "\u0627\u0644\u0644\u0627\u0639\u0628-1",
    "Z" + "\u0301\u0316\u20dd\u0489" * 60,
    "\ufdfd\U0001242b" * 12,
    f"../../x/{'0' * 64}/index.html?a=b&c#d",
    "//" + "/" * 5_000,
    "W" * 5_000,
)
"""Texts that break out of markup, attributes, scripts and style sheets, or change how the text around them is read."""
IN_MEMORY: Final = ("\x00nul\x00", "\ud800 a lone surrogate \udfff", "W" * 100_000, "\u0301" * 100_000, "/" * 100_000)
"""Texts that no database holds, or that are too long for a test of many pages."""

_XMLNS: Final = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
_INSIDE: Final = (
    f"<script>{RUN}</script>",
    f'<script href="{LISTENER}"/><script xlink:href="{LISTENER}"/>',
    f'<rect width="9" height="9" onload="{RUN}" onclick="{RUN}" onmouseover="{RUN}"/>',
    f'<a href="javascript:{RUN}"><rect width="99" height="99"/></a><a xlink:href="{LISTENER}"><text>click</text></a>',
    f'<image href="{LISTENER}" width="9" height="9"/><use href="{LISTENER}#x"/><feImage href="{LISTENER}"/>',
    f'<foreignObject width="99" height="99"><body xmlns="http://www.w3.org/1999/xhtml" onload="{RUN}">'
    f'<iframe src="{LISTENER}"/><img src="x" onerror="{RUN}"/><form action="{LISTENER}"/></body></foreignObject>',
    f"<style>@import url({LISTENER}); @font-face {{ font-family: x; src: url({LISTENER}) }} "
    f"* {{ position: fixed; inset: 0; background: url({LISTENER}); font-family: x }} body {{ display: none }}</style>"
    '<rect style="position:fixed;inset:0;z-index:99" width="99999" height="99999"/>',
    f'<animate href="#status" attributeName="href" to="javascript:{RUN}"/>'
    f'<set attributeName="onmouseover" to="{RUN}"/>',
    '<rect id="ply-1"/><rect id="status"/><rect id="controls"/><rect class="now step"/>',
)
DOCUMENTS: Final = (
    *(f'<svg {_XMLNS} width="99" height="99" onload="{RUN}"><title>{{}}</title>{inside}</svg>' for inside in _INSIDE),
    f'<svg {_XMLNS} width="99999999" height="1e300" viewBox="NaN 0 -5 0"><title>{{}}</title></svg>',
    f'<?xml-stylesheet href="{LISTENER}"?><svg {_XMLNS}><title>{{}}</title></svg>',
    f'<svg {_XMLNS}><image href="data:image/svg+xml;base64,'
    f'{b64encode(f"<svg {_XMLNS}><script>{RUN}</script></svg>".encode()).decode()}"/></svg>',
)
"""Pictures that act. In a title stands a hostile text."""
PICTURES: Final = (
    *DOCUMENTS,
    f'<!DOCTYPE svg [<!ENTITY a "{"x" * 99}"><!ENTITY b SYSTEM "file:///etc/passwd">]><svg {_XMLNS}>&a;&b;</svg>',
    f'<!DOCTYPE svg [<!ENTITY a "{"x" * 9999}">'
    + "".join(f'<!ENTITY {one} "{f"&{before};" * 99}">' for before, one in pairwise("abcdef"))
    + f"]><svg {_XMLNS}>&f;</svg>",
    f"<svg><script>{RUN}</script></svg>",
    f'<html xmlns="http://www.w3.org/1999/xhtml"><script>{RUN}</script></html>',
    f"</div></li><script>{RUN}</script>",
    "\ud800",
    7,
    "",
)
"""What `svg` returns: those, and what is not a picture."""


class Hostile(State[int]):
    """Three plies. A move is a number with a hostile text behind it."""

    options = (
        Option("picture", 0, "which of PICTURES", 0, len(PICTURES) - 1),
        Option("text", 0, "which of TEXTS", 0, len(TEXTS) - 1),
    )
    max_plies = 3

    def __init__(self, picture: int, text: int, plies: int = 0) -> None:
        self.picture, self.text, self.plies = picture, text, plies
        self.turn = plies % 2 if plies < 3 else None

    def moves(self) -> tuple[int, ...]:
        """Two of them."""
        return (0, 1)

    def to_text(self, move: int) -> str:
        """The hostile text."""
        return f"{move}{TEXTS[self.text]}"

    def from_text(self, text: str) -> int:
        """The number before it."""
        if text[:1] not in ("0", "1"):
            raise BadMove(f"expected a move, got {text!r}")
        return int(text[0])

    def play(self, move: int) -> Hostile:
        """The next position."""
        return Hostile(self.picture, self.text, self.plies + 1)

    def utilities(self) -> tuple[float, float]:
        """Seat 0 wins."""
        return (1.0, -1.0)

    def position(self) -> str:
        """The number of plies."""
        return str(self.plies)

    def __str__(self) -> str:
        """The board as text, which is shown where there is no picture."""
        return f"{TEXTS[self.text]}\n{TEXTS[self.text]}"

    def svg(self, last: int | None = None) -> str:
        """Not always a picture, and not always text."""
        picture = PICTURES[self.picture]
        if not isinstance(picture, str):
            return picture  # type: ignore[return-value]
        title = "".join(f"&#{ord(letter)};" for letter in TEXTS[self.text] if letter.isprintable())
        return picture.replace("{}", title)
