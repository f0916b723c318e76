"""The command line: one module per command, a thin layer over the public functions."""
