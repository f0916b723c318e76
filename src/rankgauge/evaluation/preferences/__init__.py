"""Preferences between documents instead of grades, and the share of them that a ranking fulfils.

Assessors state which of two documents they prefer. The preferences of one assessor for a topic are a *group*.
Each *subgroup* of it is a list of documents with levels; higher levels are preferred to lower ones.
Preferences are transitive across the subgroups of a group, and groups may contradict each other. These are
trec_eval's preferences (`-R prefs`, `-R qrels_prefs`) and its fourteen measures.

    {topic: {group: {subgroup: {document: level}}}}
"""

from rankgauge.evaluation.preferences.evaluation import evaluate
from rankgauge.evaluation.preferences.files import from_qrels, read
from rankgauge.evaluation.preferences.measures import MEASURES, OFFICIAL

__all__ = ["MEASURES", "OFFICIAL", "evaluate", "from_qrels", "read"]
