"""Finds sources that are copies of each other: equal files, and code that was renamed, reordered or changed in part.

    sources.py         the files of agents, from the store or from any folder, and their tokens
    comparison.py      sources -> pairs with what they share
    page.py            pairs side by side, as an HTML page

Nothing in a source is run or parsed: every step is one pass over its text, with limits.
"""
