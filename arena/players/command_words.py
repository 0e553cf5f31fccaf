"""Finds the files and folders that a command names, such as those of `cmd:java -cp classes:gson.jar MyAgent`.

The store copies them, and a tournament's description names them relative to its own folder: both ask here. Only file
names are looked at; nothing is opened.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from arena import languages


@dataclass(frozen=True, slots=True)
class Part:
    """A word of a command, or one entry of a class path."""

    text: str
    path: str | None
    """Where the file or folder is, if the text names one that exists."""


def parts(words: Sequence[str], folder: Path) -> Iterator[list[Part]]:
    """The parts of each word after the program; paths are relative to `folder`.

    A word without '/' names a folder only in a class path: elsewhere it can be anything, as in `python3 -m agents`."""
    for before, word in pairwise(words):
        is_class_path = before in languages.path_options()
        texts = word.split(os.pathsep) if is_class_path else [word]
        yield [Part(text, _existing(text, folder, folders=is_class_path or "/" in text)) for text in texts]


def setting(value: str, folder: Path) -> Part:
    """The value of an engine's setting; without a '/' it is never a file, because it can be anything, such as 16."""
    return Part(value, _existing(value, folder, folders=True) if "/" in value else None)


def _existing(text: str, folder: Path, *, folders: bool) -> str | None:
    path = os.path.join(folder, os.path.expanduser(text))  # keeps a '/' at the end
    return path if text and (os.path.isfile(path) or (folders and os.path.isdir(path))) else None
