"""The output of commands for the sample database of the fixture `record`."""

import json
from pathlib import Path
from typing import Any

from tests.kit.arena_program import Ended, arena


def asked(record: Path, *arguments: str, columns: int = 80) -> Ended:
    """What a command answers about the sample."""
    return arena(*arguments, "--db", str(record), columns=columns)


def document(record: Path, *arguments: str) -> Any:
    """The JSON of a command."""
    ended = asked(record, *arguments, "--format", "json")
    assert ended.code == 0, ended.err
    return json.loads(ended.out)
