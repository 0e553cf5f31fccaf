"""Principal variation search that counts only moves."""

from agents.builtin.pvs import Pvs


class Mobile(Pvs):
    """Tries to have many moves and to leave few to its opponent."""

    def __init__(self) -> None:
        super().__init__(evaluate="mobility")
