"""The avoidable effort of searching: how far documents stand from where they should (Ferro et al., Twist).

Weights (`gains`) and discounts of misplacements are ours and not the paper's, which announces a weighted
version and leaves it open: without them all is as the paper has it.
"""

# Importing registers measures: this is their order.
from rankgauge.measures.effort import positions, spaces, recovery  # noqa: F401, I001
