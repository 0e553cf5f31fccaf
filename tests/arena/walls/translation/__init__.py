"""The translators, line by line, and with engines as real processes."""
