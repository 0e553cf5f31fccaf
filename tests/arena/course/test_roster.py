"""The roster: CSV of any spreadsheet program is read; ambiguous lines are refused with their number."""

import re

import pytest

from arena.course import roster as rosters
from arena.course.roster import FIRST, LAST, TITLES, Roster, RosterMatcher, Student, normal_title, read, table
from arena.errors import ArenaError, BadRoster, BadSubmission
from tests.kit.hand_ins import MATCHER
from tests.kit.places import ROOT

GOOD = "id,name,group,alias\n1001,Ann Lee,red,Fox\n1002,Bob Cox,blue,Owl\n"


def test_each_line_is_a_student() -> None:
    assert read(GOOD, "roster.csv") == Roster(
        "roster.csv",
        (
            Student("1001", "Ann Lee", "red", "Fox", 2),
            Student("1002", "Bob Cox", "blue", "Owl", 3),
        ),
    )


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + GOOD,
        GOOD.replace(",", ";"),
        GOOD.replace(",", "\t"),
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("id,name", " ID , Name ").replace("1001,Ann Lee", ' 1001 ,"Ann  Lee "'),
        GOOD.replace("alias\n", "alias,,\n").replace("Fox\n", "Fox,,\n"),
        GOOD.rstrip("\n"),
    ],
    ids=["a BOM", "semicolons", "tabs", "DOS", "spaces and quotes", "empty columns", "no last end of line"],
)
def test_all_csv_dialects_give_the_same_roster(text: str) -> None:
    assert read(text, "roster.csv") == read(GOOD, "roster.csv")


def test_other_columns_are_ignored_and_missing_ones_are_empty() -> None:
    (one,) = read("phone,name\n+49 30 1,Ann\n", "r").students
    assert one == Student("", "Ann", "", "", 2)


def test_lines_are_counted_as_an_editor_counts_them() -> None:
    text = 'id,name\n\n1,"Ann\nLee"\n,,\n2,Bob\n'
    assert [(one.name, one.line) for one in read(text, "r").students] == [("Ann Lee", 3), ("Bob", 6)]


def test_the_first_line_of_excel_gives_the_separator() -> None:
    assert read("sep=;\r\nid;name\r\n1;Ann, Dr.\r\n", "r").students == (Student("1", "Ann, Dr.", "", "", 3),)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "r: expected a line with the column names, got an empty file"),
        ("id,name\n", "r: expected a line for each student below the column names, got none"),
        ("nmae,alias\nAnn,Fox\n", "r, line 1: expected the columns .* got nmae, alias; did you mean 'name'?"),
        ("id,,name\n1,2,3\n", "r, line 1: expected a different name for each column, got id, , name"),
        ("id,ID\n1,2\n", "r, line 1: expected a different name for each column, got id, ID"),
        ("id,name\n1,Ann,red\n", "r, line 2: expected 2 cells, got 3"),
        ("id,name,alias\n\n,,Fox\n", "r, line 3: expected an id or a name, both are empty"),
        ('id,name\n1,"Ann\n', "r, line 2: not valid CSV: "),
        ("id,name\n1,Ann\n1,Bob\n", "r, line 3: the id '1' is also the id in line 2; expected it only once"),
        ("name,alias\nAnn,Bob\nBob,Owl\n", "r, line 2: the alias 'Bob' is also the name in line 3"),
        ("id,name\n7,Ann\n8,7\n", "r, line 3: the name '7' is also the id in line 2"),
    ],
)
def test_ambiguous_lines_are_refused(text: str, told: str) -> None:
    with pytest.raises(ArenaError, match=told):
        read(text, "r")


def test_students_with_the_same_alias_are_a_team() -> None:
    roster = read("name,alias\nAnn,Fox\nBob,fox\nEve,Owl\nZoe,\nMax,\n", "r")
    ann, bob, eve, zoe, _ = roster.students
    assert roster.called("FOX") == [ann, bob]
    assert roster.team(ann) == roster.team(bob) == (ann, bob)
    assert roster.team(eve) == (eve,)
    assert roster.team(zoe) == (zoe,)


def test_students_are_found_by_id_name_and_alias_in_any_spelling() -> None:
    roster = read("id,name,alias\n1,Zoë Weiß,Fox\n2,Bob,Owl\n", "r")
    for called in ("1", "zoe\u0308  WEISS", "FOX"):
        assert [one.id for one in roster.called(called)] == ["1"]
    assert roster.called("Carl") == roster.called("") == []


def test_two_students_can_have_one_name_and_are_distinguished_by_their_ids() -> None:
    roster = read("id,name\n1,Ann\n2,Ann\n", "r")
    assert [one.id for one in roster.called("Ann")] == ["1", "2"]
    assert [one.id for one in roster.called("2")] == ["2"]


# Rosters as learning systems export them are read without editing; `id` is what their downloads have in file names.


