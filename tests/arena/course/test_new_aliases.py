"""Aliases reveal nothing, are distinct, and change no other cell of the roster."""

from __future__ import annotations

import csv
import io
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.course import roster as rosters
from arena.course.new_aliases import ANIMALS, with_aliases
from arena.errors import BadRoster

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
