"""The public names of agents are aliases, or there is an error; a real name is never shown by mistake."""

import pytest

from arena.course.aliases import aliases_of, own_names
from arena.course.roster import read
from arena.errors import ArenaError

HANDED_IN = False
READY_MADE = True
ROSTER = read("id,name,group,alias\n1001,Ann Lee,Red Team,Fox\n1002,bob,blue,Owl\n,coach,,coach\n", "r")


def test_without_a_roster_agents_keep_their_names_on_one_line() -> None:
    assert own_names(["ann", "a\nb\u202ec"]).shown == {"ann": "ann", "a\nb\u202ec": "a\ufffdb\ufffdc"}


def test_no_two_agents_have_the_same_public_name() -> None:
    assert sorted(own_names(["a\n", "a\t", "b"]).shown.values()) == ["a\ufffd", "a\ufffd (2)", "b"]


def test_an_agent_is_found_by_name_id_or_alias_and_its_versions_with_it() -> None:
    agents = dict.fromkeys(["1001", "BOB", "coach"], HANDED_IN)
    assert aliases_of(agents, ROSTER).shown == {"1001": "Fox", "BOB": "Owl", "coach": "coach"}
    assert aliases_of({"Ann Lee@2": HANDED_IN, "owl@3": HANDED_IN}, ROSTER).shown == {
        "Ann Lee@2": "Fox@2",
        "owl@3": "Owl@3",
    }


def test_a_built_in_agent_needs_no_line() -> None:
    assert aliases_of({"strong": READY_MADE}, ROSTER).shown == {"strong": "strong"}


@pytest.mark.parametrize(
    ("agents", "told"),
    [
        ({"carl": HANDED_IN, "dora": HANDED_IN}, "expected a line for every agent .* none for 'carl', 'dora'"),
        ({"1001": HANDED_IN, "Ann Lee": HANDED_IN}, "'1001' and 'Ann Lee' would both be called 'Fox'"),
        ({"fox": READY_MADE, "1001": HANDED_IN, "Fox ": READY_MADE}, "would both be called 'Fox'"),
        ({"the blue": READY_MADE}, "r, line 3: the name 'the blue' would reveal 'blue' of this line"),
    ],
)
def test_a_name_that_would_be_revealed_or_ambiguous_is_an_error(agents: dict[str, bool], told: str) -> None:
    with pytest.raises(ArenaError, match=told):
        aliases_of(agents, ROSTER)


def test_a_letter_or_a_small_number_identifies_no_student() -> None:
    roster = read("id,name,group,alias\n2,Ann,A,Fox\n17,Bob,3,Owl\n", "r")
    names = aliases_of({"Ann": HANDED_IN, "alphabeta-2": READY_MADE, "group A": READY_MADE}, roster)
    assert names.shown == {"Ann": "Fox", "alphabeta-2": "alphabeta-2", "group A": "group A"}
    assert names.redact("four in a row, 17 to 3, for Ann and Bob") == "four in a row, 17 to 3, for … and …"


def test_in_scripts_without_spaces_a_name_is_found_anywhere() -> None:
    names = aliases_of({"2": HANDED_IN}, read("id,name,alias\n1,王小明,Fox\n2,김민준,Owl\n", "r"))
    assert names.redact("王小明赢了, 김민준이 이겼다") == "…赢了, …이 이겼다"
    assert names.redact("王小明的游戏.py") == "…的游戏.py"


def test_two_students_of_one_name_are_not_distinguished_by_it() -> None:
    roster = read("id,name,alias\n1,Ann,Fox\n2,Ann,Owl\n", "r")
    assert aliases_of({"2": HANDED_IN}, roster).shown == {"2": "Owl"}
    with pytest.raises(ArenaError, match="r, lines 2 and 3: expected one student called 'Ann'; use their ids"):
        aliases_of({"Ann": HANDED_IN}, roster)


def test_a_team_plays_under_one_alias_and_all_its_members_are_hidden() -> None:
    roster = read(
        'id,name,email,group,alias\n1001,Ann Lee,al@x.example,Team 7,Fox\n1002,Bob Cox,,"Lab A, Team 7",fox\n', "r"
    )
    names = aliases_of({"Fox": HANDED_IN}, roster)
    assert names.shown == {"Fox": "Fox"}
    assert aliases_of({"1002@3": HANDED_IN}, roster).shown == {"1002@3": "Fox@3"}
    assert (
        names.redact("Ann Lee (1001, al@x.example) and bob_cox, 1002, Team 7 in Lab A") == "… (…, …) and …, …, … in …"
    )


def test_every_student_that_plays_must_have_an_alias() -> None:
    roster = read("name,alias\nAnn,\nBob,Owl\n", "r")
    assert aliases_of({"Bob": HANDED_IN}, roster).shown == {"Bob": "Owl"}
    with pytest.raises(ArenaError, match="r, line 2: expected an alias for 'Ann', who plays"):
        aliases_of({"Ann": HANDED_IN}, roster)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("the Red Team's cup", "the …'s cup"),
        ("ann_lee_game.py:Game, ANN LEE, annlee", "…_game.py:Game, …, …"),
        ("cup of 1001", "cup of …"),
        ("11001 bobs, a coach and a fox", "11001 bobs, a coach and a fox"),
    ],
)
def test_names_ids_and_groups_are_redacted_as_whole_words(words: str, shown: str) -> None:
    assert aliases_of({"bob": HANDED_IN}, ROSTER).redact(words) == shown


def test_without_a_roster_texts_are_not_changed() -> None:
    assert own_names(["ann"]).redact("ann's cup") == "ann's cup"
