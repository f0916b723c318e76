"""Figures, the explorer, and reports."""
