"""Benchmarks fail when they measure nothing or miss a goal."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from measured import Measured


@pytest.mark.parametrize(
    ("figures", "checks_goals", "code", "told"),
    [
        ([], True, 1, "nothing was measured"),
        ([], False, 1, "nothing was measured"),
        ([("growth", 1.2, 1.05)], True, 1, "growth: 1.2, and the goal is 1.05"),
        ([("growth", 1.2, 1.05)], False, 0, ""),
        ([("growth", 1.0, 1.05), ("time", 7.0, None)], True, 0, ""),
        ([("share kept", 0.9, None, 0.97)], True, 1, "share kept: 0.9, and the goal is at least 0.97"),
        ([("share kept", 0.98, None, 0.97)], True, 0, ""),
    ],
)
def test_a_benchmark_fails_without_figures_or_with_a_missed_goal(figures, checks_goals, code, told, capsys):
    measured = Measured(checks_goals=checks_goals)
    for what, value, most, *least in figures:
        measured.add(what, value, most, least=least[0] if least else None)
    with pytest.raises(SystemExit) as stopped:
        measured.exit()
    assert stopped.value.code == code
    assert capsys.readouterr().err.strip() == told
