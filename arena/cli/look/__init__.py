"""The commands of the panel "Look at results"."""
