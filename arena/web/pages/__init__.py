"""The web's pages. Pure: takes values of arena/web/results.py, returns documents; nothing here reads the database.

Their parts stand in arena/results/pages, which `arena report` uses too.

frame.py             what stands above and below every page
home_page.py         ladders, tournaments, and games in progress
tournament_pages.py  standings, crosstable, bracket
games_page.py        a part of a list of games, with a form to filter it
agent_page.py        an agent: ratings, worst losses, opponents, latest games
message_page.py      what is wrong, if there is no page
web.css              their style
"""
