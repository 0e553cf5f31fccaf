"""Who somebody is: accounts, the links that sign them in, their sessions and tokens, and the audit of what they did.

Nothing here knows of HTTP. Start with `people.py`; all rows are in `db/accounts.py`, in a database beside the record.

    people.py        who an account belongs to, the link that invites each (it works once), and its end
    sessions.py      which account a session or token belongs to; the secrets that they are made of
    audit.py         what was done, by whom
"""
