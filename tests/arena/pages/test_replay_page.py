"""The page of a game: valid HTML for every game, small, and without private texts if it is public."""

from __future__ import annotations

import re

import pytest
from markupsafe import escape
from msgspec import structs

from adsearch import games
from arena.history import words
from arena.history.replay import replay
from arena.pages.drawing import Document, PageFrame, draw
from arena.pages.replay_page import page
from db.records import Mark, PastGame, PastRuling
from tests.kit.html_validity import check_html
from tests.kit.page_games import EVERY_GAME, analysed, named, past_game
from tests.kit.plot_reading import AWKWARD

SECRET = "a thought of mine"


def sheet(text: str) -> str:
    """All positions, which a browser with scripts keeps as a text."""
    return text[text.index("<noscript>") : text.index("</noscript>")]


def outside(text: str) -> str:
    """What such a browser makes elements of."""
    return text[text.index("<html") : text.index("<noscript>")] + text[text.index("</noscript>") :]


def thoughtful(rules: str = "connect4") -> PastGame:
    """A game with many reports and much output."""
    game = past_game(rules, ("ann", "bob"), logs=[f"{SECRET}\n" * 40, "Traceback\nNoGood: 3\n"])
    told = [structs.replace(move, text=SECRET, line=SECRET, score=0.125, depth=9, nodes=77) for move in game.moves]
    ruling = PastRuling(what="award", seat=1, reason=SECRET, when="2026-05-02T12:00:00Z")
    return structs.replace(
        game, moves=tuple(told), verdict="crashed", fault=0, detail=f"ann: {SECRET}", rulings=(ruling,)
    )


@pytest.mark.parametrize("rules", EVERY_GAME, ids=named)
def test_every_game_is_a_valid_page_with_a_board_for_each_position(rules: str) -> None:
    game = past_game(rules)
    text = page(game, trust=True).text
    check_html(text)
    begins = re.findall(r'<li id="ply-(\d+)"[^>]*><h3>.*?</h3>(<div class="position"><(?:svg|img|pre) )?', sheet(text))
    assert [int(number) for number, board in begins if board] == [*range(len(game.moves) + 1)]


@pytest.mark.parametrize("rules", ["tictactoe", "words:players=3,tiles=AAEEINORSTDL,rack=3", "maze:ghosts=0,map=tiny"])
@pytest.mark.parametrize("opened", [0, 3, 10_000])
def test_one_board_is_seen_it_is_that_of_the_ply_and_so_are_the_players(rules: str, opened: int) -> None:
    game = past_game(rules)
    text = page(game, at=opened).text
    document = outside(text)
    last = len(game.moves)
    ((turn, step),) = re.findall(rf'<li id="ply-{min(opened, last)}"([^>]*)>(.*?)</li>', sheet(text), re.DOTALL)
    boards = re.findall(r'<svg class="board" [^>]*><title>([^<]*)</title>', document)
    assert boards == re.findall(r'<svg class="board" [^>]*><title>([^<]*)</title>', step)
    assert len(boards) == 1
    assert len(re.findall('<svg class="board caption"', document)) == 1
    assert len(re.findall('<div class="seat ', document)) == len(game.players)
    assert re.findall('<b class="time">(.*?)</b>', document) == re.findall(
        '<span class="clock">[^<]* <b>(.*?)</b>', step
    )
    turns = ["turn" in kind for kind in re.findall('<div class="(seat [^"]*)"', document)]
    assert [f'data-turn="{seat}"' in turn for seat in range(len(game.players))] == turns


@pytest.mark.parametrize(("rules", "plies"), [("words:players=3", 192), ("ludo", 626)])
def test_a_long_game_is_a_document_of_few_elements(rules: str, plies: int) -> None:
    """All positions but one are a text: a browser makes an element of each tag, but not of those in <noscript>."""
    game = past_game(rules)
    game = structs.replace(game, moves=game.moves[:plies], verdict="resigned", fault=0)
    assert len(game.moves) == plies
    text = page(game).text
    check_html(text)
    document = re.sub("<(script|style)[^>]*>.*?</", "", outside(text), flags=re.DOTALL)
    assert len(re.findall("<[a-z]", document)) <= 3000


@pytest.mark.parametrize("rules", EVERY_GAME, ids=named)
@pytest.mark.parametrize("private", [True, False], ids=["private", "public"])
def test_every_mistake_has_its_mark_its_words_and_the_better_board(rules: str, private: bool) -> None:
    game = analysed(past_game(rules))
    text = page(game, trust=True, private=private).text
    check_html(text)
    marked = [ply for ply in replay(game).game.analysis if ply.mark]
    steps = dict(re.findall(r'<li id="ply-(\d+)"[^>]*>(.*?)</li>', sheet(text), re.DOTALL))
    links = dict(re.findall(r'<a href="#ply-(\d+)"[^>]*>(.*?)</a>', outside(text)))
    assert {int(ply) for ply, link in links.items() if 'class="mark"' in link} == {ply.ply for ply in marked}
    assert {int(ply) for ply, step in steps.items() if '<figure class="better">' in step} == {ply.ply for ply in marked}
    for ply in marked:
        assert f'<p class="mistake">{escape(words.mistake(ply, game.players))}</p>' in steps[str(ply.ply)]
    assert len(re.findall("<label><input [^>]*>Value, by the analysis of arena</label>", text)) == 1
    assert ('id="mistake"' in text) == bool(marked)
    assert not (marked and games.start(rules).hidden)


