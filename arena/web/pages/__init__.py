"""The web's pages: values for the templates of arena/pages. Pure: nothing here reads the database.

frame.py             what stands above and below every page
result_pages.py      front page, standings, crosstable, bracket, games, agent; what is wrong, if there is no page
live_parts.py        a game in progress, and what changes in it; the TV page
own_pages.py         a person's own: signing in, handing in, submissions, why an agent lost
play_pages.py        a game of a person against an agent
manage_page.py       a ladder or tournament as an instructor manages it
"""
