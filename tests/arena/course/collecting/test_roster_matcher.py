"""Students are found by id, name or alias in any spelling; no student is guessed."""

import pytest

from arena.course import roster as rosters
from arena.course.collecting.roster_matcher import RosterMatcher
from arena.errors import BadSubmission
from tests.kit.hand_ins import MATCHER


@pytest.mark.parametrize(
    ("who", "id"),
    [
        ("Anna Müller", "1001"),
        ("Müller, Anna", "1001"),
        ("anna mu\u0308ller", "1001"),
        ("Anna Muller", "1005"),
        ("muelleranna", "1001"),
        ("Mueller Anna", "1001"),
        ("BROWN bob", "1002"),
        ("brownbob", "1002"),
        ("garcialopezcarla", "1003"),
        ("Carla García López", "1003"),
        ("carla_garcia-lopez", "1003"),
        ("<script>alert(1)</script>", "1003"),
        ("田中 太郎", "1004"),
        ("太郎 田中", "1004"),
        ("deep blue", "1001"),
        ("S-77", "s-77"),
        ("s77", "s-77"),
        ("Soren Agard", "s-77"),
        ("Soeren Aagaard", "s-77"),
        ("A-Bob Brown", "1002"),
    ],
)
def test_students_are_found_in_the_spelling_of_learning_systems(who: str, id: str) -> None:
    assert MATCHER.by_name(who).id == id


@pytest.mark.parametrize(
    ("who", "said"),
    [
        ("Zoe Nobody", "no student on roster.csv has this name"),
        ("Brown", "is it 'Bob Brown' (line 3)?"),
        ("Bob J. Brown", "is it 'Bob Brown' (line 3)?"),
        ("mulleranna", "it could be 'Anna Müller' (line 2) or 'Anna Muller' (line 6)"),
        ("Eve Zweig", "it could be 'Eve Zweig' (line 8) or 'Eve Zweig' (line 9)"),
        ("B-Bob Brown", "no student on roster.csv"),
        ("", "no student on roster.csv"),
        ("...", "no student on roster.csv"),
        ("W" * 64, "no student on roster.csv"),
    ],
)
def test_no_student_is_guessed(who: str, said: str) -> None:
    with pytest.raises(BadSubmission) as error:
        MATCHER.by_name(who)
    assert said in str(error.value)


def test_a_number_distinguishes_students_with_the_same_name() -> None:
    assert MATCHER.by_name("Eve Zweig", "1007").id == "1007"
    assert MATCHER.by_name("Eve Zweig", "1006").id == "1006"
    with pytest.raises(BadSubmission, match="start with an id, or make 4711 the id of the right one on the roster"):
        MATCHER.by_name("Eve Zweig", "4711")


def test_a_number_without_a_name_finds_no_student() -> None:
    with pytest.raises(BadSubmission, match=r"has this name; is it 'Bob Brown' \(line 3\)\?"):
        MATCHER.by_name("u1002", "1002")
    assert MATCHER.by_name("Bob Brown", "987654").id == "1002"


def test_a_number_that_is_the_id_of_another_student_is_an_error() -> None:
    with pytest.raises(BadSubmission, match=r"'Bob Brown' \(line 3\), the id '1004' is"):
        MATCHER.by_name("Bob Brown", "1004")


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("1002", "1002"),
        ("1002_my_agent", "1002"),
        ("bob_brown", "1002"),
        ("brown-bob-agent-final(2)", "1002"),
        ("Mueller_Anna_anna.mueller_12345", "1001"),
        ("eve", "1006"),
        ("eve_agent", "1006"),
        ("ada's agent", "1007"),
        ("red", "1005"),
        ("田中太郎", "1004"),
    ],
)
def test_a_plain_name_starts_with_its_student(name: str, id: str) -> None:
    assert MATCHER.by_beginning(name).id == id


@pytest.mark.parametrize("name", ["agent_bob_brown", "my_agent", "10021", "reda", "bob", ""])
def test_a_plain_name_that_does_not_has_no_student(name: str) -> None:
    with pytest.raises(BadSubmission):
        MATCHER.by_beginning(name)


def test_the_longest_match_counts() -> None:
    matcher = RosterMatcher(rosters.read("id,name\n1,Anna\n2,Anna Lena\n", "roster.csv"))
    assert matcher.by_beginning("anna_lena_agent").id == "2"
    assert matcher.by_beginning("anna_agent").id == "1"
    with pytest.raises(BadSubmission):
        matcher.by_name("Lisa-Anna")


TEAMS = RosterMatcher(
    rosters.read(
        "id,name,group,alias\n"
        'Participant 4711,Anna Müller,"Project 1, Lab A",Fox\n'
        'Participant 4712,Ben Costa,"Project 1, Lab B",Fox\n'
        'Teilnehmer/in4713,Eve Zweig,"Project 2, Lab A",Owl\n'
        "4714,Ann Zweig,Project 3,\n",
        "roster.csv",
    )
)


@pytest.mark.parametrize(
    ("who", "number", "name"),
    [
        ("fox", "", "Anna Müller"),
        ("Project 1", "99", "Anna Müller"),
        ("project1", "4712", "Ben Costa"),
        ("Project 2", "", "Eve Zweig"),
        ("Lab B", "", "Ben Costa"),
        ("Ben Costa", "4712", "Ben Costa"),
        ("Project 1-Ben Costa", "", "Ben Costa"),
    ],
)
def test_a_team_is_found_by_its_alias_and_by_a_group_of_its_students_alone(who: str, number: str, name: str) -> None:
    assert TEAMS.by_name(who, number).name == name


@pytest.mark.parametrize("who", ["Lab A", "Project 3", "Project", "Project 12"])
def test_a_group_of_several_teams_or_of_none_finds_no_student(who: str) -> None:
    with pytest.raises(BadSubmission, match="no student on"):
        TEAMS.by_name(who)


def test_a_group_that_is_called_like_another_student_or_team_takes_nobodys_place() -> None:
    matcher = RosterMatcher(
        rosters.read(
            "id,name,group,alias\n1,Anna Müller,Project 1,fox\n2,Ben Costa,anna muller,owl\n3,Eve Zweig,FOX,elk\n"
            "4,Ada King,Ada King,hen\n",
            "roster.csv",
        )
    )
    for who, other in (("Anna Müller", "Ben Costa"), ("fox", "Eve Zweig")):
        for find in (matcher.by_name, matcher.by_beginning):
            with pytest.raises(BadSubmission, match=rf"'Anna Müller' \(line 2\) or '{other}'"):
                find(who)
    assert matcher.by_name("Anna Müller", "1").id == "1"
    assert matcher.by_beginning("Anna Müller agent").id == "1"
    assert matcher.by_name("Ada King").id == matcher.by_beginning("Ada King").id == "4"


def test_a_plain_name_is_a_group_only_as_a_whole() -> None:
    assert TEAMS.by_beginning("Project 1").name == "Anna Müller"
    with pytest.raises(BadSubmission):
        TEAMS.by_beginning("Project 1 agent")


def test_the_number_in_moodles_identifier_is_that_in_the_names_of_files() -> None:
    assert TEAMS.by_participant("4713").name == "Eve Zweig"
    with pytest.raises(BadSubmission, match=r"'Ben Costa' \(line 3\), the id '4713' is 'Eve Zweig'"):
        TEAMS.by_name("Ben Costa", "4713")
    with pytest.raises(BadSubmission, match="anonymous marking"):
        TEAMS.by_participant("4714")