def test_moves_of_chess_are_numbered_in_pairs() -> None:
    text = page(past_game("chess", ["ann", "bob"], moves="f2f3 e7e5 g2g4")).text
    moves = text[text.index("<h2>Moves</h2>") : text.index("<noscript>")]
    listed = re.findall(r'<li class="(of-\w+)"><i class="n">(.*?)</i> <a [^>]*title="(.*?)"[^>]*><b>(.*?)</b>', moves)
    assert listed == [
        ("of-white", "1.", "ann", "f3"),
        ("of-black", "", "bob", "e5"),
        ("of-white", "2.", "ann", "g4"),
    ]
    assert "<h3>1... bob: <b>e5</b></h3>" in text
    assert "<h3>2. ann: <b>g4</b></h3>" in text


def test_in_a_game_that_was_resigned_nobody_is_to_move() -> None:
    game = past_game("chess", ["ann", "bob"], moves="f2f3 e7e5")
    text = page(structs.replace(game, verdict="resigned", fault=0)).text
    *before, last = re.findall(r"<title>Chess: ([^<.]*)</title>", sheet(text))
    assert before == ["White to move", "Black to move"]
    assert last == "the game is over"


@pytest.mark.parametrize("private", [True, False])
def test_a_game_with_a_hint_says_so_and_not_that_it_was_ruled_on(private: bool) -> None:
    ruling = PastRuling(what="void", seat=None, reason="human got a hint", when="2026-05-02T12:00:00Z", id=1)
    game = structs.replace(past_game("chess", ["ann", "human"], moves="f2f3 e7e5"), rulings=(ruling,))
    text = page(game, private=private).text.partition("<body>")[2]
    assert "with a hint, not rated" in text
    assert "annulled" not in text
    assert "ruling" not in text


@pytest.mark.parametrize(
    ("names", "ranks"),
    [(("ann", "human"), "12345678"), (("human", "ann"), "87654321"), (("ann", "bob"), "87654321")],
)
def test_the_board_is_shown_from_the_side_of_the_only_person(names: tuple[str, str], ranks: str) -> None:
    text = page(past_game("chess", list(names), moves="f2f3 e7e5")).text
    assert "".join(re.findall(r'class="faint"[^>]*>(\d)</text>', text)[:8]) == ranks


def test_the_mistakes_of_each_player_are_counted_in_words() -> None:
    game = analysed(past_game("connect4", ["anna", "ben"], moves="4 1 4 1 4 2 4"), depth=2)
    assert "?? a serious one. anna: no mistakes; ben: 1 ?, 1 ??." in page(game, trust=True).text


@pytest.mark.parametrize("rules", ["tictactoe", "/gone/away.py:Chess"])
def test_an_analysis_that_does_not_fit_the_rules_has_its_words(rules: str) -> None:
    """A record can have been changed by anybody."""
    game = analysed(past_game("tictactoe", ("ann", "bob"), moves="a1 b1 a2 c3 a3"), depth=9)
    odd = [structs.replace(ply, mark=Mark.BLUNDER, better=("<b>", "&")) for ply in game.analysis]
    text = page(structs.replace(game, game=rules, analysis=tuple(odd))).text
    check_html(text)
    assert "ann played a1??, better was &lt;b&gt; (then &amp;)" in text
    assert '<figure class="better">' not in text


@pytest.mark.parametrize(
    "how", [{"clock": "none"}, {"moves": ""}, {"verdict": "void"}, {"verdict": "forfeit", "fault": 0}]
)
def test_unusual_games_are_valid_pages(how: dict[str, str | int]) -> None:
    check_html(page(past_game("tictactoe", **how)).text)  # type: ignore[arg-type]


def test_a_game_that_has_not_been_played_is_a_page() -> None:
    game = past_game("tictactoe", moves="", verdict="void")
    check_html(page(structs.replace(game, status="scheduled", verdict=None, finished=None)).text)


def test_a_long_game_is_a_small_page() -> None:
    """Boards share their common parts."""
    game = past_game("ludo:players=2")
    assert len(game.moves) > 200
    assert len(page(game).text) < 2000 * len(game.moves) + 50_000


def test_without_its_rules_a_game_has_its_moves() -> None:
    game = structs.replace(past_game("tictactoe", ("ann", "bob"), moves="a1 b1"), game="/gone/away.py:Chess")
    text = page(game).text
    check_html(text)
    assert "There are no boards" in text
    assert "2. bob: <b>b1</b>" in text
    assert 'class="board' not in text


