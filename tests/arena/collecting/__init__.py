"""What students hand in, taken in: see arena/collecting."""
