"""Novelty and diversity: rankings judged by subtopic (Clarke et al. 2008 and later work).

Subtopics are also called nuggets and intents. A subtopic is treated as a topic, with rankings of its own. The
gains of a document for its subtopics are added up, and documents are then cumulated as usual.
"""

# Importing registers measures, in this order.
from rankgauge.measures.diversity import novelty, intents  # noqa: F401, I001
