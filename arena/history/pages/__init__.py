"""Pages for a browser: a game to step through, and a tournament to publish.

A page is one text, made from values: nothing here reads the record. It needs no network, reads in light and dark, on
a phone and on paper, with a keyboard and with a screen reader; what agents called themselves or wrote is never markup.
"""
