"""`arena exercise`: not written yet."""

import typer


def add_to(app: typer.Typer) -> None:
    """Adds the command to `app`."""
