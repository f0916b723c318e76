"""Recommended items, judged or not: how much of a catalogue they cover, how new, diverse and fair they are.

Topics are users, and documents are items.
"""

from rankgauge.extensions.items.evaluation import evaluate, inverse_propensities
from rankgauge.extensions.items.spec import MEASURES, ItemMeasure, parse, parse_given

__all__ = ["MEASURES", "ItemMeasure", "evaluate", "inverse_propensities", "parse", "parse_given"]
