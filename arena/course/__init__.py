"""An instructor's semester: who takes the course, what was handed in, the public report, exercises.

It may import all other rooms. Start with `collecting/`.

    roster.py      who takes the course, read from a spreadsheet
    aliases.py     what agents are called in public
    collecting/    from a learning system's download to agents that play
    report/        a tournament as a site to publish
    bundle.py      one agent's games and sources as a file for its author
    lecture/       makes and grades exercises
"""
