"""Registries of extensions: entries have names of their own."""

import pytest

from rankgauge.extensions.pages.figures.registry import FIGURES
from rankgauge.extensions.studies.papers.registry import EXPERIMENTS
from rankgauge.extensions.tools.fusion_methods import FUSION_METHODS, NORMALISATIONS
from registries import claim_different_names

REGISTRIES = (FIGURES, EXPERIMENTS, FUSION_METHODS, NORMALISATIONS)


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.noun)
def test_no_two_entries_of_ours_claim_one_name(registry):
    claim_different_names(registry)
