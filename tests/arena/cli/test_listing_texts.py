"""What programs read of every listing, CSV and JSON, is what is on record, at any width of the terminal."""

from __future__ import annotations

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from tests.kit.listing_texts import GROUPS, TRUTHS, stored


@pytest.mark.costly
@pytest.mark.parametrize("group", GROUPS)
def test_every_listing_says_what_it_said(group: str) -> None:
    """`python -m tests.kit.listing_texts` writes the texts again if a listing gets a field."""
    assert stored(GROUPS[group](40)) == (TRUTHS / f"{group}.txt").read_text("utf-8")


def test_all_texts_are_compared() -> None:
    assert {file.stem for file in TRUTHS.glob("*.txt")} == {*GROUPS}
