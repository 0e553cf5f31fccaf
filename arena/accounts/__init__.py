"""Who somebody is: accounts, the links that sign them in, their sessions and tokens, and the audit of what they did.

Nothing here knows of HTTP. Start with `people.py`; all rows are in `db/accounts.py`, in a database beside the record.

    people.py        who an account belongs to, and its end
    keys.py          the secrets that links, sessions and tokens are made of
    invitations.py   links for the students of a roster and for instructors; each works once
    sessions.py      which account a session or token belongs to
    tokens.py        the tokens of an account
    limits.py        how often something is allowed
    audit.py         what was done, by whom
"""
