"""Finds sources that are copies of each other: equal files, and code that was renamed, reordered or changed in part.

    tokens.py          a file's text -> tokens, without comments, names and layout
    fingerprints.py    tokens -> fingerprints (winnowing)
    sources.py         the files of agents, from the store or from any folder
    comparison.py      sources -> pairs with what they share
    equal_files.py     files that are equal byte for byte, also for `arena course collect`
    page.py            pairs side by side, as an HTML page

Nothing in a source is run or parsed: every step is one pass over its text, with limits.
"""
