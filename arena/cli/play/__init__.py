"""The commands of the panel "Play"."""
