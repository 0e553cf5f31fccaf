"""The program's own frame: standard streams that are closed, and signals at the end of the process."""

import subprocess
import sys
from unittest import mock

import pytest

from arena.__main__ import main


def test_a_closed_stdout_discards_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["arena", "games"])
    with mock.patch.object(sys, "stdout", None), mock.patch("signal.signal"):
        with pytest.raises(SystemExit) as ended:
            main()
        assert sys.stdout.name == "/dev/null"
        sys.stdout.close()
    assert not ended.value.code


def test_ctrl_c_again_does_not_change_how_the_process_ends() -> None:
    program = """if True:
        import atexit, os, signal
        from arena import __main__

        def interrupted():
            raise KeyboardInterrupt

        __main__._run = interrupted
        atexit.register(os.kill, os.getpid(), signal.SIGINT)
        __main__.main()
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "")
