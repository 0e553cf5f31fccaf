"""Makes the process of an agent start faster: `agents/__main__.py` imports this module before any that uses msgspec.

msgspec takes types from `typing_extensions` if that is installed; importing it takes longer than msgspec itself. In all
Pythons that can run an agent, `typing` has the same types. The agent itself can import `typing_extensions` as usual.
"""

from __future__ import annotations

import gc
import sys
from typing import Any

modules: dict[str, Any] = sys.modules
if "typing_extensions" not in modules:
    modules["typing_extensions"] = None  # an import of it fails
    import msgspec as msgspec

    del modules["typing_extensions"]

gc.disable()


def finish() -> None:
    """Enable garbage collection, which is off while this process starts: imports leave no garbage."""
    gc.enable()
