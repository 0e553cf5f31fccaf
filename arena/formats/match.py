"""Match: two players meet, as often as there are rounds in the description.

It is the smallest round-robin. Who sits first in the first game of a pair changes from pair to pair.
"""

from __future__ import annotations

from arena.formats.course import Course, Terms, scheduled
from arena.formats.pairing import Pairing


def further(terms: Terms, course: Course) -> list[Pairing]:
    """All pairings that are not known yet."""
    first, second = course.names
    return scheduled(course, [[(first, second)]], terms.rounds)
