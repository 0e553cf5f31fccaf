"""The commands of the panel "Look back"."""
