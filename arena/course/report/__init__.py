"""`arena report`: a tournament as a site to publish.

gather.py        reads everything that a report shows from the record: Report
public_game.py   what of a game may be published: nothing that agents wrote, nobody's real name
pages/           makes the pages, as text
write.py         writes the pages into a folder; games are drawn by several processes
publish.py       puts the finished folder in its place at once, or changes nothing
"""
