"""The contract of evaluate, curves, Evaluator and FixedCandidates."""
