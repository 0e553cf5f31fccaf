"""The pages of a report. Pure: takes values, returns HTML; nothing here reads the database or writes a file.

Their parts stand in arena/pages, which the web server uses too.

addresses.py    which pages there are, and the file name of each
frame.py        what stands above and below every page
front_page.py   index.html: standings, ratings, crosstable
agent_page.py   the page of an agent
game_lists.py   the pages of two agents that met, and the list of all games
"""