def test_reports_and_output_are_shown_at_their_moves() -> None:
    text = page(thoughtful()).text
    check_html(text)
    first = text[text.index('id="ply-1"') : text.index('id="ply-2"')]
    assert first.count(SECRET) > 2
    assert "ann printed before this move" in first
    assert "bob printed after its last move" in text[text.index(f'id="ply-{len(thoughtful().moves)}"') :]


def test_a_public_page_has_nothing_that_an_agent_wrote() -> None:
    text = page(thoughtful(), private=False).text
    check_html(text)
    assert "ann crashed" in text
    assert SECRET not in text
    body = text.partition("<body>")[2].partition("<script")[0]
    assert not re.search("printed|Traceback|NoGood|score|depth|Value", body)


def test_a_page_with_other_names_has_no_name_of_a_player() -> None:
    game = past_game("pig:goal=20", ("Alice Möller", "bob@example.org"), verdict="time", fault=1)
    game = structs.replace(game, detail="bob@example.org: Alice Möller was faster")
    text = page(game, names={"Alice Möller": "heron", "bob@example.org": "<b>stork"}, private=False).text
    check_html(text)
    assert "heron" in text
    assert "&lt;b&gt;stork" in text
    assert "Alice" not in text
    assert "example.org" not in text


def test_a_player_without_a_name_to_show_is_an_error() -> None:
    with pytest.raises(KeyError):
        page(past_game("tictactoe", ("ann", "bob")), names={"ann": "heron"})


@pytest.mark.parametrize("name", AWKWARD, ids=range(len(AWKWARD)))
def test_names_and_texts_are_escaped(name: str) -> None:
    odd = name if name.encode("utf-8", "ignore").decode() == name else name.replace("\ud800", "")
    game = past_game("tictactoe", (odd, "bob"), moves="a1 b1 a2", logs=[f"{odd}\r\n\x00{odd}\n" * 9])
    moves = tuple(structs.replace(move, text=odd, line=odd) for move in game.moves)
    text = page(
        structs.replace(game, moves=moves, detail=odd, tournament=odd), near=[("../x.html?a=1&b", odd or "x")]
    ).text
    body = text.partition("<body>")[2]
    assert body.count("<script") == 1
    shown = body.partition("<script")[0]
    assert shown.count("<noscript") == shown.count("</noscript") == 1
    if odd.strip():
        check_html(text)


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ("maze:ghosts=2,map=tiny", ["runner", "ghost 1", "ghost 2"]),
        ("maze:ghosts=random,map=tiny", ["runner"]),
        ("ludo:players=3,tokens=1", ["Red", "Green", "Yellow"]),
        ("pig:goal=8", ["first player", "second player"]),
        ("connect4", ["Yellow", "Red"]),
        ("othello", ["Black", "White"]),
        ("tictactoe", ["x", "o"]),
    ],
    ids=["ghosts", "ghosts of chance", "pieces", "no pieces", "discs", "black and white", "drawn letters"],
)
def test_the_page_lists_the_pieces_of_each_player(rules: str, told: list[str]) -> None:
    assert re.findall(r'<th scope="row">[^<]*</th><td>([^<]*)</td>', page(past_game(rules)).text) == told


def test_links_to_what_is_near_stand_beside_the_facts() -> None:
    text = page(past_game("tictactoe"), near=[("12.html", "next game"), ("agents/ann.html", "ann & co")]).text
    (near,) = re.findall('<nav [^>]*aria-label="Near this game">(.*?)</nav>', text)
    assert re.findall("<a .*?</a>", near) == [
        '<a href="12.html">next game</a>',
        '<a href="agents/ann.html">ann &amp; co</a>',
        '<a href="#sheet" id="all">All positions</a>',
    ]


def test_players_are_links_to_their_pages_and_have_their_ratings() -> None:
    game = past_game("chess", ["ann", "bob"], moves="f2f3 e7e5")
    text = page(game, agents={"ann": "a/ann.html"}, ratings={"ann": (1512.4, 30.2), "bob": (1490.0, None)}).text
    seats = re.findall('<span class="who" title="[^"]*">(.*?)</span> <small>(.*?)</small>', text)
    assert seats == [('<a href="a/ann.html">ann</a>', "White · 1512 ± 30 now"), ("bob", "Black · 1490 now")]


def test_a_file_is_drawn_in_the_frame_that_is_given() -> None:
    def drawn(template: str, title: str, **values: object) -> Document:
        return draw(template, title, PageFrame(home=("../index.html", "cs101"), modules=("replay.js",)), **values)

    text = page(past_game("tictactoe"), drawn=drawn).text
    check_html(text)
    assert '<a href="../index.html">cs101</a>' in text.partition("<h1")[0]


def test_only_a_page_with_plots_says_that_they_can_be_clicked() -> None:
    assert "Click a plot" in page(past_game("tictactoe", moves="a1")).text
    assert "Click a plot" not in page(past_game("tictactoe", moves="", verdict="crashed", fault=0)).text
