"""The commands of the panel "This machine"."""
