"""What an engine reads in whole games with a real warden and the rules of a real match."""

from __future__ import annotations

from agents.protocol import Report, Verdict
from arena.match.match import Match
from tests.bad_engines import command, settings
from tests.kit.one_game_judge import Judge


def engine(protocol: str, manner: str = "plays_well", **orders: object) -> Judge:
    return Judge(command(protocol, manner), engine=settings(protocol), **orders)


def read_in(judge: Judge, **game: object) -> tuple[Match, list[str]]:
    """One game, and the commands that the engine has read in it, with its lines that are only logged."""
    match = judge.play(**game)  # type: ignore[arg-type]
    report = judge.heard[-1]
    assert isinstance(report, Report)
    return match, report.stderr.splitlines()


def test_a_chess_engine_gets_all_moves_and_its_search_is_recorded() -> None:
    with engine("uci") as judge:
        match, commands = read_in(judge, clock="none", rules="chess", max_plies=4)
    assert match.verdict is Verdict.ADJUDICATED
    black = match.moves[1].move
    assert commands == [
        "uci",
        "stdout: id name Fake 1",
        "setoption name Level value 5",
        "ucinewgame",
        "isready",
        "position startpos",
        "go movetime 1000",
        f"position startpos moves b1c3 {black}",
        "go movetime 1000",
        "quit",
    ]
    first = match.moves[0]
    assert (first.depth, first.nodes, first.line, first.text) == (3, 4711, "b1c3 g8f6", "cp 35 seldepth 5")


def test_a_kept_engine_is_greeted_once() -> None:
    with engine("uci", fresh=False) as judge:
        games = [read_in(judge, rules="chess", max_plies=2)[1] for _ in range(3)]
    assert [commands[:-1] for commands in games] == [
        ["uci", "stdout: id name Fake 1", "setoption name Level value 5", "ucinewgame", "isready", "position startpos"],
        ["ucinewgame", "isready", "position startpos"],
        ["ucinewgame", "isready", "position startpos"],
    ]
    with engine("gtp", fresh=False) as judge:
        games = [read_in(judge, rules="go:size=5")[1] for _ in range(2)]
    assert games[0] == ["protocol_version", *games[1]]


def test_a_kept_engine_that_ends_before_its_next_game_is_started_again() -> None:
    with engine("uci", "exits_at_its_second_game", fresh=False) as judge:
        games = [read_in(judge, rules="chess", max_plies=2) for _ in range(2)]
    assert [match.verdict for match, _ in games] == [Verdict.ADJUDICATED] * 2
    assert games[1][1][0] == "uci"


def test_a_go_engine_gets_the_opening_and_its_opponents_moves() -> None:
    with engine("gtp") as judge:
        match, commands = read_in(judge, clock="none", rules="go:size=5", opening=("a1", "b1"))
    assert (match.verdict, match.moves[2].move) == (Verdict.NORMAL, "D4")
    assert commands == [
        "protocol_version",
        "level 5",
        "boardsize 5",
        "clear_board",
        "time_settings 0 1 0",
        "komi 7.5",
        "play b A1",
        "play w B1",
        "genmove b",
        "play w pass",
        "genmove b",
        "quit",
    ]


def test_lines_that_are_not_uci_are_logged_once() -> None:
    with engine("uci", "writes_what_is_not_uci") as judge:
        _, lines = read_in(judge, rules="chess", max_plies=4)
    once = (
        "Fake 1, by nobody",
        "\ufffd\ufffd is not UTF-8",
        "uciok",
        '{"type":"resign"}',
        "thinking",
        "info string it thinks",
    )
    assert [lines.count(f"stdout: {line}") for line in once] == [1] * len(once)
    assert not [
        line for line in lines if line.removeprefix("stdout: ").startswith(("info depth", "option", "bestmove"))
    ]
