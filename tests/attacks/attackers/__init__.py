"""The attackers: a student's folder with `agent.py`, and `bare.py`, which speaks the protocol itself.

Copies of these files are entered and run behind walls; the tests never import them. An attack is one function, called
by its name in the attacker's first turn.
"""
