"""The version, the extras and the command that installs one, as the installed package's metadata has them."""

from __future__ import annotations

import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from arena import installation
from arena.tournament import host
from db import dialect
from tests.kit.arena_program import arena
from tests.kit.places import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_version_is_the_same_everywhere() -> None:
    assert installation.version() == PROJECT["version"], "pyproject.toml has changed: make .venv/ready-to-test"
    assert arena("--version").out == f"arena-referee {PROJECT['version']}\n"
    assert host.machine()["software"] == f"arena-referee {PROJECT['version']}"


def test_the_version_is_written_in_one_file() -> None:
    written = f'"{PROJECT["version"]}"'
    for package in ("adsearch", "agents", "arena", "db"):
        for path in (ROOT / package).rglob("*.py"):
            assert written not in path.read_text("utf-8"), path


def test_extras_are_those_of_the_project() -> None:
    found = {extra.name: extra for extra in installation.extras()}
    assert set(found) == set(PROJECT["optional-dependencies"])
    for name, extra in found.items():
        assert len(extra.requirements) == len(PROJECT["optional-dependencies"][name])
    assert "pytest" not in found["test"].missing


def test_what_is_not_installed_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    required = ["pyzmq>=26", "pytest; extra == 'test'", "no-such-package[more]>=2; extra == 'test'"]
    monkeypatch.setattr(metadata, "requires", lambda _: required)
    (extra,) = (extra for extra in installation.extras() if extra.name == "test")
    assert extra.requirements == ("pytest", "no-such-package[more]>=2")
    assert extra.missing == ("no-such-package[more]>=2",)
    assert installation.command("test").endswith(" 'no-such-package[more]>=2'")


def test_the_command_is_that_of_the_installer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def command() -> str:
        return installation.command_for(["psycopg[binary]"], prefix=tmp_path, python="/its/python")

    assert command() == "/its/python -m pip install 'psycopg[binary]'"
    with monkeypatch.context() as patch:
        patch.setattr(installation, "find_spec", lambda _: None)
        assert command() == "uv pip install --python /its/python 'psycopg[binary]'"
    (tmp_path / "uv-receipt.toml").touch()
    assert command().startswith("uv tool install --with 'psycopg[binary]' ")
    (tmp_path / "pipx_metadata.json").touch()
    assert command() == "pipx inject arena-referee 'psycopg[binary]'"


def test_a_database_whose_driver_is_missing_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.setattr(installation, "command", lambda extra: f"install {extra}")
    ended = arena("results", "rank", "--db", "postgresql://nobody@localhost/none")
    assert ended.code == 2
    assert ended.err == "arena: a postgresql database needs psycopg, which is not installed: install postgres\n"


def test_a_driver_that_cannot_be_imported_is_one_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def create_engine(_: object, **__: object) -> None:
        raise ImportError("no pq wrapper available.\nAttempts made: ...")

    monkeypatch.setattr(dialect, "create_engine", create_engine)
    monkeypatch.setattr(installation, "command", lambda extra: f"install {extra}")
    ended = arena("results", "rank", "--db", "postgresql://nobody@localhost/none")
    assert ended.code == 2
    assert ended.err == (
        "arena: the driver of a postgresql database cannot be imported (no pq wrapper available.): install postgres\n"
    )


def test_an_unknown_kind_of_database_is_one_line() -> None:
    ended = arena("results", "rank", "--db", "nosuch://somewhere/none")
    assert ended.code == 2
    assert "expected a database file, or a URL such as" in ended.err
