"""Agents on a busy machine: some do honest work, some would like to be excused for what they do not do."""
