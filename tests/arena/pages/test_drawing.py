"""The frame of every page, and its policy: what a browser may load and run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html import unescape
from typing import Any

import pytest
from jinja2 import UndefinedError

from arena.pages.drawing import READER, SHEET, Document, PageFrame, draw, file, files
from tests.kit.html_validity import check_html


def page(**how: Any) -> Document:
    """A page with nothing on it."""
    return draw("message.html", "A page", PageFrame(**how), text="", ways=())


def test_a_file_loads_nothing() -> None:
    file = page(modules=("search.js",))
    assert re.search("style-src 'sha256-[^']*'; script-src 'sha256-[^']*' 'sha256-[^']*'; ", file.policy)
    assert file.policy.endswith("; img-src data:; base-uri 'none'; form-action 'none'")
    assert "'self'" not in file.policy
    assert not re.search('<script[^>]* src|<link[^>]* href="(?!data:)|url\\(|@import', file.text)
    assert file.policy in unescape(file.text)


def test_a_page_of_a_server_runs_the_scripts_of_that_server() -> None:
    served = page(modules=("page.js",), static="/static/1&2/")
    assert '<script src="/static/1&amp;2/page.js" type="module"></script>' in served.text
    assert '<link rel="stylesheet" href="/static/1&amp;2/style.css">' in served.text
    assert "<style>" not in served.text
    assert "style-src 'self'; script-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'" in served.policy


def test_a_form_goes_to_the_server_of_the_page() -> None:
    assert page(static="/static/").policy.endswith("form-action 'self'")


def test_the_choice_of_light_or_dark_is_made_before_anything_is_seen() -> None:
    """A module runs when the page has been read; this script runs where it stands, before the sheet and the body."""
    for one in (page(modules=("replay.js",)), page(modules=("page.js",), static="/static/")):
        head = one.text.partition("<body>")[0]
        assert head.index("<script") < max(head.find("<style>"), head.find('rel="stylesheet"'))
        assert re.findall("<script(?: src=[^ >]*)?( type=[^>]*)?>", head)[0] == ""
    assert file(READER) in page().text


@pytest.mark.parametrize("name", [name for name in files() if name.endswith(".js") and name != READER])
def test_the_modules_of_a_file_are_joined_into_one_that_imports_nothing(name: str) -> None:
    (script,) = re.findall('<script type="module">(.*?)</script>', page(modules=(name,)).text, re.DOTALL)
    assert not re.search(r"^\s*(import|export)\b", script, re.MULTILINE)
    whole: list[str] = []
    wanted = [name]
    for each in wanted:
        wanted += [other for other in re.findall(r'from "\./([\w.]+)"', file(each)) if other not in wanted]
    for each in wanted:
        module = each.removesuffix(".js") + "Module"
        whole.append(module)
        assert script.count(f"const {module} = (() => {{") == 1
        used = script.find(f"}} = {module};")
        assert used == -1 or used > script.index(f"const {module} = (")
    assert re.findall(r"const (\w+) = \(\(\) => \{\n", script)[-1] == whole[0]


def test_the_sheet_of_a_page_has_each_colour_of_pictures_for_both_choices() -> None:
    sheet = file(SHEET)
    assert sheet.count(":root[data-theme=dark] {") >= 2
    assert "@media (prefers-color-scheme: dark) { :root:not([data-theme=light]) {" in sheet
    for kind in ("white", "black", "yellow", "red", "R", "G", "Y", "B", "runner", "ghost", "full-x", "full-o"):
        assert re.search(rf"^\.of-{kind} {{ --seat: light-dark\(#\w+, #\w+\); --seat-edge: ", sheet, re.MULTILINE)


def test_everything_in_the_frame_is_escaped() -> None:
    evil = "<b>\"'&\u202e\0"
    link = (evil, evil)
    frame = PageFrame(
        home=link,
        pages=[link],
        label=evil,
        ends=[link],
        find=evil,
        at=evil,
        of=f"{evil}2",
        below=evil,
        json=evil,
        stream=evil,
    )
    drawn = draw("message.html", evil, frame, text=evil, ways=()).text
    check_html(drawn)
    assert not re.search("<b>|[\u202e\0]", drawn)


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        draw("message.html", "A page", PageFrame())


def test_the_templates_are_loaded_by_the_first_page_alone() -> None:
    code = "import sys, arena.cli.look.replay, arena.pages.replay_page; print('jinja2' in sys.modules)"
    environment = os.environ | {"PYTHONSAFEPATH": ""}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert ran.stdout == "False\n"
