"""Reads a text file that a game's option names, with a limit on its size. Errors are BadOption."""

from pathlib import Path

from adsearch.errors import BadOption, quote


def read_text(path: Path, *, most: int) -> str:
    """The text of the file, at most `most` bytes; BadOption says what is wrong."""
    name = quote(str(path))
    try:
        # Only regular files: reading a device or a pipe might never end.
        endless = path.exists() and not path.is_file()
        content = b"" if endless else _first_bytes(path, most + 1)
    except (OSError, ValueError) as error:
        raise BadOption(f"file {name}: {getattr(error, 'strerror', None) or error}") from None
    if endless:
        raise BadOption(f"file {name}: expected a file, got a folder or a device")
    if len(content) > most:
        raise BadOption(f"file {name}: expected at most {most} bytes, got more")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadOption(f"file {name}: expected text in UTF-8") from None


def _first_bytes(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        return file.read(most)
