"""Tests of the HTML checker that other tests use."""

import pytest

from arena.pages.drawing import PageFrame, draw
from tests.kit.html_validity import check_html, wrong_with

GOOD = draw("message.html", "A page", PageFrame(), text="x", ways=()).text


def test_a_page_in_order_is_left_alone() -> None:
    check_html(GOOD)


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("<p>one<p>two</p>", "in a phrase"),
        ("<p>one", "never closed"),
        ("<div></p></div>", "is open"),
        ('<i id="x"></i><i id="x"></i>', "there already"),
        ('<i class="x" class="y"></i>', "twice"),
        ("<blink>hello</blink>", "no element is called blink"),
        ("a & b", "bare &"),
        ("a < b", "bare &"),
        ("<!-- hidden -->", "comment"),
        ("<div/>", "closes itself"),
        ('<button type="button"></button>', "without words"),
        ("<button>go</button>", "without a type"),
        ('<input id="x">', "without a label"),
        ('<label for="y">y</label><input id="x">', "nothing has the id 'y'"),
        ('<a href="#nowhere">go</a>', "nothing has the id 'nowhere'"),
        ('<a href="#"></a>', "without words"),
        ("<h3>deep</h3>", "<h3> comes after <h1>"),
        ("<h1>again</h1>", "expected one <h1>"),
        ("<svg><circle/></svg>", "not told in words"),
        ('<svg role="img"><title>x</title><use href="far.svg#x"/></svg>', "another file"),
        ('<img src="https://example.org/x.png" alt="x">', "another file"),
        ('<p onclick="go()">x</p>', "<p onclick>"),
        ('<p style="color: red">x</p>', "<p style>"),
        ('<pre tabindex="0">x</pre>', "nobody is told"),
        ("<li>x</li>", "not in"),
        ("<ol><p>x</p></ol>", "<p> in <ol>"),
        ("<table><tbody><tr><td>x</td></tr></tbody></table>", "without a caption"),
        ("<table><caption>x</caption><thead><tr><th>x</th></tr></thead></table>", "without a scope"),
    ],
)
def test_what_is_wrong_is_found(body: str, what: str) -> None:
    found = wrong_with(GOOD.replace("</main>", f"{body}</main>"))
    assert any(what in each for each in found), found


@pytest.mark.parametrize(
    ("there", "instead", "what"),
    [
        ("<!doctype html>\n", "", "no doctype"),
        (' lang="en"', "", "no language"),
        ("<title>A page</title>", "<title></title>", "<title> without words"),
        ("<h1>A page</h1>", "<h2>A page</h2>", "expected one <h1>"),
    ],
)
def test_what_every_page_needs_is_missed(there: str, instead: str, what: str) -> None:
    found = wrong_with(GOOD.replace(there, instead))
    assert any(what in each for each in found), found
