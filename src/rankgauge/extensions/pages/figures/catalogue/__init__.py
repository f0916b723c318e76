"""The figures, relatives in one module."""
