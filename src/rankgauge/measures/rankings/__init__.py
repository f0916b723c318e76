"""Judged rankings and their curves: the vocabulary in which measures are written.

`arrays` implements it with NumPy, `scalars` with Python's own numbers for small inputs.
"""
