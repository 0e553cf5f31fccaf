"""`arena collect`: from a learning system's download to agents that play.

Start with `collector.py`. Nobody's identity is guessed: what matches nobody on the roster is listed.

    lms_download.py     opens the download (zip or folder) and makes a hand-in of each submission in it
    lms_file_names.py   how Moodle, Canvas and Blackboard name the files of a submission
    roster_matcher.py   from the name of a file or folder to the student on the roster
    unzip.py            unpacks zips from strangers safely
    find_agent.py       which file or folder in a hand-in is the agent
    hand_in.py          HandIn: one submission as it was found
    deadline.py         reads a deadline; whether a hand-in is late
    agent_names.py      what everybody's agent is called
    collector.py        checks hand-ins, newest first, and keeps for everybody the last that passed
    kept_agents.py      who plays with what: in the database, and in the file that tournaments name
    hand_in_result.py   HandInResult: what became of a hand-in, or of somebody without one
"""
