"""The avoidable effort of searching: how far documents are from their ideal ranks (Ferro et al., Twist).

Weights (`gains`) and discounts of misplacements are an extension: the paper announces a weighted version
without defining it. By default measures are as in the paper.
"""

# Importing registers measures: this is their order.
from rankgauge.measures.effort import positions, spaces, recovery  # noqa: F401, I001
