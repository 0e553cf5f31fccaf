"""The results of agents that marks depend on."""

from __future__ import annotations

from pathlib import Path

from arena.course.grading.grades import late_days


def test_days_late_are_read_from_what_was_collected(tmp_path: Path) -> None:
    description = tmp_path / "cs101.toml"
    description.write_text('game = "connect4"\nplayers = ["cs101.collected.toml", "agents/*"]\n')
    assert late_days(description) == {}
    one = 'version = 1\nsource = "0"\nstarted_as = "agent.py"\n'
    (tmp_path / "cs101.collected.toml").write_text(
        f'[[agent]]\nname = "ann"\n{one}[[agent]]\nname = "bob"\nlate_days = 2\n{one}'
    )
    assert late_days(description) == {"bob": 2}
    description.write_text('game = "connect4"\nplayers = "*.collected.toml"\n')
    assert late_days(description) == {"bob": 2}
