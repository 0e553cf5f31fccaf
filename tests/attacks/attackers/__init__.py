"""The attackers themselves: a student's folder with `agent.py`, and `bare.py`, which speaks for itself.

Copies of these files are entered and run behind walls; the tests never import them. An attack is one function that is
called by its name, in the attacker's first turn.
"""
