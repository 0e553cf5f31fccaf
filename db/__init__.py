"""The record of what was played: tables, writing, queries. Only this package knows SQL."""
