"""The report of a tournament as a site: a front page, a page for each agent, one for each two who met, and lists.

Values in, pages out; nothing here reads the record or writes a file.

    addresses   what each page is called
    parts       what several pages have: frames, tables of games, links
    front       index.html: standings, ratings, crosstable
    people      the pages of the agents
    meetings    the pages of two who met, and the lists of all games
"""
