"""Comparing runs: is the difference real, how large is it, and what would a paper say?"""
