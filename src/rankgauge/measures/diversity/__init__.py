"""Novelty and diversity: rankings judged by subtopic (Clarke et al. 2008, and what came of it).

A subtopic (nugget, intent) is again a topic: `j.nuggets` are the rankings once for each of them. What a
document is worth there is added up for the document, and documents are then cumulated as always.
"""

# Importing registers measures: this is their order.
from rankgauge.measures.diversity import nuggets, cascades, intents, global_gains, nested  # noqa: F401, I001
