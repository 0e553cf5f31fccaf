"""The server's side: referee, tournaments, ratings and the command line."""

from typing import Any

from adsearch.notebook import ShownInNotebook


def _write_html(value: Any) -> str:
    from arena.pages import notebook  # imported here, because only notebooks need it

    return notebook.html(value)


ShownInNotebook.write_html = _write_html
