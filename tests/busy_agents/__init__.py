"""Agents for a busy machine: some work honestly, others try to have their lateness excused."""
