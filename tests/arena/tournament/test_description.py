"""New values in a description: only these change, and comments stay."""

from __future__ import annotations

import tomllib

import pytest

from arena.student.starter import FOLDER
from arena.tournament.description import with_keys


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ('game = "nap"\nrounds = 5  # many\n', 'game = "nap"\nrounds = 2  # many\n'),
        ('# rounds = 1   # how often\ngame = "nap"', 'rounds = 2   # how often\ngame = "nap"'),
        ('game = "nap" # x\n[limits]\nmove = 1\n', 'game = "nap" # x\nrounds = 2\n[limits]\nmove = 1\n'),
        ('game = "nap"\r\nrounds=1_0\r\n', 'game = "nap"\r\nrounds = 2\r\n'),
        ('rounds = 3\n# rounds = 1\ngame = "nap"', 'rounds = 2\n# rounds = 1\ngame = "nap"'),
        ('game = "nap"\n[ladder.final]\nrounds = 9', 'game = "nap"\nrounds = 2\n[ladder.final]\nrounds = 9'),
    ],
)
def test_a_number_is_set_where_it_is_or_where_a_comment_shows_it(text: str, changed: str) -> None:
    assert with_keys(text, {"rounds": 2}) == changed


@pytest.mark.parametrize(
    "text",
    [
        'about = """\nrounds = 1\n"""\ngame = "nap"\n',
        'about = """\n# rounds = 1\n"""\ngame = "nap"\n',
        'players = [\n[\n"a"]]\nrounds = 1\n"game" = "nap"\n',
        '"game" = "nap"\n',
        'game = "nap"\nrounds = [1]\n',
    ],
)
def test_a_text_that_it_cannot_change_is_not_changed_wrongly(text: str) -> None:
    tomllib.loads(text)
    assert with_keys(text, {"rounds": 2}) is None


def test_the_file_of_arena_init_keeps_all_other_lines() -> None:
    text = (FOLDER / "tournament.toml").read_text("utf-8")
    changed = with_keys(text, {"format": "swiss", "rounds": 6})
    assert changed is not None
    pairs = zip(text.splitlines(), changed.splitlines(), strict=True)
    assert [new.partition(" #")[0].rstrip() for old, new in pairs if old != new] == ['format = "swiss"', "rounds = 6"]
