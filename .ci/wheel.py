"""Adds the compiled searches to a wheel that is built with ARENA_COMPILED=1; any other wheel is the same everywhere."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledWheel(BuildHookInterface):  # type: ignore[type-arg]
    """The hook of the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "standard" or os.environ.get("ARENA_COMPILED") != "1":
            return
        sys.path.insert(0, str(Path(self.root) / ".ci"))
        from compiled import build

        self.folder = TemporaryDirectory()
        build_data["pure_python"], build_data["infer_tag"] = False, True
        for file in build(Path(self.folder.name)):
            build_data["force_include"][str(Path(self.folder.name) / file)] = str(file)
