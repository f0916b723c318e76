"""Judged rankings and their curves: the vocabulary in which measures are written.

Gains, discounts, novelty and weights are defined here. `arrays` implements the vocabulary with NumPy, for
many topics at once, `scalars` with Python's own numbers, for one topic at a time.
"""
