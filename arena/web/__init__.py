"""The web: pages and JSON for anyone who opens them in a browser, while `arena serve --web` or `arena play --web` runs.

It is a process of its own, which reads the database and what the director publishes, and writes what people hand in and
what instructors decide. What anyone gets passes through `arena/web/permissions.py`. Only these two commands
import this room.
"""
