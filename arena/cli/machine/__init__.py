"""Commands about this machine: a check of the machine, and of its database. Start at `doctor`."""
