"""Hostile pages are looked at in a real browser, like all others."""

from tests.arena.conftest import browser as browser
