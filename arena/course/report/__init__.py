"""`arena course report`: a tournament as a web site to publish.

gather.py        reads everything that a report shows from the database: Report
chosen_games.py  chooses the games that have a page: all, those lost by a fault, or none
public_game.py   removes what must not be published: what agents wrote, and real names
pages/           makes the pages, as text
write.py         writes the pages into a folder; several processes draw the games
"""
