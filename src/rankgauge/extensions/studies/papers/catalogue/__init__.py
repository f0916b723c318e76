"""The experiments, a module for each document."""
