"""Principal variation search that counts only discs in corners."""

from agents.builtin.pvs import Pvs


class Corners(Pvs):
    """A corner can never be turned over again, so it looks for nothing else."""

    def __init__(self) -> None:
        super().__init__(evaluate="corners")
