"""The contract of evaluate, curves, Evaluator and Plan."""
