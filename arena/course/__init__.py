"""For instructors: the roster, the hand-ins, the public report, exercises.

It may import all other rooms. Start with `collecting/`.

    course.py      the tables of a description that are about the course
    roster.py      the students of the course, read from a spreadsheet
    aliases.py     the public names of agents
    collecting/    from the download of a learning system to agents that play
    report/        a tournament as a web site to publish
    bundle.py      one agent's games and sources as a file for its author
    lecture/       makes and grades exercises
"""
