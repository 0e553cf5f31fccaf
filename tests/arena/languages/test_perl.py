"""Perl: a real program that crashes."""

from pathlib import Path

from arena.walls.agent_process import AgentProcess
from arena.walls.kinds import WallKind, Walls
from tests.kit import needs


def test_a_crash_names_its_reason(tmp_path: Path) -> None:
    (tmp_path / "agent.pl").write_text('die "no move";\n')
    process = AgentProcess.start([needs.program("perl"), str(tmp_path / "agent.pl")], Walls(WallKind.LIMITS), tmp_path)
    try:
        while process.confined.exit() is None:
            process.read_log()
        assert process.how_it_ended()[1].startswith("exited with code 255: no move at")
    finally:
        process.kill()
