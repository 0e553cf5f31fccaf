"""The commands of the panel "This machine": a check of the machine, and of its database. Start at `doctor`."""
