"""What readers get from every page is what is on record: no fact is lost when pages are made in another way."""

from __future__ import annotations

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from tests.kit.every_page import GROUPS
from tests.kit.page_texts import TRUTHS, stored


@pytest.mark.costly
@pytest.mark.parametrize("group", GROUPS)
def test_every_page_says_what_it_said(group: str) -> None:
    """`python -m tests.kit.page_texts` writes the texts again if a page is meant to say something else."""
    assert stored(GROUPS[group]()) == (TRUTHS / f"{group}.txt").read_text("utf-8")


def test_all_texts_are_compared() -> None:
    assert {file.stem for file in TRUTHS.glob("*.txt")} == {*GROUPS}
