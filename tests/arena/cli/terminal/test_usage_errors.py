"""A usage error is one line: what is wrong, what to type instead, and the help command."""

import pytest

from tests.kit.arena_program import arena


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("hstory", "no command 'hstory'; did you mean 'results history'? (help: arena --help)"),
        ("db cheque", "no command 'cheque' (help: arena data --help)"),
        ("play", "missing GAME; for example: arena play connect4 human minimax:depth=2 (help: arena play --help)"),
        ("replay", "missing ID; for example: arena replay last (help: arena replay --help)"),
        ("collect handed-in", "expected --tournament FILE.toml or --game GAME (`arena games` lists all), got neither"),
        ("check a.py connect4", "unexpected argument 'connect4'; did you mean --game connect4? (help: arena check"),
        (
            "check cmd:node a.js",
            "unexpected argument 'a.js'; write a command in quotes: 'cmd:node a.js' (help: ",
        ),
        (
            "history cs101",
            "unexpected argument 'cs101'; did you mean --tournament cs101? (help: arena results history --help)",
        ),
        ("demo connect4", "unexpected argument 'connect4'; for a course: arena demo --course connect4 (help"),
        ("show 3 --ply", "--ply needs a value"),
        (
            "rank --tournament demo",
            "no option --tournament; give TOURNAMENT without it: arena results rank TOURNAMENT (help",
        ),
        ("run nap random minimax --opening 1", "no option --opening; did you mean --openings? (help: arena run --h"),
        ("replay 1 --steps 3", "no option --steps (help: arena replay --help)"),
        ("run nap random minimax --memory 1G", "no option --memory (help: arena run --help)"),
        ("run nap random minimax --openings -3", "openings: expected a whole number from 0 to 1000 or a file's name"),
        ("history --limit many", "--limit: expected a whole number, got 'many' (help: arena results history --help)"),
        (
            "history --format xml",
            "--format: expected one of table, csv, json, markdown, got 'xml' (help: arena results history",
        ),
        ("history --since yesterday", "--since: expected a date such as 2026-05-01, or 2026-05-01T18:30, got 'yester"),
        ("analyse 3 --seconds soon", "--seconds: expected a number, got 'soon' (help: arena replay --help)"),
        ("analyse 3 --seconds 1 --depth 2", "expected --depth or --seconds, got both"),
    ],
)
def test_one_line_says_what_is_wrong(command: str, message: str) -> None:
    ended = arena(*command.split())
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"arena: {message}")
    assert ended.err.count("\n") == 1
