"""Judged rankings and their curves: the vocabulary in which measures are written.

Gains, discounts and novelty are defined here. `arrays` implements the vocabulary with NumPy, `scalars` with
Python's own numbers for small inputs.
"""