EXPORTS = {
    "Moodle, grading worksheet": (
        'Identifier,"Full name","ID number","Email address",Status,Grade,"Maximum Grade","Grade can be changed"\n'
        '"Participant 1234567","Anna Müller",,anna@uni.example,"Submitted for grading",,100.00,Yes\n'
        '"Participant 1234568","Ben O\'Hara",,ben@uni.example,,,100.00,Yes\n',
        [
            Student("Participant 1234567", "Anna Müller", "", "", 2, "anna@uni.example"),
            Student("Participant 1234568", "Ben O'Hara", "", "", 3, "ben@uni.example"),
        ],
    ),
    "Moodle, grading worksheet in German": (
        "ID,Vollständiger Name,ID-Nummer,E-Mail-Adresse,Status,Bewertung,Bestwertung\n"
        'Teilnehmer/in1234567,Anna Müller,00123,anna@uni.example,Zur Bewertung abgegeben,"13,50","24,00"\n',
        [Student("Teilnehmer/in1234567", "Anna Müller", "", "", 2, "anna@uni.example")],
    ),
    "Moodle, participants": (
        '\ufeff"First name","Last name","ID number","Email address",Groups\n'
        'Anna,Müller,00123,anna@uni.example,"Team 1, Lab B"\n',
        [Student("00123", "Anna Müller", "Team 1, Lab B", "", 2, "anna@uni.example")],
    ),
    "Moodle, participants in German": (
        "Vorname;Nachname;ID-Nummer;E-Mail-Adresse;Gruppen\nAnna;Müller;;anna@uni.example;Team 1\n",
        [Student("", "Anna Müller", "Team 1", "", 2, "anna@uni.example")],
    ),
    "Canvas, gradebook": (
        "Student,ID,SIS User ID,SIS Login ID,Section,Homework 1 (2345),Final Score\n"
        ",,,,,Manual Posting,\n"
        "    Points Possible,,,,,10.00,(read only)\n"
        '"Müller, Anna",101,a77,anna@uni.example,CS 101,9.00,90\n'
        '"van der Berg, Bo",102,a78,bberg,CS 101,,\n'
        '"Student, Test",103,,f00ba,CS 101,,\n',
        [Student("101", "Anna Müller", "", "", 4, "anna@uni.example"), Student("102", "Bo van der Berg", "", "", 5)],
    ),
    "Canvas, gradebook with two columns for names": (
        "LastName,FirstName,ID,SIS Login ID\n    Points Possible,,,\nMüller,Anna,101,am\nStudent,Test,103,f\n",
        [Student("101", "Anna Müller", "", "", 3)],
    ),
    "Canvas, groups": (
        "name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id,group_id\n"
        "Anna Müller,101,a77,amueller,CS 101,Project 1,55,\n",
        [Student("101", "Anna Müller", "Project 1", "", 2)],
    ),
    "Blackboard": (
        '\ufeff"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Last Access"\t"Task 1 [Total Pts: 10 Score] |77"\n'
        '"Müller"\t"Anna"\t"u77"\t"0012"\t"2026-05-01 10:00:00"\t""\n',
        [Student("u77", "Anna Müller", "", "", 2)],
    ),
    "ILIAS": (
        "Nachname;Vorname;Anmeldename;Matrikelnummer;E-Mail\nMüller;Anna;amueller;0123;anna@uni.example\n",
        [Student("amueller", "Anna Müller", "", "", 2, "anna@uni.example")],
    ),
    "a list of one's own": (
        "Name;Vorname;Matrikelnummer;Alias\nMüller;Anna;1001.0;Fox\n",
        [Student("1001", "Anna Müller", "", "Fox", 2)],
    ),
}


@pytest.mark.parametrize("system", EXPORTS)
def test_an_export_is_read_without_editing(system: str) -> None:
    text, students = EXPORTS[system]
    assert list(read(text, "r").students) == students


def test_lines_that_are_no_students_are_in_no_table() -> None:
    text, _ = EXPORTS["Canvas, gradebook"]
    assert [row["Student"] for _, row in table(text, "r")] == ["Müller, Anna", "van der Berg, Bo"]
    with pytest.raises(BadRoster, match="expected a line for each student below the column names, got none"):
        table("Student,ID,SIS Login ID\n    Points Possible,,\n", "r")


def test_the_instructors_page_lists_all_titles_in_their_order() -> None:
    page = (ROOT / "docs/course.md").read_text("utf-8")
    for column, possible in TITLES.items():
        row = re.search(rf"^\| `{column}` \| (.*) \|$", page, re.MULTILINE)
        assert row is not None, column
        shown = tuple(normal_title(title) for title in re.findall("`(.*?)`", row[1]))
        assert shown == possible + ((*FIRST, *LAST[:-1]) if column == "name" else ())


def test_a_column_without_any_text_gives_way_to_the_next() -> None:
    (one,) = read("Username,ID number,Name\n,77,Anna\n", "r").students
    assert one.id == "77"


def test_a_student_without_text_in_the_first_column_has_the_id_of_the_next() -> None:
    anna, ben = read("Identifier,ID number,Name\nParticipant 9,77,Anna\n,78,Ben\n", "r").students
    assert (anna.id, ben.id) == ("Participant 9", "78")


def test_capitals_hyphens_and_underscores_in_titles_do_not_matter() -> None:
    for titles in ("ID_Number,Full_Name", "id number,FULL NAME", "Id-Number,full-name"):
        assert read(f"{titles}\n7,Anna\n", "r").students == (Student("7", "Anna", "", "", 2),)


def test_each_title_means_one_column() -> None:
    titles = [title for column, possible in TITLES.items() for title in possible if column != "email"]
    assert len(set(titles)) == len(titles)
    assert all(normal_title(title) == title for possible in TITLES.values() for title in possible)


def test_cells_that_this_program_wrote_come_back() -> None:
    assert read("name,alias\n'=cmd(),Fox\n", "r").students[0].name == "=cmd()"


# Students are found by id, name or alias in any spelling; no student is guessed.


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
