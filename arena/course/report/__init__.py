"""`arena course report`: a tournament as a web site to publish.

gather.py        reads everything that a report shows from the database: Report
write.py         makes the pages and writes them into a folder; several processes draw the games
"""
