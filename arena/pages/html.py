"""HTML elements for the parts of pages that no template draws yet; all text is escaped."""

from adsearch.pictures.html import element, words

__all__ = ["element", "words"]
