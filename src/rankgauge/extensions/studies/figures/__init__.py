"""Figures of studies, and of effort."""
