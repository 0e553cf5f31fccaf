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

from arena.pages.drawing import Document, Frame, draw
from tests.kit.html_validity import check_html


def page(**how: Any) -> Document:
    """A page with nothing on it."""
    return draw("message.html", "A page", Frame(**how), text="")


def test_a_file_loads_nothing() -> None:
    file = page(script="1;")
    assert "script-src 'sha256-" in file.policy
    assert file.policy.endswith("; base-uri 'none'; form-action 'none'")
    assert "'self'" not in file.policy
    assert file.policy in unescape(file.text)


def test_a_page_of_a_server_runs_the_scripts_of_that_server() -> None:
    served = page(modules=("/static/page.js?a&b",))
    assert '<script src="/static/page.js?a&amp;b" type="module"></script>' in served.text
    assert "script-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'" in served.policy


def test_a_form_goes_to_the_server_of_the_page() -> None:
    assert page(form=True).policy.endswith("form-action 'self'")


def test_everything_in_the_frame_is_escaped() -> None:
    evil = "<b>\"'&\u202e\0"
    drawn = draw(
        "message.html",
        evil,
        Frame(pages=[(evil, evil)], label=evil, at=evil, of=f"{evil}2", below=evil, json=evil, stream=evil),
        text=evil,
    ).text
    check_html(drawn)
    assert not re.search("<b>|[\u202e\0]", drawn)


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        draw("message.html", "A page", Frame())


def test_the_templates_are_loaded_by_the_first_page_alone() -> None:
    code = "import sys, arena.cli.look.replay, arena.pages.replay_page; print('jinja2' in sys.modules)"
    environment = os.environ | {"PYTHONSAFEPATH": ""}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert ran.stdout == "False\n"
