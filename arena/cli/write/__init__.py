"""The commands of the panel "Write an agent"."""
