"""Preferences between documents in place of grades, and how many of them a ranking fulfils.

People say which of two documents they would rather have. What one person said of a topic is a
*group*; within it, each *subgroup* is a list of documents with levels, higher ones preferred to lower
ones. Preferences carry over from one subgroup of a group to the next; groups may contradict each other.
These are trec_eval's preferences (`-R prefs`, `-R qrels_prefs`) and its fourteen measures of them.

    {topic: {group: {subgroup: {document: level}}}}
"""

from rankgauge.evaluation.preferences.evaluation import evaluate
from rankgauge.evaluation.preferences.files import from_qrels, read
from rankgauge.evaluation.preferences.measures import MEASURES, OFFICIAL

__all__ = ["MEASURES", "OFFICIAL", "evaluate", "from_qrels", "read"]
