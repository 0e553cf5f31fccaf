"""What browsers show, live or as a file. Pure: takes values, returns documents; nothing here reads the database.

A page needs no network, and it works in light and dark mode, on a phone, on paper, with a keyboard and with a screen
reader. Names and texts of agents are always escaped.

drawing.py        draws a template in the frame of all pages
event.py          values of the pages of a tournament or ladder, and of an agent
replay_page.py    values of the page of a game, and that page
game.py           what every page of a game shows: players, list of moves
boards.py         boards as SVG, and what lies over them
templates         base.html is the frame; macros.html and results.html have what several pages share; parts.html what is
                  also drawn alone
style.css         the sheet of all pages; scripts: their ES modules, joined into one in a file
"""
