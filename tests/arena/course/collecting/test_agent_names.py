"""A team has one agent; `test_collector.py` tests the names of students' own agents."""

from arena.course import roster as rosters
from arena.course.collecting.agent_names import agent_names


def test_a_team_has_one_agent_in_the_spelling_of_its_first_student() -> None:
    names = agent_names(rosters.read("name,alias\nAnn,Fox\nBob,Owl\nEve,FOX\n", "r"))
    assert list(names.values()) == ["Fox", "Owl", "Fox"]
