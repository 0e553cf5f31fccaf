"""A mistyped command is told in one line what was expected, what came, where, and which help tells more."""

import pytest

from tests.kit.arena_program import arena


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("hstory", "no such command 'hstory'; did you mean 'history'? (arena --help tells more)"),
        ("db cheque", "no such command 'cheque' (arena db --help tells more)"),
        ("play", "expected GAME, got nothing (arena play --help tells more)"),
        ("collect handed-in", "expected --roster, got nothing (arena collect --help tells more)"),
        ("show 3 --ply", "option '--ply' requires an argument"),
        ("run nap random minimax --opening 1", "no option --opening; did you mean --openings? (arena run --help tells"),
        ("run nap random minimax --memory 1G", "no option --memory (arena run --help tells more)"),
        ("run nap random minimax --openings -3", "--openings: expected at least 0, got '-3' (arena run --help tells"),
        ("history --limit many", "--limit: expected a whole number, got 'many' (arena history --help tells more)"),
        ("history --format xml", "--format: expected one of table, csv, json, got 'xml' (arena history --help"),
        ("history --since yesterday", "--since: expected a date such as 2026-05-01, or 2026-05-01T18:30, got 'yester"),
        ("analyse 3 --seconds soon", "--seconds: expected a number, got 'soon' (arena analyse --help tells more)"),
        ("analyse 3 --seconds 1 --depth 2", "expected --depth or --seconds, got both"),
    ],
)
def test_one_line_says_what_is_wrong(command: str, told: str) -> None:
    ended = arena(*command.split())
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"arena: {told}")
    assert ended.err.count("\n") == 1
