"""The program's own frame: standard streams that are closed, and signals at the end of the process."""

import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from arena.__main__ import main
from tests.kit.places import ROOT


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


def test_ctrl_c_while_code_is_made_ends_the_program_as_elsewhere(tmp_path: Path) -> None:
    """CPython ends a module that is run with `-m` by SIGINT, if an `exec` was interrupted last and it was caught."""
    (tmp_path / "interrupted.py").write_text(
        "from arena import __main__\n__main__._run = lambda: exec('raise KeyboardInterrupt')\n__main__.main()\n"
    )
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-m", "interrupted"], capture_output=True, text=True, check=False, env=environment
    )
    assert (done.returncode, done.stderr) == (130, "")


@pytest.mark.parametrize("file", ["agents.py", "agents/__init__.py", "db/__init__.py", "typer.py"])
def test_modules_in_the_current_folder_do_not_hide_those_of_the_program(file: str, tmp_path: Path) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("raise SystemExit('not this one')")
    program = [sys.executable, "-m", "arena", "games", "nap"]
    there = os.environ | {"PYTHONPATH": str(ROOT)}
    there.pop("PYTHONSAFEPATH", None)
    done = subprocess.run(program, cwd=tmp_path, env=there, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
