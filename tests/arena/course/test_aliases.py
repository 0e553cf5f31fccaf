"""The public names of agents are aliases, or there is an error; a real name is never shown by mistake."""

from __future__ import annotations

import csv
import io
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.course import roster as rosters
from arena.course.aliases import ANIMALS, aliases_of, own_names, with_aliases
from arena.course.roster import read
from arena.errors import ArenaError, BadRoster

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


# Aliases reveal nothing, are distinct, and change no other cell of the roster.


CELLS = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=8)
"""Hostile texts too: formulas, quotes, apostrophes."""


@given(st.lists(st.tuples(CELLS, st.sampled_from(["", "A", "b", "B"]), CELLS), min_size=1, max_size=40), st.integers())
def test_every_student_gets_an_alias_and_every_other_cell_stays(rows: list[tuple[str, str, str]], seed: int) -> None:
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(["ID", "Group", "Comment"])
    for number, (name, group, comment) in enumerate(rows):
        table.writerow([f"{number}-{name}", group, comment])  # no two ids are alike, whatever the names
    before = rosters.table(out.getvalue(), "r")
    for teams in (False, any(group for _, group, _ in rows)):
        made = with_aliases(out.getvalue(), "r", Random(seed), teams=teams)
        after = rosters.table(made.text, "r")
        assert [{**row, "alias": ""} for _, row in after] == [{**row, "alias": ""} for _, row in before]
        students = made.roster.students
        assert made.drawn == len(rows)
        agents = {one.group.casefold() or one.line for one in students} if teams else set(students)
        assert len({one.alias for one in students}) == len(agents)
        assert with_aliases(out.getvalue(), "r", Random(seed), teams=teams) == made


def test_the_order_of_aliases_depends_only_on_the_seed() -> None:
    text = "name\n" + "".join(f"Student {number}\n" for number in range(60))
    drawn = {tuple(one.alias for one in with_aliases(text, "r", Random(seed)).roster.students) for seed in range(20)}
    assert len(drawn) == 20
    assert all(list(aliases) != sorted(aliases) for aliases in drawn)


def test_no_alias_is_a_word_of_the_roster_and_there_are_enough_for_any_course() -> None:
    names = "".join(f"Ann {animal.title()}\n" for animal in ANIMALS[1:])
    made = with_aliases(f"name\n{names}Zoe Lee\n", "r", Random(1))
    aliases = [one.alias for one in made.roster.students]
    assert len(set(aliases)) == len(ANIMALS)
    assert aliases[0] == ANIMALS[0]
    assert {alias.removesuffix("-2") for alias in aliases} <= set(ANIMALS)
    assert all(alias.endswith("-2") for alias in aliases[1:])


def test_an_alias_that_is_there_stays_and_counts_for_its_team() -> None:
    made = with_aliases("name,group,Alias\nAnn,A,\nBob,a,Fox\nEve,,\n", "r", Random(1), teams=True)
    ann, bob, eve = made.roster.students
    assert (ann.alias, bob.alias, made.drawn) == ("Fox", "Fox", 2)
    assert eve.alias not in ("", "Fox")


def test_the_smallest_group_is_the_team() -> None:
    lines = [f'{number},"Lab {"AB"[number % 2]}, Team {number // 2}"' for number in range(11)]
    made = with_aliases("\n".join(["id,groups", *lines]), "r", Random(1), teams=True)
    aliases = [one.alias for one in made.roster.students]
    assert len(set(aliases)) == 6
    assert all(aliases[number] == aliases[number - 1] for number in range(1, 11, 2))


def test_groups_that_overlap_are_an_error() -> None:
    text = 'name,groups\nAnn,"Team 1, Lab A"\nBob,"Team 1, Lab B"\nEve,Lab A\nZoe,Lab A\n'
    with pytest.raises(
        BadRoster, match=r"r, line 2: the smallest group is 'team 1', but 'lab a', .* of line 4; remove"
    ):
        with_aliases(text, "r", Random(1), teams=True)
