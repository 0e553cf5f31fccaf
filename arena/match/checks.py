"""What a field can be, said beside its type: `Annotated[int, Whole(1, 100)]`. Descriptions are read by it.

`arena/tournament/description.py` reads a key by what its field says; bool, closed sets and lists of words say enough by
their types.
"""

from __future__ import annotations

from typing import NamedTuple


class Whole(NamedTuple):
    """A whole number."""

    least: int
    most: int
    unlimited: int | None = None
    """The number that stands for no limit, for which the field is None."""


class Seconds(NamedTuple):
    """A time in seconds; the field has nanoseconds."""

    least: float
    most: float


class Share(NamedTuple):
    """A number of at least 0, as a part of something."""


class Size(NamedTuple):
    """A number of bytes, such as "512M"; 0 is None where the field can be None."""

    least: int
    zero: str
    """What 0 means, for messages."""
