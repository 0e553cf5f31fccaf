"""Perl. What dies says where: "... at agent.pl line 3."."""

from __future__ import annotations

from arena.languages import Language


class _Perl(Language):
    title = "Perl"
    run_by = "perl"
    interpreters = r"perl(?:5\.\d+)?"
    run = ("perl", "{main}")
    installed_by = "install Perl (Debian, Ubuntu: sudo apt install perl)"
    comment = "#     "
    missing_files = (r"Can't open perl script \"(.+)\"",)


LANGUAGE = _Perl("pl")
