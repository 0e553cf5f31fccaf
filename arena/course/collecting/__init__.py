"""`arena course collect`: from the download of a learning system to agents that play.

Start with `collector.py`. Identities are never guessed: a hand-in that matches no student on the roster is listed.

    lms_download.py     opens the download (zip or folder) and makes a hand-in of each submission in it
    unzip.py            unpacks untrusted zips safely
    inbox.py            builds the agent in a hand-in, and copies it to the store
    hand_in.py          HandIn: one submission as found in the download; whether it is late, the name of its agent
    collector.py        checks hand-ins, newest first, and keeps for each student the last that passed, in the database
                        and in the file that tournaments name
"""
