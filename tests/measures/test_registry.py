"""The registry imports families when they are asked for, and nobody can tell in which order."""

import subprocess
import sys

import pytest

from rankgauge.measures import MEASURES


@pytest.mark.parametrize("first", ["cwl", "sets", "graded", "usermodels", "diversity", "language"])
def test_the_family_that_is_imported_first_does_not_show(first):
    program = f"import rankgauge.measures.{first}; from rankgauge.measures import MEASURES; print(*MEASURES)"
    listed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    ours = [name for name, spec in MEASURES.items() if spec.function.__module__.startswith("rankgauge.")]
    assert listed.stdout.split() == ours


def test_a_family_may_be_imported_while_another_thread_goes_through_the_measures():
    program = """
from rankgauge.measures import MEASURES, nDCG
for name in (entries := MEASURES.loaded()):
    import rankgauge.measures.effort
assert name in MEASURES.loaded() and len(MEASURES.loaded()) > len(entries)
"""
    subprocess.run([sys.executable, "-c", program], check=True)
