"""The web's pages. Pure: takes values of arena/web/results.py, returns documents; nothing here reads the database.

Their parts stand in arena/pages, which `arena report` uses too.

frame.py             what stands above and below every page
home_page.py         ladders, tournaments, and games in progress
tournament_pages.py  standings, crosstable, bracket
games_page.py        a part of a list of games, with a form to filter it
agent_page.py        an agent: ratings, worst losses, opponents, latest games
live_page.py         a game in progress; live_parts.py draws what changes in it
tv_page.py           one game in progress after the other
own_pages.py         a person's own: signing in, handing in, submissions
play_pages.py        a game of a person against an agent
manage_page.py       a ladder or tournament as an instructor manages it
message_page.py      what is wrong, if there is no page
"""
