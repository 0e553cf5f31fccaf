"""Parts of pages with results, which `arena report` and the web server share. Pure: takes values, returns HTML.

links.py            the addresses that the parts link to: each side has its own
parts.py            tables that scroll in a box, links, facts, numbers in words
standings.py        what is played, and the table of all agents
ratings_picture.py  the picture of all ratings with their errors
crosstable.py       the points of each agent against each other one
bracket.py          the bracket of a knockout
agent.py            one agent: its facts, opponents, versions and faults
games.py            a list of games
results.css         their style
"""
