"""A compiled form of adsearch for the processes that a test starts: a package of that name with nothing in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_ASKS = "from adsearch.form import form; print(form())"


def install(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Makes it, and puts it on PYTHONPATH. Skips the test if it is not taken for a compiled form."""
    package = folder / "installed" / "adsearch_compiled"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "alphabeta.py").write_text("import shared__mypyc")
    (package.parent / "shared__mypyc.py").touch()
    patch.setenv("PYTHONPATH", os.pathsep.join([str(package.parent), os.environ.get("PYTHONPATH", "")]))
    if subprocess.run([sys.executable, "-c", _ASKS], capture_output=True, text=True).stdout != "compiled\n":
        pytest.skip("a package with nothing in it is not taken for the compiled form of adsearch")
