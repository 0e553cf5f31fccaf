"""What home and hosts must say alike to Dask: addresses, certificates, the name of a host's resource, and how quiet
Dask is.

Dask is imported here, and only here it can be missing.
"""

from __future__ import annotations

import logging
import re
import warnings
from pathlib import Path
from typing import Final

from adsearch.errors import quote
from arena.errors import ArenaError

RESOURCE: Final = "arena-games"
"""The resource by which a Dask worker says that it is a game host, and how many games it plays."""
LOCAL: Final = "dask"
"""Instead of an address: a cluster on this machine."""
_ADDRESS: Final = re.compile(r"(tcp|tls)://[^\s/]+:[0-9]{1,5}")
_LAST_PORT: Final = 65535


class NoDask(ArenaError):
    """The packages of the extra `scale` are not installed."""

    extra = "scale"


def check_dask(option: str) -> None:
    """NoDask if Dask is not installed; else it prints no log of its own from now on."""
    try:
        import distributed  # isort: skip - it is the one to name
        import dask
    except ImportError as error:
        raise NoDask(f"{option} needs {error.name}, which is not installed") from None
    # Every failure that matters is said in words of ours; an event loop that was late is not one.
    for name in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == distributed.__name__]:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.filterwarnings("ignore", "Couldn't detect a suitable IP address")
    dask.config.set(
        {
            "distributed.worker.http.routes": [],
            "distributed.scheduler.http.routes": [],
            # What measures Dask all the time would disturb the clocks of games.
            "distributed.worker.profile.enabled": False,
            "distributed.admin.system-monitor.interval": "5s",
            "distributed.admin.system-monitor.disk": False,
            "distributed.admin.system-monitor.gil.enabled": False,
        }
    )


def check_address(text: str, what: str, also: str = "") -> None:
    """ArenaError if `text` is not the address of a scheduler; `what` names the option, `also` what else it can be."""
    if _ADDRESS.fullmatch(text) is None or not 1 <= int(text.rpartition(":")[2]) <= _LAST_PORT:
        raise ArenaError(
            f"{what}: expected the address of a Dask scheduler, such as tcp://scheduler:8786 or "
            f"tls://scheduler:8786{also}, got {quote(text)}"
        )


def check_certificate(address: str, what: str, role: str) -> None:
    """ArenaError if Dask's configuration on this machine does not fit `address`; `what` names the option, `role` is
    "client" or "worker"."""
    from distributed.security import Security

    advice = "`arena docs tournaments` shows how to make a certificate and where to name it"
    security = Security()
    if address.startswith("tcp:"):
        if security.require_encryption:
            raise ArenaError(
                f"{what}: Dask's configuration on this machine wants encryption: use tls:// as the address"
            )
        return
    files = security.get_tls_config_for_role(role)
    for name in ("ca_file", "cert", "key"):
        if not (path := files.get(name)):
            raise ArenaError(f"{what}: tls:// needs a certificate, and Dask's configuration names none; {advice}")
        if "\n" not in path and not Path(path).is_file():
            raise ArenaError(f"{what}: Dask's configuration names the file {path}, which does not exist; {advice}")
    try:
        security.get_connection_args(role)
    except (OSError, ValueError) as error:
        raise ArenaError(f"{what}: the certificate of Dask's configuration cannot be used: {error}; {advice}") from None
