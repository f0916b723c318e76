"""Interfaces of other tools: `trec_eval` has the command line and the output of trec_eval."""
