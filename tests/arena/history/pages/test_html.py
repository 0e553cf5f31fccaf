"""The policy of a page: what a browser may load and run."""

from __future__ import annotations

from arena.history.pages import html


def test_a_file_loads_nothing() -> None:
    page = html.document("A page", script="1;")
    assert "script-src 'sha256-" in page.policy
    assert page.policy.endswith("; base-uri 'none'; form-action 'none'")
    assert "'self'" not in page.policy
    assert html.words(page.policy) in page.text


def test_a_page_of_a_server_runs_the_scripts_of_that_server() -> None:
    page = html.document("A page", modules=("/static/page.js?a&b",))
    assert '<script type="module" src="/static/page.js?a&amp;b"></script>' in page.text
    assert "script-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'" in page.policy


def test_a_form_goes_to_the_server_of_the_page() -> None:
    assert html.document("A page", form=True).policy.endswith("form-action 'self'")
