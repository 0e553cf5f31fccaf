"""For instructors: the roster, the hand-ins, marks, feedback, the public report, exercises.

It may import all other rooms. Start with `collecting/`.

    course.py            the tables of a description that are about the course, and what its marks are
    roster.py            the students of the course, read from a spreadsheet, and found by the names of their files
    aliases.py           the public names of agents; new ones for a roster that has none
    collecting/          from the download of a learning system to agents that play
    similar.py           finds agents whose sources are copies; similar_page.py shows pairs side by side
    grading.py           from results to marks
    feedback/            for the author of each agent, why it lost
    report.py            a tournament as a web site to publish
    output_folder.py     the folder of feedback or of a report, replaced in one step; the processes that write in it
    bundle.py            one agent's games and sources as a file for its author
    lecture/             makes and grades exercises
    example/             a course to try
"""
