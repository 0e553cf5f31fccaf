"""`arena course collect`: from the download of a learning system to agents that play.

Start with `collector.py`. Identities are never guessed: a hand-in that matches no student on the roster is listed.

    lms_download.py     opens the download (zip or folder) and makes a hand-in of each submission in it
    lms_file_names.py   how Moodle, Canvas and Blackboard name the files of a submission
    roster_matcher.py   from the name of a file or folder to the student on the roster
    unzip.py            unpacks untrusted zips safely
    inbox.py            builds the agent in a hand-in, and copies it to the store
    hand_in.py          HandIn: one submission as found in the download
    deadline.py         reads a deadline; whether a hand-in is late
    agent_names.py      the name of each student's agent
    collector.py        checks hand-ins, newest first, and keeps for each student the last that passed
    kept_agents.py      the agents that play: in the database, and in the file that tournaments name
    hand_in_result.py   HandInResult: the result of a hand-in, or of a student without one
"""
