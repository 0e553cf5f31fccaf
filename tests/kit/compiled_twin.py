"""A compiled form of adsearch for the processes that a test starts: modules of these names with nothing in them. Every
search steps aside there, because no fingerprint is right."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adsearch import form


def install(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Make it in the folder, and put it on PYTHONPATH."""
    package = folder / "installed" / form.PACKAGE
    (package / "games").mkdir(parents=True)
    (package / "games" / "__init__.py").touch()
    fingerprints = dict.fromkeys((*form.MODULES, "result"), 0)
    (package / "__init__.py").write_text(f"DIGEST = {form.digest()}\nFINGERPRINTS = {fingerprints}\n")
    for module in form.MODULES:
        name = {"table": "Table", "ordering": "Ordering"}.get(module, form.GAMES.get(module, "Nothing"))
        text = f"import {form.PACKAGE}__mypyc\n\n\nclass {name}:\n    pass\n"
        (package / f"{module.replace('.', '/')}.py").write_text(text)
    (package.parent / f"{form.PACKAGE}__mypyc.py").touch()
    patch.setenv("PYTHONPATH", os.pathsep.join([str(package.parent), os.environ.get("PYTHONPATH", "")]))
