"""Fusion, preferences, groups of assessors, and the interfaces of other tools."""
