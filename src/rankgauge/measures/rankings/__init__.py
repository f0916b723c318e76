"""Judged rankings and their curves: the vocabulary in which measures are written.

`arrays` implements it with NumPy; `recorded` makes `programs` of formulas, for the compiled core.
"""
