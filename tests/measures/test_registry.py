"""Registries: entries have names of their own, measures directions; families are imported in any order."""

import subprocess
import sys

import pytest

from rankgauge.campaigns.registry import STUDIES
from rankgauge.comparison.registry import CORRECTIONS, TESTS
from rankgauge.formats.files import FORMATS
from rankgauge.measures import MEASURES
from registries import claim_different_names

REGISTRIES = (MEASURES, TESTS, CORRECTIONS, STUDIES, FORMATS)


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.noun)
def test_no_two_entries_of_ours_claim_one_name(registry):
    claim_different_names(registry)


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


LESS_IS_BETTER = {
    *("ASL", "BackwardSpace", "BalancePoint", "ESL", "Fallout", "FirstRank", "ForwardSpace", "Frustration"),
    *("MedianRank", "NumNonrelRet", "RBP_residual", "RHL", "Unjudged", "WronglyAnswered", "WronglyEmpty"),
}
ONLY_COUNTED = {"CRP", "NumQ", "NumRel", "NumRet", "RP", "infNumRel"}


def test_more_is_better_but_for_these_measures():
    ours = {n: s for n, s in MEASURES.items() if s.function.__module__.startswith("rankgauge.measures.")}
    directions = {name: -1 if name in LESS_IS_BETTER else int(name not in ONLY_COUNTED) for name in ours}
    assert {name: spec.direction for name, spec in ours.items()} == directions
