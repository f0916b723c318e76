"""Evaluation: the verbs that take judgments and runs, and return scores, curves or an explanation.

`evaluator` has `evaluate`, `curves` and `Evaluator`, with arrays or scalars as its back end. The others are
fixed candidates for re-ranking, explanations of single values, preferences, and assessor groups.
"""

DEEPEST_CURVE = 1_000_000  # the last rank of a curve; memory does not hold the values of more
