"""Evaluation on Spark: its worker alone, a session on this machine, a cluster of two workers."""
