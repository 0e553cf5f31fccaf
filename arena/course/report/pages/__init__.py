"""The pages of a report. Values in, HTML out: nothing here reads the record or writes a file.

addresses.py    the file name of each page
parts.py        what several pages have: frame, tables, links, lists of games, numbers
front_page.py   index.html: standings, ratings, crosstable
agent_page.py   the page of an agent
game_lists.py   the page of two agents who met, and the list of all games
"""
